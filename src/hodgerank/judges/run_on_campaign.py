"""judge_campaign: language models work on a campaign, beside people and other panels."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.client.remote_campaign import RemoteCampaign
from hodgerank.campaign.commands.answers import Receipt
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.tasks import Task
from hodgerank.collecting.call_loop import MOST_IN_A_ROW, Budget, CallLoop, MissedInARow
from hodgerank.collecting.collector import OnAnswer
from hodgerank.data.items.samples import Sample
from hodgerank.display import Displayed, Preview, short
from hodgerank.errors import (
    CampaignError,
    InvalidArgument,
    JudgeFailed,
    NoTask,
    UnknownItem,
)
from hodgerank.judges.behaviour import JudgeBehaviour, behaviour_of
from hodgerank.judges.chat_judge import ChatJudge, Judged
from hodgerank.judges.endpoint.endpoint import CallFailed
from hodgerank.sampling.answers import Answer
from hodgerank.types import Pair

PATIENCE = 1.0  # seconds until the next look whether others have brought something
FEWEST_BETWEEN_LOOKS = 10  # answers until the next look whether there are enough


@dataclass(frozen=True)
class ModelRun:
    """What one model did in a run.

    Attributes
    ----------
    n_answers, n_counted
        Answers that were given, and those among them that are votes.
    n_skipped
        Tasks without an answer: it abstained, refused, named none, or the call failed.
    n_known
        Answers and skips that a log or an earlier run knew, so that nobody was asked.
    n_not_taken
        Those that the campaign did not take, since it was closed or the task void meanwhile.
    reason
        Why it stopped.
    is_failed
        Whether that is a failure.
    """

    model: str
    n_answers: int
    n_counted: int
    n_skipped: int
    n_known: int
    n_not_taken: int
    reason: str
    is_failed: bool


@dataclass(frozen=True, eq=False, repr=False)
class CampaignRun(Displayed):
    """What models did on a campaign, from one call of `judge_campaign` to its end.

    Attributes
    ----------
    reason
        Why it stopped.
    models
        What each of them did.
    judges
        How each went about it, calls of the log included.
    """

    reason: str
    models: tuple[ModelRun, ...]
    judges: tuple[JudgeBehaviour, ...]

    @property
    def n_answers(self) -> int:
        """Answers that were given in this run."""
        return sum(model.n_answers for model in self.models)

    @property
    def n_counted(self) -> int:
        """Those among them that are votes."""
        return sum(model.n_counted for model in self.models)

    @property
    def n_skipped(self) -> int:
        """Tasks that got no answer in this run."""
        return sum(model.n_skipped for model in self.models)

    def _headline(self) -> str:
        return f"{self.n_answers:,} answers, {self.n_skipped:,} skipped, stopped by: {self.reason}"

    def _preview(self) -> Preview:
        rows = [
            (model.model, model.n_answers, model.n_skipped, model.reason) for model in self.models
        ]
        return Preview(("model", "answers", "skipped", "stopped by"), rows, len(rows))


async def judge_campaign(
    judge: ChatJudge,
    campaign: Campaign | RemoteCampaign,
    *,
    budget: int | None = None,
    concurrency: int = 16,
    on_answer: OnAnswer | None = None,
) -> CampaignRun:
    """Let every model of a judge work on a campaign, each as a worker of its own name.

    A model goes on until the campaign has no task for it; as long as what is left is out with
    others, it waits. Twenty tasks in a row without an answer end a model, and `JudgeFailed` is
    raised where that ends them all. What says that no call will ever succeed, such as a wrong key,
    is raised too. When a run ends, calls that are out are waited for: their answers count. Tasks
    that were not asked about stay with the model until their leases end, and it gets them first in
    its next run.

    What the log of the judge holds is not asked again: a run that was broken off between a reply
    and its answer hands it in when the model gets the task again. Two runs at the same time must
    have different models: a task that is out with a worker is given to whoever asks in its name.

    Parameters
    ----------
    judge
        Whom to ask, with the items of the campaign: see `judge_for`.
    campaign
        Open for writing, or one of a server. Its `skip_reasons` must not be empty, since a model
        may give no answer; where 'abstained', 'refused', 'unparsable' or 'failed' are among them,
        they are given as such, else the first one.
    budget
        Most answers of this run; default: as many as the campaign takes.
    concurrency
        How many calls are out at once, spread over the models.
    on_answer
        Told of each answer that the campaign has taken.
    """
    loop = _TaskLoop(judge, campaign, None if budget is None else Budget(budget), concurrency)
    judge.begin()
    settings, items = await asyncio.to_thread(lambda: (campaign.settings, campaign.items))
    retired = set(await asyncio.to_thread(lambda: campaign.retired))
    _require_skips(settings)
    _require_outcomes(judge, settings)
    for item in items:
        if str(item.id) not in judge.items and item.id not in retired:
            raise UnknownItem(str(item.id), judge.items.items)
    loop.between_looks = max(FEWEST_BETWEEN_LOOKS, len(items) // 2)
    loop.on_answer = on_answer
    return loop.result(await loop.run())


class _TaskLoop(CallLoop[Task]):
    """Tasks that are out with models, and what came of those before."""

    def __init__(
        self,
        judge: ChatJudge,
        campaign: Campaign | RemoteCampaign,
        budget: Budget | None,
        concurrency: int,
    ) -> None:
        super().__init__(concurrency, budget)
        self._judge, self._campaign = judge, campaign
        self._models = judge.panel.models
        self._share = ceil(concurrency / len(self._models))
        self.between_looks = FEWEST_BETWEEN_LOOKS
        self.on_answer: OnAnswer | None = None
        self._is_looking = False
        self._ended: dict[str, str] = {}  # models, and why
        self._failed: set[str] = set()
        self._missed = MissedInARow()
        self._given, self._counted, self._skipped = Counter[str](), Counter[str](), Counter[str]()
        self._asked, self._known, self._refused = Counter[str](), Counter[str](), Counter[str]()

    @property
    def n_votes(self) -> int:
        """Those of this run."""
        return self._given.total()

    @property
    def _active(self) -> list[str]:
        return [model for model in self._models if model not in self._ended]

    def reason_to_stop(self) -> str:
        """Why no more should be asked; empty if there is no reason."""
        self.wish = self.wish or self._judge.ended_by
        return super().reason_to_stop()

    def end(self, reason: str) -> None:
        """Let no call that waits for its turn go out."""
        self._judge.end(reason)

    async def fill(self) -> str:
        """Send out as many tasks as may be out; why there is nothing to wait for, if so."""
        busy = False
        # who was asked least comes first, where there are fewer places than models
        for model in sorted(self._active, key=self._asked.__getitem__):
            busy |= await self._fill(model)
        if busy and not self.besides:
            self.besides.add(asyncio.create_task(asyncio.to_thread(self._wait_for_news)))
        if not self._active and not self.out:
            return self.reason_to_stop() or "; ".join(dict.fromkeys(self._ended.values()))
        return self.reason_to_stop()

    async def _fill(self, model: str) -> bool:
        """Send out as many tasks of a model as may be out; whether it waits for others."""
        with_it = {task.pair for task in self.out.values() if task.worker == model}
        n_with_it = sum(task.worker == model for task in self.out.values())
        free = min(self._share - n_with_it, self.n_free)
        if free < 1 or self.reason_to_stop():
            return False
        try:
            tasks = await asyncio.to_thread(self._campaign.lease, model, len(with_it) + free)
        except NoTask as none:
            if none.why == "busy":
                return True
            self._ended[model] = str(none)
            return False
        except Exception as error:
            self.fail(error)
            return False
        # there may be more than are free, in the place of those that were handed in meanwhile
        most = len(tasks) if self.budget is None else free
        for task in [task for task in tasks if task.pair not in with_it][:most]:
            if task.pair not in with_it:  # else the reply will answer this task as well
                self._send(task)
                with_it.add(task.pair)
        return False

    def _send(self, task: Task) -> None:
        for item in task.pair:
            if str(item) not in self._judge.items:
                self.wish = f"{short(item)} joined the campaign after its judges: begin again"
                return
        self._asked[task.worker] += 1
        self.send(self._work_on(task), task)

    async def _work_on(self, task: Task) -> None:
        """Ask, and tell the campaign what came of it."""
        model, pair = task.worker, Pair(str(task.left), str(task.right))
        is_known = self._judge.replied(pair, model) is not None
        status, words = "failed", ""
        call: Judged | None = None
        try:
            call = await self._judge.ask(pair, model)
        except CallFailed as error:
            words = str(error)
        if call is not None:
            status, words = call.verdict.status, call.verdict.detail
        answer = None if call is None else call.answer
        try:
            if answer is None:
                await asyncio.to_thread(self._skip, task, status)
                self._miss(model, ": ".join(filter(None, (status, words))))
            else:
                receipt = await asyncio.to_thread(self._answer, task, answer)
                self._count(task, answer, receipt)
        except CampaignError:  # of a task that is over; why, the next lease will tell
            self._refused[model] += 1
        else:
            self._known[model] += is_known
        if answer is not None:
            await self._look()

    def _answer(self, task: Task, answer: Answer) -> Receipt:
        return self._campaign.answer(task, answer.outcome, worker=task.worker, weight=answer.weight)

    def _skip(self, task: Task, status: str) -> None:
        is_allowed = status in self._campaign.settings.skip_reasons
        self._campaign.skip(task, status if is_allowed else None, worker=task.worker)

    def _count(self, task: Task, answer: Answer, receipt: Receipt) -> None:
        self._missed.answer(task.worker)
        self._given[task.worker] += 1
        self._counted[task.worker] += receipt.is_counted
        if self.on_answer is not None:
            self.on_answer(task.pair, answer)

    def _miss(self, model: str, words: str) -> None:
        """Count a task without an answer; many in a row mean that nobody is there."""
        self._skipped[model] += 1
        if self._missed.miss(model) and model not in self._failed:
            self._failed.add(model)
            self._ended[model] = (
                f"{MOST_IN_A_ROW} pairs in a row got no answer from {model}. The last one: {words}"
            )

    async def _look(self) -> None:
        """See now and then whether there are enough, which the campaign writes down."""
        if self.n_votes % self.between_looks or self._is_looking:
            return
        self._is_looking = True
        try:
            await asyncio.to_thread(self._progress)
        finally:
            self._is_looking = False

    def _progress(self) -> None:
        if self._campaign.settings.stop is not None:
            self._campaign.progress()

    def take(self, done: list[tuple[Task, asyncio.Task[Any]]]) -> None:
        """What came was handed in already; what went wrong ends the run."""
        for _, over in done:
            if (error := over.exception()) is not None:
                self.fail(error)

    def _wait_for_news(self) -> None:
        self._campaign.wait(self._campaign.counts.seq, PATIENCE)

    def result(self, reason: str) -> CampaignRun:
        """What came of a run that ended for this reason."""
        if len(self._failed) == len(self._models):
            words = "; ".join(self._ended.values())
            raise JudgeFailed(f"{words}. The {self.n_votes:,} answers of this run are kept")
        return CampaignRun(
            reason,
            tuple(self._run_of(model, reason) for model in self._models),
            behaviour_of(self._judge),
        )

    def _run_of(self, model: str, reason: str) -> ModelRun:
        return ModelRun(
            model,
            n_answers=self._given[model],
            n_counted=self._counted[model],
            n_skipped=self._skipped[model],
            n_known=self._known[model],
            n_not_taken=self._refused[model],
            reason=self._ended.get(model, reason),
            is_failed=model in self._failed,
        )


def _require_skips(settings: CampaignSettings) -> None:
    if not settings.skip_reasons:
        raise CampaignError(
            "models may give no answer, and this campaign has no skip_reasons for that: set them, "
            "such as ['cannot decide']"
        )


def _require_outcomes(judge: ChatJudge, settings: CampaignSettings) -> None:
    """Refuse what the campaign would refuse answer by answer."""
    if judge.outcomes is None:
        if settings.grades:
            raise InvalidArgument(
                "answers by probability are any number from -1 to 1, and those of this campaign "
                f"are {settings.answers_text}: set grades = 0, or do without probabilities"
            )
        return
    refused = [outcome for outcome in judge.outcomes if not settings.allows(outcome)]
    if refused:
        with_ties = settings.changed({"ties": True})
        remedy = "ties = true" if all(map(with_ties.allows, refused)) else "grades = 0"
        raise InvalidArgument(
            f"the template has answers that stand for {', '.join(f'{y:g}' for y in refused)}, and "
            f"those of this campaign are {settings.answers_text}: set {remedy}, or use another "
            "template"
        )


def judge_for(
    campaign: Campaign | RemoteCampaign, models: str | Sequence[str], **options: Any
) -> ChatJudge:
    """A judge with the items and the question of a campaign, for `judge_campaign`.

    Texts are shown as texts, `media` that is an image file as an image. Those of a `RemoteCampaign`
    are fetched here, and can be shown as long as it is connected. Options are those of `ChatJudge`;
    `log` keeps a run that is interrupted from paying for anything twice.
    """
    question = campaign.settings.question
    return ChatJudge(_samples(campaign), question, models, **options)


def _samples(campaign: Campaign | RemoteCampaign) -> dict[str, Sample]:
    """Of every item; a retired one that cannot be shown is not asked about."""
    retired, found = set(campaign.retired), dict[str, Sample]()
    for item in campaign.items:
        name = str(item.id)
        try:
            found[name] = _sample(campaign, item)
        except InvalidArgument as error:
            if item.id not in retired:
                raise CampaignError(
                    f"models cannot be shown the item {short(name)}: {error}"
                ) from None
    return found


def _sample(campaign: Campaign | RemoteCampaign, item: CampaignItem) -> Sample:
    return Sample(item.text or None, campaign.media_file(item.media) if item.media else None)
