"""judge_campaign: language models as workers of a campaign, beside people."""

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
from hodgerank.collecting.call_loop import (
    MOST_IN_A_ROW,
    Budget,
    CallLoop,
    MissedInARow,
    StopReason,
)
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
from hodgerank.judges.endpoint.endpoint import CallFailed, EndpointRefuses
from hodgerank.judges.panel import PanelJudge
from hodgerank.sampling.answers import Answer
from hodgerank.types import Pair

PATIENCE = 1.0  # seconds between checks for answers of other workers
FEWEST_BETWEEN_LOOKS = 10  # answers between checks whether the target is reached


@dataclass(frozen=True)
class ModelRun:
    """Result of one model in a run.

    Attributes
    ----------
    n_answers, n_counted
        Answers given, and those that count as votes.
    n_skipped
        Tasks without an answer: abstained, refused, unusable reply, or failed call.
    n_known
        Answers and skips from the log or an earlier run, without a new call.
    n_not_taken
        Answers that the campaign did not accept, since it was closed or the task no longer valid.
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
    """Result of `judge_campaign`.

    Attributes
    ----------
    reason
        Why it stopped.
    models
        Result of each model.
    judges
        Behaviour of each model, including calls of the log.
    """

    reason: str
    models: tuple[ModelRun, ...]
    judges: tuple[JudgeBehaviour, ...]

    @property
    def n_answers(self) -> int:
        """Number of answers in this run."""
        return sum(model.n_answers for model in self.models)

    @property
    def n_counted(self) -> int:
        """Number of answers that count as votes."""
        return sum(model.n_counted for model in self.models)

    @property
    def n_skipped(self) -> int:
        """Number of tasks without an answer in this run."""
        return sum(model.n_skipped for model in self.models)

    def _headline(self) -> str:
        return f"{self.n_answers:,} answers, {self.n_skipped:,} skipped, stopped: {self.reason}"

    def _preview(self) -> Preview:
        rows = [
            (model.model, model.n_answers, model.n_skipped, model.reason) for model in self.models
        ]
        return Preview(("model", "answers", "skipped", "stopped"), rows, len(rows))


async def judge_campaign(
    judge: ChatJudge,
    campaign: Campaign | RemoteCampaign,
    *,
    budget: int | None = None,
    concurrency: int = 16,
    on_answer: OnAnswer | None = None,
) -> CampaignRun:
    """Let the models of a judge answer in a campaign, each as a worker under its own name.

    A model continues until the campaign has no task for it; while all remaining pairs are in
    progress, it waits. A model stops after twenty tasks in a row without an answer, or at a
    permanent error such as a wrong key; `JudgeFailed` is raised if all models stop so. At the end,
    calls in progress are waited for, and their answers count. Tasks that were not asked stay
    assigned to the model until their leases end, and it gets them first in its next run.

    Replies in the log of the judge are not requested again, so an interrupted run loses nothing.
    Two runs at the same time must have different models, since both would get the same tasks.

    Parameters
    ----------
    judge
        Judge with the items of the campaign: see `judge_for`.
    campaign
        Campaign open for writing, or on a server. Its `skip_reasons` must not be empty, since a
        model may give no answer. If they include 'abstained', 'refused', 'unparsable' or 'failed',
        these are used, otherwise the first one.
    budget
        Maximum number of answers in this run; default: as many as the campaign takes.
    concurrency
        Calls in progress at the same time, distributed over the models.
    on_answer
        Called with each answer that the campaign has accepted.
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
    """Tasks in progress with models, and the results so far."""

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
        self._ended: dict[str, StopReason] = {}  # models, and why
        self._failed: set[str] = set()
        self._missed = MissedInARow()
        self._given, self._counted, self._skipped = Counter[str](), Counter[str](), Counter[str]()
        self._asked, self._known, self._refused = Counter[str](), Counter[str](), Counter[str]()

    @property
    def n_votes(self) -> int:
        """Number of answers in this run."""
        return self._given.total()

    @property
    def _active(self) -> list[str]:
        return [model for model in self._models if model not in self._ended]

    def reason_to_stop(self) -> str:
        """Return why to stop; empty if there is no reason."""
        self.wish = self.wish or self._judge.ended_by
        return super().reason_to_stop()

    def end(self, reason: str) -> None:
        """Let no waiting call be sent."""
        self._judge.end(reason)

    async def fill(self) -> str:
        """Send as many tasks as allowed; return why nothing is in progress, if so."""
        busy = False
        # who was asked least comes first, where there are fewer places than models
        for model in sorted(self._active, key=self._asked.__getitem__):
            busy |= await self._fill(model)
        if busy and not self.besides:
            self.besides.add(asyncio.create_task(asyncio.to_thread(self._wait_for_news)))
        if not self._active and not self.out:
            return self.reason_to_stop() or self._all_ended
        return self.reason_to_stop()

    @property
    def _all_ended(self) -> StopReason:
        """Reasons of all models, with their code if it is the same."""
        reasons = list(dict.fromkeys(self._ended.values()))
        codes = {reason.code for reason in reasons}
        return StopReason("; ".join(reasons), codes.pop() if len(codes) == 1 else "several")

    async def _fill(self, model: str) -> bool:
        """Send tasks of a model; return whether it waits for other workers."""
        with_it = {task.pair for task in self.out.values() if task.worker == model}
        n_with_it = sum(task.worker == model for task in self.out.values())
        free = min(self._share - n_with_it, self.n_free)
        if free < 1 or self.reason_to_stop():
            return False
        try:
            tasks = await asyncio.to_thread(self._campaign.lease, model, len(with_it) + free)
        except NoTask as none:
            if none.why in ("busy", "waiting"):
                return True
            self._ended[model] = StopReason(
                str(none), "target" if none.why == "enough" else none.why
            )
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
                self.wish = (
                    f"{short(item)} was added to the campaign meanwhile: run the same command again"
                )
                return
        self._asked[task.worker] += 1
        self.send(self._work_on(task), task)

    async def _work_on(self, task: Task) -> None:
        """Ask about a task, and record the answer."""
        model, pair = task.worker, Pair(str(task.left), str(task.right))
        is_known = self._judge.replied(pair, model) is not None
        status, words = "failed", ""
        call: Judged | None = None
        try:
            call = await self._judge.ask(pair, model)
        except CallFailed as error:
            words = str(error)
        except EndpointRefuses as error:  # its tasks are those of its next run
            self._fail_model(model, str(error))
            return
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
        """Count a task without an answer; many in a row end the model."""
        self._skipped[model] += 1
        if self._missed.miss(model):
            self._fail_model(
                model,
                f"{model} gave no answer to {MOST_IN_A_ROW} pairs in a row. The last reason: "
                f"{words}",
            )

    def _fail_model(self, model: str, words: str) -> None:
        if model not in self._failed:
            self._failed.add(model)
            self._ended[model] = StopReason(words, "failed")

    async def _look(self) -> None:
        """Check from time to time whether the target is reached, which the campaign records."""
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
        """End the run after an error; answers have been recorded already."""
        for _, over in done:
            if (error := over.exception()) is not None:
                self.fail(error)

    def _wait_for_news(self) -> None:
        self._campaign.wait(self._campaign.counts.seq, PATIENCE)

    def result(self, reason: str) -> CampaignRun:
        """Return the result of a run that ended for this reason."""
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
            "models may give no answer, so the campaign needs skip_reasons: set them, such as "
            "['cannot decide']"
        )


def _require_outcomes(judge: ChatJudge, settings: CampaignSettings) -> None:
    """Refuse answers that the campaign would not accept."""
    if judge.outcomes is None:
        if settings.grades:
            raise InvalidArgument(
                "with --probabilities, outcomes are numbers from -1 to 1, but this campaign "
                f"allows {settings.answers_text}: set grades = 0, or leave out --probabilities"
            )
        return
    refused = [outcome for outcome in judge.outcomes if not settings.allows(outcome)]
    if refused:
        with_ties = settings.changed({"ties": True})
        remedy = "ties = true" if all(map(with_ties.allows, refused)) else "grades = 0"
        raise InvalidArgument(
            f"the template has the outcomes {', '.join(f'{y:g}' for y in refused)}, but this "
            f"campaign allows {settings.answers_text}: set {remedy}, or use another template"
        )


def judge_for(
    campaign: Campaign | RemoteCampaign,
    models: str | PanelJudge | Sequence[str | PanelJudge],
    **options: Any,
) -> ChatJudge:
    """Return a judge with the items and the question of a campaign, for `judge_campaign`.

    Texts are shown as text, and image files in `media` as images. Those of a `RemoteCampaign` are
    downloaded, and available while it is connected. Options are those of `ChatJudge`; with a `log`,
    an interrupted run resumes, and no saved reply is paid for twice.
    """
    question = campaign.settings.question
    return ChatJudge(_samples(campaign), question, models, **options)


def _samples(campaign: Campaign | RemoteCampaign) -> dict[str, Sample]:
    """Return a sample of every item; retired items that cannot be shown are left out."""
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
