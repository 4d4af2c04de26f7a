"""Behaviour of each judge: replies, cost, position bias and length bias."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from types import MappingProxyType
from typing import NamedTuple

from hodgerank.display import p_words, visible
from hodgerank.estimators.position_bias.bias_test import FirstChoiceRate, first_choice_rate
from hodgerank.estimators.workers.assessment import ADVERSARIAL, CARELESS, WorkerAssessment
from hodgerank.judges.chat_judge import ChatJudge, Judged
from hodgerank.judges.design_effect import FEWEST_CONTEXTS
from hodgerank.judges.preferences import JudgePreferences, judge_preferences
from hodgerank.judges.prices import ModelCost
from hodgerank.judges.replies import Status
from hodgerank.reporting.blocks import Block, Bullets, Paragraph, Section, Table, Text
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.messages import name_of, percent, quoted, say
from hodgerank.types import Item

STATUSES: tuple[Status, ...] = ("answered", "abstained", "refused", "unparsable", "failed")


@dataclass(frozen=True)
class Share:
    """A part of a whole."""

    part: int
    whole: int

    def __str__(self) -> str:
        return f"{self.part:,} of {self.whole:,}" if self.whole else ""


@dataclass(frozen=True)
class JudgeBehaviour:
    """Behaviour of one judge.

    Attributes
    ----------
    statuses
        Number of calls by status; all five are present.
    both_orders
        Pairs with the same choice in both orders, of those decided in both.
    longer
        Choices of the longer text, of decided votes on texts of different length.
    cost
        Calls, tokens and cost.
    """

    model: str
    statuses: Mapping[Status, int]
    both_orders: Share
    longer: Share
    cost: ModelCost


def behaviour_of(judge: ChatJudge) -> tuple[JudgeBehaviour, ...]:
    """Return the behaviour of every model that was called, in the order of the panel."""
    costs = {row.model: row for row in judge.ledger.rows()}
    by_model: dict[str, list[Judged]] = {model: [] for model in costs}
    for call in judge.judged:
        by_model.setdefault(call.model, []).append(call)
    return tuple(
        JudgeBehaviour(
            model,
            _statuses(calls, costs[model]),
            _both_orders(calls),
            _longer(calls, judge),
            costs[model],
        )
        for model, calls in by_model.items()
    )


def _statuses(calls: Sequence[Judged], cost: ModelCost) -> dict[Status, int]:
    """Count calls by status; replies reused from equal prompts count too, but cost nothing."""
    found = Counter(call.verdict.status for call in calls)
    found["failed"] = cost.statuses.get("failed", 0)
    return {status: found[status] for status in STATUSES}


def _decided(calls: Iterable[Judged]) -> Iterable[tuple[Judged, Item, Item]]:
    """Yield calls with the chosen item and the other."""
    for call in calls:
        outcome = call.verdict.outcome
        if outcome:
            better, worse = call.pair if outcome > 0 else reversed(call.pair)
            yield call, better, worse


def _both_orders(calls: Sequence[Judged]) -> Share:
    chosen: dict[tuple[frozenset[Item], str], dict[Item, set[Item]]] = {}
    for call, better, _ in _decided(calls):
        orders = chosen.setdefault((frozenset(call.pair), call.context), {})
        orders.setdefault(call.pair.left, set()).add(better)
    both = [orders.values() for orders in chosen.values() if len(orders) == 2]
    same = sum(len(set[Item]().union(*found)) == 1 for found in both)
    return Share(same, len(both))


def _longer(calls: Sequence[Judged], judge: ChatJudge) -> Share:
    part = whole = 0
    for call, better, worse in _decided(calls):
        showings = judge.items.showings(str(better), str(worse))
        showing = next(shown for shown in showings if shown.key == call.context)
        if showing.left.text and showing.right.text:
            more = len(showing.left.text) - len(showing.right.text)
            part, whole = part + (more > 0), whole + (more != 0)
    return Share(part, whole)


SURE = 0.01  # p-value below which position bias is reported
FEW = 5  # names that are listed


class Asked(NamedTuple):
    """Describe the judges and questions; `share` is that of `effective_share`.

    `suspicious` are items whose text addresses the judge, `retired` the judges that were asked no
    more, `families` the items of their own families.
    """

    question: str
    judges: Sequence[JudgeBehaviour]
    n_contexts: int
    share: float
    n_left: int
    unjudged: Sequence[Item]
    suspicious: Sequence[Item] = ()
    retired: Mapping[str, str] = MappingProxyType({})
    notes: Sequence[str] = ()
    families: Mapping[str, Sequence[str]] = MappingProxyType({})


def judges_section(found: Findings, asked: Asked) -> Section:
    """Return the report section: questions, replies, cost, and position bias of the judges."""
    judges, n_contexts, share = asked.judges, asked.n_contexts, asked.share
    n_left, unjudged = asked.n_left, asked.unjudged
    preferences = judge_preferences(found.votes, asked.families)
    left = [say("judges.left", n=n_left) if n_left else say("judges.none_left")]
    if unjudged:
        left.append(say("judges.unjudged", n=len(unjudged), names=_some(unjudged)))
    first = first_choice_rate(found.votes)
    question = say("judges.question", question=visible(asked.question))
    blocks: list[Block] = [
        Paragraph((question, *_in_total(judges), *left)),
        _replies(judges),
        _habits(judges, first, preferences.tau),
    ]
    told = [
        say("judges.retired", judge=quoted(judge), why=visible(why))
        for judge, why in asked.retired.items()
    ]
    told += [say("judges.note", words=visible(words)) for words in asked.notes]
    if n := len(asked.suspicious):
        told.append(say("judges.suspicious", n=n, names=_some(asked.suspicious)))
    if told:
        blocks.append(Bullets(tuple(told)))
    leans = _leans(judges, found.trust.workers, first)
    blocks.append(Bullets(leans) if leans else Paragraph((say("judges.no_lean"),)))
    if prefers := _preferences(preferences, found.trust.workers):
        blocks.append(Bullets(prefers))
    notes = [say("judges.reading")]
    if share < 1:
        notes.append(say("judges.together", share=share))
    elif 1 < n_contexts < FEWEST_CONTEXTS:
        notes.append(say("judges.contexts", n=n_contexts))
    blocks.append(Paragraph(tuple(notes), "note"))
    answers = sum(judge.statuses["answered"] for judge in judges)
    summary = say("judges.summary", n=len(judges), answers=answers, left=n_left)
    return Section("judges", say("judges.title"), summary, tuple(blocks))


def _some(items: Sequence[Item]) -> str:
    names = ", ".join(name_of(item) for item in items[:FEW])
    return names if len(items) <= FEW else f"{names} ..."


def _in_total(judges: Sequence[JudgeBehaviour]) -> tuple[Text, ...]:
    totals = {status: sum(judge.statuses[status] for judge in judges) for status in STATUSES}
    tokens = sum(judge.cost.prompt_tokens + judge.cost.completion_tokens for judge in judges)
    costs = [judge.cost.cost for judge in judges]
    known = [cost for cost in costs if cost is not None]
    said = [say("judges.replies", **totals), say("judges.tokens", tokens=tokens)]
    if len(known) == len(costs):
        money = f"{sum(known):,.4g} {judges[0].cost.currency}".rstrip()
        said.append(say("judges.cost", money=money))
    if n := sum(judge.cost.estimated_calls for judge in judges):
        said.append(say("judges.estimated", n=n))
    return tuple(said)


def _replies(judges: Sequence[JudgeBehaviour]) -> Table:
    names = (*STATUSES, "spent", "seconds")
    header = [say("judges.judge"), *(say(f"judges.{name}") for name in names)]
    rows = [
        (
            name_of(judge.model),
            *(f"{judge.statuses[status]:,}" for status in STATUSES),
            f"{judge.cost.prompt_tokens + judge.cost.completion_tokens:,}",
            f"{judge.cost.seconds / judge.cost.calls:.1f}" if judge.cost.calls else "",
        )
        for judge in judges
    ]
    return Table(header, rows, frozenset(range(1, len(header))))


def _habits(
    judges: Sequence[JudgeBehaviour],
    first: Mapping[Item, FirstChoiceRate],
    tau: Mapping[Item, float],
) -> Table:
    names = ("judge", "first", "both_orders", "longer", "tau")
    rows = [
        (
            name_of(judge.model),
            _in_percent(first.get(judge.model)),
            str(judge.both_orders),
            _share(judge.longer),
            f"{tau[judge.model]:.2f}" if judge.model in tau else "",
        )
        for judge in judges
    ]
    return Table([say(f"judges.{name}") for name in names], rows, frozenset({1, 2, 3, 4}))


WHY_NO_FAMILY = {
    "one_judge": "judges.family_one_judge",
    "one_family": "judges.family_one_family",
    "not_identified": "judges.family_not_identified",
    "too_many": "judges.family_too_many",
}


def _preferences(found: JudgePreferences, workers: WorkerAssessment | None) -> tuple[Text, ...]:
    """Word what single judges prefer, and that it explains a warning about them."""
    said = []
    for judge, items in found.favourites.items():
        said.append(say("judges.favours", judge=quoted(judge), n=len(items), names=_some(items)))
        flag = (
            None
            if workers is None
            else dict(zip(workers.workers, workers.flag, strict=True)).get(judge)
        )
        if flag in (CARELESS, ADVERSARIAL):
            said.append(say("judges.not_careless", judge=quoted(judge)))
    own = found.own_family
    if own is not None:
        middle, low, high = (f"{100 * rate:.0f}" for rate in own.win_rate)
        key = "judges.own_family" if own.is_significant else "judges.no_own_family"
        said.append(say(key, rate=f"{middle}% ({low} to {high})", n=own.n_judges))
    elif found.why_not:
        said.append(say(WHY_NO_FAMILY[found.why_not]))
    return tuple(said)


def _share(share: Share) -> str:
    return percent(share.part / share.whole) if share.whole else ""


def _place(model: str, workers: WorkerAssessment | None) -> int | None:
    """Return the position bias of a judge, if it can be estimated."""
    if workers is None or model not in workers.workers:
        return None
    place = workers.workers.index(model)
    return None if isnan(workers.position_bias[place]) else place


def _in_percent(first: FirstChoiceRate | None) -> str:
    if first is None:
        return ""
    middle, low, high = (f"{100 * share:.0f}" for share in first)
    return f"{middle}% ({low} to {high})"


def _leans(
    judges: Sequence[JudgeBehaviour],
    workers: WorkerAssessment | None,
    first: Mapping[Item, FirstChoiceRate],
) -> tuple[Text, ...]:
    said = []
    for judge in judges:
        place = _place(judge.model, workers)
        if workers is None or place is None or workers.position_bias_p_value[place] > SURE:
            continue
        to_first = workers.position_bias[place] > 0
        said.append(
            say(
                "judges.leans_first" if to_first else "judges.leans_second",
                judge=quoted(judge.model),
                first=_in_percent(first.get(judge.model)),
                p=p_words(float(workers.position_bias_p_value[place])),
            )
        )
    return tuple(said)
