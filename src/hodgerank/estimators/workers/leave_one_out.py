"""What everybody else thinks: scores and predictions without the answers of one worker."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.kernels.linalg.laplacian import components, divergence
from hodgerank.kernels.linalg.normal_equations import DENSE_ITEMS, NormalEquations
from hodgerank.types import FloatArray

# Up to here the pairs of one worker are taken out by a small dense system.
FEW_PAIRS = 300
UNDETERMINED = 1e-6


class Consensus(NamedTuple):
    """Of one worker: predicted answers to the worker's pairs (NaN: nobody else can say), scores."""

    predictions: FloatArray
    scores: FloatArray


class LeaveOneOut:
    """Exact least-squares scores without one worker at a time."""

    def __init__(self, cells: WorkerCells, scores: FloatArray) -> None:
        self.cells, self.graph, self.scores = cells, cells.graph, scores

    def without(self, worker: int) -> Consensus:
        """Leave out the answers of a worker; predictions are for the lesser item of each pair."""
        mine = self.cells.of_worker(worker)
        if mine.stop - mine.start <= FEW_PAIRS and self.graph.n_items <= DENSE_ITEMS:
            return self._downdated(mine)
        return self._solved_again(mine)

    def _downdated(self, mine: slice) -> Consensus:
        """With H the hat matrix of these pairs, (I - H)^-1 r are their residuals without them."""
        graph, inverse, cells = self.graph, self.graph.equations.inverse, self.cells
        edge = cells.edge[mine]
        i, j = graph.i[edge], graph.j[edge]
        root = np.sqrt(cells.weights[mine])
        mean = cells.sums[mine] / cells.weights[mine]
        columns = (inverse[:, i] - inverse[:, j]) * root
        hat = root[:, None] * (columns[i] - columns[j])
        residual = root * (mean - (self.scores[i] - self.scores[j]))
        values, vectors = np.linalg.eigh(np.eye(len(edge)) - hat)
        known = values > UNDETERMINED
        part = vectors[:, known]
        alone = part @ ((part.T @ residual) / values[known])
        predictions = mean - alone / root
        undetermined = (vectors[:, ~known] ** 2).sum(axis=1) > UNDETERMINED
        predictions[undetermined] = np.nan
        return Consensus(predictions, self.scores - columns @ alone)

    def _solved_again(self, mine: slice) -> Consensus:
        graph, cells = self.graph, self.cells
        edge = cells.edge[mine]
        weights, flow = graph.weights.copy(), graph.weights * graph.flows
        weights[edge] -= cells.weights[mine]
        flow[edge] -= cells.sums[mine]
        kept = weights > 1e-9 * graph.weights
        i, j = graph.i[kept], graph.j[kept]
        labels = components(i, j, graph.n_items)
        equations = NormalEquations(i, j, weights[kept], labels)
        scores = equations.solve(divergence(i, j, flow[kept], graph.n_items))
        left, right = graph.i[edge], graph.j[edge]
        predictions = scores[left] - scores[right]
        return Consensus(np.where(labels[left] == labels[right], predictions, np.nan), scores)
