"""judge_items: a judged campaign, from the first call to the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from hodgerank.collecting.call_loop import Budget, StopReason
from hodgerank.collecting.collector import Collector, OnAnswer, RunResult
from hodgerank.collecting.run_async import PairLoop, Turn
from hodgerank.collecting.stopping import StoppingRule
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.vote_columns import written_names
from hodgerank.display import Displayed, Preview, short
from hodgerank.errors import InvalidArgument, JudgeFailed, NothingToAsk, require_one_of
from hodgerank.estimators.worker_weights import weighed
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import source_of
from hodgerank.graph.repetitions import news_share
from hodgerank.judges.behaviour import Asked, JudgeBehaviour, behaviour_of, judges_section
from hodgerank.judges.chat_judge import ChatJudge, Judged
from hodgerank.judges.design_effect import effective_share
from hodgerank.judges.endpoint.endpoint import EndpointRefuses
from hodgerank.judges.folder_campaign import folder_campaign, hand_in
from hodgerank.judges.injection import suspicious_items
from hodgerank.judges.panel_agreement import PanelAgreement, panel_agreement
from hodgerank.judges.question_plan import QuestionPlan, listed_questions
from hodgerank.judges.trade_offs import Costs
from hodgerank.reporting.report import Report, report
from hodgerank.sampling.answers import Answer
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.auto import AutoSampler
from hodgerank.sampling.samplers.random import RandomSampler
from hodgerank.types import Item, Pair, VotesLike

DEFAULT_BUDGET = 400  # votes


@dataclass(frozen=True, eq=False, repr=False)
class JudgedRun(Displayed):
    """Result of a judged campaign.

    Attributes
    ----------
    question
        Question asked about every pair.
    result
        Ranking, votes, and why it stopped.
    judges
        Behaviour of each judge.
    judged
        Every call with a reply.
    asked_by
        The sampler that chose the pairs.
    n_left, open_pairs
        Number of different questions that were not asked, and their pairs (None: all).
    repetition
        Correlation of repeated votes on a pair beyond what the scores explain: see `AutoSampler`.
    retired
        Judges that were asked no more, and why.
    notes
        Further facts about the run that its reader should know.
    suspicious
        Items with a text that seems to address the judge.
    families
        Items of each judge's own family.
    prompt_columns
        Columns that are constant within each context, such as its category: values by context.
    panel_agreement
        Agreement of the judges on the questions that all of them got (`overlap`).
    costs
        Costs of the items, by column, item and context: the report names a tied item that costs
        less than the first one.
    """

    question: str
    result: RunResult
    judges: tuple[JudgeBehaviour, ...]
    judged: tuple[Judged, ...]
    asked_by: str
    n_left: int
    open_pairs: Sequence[Pair] | None
    repetition: float = 0.0
    retired: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    suspicious: tuple[Item, ...] = ()
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prompt_columns: Mapping[str, Mapping[str, str | None]] = field(default_factory=dict)
    panel_agreement: PanelAgreement | None = None
    costs: Costs = field(default_factory=dict)

    def _headline(self) -> str:
        return f"{short(self.question)!r}: {self.result._headline()}"

    def _preview(self) -> Preview:
        return self.result._preview()

    def to_frame(self, backend: str = "auto") -> Any:
        """Return the votes as a table that `read_comparisons` reads.

        `backend` is a dataframe library; default: pandas if it is installed, else polars.
        """
        from hodgerank.data.sources.frames import build_frame

        votes = votes_in(self.judged, self.asked_by, self.prompt_columns)
        return build_frame(votes, backend)

    @property
    def unjudged(self) -> tuple[Item, ...]:
        """Items without votes, which the report leaves out."""
        answers = self.result.votes
        judged = {answers.items[k] for k in (*answers.left.tolist(), *answers.right.tolist())}
        return tuple(item for item in answers.items if item not in judged)

    def report(self, source: str = "judges", **options: Any) -> Report:
        """Return the report, with a section on the judges, and their position bias in the model.

        Replies of a model to the same prompt count as one together, and repeated votes are weighted
        by their `repetition`. `source` is the name of the votes; options are those of
        `hodgerank.report`.
        """
        votes, share = self._votes(source)
        options.setdefault("title", self.question)
        options.setdefault("position_bias", "worker")
        return report(
            votes,
            further=lambda found: (judges_section(found, self._asked(share)),),
            candidates=None if self.open_pairs is None else self._open_among(votes.items),
            max_votes=self.n_left,
            **options,
        )

    def _votes(self, source: str) -> tuple[Comparisons, float]:
        """Return the weighted votes, and their effective share given correlated contexts."""
        columns, told = votes_in(self.judged, self.asked_by), self.result.votes
        items = {item: code for code, item in enumerate(told.items)}
        workers = {model: code for code, model in enumerate(dict.fromkeys(columns["worker"]))}
        weight = columns.get("weight")
        votes = Comparisons(
            items=told.items,
            left=np.array([items[item] for item in columns["left"]], np.int32),
            right=np.array([items[item] for item in columns["right"]], np.int32),
            outcome=np.array(columns["outcome"], float),
            workers=tuple(workers),
            worker=np.array([workers[model] for model in columns["worker"]], np.int32),
            weight=None if weight is None else np.array(weight),
            report=replace(told.report, source=source),
        ).compacted()
        if self.repetition:
            answered = AnsweredGraph.of(votes)
            votes = weighed(votes, news_share(answered.graph, self.repetition)[answered.edge])
        share = effective_share(votes, columns["context"]) if "context" in columns else 1.0
        return votes if share == 1 else weighed(votes, np.full(len(votes), share)), share

    def _asked(self, share: float) -> Asked:
        contexts = {call.context for call in self.judged if call.context}
        return Asked(
            self.question,
            self.judges,
            len(contexts),
            share,
            self.n_left,
            self.unjudged,
            self.suspicious,
            self.retired,
            self.notes,
            self.families,
            self.panel_agreement,
            self.costs,
        )

    def _open_among(self, items: Sequence[Item]) -> tuple[Pair, ...]:
        known = set(items)
        return tuple(pair for pair in self.open_pairs or () if known.issuperset(pair))


def votes_in(
    judged: Iterable[Judged],
    asked_by: str,
    prompt_columns: Mapping[str, Mapping[str, str | None]] = MappingProxyType({}),
) -> dict[str, list[Any]]:
    """Return columns of a table of votes; replies to the same prompt share the weight of one.

    Columns of prompts that would be read as columns of votes get another ending.
    """
    answered = [call for call in judged if call.verdict.outcome is not None]
    columns: dict[str, list[Any]] = {
        "left": [call.pair.left for call in answered],
        "right": [call.pair.right for call in answered],
        "outcome": [call.verdict.outcome for call in answered],
        "worker": [call.model for call in answered],
    }
    times = Counter((call.pair, call.model, call.context) for call in answered)
    if any(count > 1 for count in times.values()):
        columns["weight"] = [1 / times[call.pair, call.model, call.context] for call in answered]
    if any(call.context for call in answered):
        columns["context"] = [call.context for call in answered]
        names = written_names(next(iter(prompt_columns.values()), {}), [*columns, "asked_by"])
        for name, written in names.items():
            columns[written] = [prompt_columns[call.context][name] for call in answered]
    columns["asked_by"] = [asked_by] * len(answered)
    return columns


async def judge_items(
    judge: ChatJudge,
    budget: int | None = None,
    *,
    questions: VotesLike | None = None,
    overlap: float = 0.0,
    sampler: Sampler | None = None,
    stop: StoppingRule | None = None,
    concurrency: int = 16,
    orders: Literal["single", "both"] = "single",
    seed: int = 0,
    on_answer: OnAnswer | None = None,
    progress: bool | None = None,
    campaign: Path | str | None = None,
) -> JudgedRun:
    """Let a judge compare items until the budget is used or a stopping rule is satisfied.

    With a log, its answers count, so an interrupted run resumes. Every answer becomes a vote of a
    campaign, in which each model is a worker.

    Parameters
    ----------
    judge
        The judge.
    budget
        Number of votes, including those in the log. Replies without an answer and failed calls come
        on top; the limits of the judge include them. Default: 400, or what `questions` need.
    questions
        Votes of people, or anything `read_comparisons` accepts: exactly the pairs and prompts that
        they are about are asked, each once in a random order, or in both. No sampler chooses pairs.
    overlap
        Share of questions that every judge of a panel gets, for the agreement of the judges.
    sampler
        Chooses the pairs; default: `AutoSampler` with position bias. With `questions` it only
        ranks.
    stop, on_answer, progress
        As in `run`.
    concurrency
        Calls in progress at the same time.
    orders
        'single' shows a pair in one order, balanced over all pairs; 'both' in both orders (two
        calls).
    seed
        Of the sampler.
    campaign
        File for the campaign, in which others can answer too. Default: in memory.
    """
    require_one_of(orders, ("single", "both"), "orders")
    if sampler is None:
        kind = AutoSampler if questions is None else RandomSampler
        sampler = kind(
            judge.items.items,
            seed=seed,
            position_bias="worker",
            candidates=judge.items.comparable,
        )
    listed = None
    if questions is not None:
        told = source_of(questions).answers()
        listed = listed_questions(told, judge.items, told.report.source).questions
    is_both = orders == "both"
    plan = QuestionPlan(judge, listed, both_orders=is_both, overlap=overlap, seed=seed)
    judge.begin()
    judge.tell(sampler)
    budget = _enough(plan, judge, sampler.n_votes, budget, is_listed=listed is not None)
    collector = Collector(sampler, Budget(budget), stop, None, on_answer)
    try:
        with folder_campaign(judge, sampler, seed, campaign) as kept:

            async def ask(turn: Turn) -> Answer | None:
                worker = None if turn.worker is None else str(turn.worker)
                try:
                    call = await judge.put(turn.pair, worker, turn.context)
                except EndpointRefuses:
                    if worker is None or not judge.models:
                        raise
                    return None  # this judge is asked no more, but others are
                if call is None:
                    raise NothingToAsk(judge.trouble)
                plan.follow(call)
                await hand_in(kept, call)
                return call.answer

            loop = PairLoop(
                collector,
                ask,
                concurrency=concurrency,
                per_pair=judge.n_open,
                both_orders=is_both,
                set_aside=judge.unanswered,
                on_end=judge.end,
                ahead=plan,
            )
            result = await loop.collect(progress)
            if plan.reason_to_end and StopReason(result.reason).code == "budget":
                result = replace(result, reason=plan.reason_to_end)
    except JudgeFailed as error:
        words = str(error)
        if judge.trouble and judge.trouble not in words:
            words = f"{words}. The last reason: {judge.trouble}"
        if not sampler.n_votes:
            raise JudgeFailed(words) from error
        result = collector.result(StopReason(words, "failed"))
    if judge.trouble and not result.n_votes and not judge.is_stopped:
        raise JudgeFailed(
            f"none of {result.n_unanswered:,} questions was answered. The last reason: "
            f"{judge.trouble}"
        )
    return JudgedRun(
        judge.question,
        result,
        behaviour_of(judge),
        tuple(judge.judged),
        sampler.name,
        judge.n_left,
        judge.open_pairs,
        sampler.repetition,
        dict(judge.retired),
        tuple(notes_on(judge)),
        suspicious_items(judge.items),
        judge.families,
        judge.items.prompt_columns,
        panel_agreement(plan.shared_calls),
        judge.items.costs,
    )


def _enough(
    plan: QuestionPlan, judge: ChatJudge, n_votes: int, budget: int | None, *, is_listed: bool
) -> int:
    """Return the budget, or raise an error if listed questions need more votes or calls."""
    if not is_listed:
        return DEFAULT_BUDGET if budget is None else budget
    needed, earlier = (
        n_votes + plan.n_due,
        f", {n_votes:,} of them from earlier runs" * bool(n_votes),
    )
    if budget is not None and budget < needed:
        raise InvalidArgument(
            f"the questions need {needed:,} votes{earlier}: a budget of {budget:,} is too small; "
            f"use {needed:,} (--budget {needed}), or leave it out"
        )
    most = judge.ledger.caps.calls
    called = sum(row.calls for row in judge.ledger.rows())
    if most is not None and most < called + plan.n_due:
        raise InvalidArgument(
            f"the questions need {plan.n_due:,} calls, and {called:,} were made in earlier runs: "
            f"the limit of {most:,} calls is too small; use {called + plan.n_due:,} "
            f"(--max-calls {called + plan.n_due})"
        )
    return max(needed, 1)


def notes_on(judge: ChatJudge) -> Iterator[str]:
    """Yield what a run should tell beside its votes."""
    if n := len(judge.withdrawn):
        calls = "1 call is" if n == 1 else f"{n:,} calls are"
        yield f"{calls} about items that were withdrawn, and ignored"
    if n := judge.n_cut_off:
        calls = "1 call" if n == 1 else f"{n:,} calls"
        yield (
            f"{calls} of earlier runs did not come back: they may have been paid for, and are made "
            "again if they are chosen again"
        )
    if n := judge.n_read_again:
        replies = "1 reply" if n == 1 else f"{n:,} replies"
        yield f"{replies} of earlier runs could not be read then, and can now: no call was needed"
    for name, n in judge.truncated.items():
        prompts = "1 prompt" if n == 1 else f"{n:,} prompts"
        yield (
            f"{name} reported less than half of the tokens that {prompts} should have: the server "
            "may have cut them (raise its context length, such as num_ctx of Ollama)"
        )
