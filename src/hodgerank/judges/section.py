"""The section of a report that tells about its judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import NamedTuple

from hodgerank.estimators.position.first_of_equals import FirstOfEquals, first_of_equals
from hodgerank.estimators.workers.assessment import WorkerAssessment
from hodgerank.judges.conduct import STATUSES, Conduct, Share
from hodgerank.judges.hanging_together import FEWEST_CONTEXTS
from hodgerank.notebook import p_words, visible
from hodgerank.reporting.blocks import Block, Bullets, Paragraph, Section, Table, Text
from hodgerank.reporting.catalogue import name_of, say
from hodgerank.reporting.findings import Findings
from hodgerank.reporting.numbers import percent
from hodgerank.types import Item

SURE = 0.01  # p-value from which a lean is said to be one
FEW = 5  # names that are listed


class Asked(NamedTuple):
    """What was asked of whom, and what was not; `share` is that of `share_of_news`."""

    question: str
    judges: Sequence[Conduct]
    n_contexts: int
    share: float
    n_left: int
    unjudged: Sequence[Item]


def judges_section(found: Findings, asked: Asked) -> Section:
    """What was asked, what came back, what it took, and which way judges lean."""
    _, judges, n_contexts, share, n_left, unjudged = asked
    left = [say("judges.left", n=n_left) if n_left else say("judges.none_left")]
    if unjudged:
        left.append(say("judges.unjudged", n=len(unjudged), names=_some(unjudged)))
    first = first_of_equals(found.votes)
    question = say("judges.question", question=visible(asked.question))
    blocks: list[Block] = [
        Paragraph((question, *_in_total(judges), *left)),
        _replies(judges),
        _habits(judges, first),
    ]
    leans = _leans(judges, found.trust.workers, first)
    blocks.append(Bullets(leans) if leans else Paragraph((say("judges.no_lean"),)))
    notes = [say("judges.reading")]
    if share < 1:
        notes.append(say("judges.together", share=share))
    elif 1 < n_contexts < FEWEST_CONTEXTS:
        notes.append(say("judges.contexts", n=n_contexts))
    blocks.append(Paragraph(tuple(notes), "note"))
    return Section("judges", say("judges.title"), tuple(blocks))


def _some(items: Sequence[Item]) -> str:
    names = ", ".join(name_of(item) for item in items[:FEW])
    return names if len(items) <= FEW else f"{names} ..."


def _in_total(judges: Sequence[Conduct]) -> tuple[Text, ...]:
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


def _replies(judges: Sequence[Conduct]) -> Table:
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


def _habits(judges: Sequence[Conduct], first: Mapping[Item, FirstOfEquals]) -> Table:
    names = ("judge", "first", "both_orders", "longer")
    rows = [
        (
            name_of(judge.model),
            _in_percent(first.get(judge.model)),
            str(judge.both_orders),
            _share(judge.longer),
        )
        for judge in judges
    ]
    return Table([say(f"judges.{name}") for name in names], rows, frozenset({1, 2, 3}))


def _share(share: Share) -> str:
    return percent(share.part / share.whole) if share.whole else ""


def _place(model: str, workers: WorkerAssessment | None) -> int | None:
    """Of a judge among the workers, where its lean can be told."""
    if workers is None or model not in workers.workers:
        return None
    place = workers.workers.index(model)
    return None if isnan(workers.position_bias[place]) else place


def _in_percent(first: FirstOfEquals | None) -> str:
    if first is None:
        return ""
    middle, low, high = (f"{100 * share:.0f}" for share in first)
    return f"{middle} % ({low} to {high})"


def _leans(
    judges: Sequence[Conduct],
    workers: WorkerAssessment | None,
    first: Mapping[Item, FirstOfEquals],
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
                judge=name_of(judge.model),
                first=_in_percent(first.get(judge.model)),
                p=p_words(float(workers.position_bias_p_value[place])),
            )
        )
    return tuple(said)
