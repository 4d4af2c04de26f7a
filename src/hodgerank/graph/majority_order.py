"""The order that majorities contradict least, a crowd with that order, and evidence of cycles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.feedback_arcs import Arcs, best_order, least_contradicted
from hodgerank.kernels.triangles import circles
from hodgerank.types import FloatArray, IntArray

# Standard errors by which a pair must lean one way to count in a loop without triangles. Most pairs
# without a preference lean less, so that many of them weigh little beside a few clear ones.
CLEAR = 1.0
SINGLE = 1.5  # effective votes up to which a pair is as good as one vote


@dataclass(frozen=True, eq=False)
class MajorityOrder:
    """An order of the items of a graph of signs.

    Attributes
    ----------
    graph
        The signs.
    places
        Place of each item; the first is preferred.
    faint
        Standard errors up to which a majority does not count.
    """

    graph: ComparisonGraph
    places: IntArray
    faint: float = 0.0

    @classmethod
    def of(cls, graph: ComparisonGraph, faint: float = 0.0) -> MajorityOrder:
        """Find the order whose contradicting majorities have the least total deviance."""
        clear = np.abs(_standardised(graph)) > faint
        costs = np.where(clear, np.sign(graph.flows) * _deviances(graph), 0.0)
        return cls(graph, best_order(Arcs.of(graph.i, graph.j, graph.n_items), costs), faint)

    def transitive_means(self, gain: float = 0.0) -> FloatArray:
        """Mean signs in this order: 0 for pairs that contradict it or are faint.

        Weakening no pair that agrees keeps the chains that a chance majority can close to a cycle.
        The weakest pairs of a chain were less clear by chance: a `gain`, in standard errors, makes
        up for that.
        """
        graph = self.graph
        forward = np.sign(self.places[graph.j] - self.places[graph.i])
        keeps = forward * _standardised(graph) > self.faint
        means = np.where(keeps, graph.flows + forward * gain / np.sqrt(graph.weights), 0.0)
        return np.clip(means, -1.0, 1.0)


def _standardised(graph: ComparisonGraph) -> FloatArray:
    """Return mean signs in standard errors of even votes."""
    return np.asarray(np.sqrt(graph.weights) * graph.flows)


def _deviances(graph: ComparisonGraph) -> FloatArray:
    """Return the deviance of even votes from the majority of each pair."""
    p = (1 + np.abs(graph.flows)) / 2
    q = 1 - p
    return 2 * graph.weights * (p * np.log(2 * p) + q * np.log(np.where(q > 0, 2 * q, 1.0)))


def cyclic_triangles(graph: ComparisonGraph, flows: FloatArray) -> FloatArray:
    """Return the evidence of cyclic triangles, and the strongest, for each column of flows.

    Pairs with hardly more than one vote do not count: they are always unanimous, and the simulated
    crowd, which votes as they did, would contradict its order too seldom.
    """
    several = np.where(graph.weights > SINGLE, graph.weights, 0.0)
    return np.stack(circles(*graph.rows, np.sqrt(several)[:, None] * flows))


def cyclic_loops(graph: ComparisonGraph, flows: FloatArray) -> FloatArray:
    """Return the evidence of cycles of any length, one row, for each column of flows.

    It is the least sum, over orders, of the squared standard errors beyond `CLEAR` of pairs against
    the order; 0 if no cycle is clear.
    """
    z = np.sqrt(graph.weights)[:, None] * flows
    costs = np.sign(z) * np.maximum(np.abs(z) - CLEAR, 0.0) ** 2
    return least_contradicted(Arcs.of(graph.i, graph.j, graph.n_items), costs)[None]
