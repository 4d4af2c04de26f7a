"""The verdict on the order, computed once from one posterior.

Headline, table, ties, advice, proposed pairs and forecasts are all derived from it. Its one
criterion for the best item is the posterior probability that the leader is the best, two-sided at
the confidence of the report: at 95% confidence the best is settled from 97.5% on, so that one of
two equally good leaders is rarely named. The places that items could have are those of
`Ranking.rank_intervals`, but the first place follows this criterion.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hodgerank.estimators.certainty import (
    certainties,
    certainty_over_next,
    expected_tau,
    top_k_certainty,
)
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, IntArray, Item

# After k votes that all prefer the leader, the other is better with a probability of at most
# 2^-k over the mean likelihood of the votes if the leader is better, which is taken as 1/4.
DOUBT = 4.0

NoOrder = Literal["disconnected", "cyclic", "level", "chance"]
State = NoOrder | Literal["correlated", "settled", "tied"]
"""What the votes say about the order.

disconnected: items fall into groups that were never compared; cyclic: significant cycles and no
significant ranking; level: all scores are equal; chance: no significant ranking; correlated: votes
repeat each other and the intervals do not allow for it; settled: the best item is known; tied:
several items could be the best.
"""


@dataclass(frozen=True, eq=False)
class Verdict:
    """Verdict on the order.

    Attributes
    ----------
    leaders
        The items that could be first, best first; none where there is no order.
    certainty
        Probability that the first item is the best.
    level
        From which certainty on the best is settled.
    places
        Best and worst place that each item could have, in the order of the ranking.
    pairs_in_order
        Share of the pairs of items that are expected to be in the right order.
    over_next
        Probability that each item is better than the next; NaN for the last.
    """

    state: State
    leaders: tuple[Item, ...]
    certainty: float
    level: float
    places: IntArray
    pairs_in_order: float
    over_next: FloatArray

    @property
    def has_order(self) -> bool:
        """Whether places may be shown and a leader may be named."""
        return self.state in ("correlated", "settled", "tied")

    @property
    def is_settled(self) -> bool:
        """Whether the best item is known."""
        return self.state == "settled"

    @property
    def goal(self) -> Literal["best", "order"]:
        """Question that more votes should decide."""
        return "best" if self.state == "tied" else "order"

    @cached_property
    def tiers(self) -> tuple[tuple[int, int], ...]:
        """First and last position of each tier: no item's places go beyond its tier."""
        ends = np.maximum.accumulate(self.places[:, 1])
        starts = np.minimum.accumulate(self.places[::-1, 0])[::-1]
        n = len(self.places)
        cuts = [k for k in range(1, n) if ends[k - 1] <= k < starts[k]]
        return tuple(zip([0, *cuts], [k - 1 for k in (*cuts, n)], strict=True))

    def columns(self, ranking: Ranking) -> dict[str, Any]:
        """The columns of the ranking, with the places of the verdict."""
        places = {"rank_lower": self.places[:, 0], "rank_upper": self.places[:, 1]}
        return {**ranking.columns(), **places}

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; null where there is no order."""
        known = self.has_order
        return {
            "state": self.state,
            "leaders": list(self.leaders),
            "certainty": self.certainty if known else None,
            "level": self.level,
            "is_settled": self.is_settled,
            "places": self.places.tolist() if known else None,
            "tiers": [[first + 1, last + 1] for first, last in self.tiers] if known else None,
            "pairs_in_order": self.pairs_in_order if known else None,
        }


def reach_verdict(
    ranking: Ranking,
    graph: ComparisonGraph,
    *,
    no_order: NoOrder | None = None,
    is_correlated: bool = False,
    sides: bool = False,
) -> Verdict:
    """Settle the first place of a ranking, unless `no_order` says why there is none.

    `sides` says that the model has terms for position bias.
    """
    level = (1 + ranking.confidence) / 2
    rows = np.flatnonzero(ranking.components == 0)
    doubts = _doubts(ranking, graph, rows, sides)
    certainty = _certainty(ranking, rows, doubts)
    over_next = certainty_over_next(ranking)
    pairs_in_order = (1 + expected_tau(ranking)) / 2
    if len(rows) > 1:
        over_next[0] = max(over_next[0], certainty)  # who is the best is better than the next
    if len(ranking) == 2 and len(rows) == 2:
        pairs_in_order = max(certainty, 0.5)
    if no_order is None and is_correlated:
        state: State = "correlated"
    elif no_order is None:
        state = "settled" if certainty >= level else "tied"
    else:
        state = no_order
    places = _places(ranking, rows, doubts, state)
    first = rows[places[rows, 0] == 1] if state in ("settled", "tied") else rows[:1]
    return Verdict(
        state=state,
        leaders=() if no_order else tuple(ranking.items[k] for k in first),
        certainty=certainty,
        level=level,
        places=places,
        pairs_in_order=pairs_in_order,
        over_next=over_next,
    )


def _certainty(ranking: Ranking, rows: IntArray, doubts: FloatArray) -> float:
    """Probability that the first is the best, bounded by the sum and the largest of the doubts."""
    if len(rows) < 2:
        return 1.0
    drawn = top_k_certainty(ranking, 1, [ranking.items[k] for k in rows])
    return float(min(max(drawn, 1 - doubts.sum()), 1 - doubts.max()))


def _places(ranking: Ranking, rows: IntArray, doubts: FloatArray, state: State) -> IntArray:
    """Rank intervals in which the first place is as settled, or as open, as the verdict says.

    The intervals look at one pair at a time, and take the posterior as normal. So they may leave a
    leader alone whom many others together make uncertain, or tie one who won every vote.
    """
    places = ranking.rank_intervals.copy()
    first, others = rows[:1], rows[1:]
    if state == "settled":
        places[first] = 1
        places[others] = np.maximum(places[others], 2)
    elif state == "tied":
        if not (places[others, 0] == 1).any():
            places[others[int(np.argmax(doubts))], 0] = 1
        places[first, 1] = np.maximum(places[first, 1], 2)
    return places


def _doubts(ranking: Ranking, graph: ComparisonGraph, rows: IntArray, sides: bool) -> FloatArray:
    """Probability of each other item that it is better than the first.

    The posterior is taken as normal, which it is not where nobody ever preferred the other item:
    there it never gets quite certain, however many the votes. Direct votes of one opinion bound the
    doubt then; not with `sides` in the model, where votes may agree about the side alone, nor where
    votes are correlated, nor for margins.
    """
    believed = 1 - certainties(ranking, np.repeat(rows[:1], len(rows) - 1), rows[1:])
    if sides or ranking.is_clustered or ranking.margin_unit is not None:
        return believed
    return np.minimum(believed, _doubt_of_unanimous(ranking, graph)[rows[1:]])


def _doubt_of_unanimous(ranking: Ranking, graph: ComparisonGraph) -> FloatArray:
    """How probable it is at most that an item is better than the leader; 1 unless all agree."""
    leader = graph.items.index(ranking.items[0])
    edges = np.flatnonzero((graph.i == leader) | (graph.j == leader))
    towards = np.where(graph.i[edges] == leader, 1.0, -1.0)
    edges = edges[graph.flows[edges] == towards]
    doubt = np.ones(len(graph.items))
    others = graph.i[edges] + graph.j[edges] - leader
    votes = np.minimum(graph.counts[edges], graph.weights[edges])
    doubt[others] = np.minimum(1.0, DOUBT * 0.5**votes)
    code = {item: k for k, item in enumerate(graph.items)}
    return doubt[[code[item] for item in ranking.items]]
