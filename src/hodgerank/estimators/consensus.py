"""What everybody else thinks: each worker's answers predicted without that worker."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.laplacian import components, divergence
from hodgerank.kernels.normal_equations import DENSE_ITEMS, NormalEquations
from hodgerank.types import FloatArray, IntArray

# Up to here the answers of one worker are taken out by a small dense system.
FEW_ANSWERS = 300
UNDETERMINED = 1e-6


class Consensus(NamedTuple):
    """Of one worker: predicted answers (NaN where nobody else can say) and scores without them."""

    predictions: FloatArray
    scores: FloatArray


class LeaveOneOut:
    """Exact least-squares scores without one worker at a time."""

    def __init__(self, votes: Comparisons, graph: ComparisonGraph) -> None:
        self.votes, self.graph = votes, graph
        self.weight = votes.total_weight
        self.scores = graph.equations.solve(graph.surplus)

    def without(self, rows: IntArray, edges: IntArray, signs: FloatArray) -> Consensus:
        """Leave out these answers, which lie on these edges in these directions."""
        if len(rows) <= FEW_ANSWERS and self.graph.n_items <= DENSE_ITEMS:
            return self._downdated(rows)
        return self._solved_again(rows, edges, signs)

    def _downdated(self, rows: IntArray) -> Consensus:
        """With H the hat matrix of these answers, (I - H)^-1 r are their residuals without them."""
        votes, inverse = self.votes, self.graph.equations.inverse
        left, right = votes.left[rows], votes.right[rows]
        root = np.sqrt(self.weight[rows])
        columns = (inverse[:, left] - inverse[:, right]) * root
        hat = root[:, None] * (columns[left] - columns[right])
        residual = root * (votes.outcome[rows] - (self.scores[left] - self.scores[right]))
        values, vectors = np.linalg.eigh(np.eye(len(rows)) - hat)
        known = values > UNDETERMINED
        part = vectors[:, known]
        alone = part @ ((part.T @ residual) / values[known])
        predictions = votes.outcome[rows] - alone / root
        undetermined = (vectors[:, ~known] ** 2).sum(axis=1) > UNDETERMINED
        predictions[undetermined] = np.nan
        return Consensus(predictions, self.scores - columns @ alone)

    def _solved_again(self, rows: IntArray, edges: IntArray, signs: FloatArray) -> Consensus:
        graph, votes = self.graph, self.votes
        weight = self.weight[rows]
        weights = graph.weights - np.bincount(edges, weight, graph.n_edges)
        mine = np.bincount(edges, weight * signs * votes.outcome[rows], graph.n_edges)
        flow = graph.weights * graph.flows - mine
        kept = weights > 1e-9 * graph.weights
        i, j = graph.i[kept], graph.j[kept]
        labels = components(i, j, graph.n_items)
        equations = NormalEquations(i, j, weights[kept], labels)
        scores = equations.solve(divergence(i, j, flow[kept], graph.n_items))
        left, right = votes.left[rows], votes.right[rows]
        predictions = scores[left] - scores[right]
        return Consensus(np.where(labels[left] == labels[right], predictions, np.nan), scores)
