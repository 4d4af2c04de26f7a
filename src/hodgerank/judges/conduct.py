"""How each judge went about it: replies, what they took, sides, length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hodgerank.judges.chat_judge import ChatJudge, Judged
from hodgerank.judges.ledger.account import ModelCost
from hodgerank.judges.replies.verdict import Status
from hodgerank.types import Item

STATUSES: tuple[Status, ...] = ("answered", "abstained", "refused", "unparsable", "failed")


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    part: int
    whole: int

    def __str__(self) -> str:
        return f"{self.part:,} of {self.whole:,}" if self.whole else ""


@dataclass(frozen=True)
class Conduct:
    """What one judge did.

    Attributes
    ----------
    statuses
        How many calls ended how; all five kinds are there.
    both_orders
        Of the pairs decided in both orders: on how many it chose the same item.
    longer
        Of the decided answers on texts of different length: in how many it chose the longer.
    cost
        What it took.
    """

    model: str
    statuses: Mapping[Status, int]
    both_orders: Share
    longer: Share
    cost: ModelCost


def conduct_of(judge: ChatJudge) -> tuple[Conduct, ...]:
    """That of every model that was called, in the order of the panel."""
    costs = {row.model: row for row in judge.ledger.rows()}
    by_model: dict[str, list[Judged]] = {model: [] for model in costs}
    for call in judge.judged:
        by_model.setdefault(call.model, []).append(call)
    return tuple(
        Conduct(
            model,
            _statuses(calls, costs[model]),
            _both_orders(calls),
            _longer(calls, judge),
            costs[model],
        )
        for model, calls in by_model.items()
    )


def _statuses(calls: Sequence[Judged], cost: ModelCost) -> dict[Status, int]:
    """Replies that were taken over from equal prompts count too; they cost nothing."""
    found = Counter(call.verdict.status for call in calls)
    found["failed"] = cost.statuses.get("failed", 0)
    return {status: found[status] for status in STATUSES}


def _decided(calls: Iterable[Judged]) -> Iterable[tuple[Judged, Item, Item]]:
    """Calls with the item that was chosen and the other."""
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
