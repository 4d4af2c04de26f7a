"""Trade-offs: an item that is statistically tied with the best one, and costs less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hodgerank.reporting.verdict import Verdict
from hodgerank.types import Item

LEAST_SAVING = 0.05  # below which a difference is not worth a sentence

# By column and item, the values in each context.
Costs = Mapping[str, Mapping[str, Mapping[str, float]]]


class TradeOff(NamedTuple):
    """An item that could be the best too, and how much less it costs than the first one.

    Attributes
    ----------
    item, leader
        The two items.
    column
        'cost', 'price' or 'latency', in lower case.
    saving
        1 - mean cost / mean cost of the leader, over the contexts that both have.
    """

    item: Item
    leader: Item
    column: str
    saving: float


def trade_offs(verdict: Verdict, costs: Costs) -> Iterator[TradeOff]:
    """Yield, for each column, the cheapest item that is tied with the first one, if it is cheaper.

    Ties are those of the verdict: the items that could be first. There are none if the best item is
    settled, or if the votes show no order.
    """
    if verdict.state != "tied":
        return
    leader, *others = verdict.leaders
    for column, known in costs.items():
        found = []
        for item in others:
            here, there = known.get(str(item), {}), known.get(str(leader), {})
            shared = sorted(here.keys() & there.keys())
            whole = sum(there[key] for key in shared)
            if whole > 0:
                found.append((1 - sum(here[key] for key in shared) / whole, item))
        if found:
            saving, item = max(found, key=lambda each: each[0])
            if saving >= LEAST_SAVING:
                yield TradeOff(item, leader, column.strip().lower(), saving)
