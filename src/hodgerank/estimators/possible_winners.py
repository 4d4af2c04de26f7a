"""possible_winners: items that would be first if pairs had been compared more or less often.

Where preferences are cyclic, the winner depends on how often each pair was compared, which is known
as voting chaos.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hodgerank.display import Charted, Displayed, Preview
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.estimators.removal_search import EQUAL, leads, pseudo_inverse
from hodgerank.graph.build import build_graph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg import laplacian
from hodgerank.types import FloatArray, Item, VotesLike

MOST_ITEMS = 150  # hundreds of systems of this size are solved for each
STEPS, BISECTIONS = 60, 8


@dataclass(frozen=True, eq=False, repr=False)
class PossibleWinners(Displayed, Charted):
    """Items that could have the highest score if pairs had been compared more or less often.

    Attributes
    ----------
    items
        All items, by score.
    factors
        For each, the smallest factor found: with the number of votes of every pair multiplied by
        something between 1/factor and factor, and the same mean votes, the item is first. 1 for the
        leader; infinite if none was found up to `factor`. The search is not exhaustive, so the
        true value may be smaller.
    factor
        The largest factor considered.
    cyclic
        Share of the flow's energy that the ranking does not explain: with 0, no weights change the
        order.
    """

    items: tuple[Item, ...]
    factors: FloatArray
    factor: float
    cyclic: float

    @property
    def winners(self) -> tuple[Item, ...]:
        """The items that can be first, the leader among them."""
        return tuple(self.items[k] for k in np.flatnonzero(np.isfinite(self.factors)).tolist())

    def _headline(self) -> str:
        return str(self)

    def __str__(self) -> str:
        n, within = len(self.winners), f"within a factor of {self.factor:g}"
        if n == 1:
            return f"{self.items[0]} stays first {within}"
        return f"{n:,} of {len(self.items):,} items can be first {within}"

    def _preview(self) -> Preview:
        rows = ((item, f) for item, f in zip(self.items, self.factors.tolist(), strict=True))
        return Preview(("item", "factor"), rows, len(self.items))


def possible_winners(votes: VotesLike, factor: float = 2.0) -> PossibleWinners:
    """Find which items would be first if pairs had other numbers of votes, but the same mean votes.

    The number of votes of each pair may change by a factor, up or down. Without cyclic preferences
    the order cannot change.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts; at most 150 items.
    factor
        The largest factor, above 1.

    Examples
    --------
    >>> ring = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 0.5)]
    >>> possible_winners(ring, 3).winners
    ('a', 'b', 'c', 'd')
    >>> possible_winners([("a", "b", 1), ("b", "c", 1)]).winners
    ('a',)
    """
    if not isinstance(factor, int | float | np.number) or not 1 < factor < np.inf:
        raise InvalidArgument(f"factor must be a number above 1, not {factor!r}")
    graph = build_graph(votes)
    graph.require_connected()
    if graph.n_items > MOST_ITEMS:
        raise InvalidArgument(
            f"{graph.n_items:,} items: this analysis is limited to {MOST_ITEMS:,}"
        )
    if graph.n_items < 2:
        raise InvalidComparisons("there is nothing to win with fewer than two items")
    pairs = _Reweighting(graph)
    x = pairs.scores(np.zeros(graph.n_edges))[0]
    order = np.argsort(-x, kind="stable")
    total = float(graph.weights @ graph.flows**2)
    explained = float(graph.weights @ (x[graph.i] - x[graph.j]) ** 2)
    return PossibleWinners(
        items=tuple(graph.items[k] for k in order),
        factors=np.array([pairs.smallest_factor(k, factor) for k in order.tolist()]),
        factor=float(factor),
        cyclic=max(0.0, 1 - explained / total) if total else 0.0,
    )


class _Reweighting:
    """Scores if the number of votes of each pair is multiplied by exp(s)."""

    def __init__(self, graph: ComparisonGraph) -> None:
        self.graph = graph

    def scores(self, s: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the scores, the inverse of the Laplacian, and the weights."""
        g, weights = self.graph, self.graph.weights * np.exp(s)
        inverse = pseudo_inverse(g.i, g.j, weights, g.n_items)
        x = inverse @ laplacian.divergence(g.i, g.j, weights * g.flows, g.n_items)
        return x, inverse, weights

    def smallest_factor(self, k: int, largest: float) -> float:
        """Return the smallest factor found at which item k is first, by bisection."""
        low, high = 0.0, float(np.log(largest))
        s = self._winning(k, high, np.zeros(self.graph.n_edges))
        if s is None:
            return np.inf
        if not s.any():
            return 1.0
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            found = self._winning(k, middle, np.clip(s, -middle, middle))
            if found is None:
                low = middle
            else:
                high, s = middle, found
        return float(np.exp(high))

    def _winning(self, k: int, most: float, s: FloatArray) -> FloatArray | None:
        """Return changes |s| <= most that put item k first; None if none are found.

        Steps go towards the corner of the box that brings item k forward most, to first order,
        against its rivals weighted by how far they are ahead.
        """
        g = self.graph
        x, inverse, weights = self.scores(s)
        sharpness = 4.0
        for _ in range(STEPS):
            lead = float(leads(x[None], k)[0])
            if lead > EQUAL or (lead > -EQUAL and not s.any()):
                return s
            rivals = np.exp(sharpness * (x - x.max()) / max(float(np.ptp(x)), EQUAL))
            rivals[k] = 0
            direction = rivals / rivals.sum()
            direction[k] = -1
            v = inverse @ direction
            effect = weights * (v[g.i] - v[g.j]) * (g.flows - (x[g.i] - x[g.j]))
            corner = np.where(np.abs(effect) > EQUAL * weights, -np.sign(effect) * most, s)
            for share in (1.0, 0.5, 0.2, 0.05):
                tried = s + share * (corner - s)
                found = self.scores(tried)
                if float(leads(found[0][None], k)[0]) > lead + EQUAL:
                    s, (x, inverse, weights) = tried, found
                    break
            else:
                if sharpness > 100:
                    return None
                sharpness *= 3
        return None
