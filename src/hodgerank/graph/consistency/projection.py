"""The part of flows that scores explain, many flows at a time."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray

TOLERANCE = 1e-6


class GradientProjection:
    """Least-squares scores of flows on the edges of a graph, and energies; a column each."""

    def __init__(self, graph: ComparisonGraph) -> None:
        m, n = graph.n_edges, graph.n_items
        ends, signs = np.r_[graph.i, graph.j], np.r_[np.ones(m), -np.ones(m)]
        self._graph = graph
        self.divergence = sparse.csr_array((signs, (ends, np.tile(np.arange(m), 2))), shape=(n, m))

    def scores(self, flows: FloatArray) -> FloatArray:
        """That explain most of each flow."""
        return self._solve(flows)[1]

    def gradient_energies(self, flows: FloatArray) -> FloatArray:
        """Of what scores explain."""
        rhs, x = self._solve(flows)
        return np.asarray((rhs * x).sum(axis=0))

    def energies(self, flows: FloatArray) -> FloatArray:
        """Of the flows."""
        return np.asarray(np.einsum("e,ec,ec->c", self._graph.weights, flows, flows))

    def _solve(self, flows: FloatArray) -> tuple[FloatArray, FloatArray]:
        rhs = np.asarray(self.divergence @ (self._graph.weights[:, None] * flows))
        return rhs, self._graph.equations.solve(rhs, tolerance=TOLERANCE)
