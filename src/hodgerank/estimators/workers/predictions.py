"""Differences of scores, as far as they are known: from all trusted answers, or from others' alone.

Scores are shrunk towards each other as far as noise alone would have spread them, so that answers
that follow no ranking predict nothing.
"""

from __future__ import annotations

import numpy as np

from hodgerank.estimators.most_probable import most_probable
from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, IntArray

RIDGE = 0.1  # a prior of standard deviation 3 on the scores
TOLERANCE = 1e-3  # of the scores
MANY_FOLDS, FEW_FOLDS = 10, 5
FEW_ITEMS, FEW_CELLS = 300, 100_000  # up to which many folds are cheap


def known_differences(
    cells: WorkerCells, trust: FloatArray, start: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Difference of every edge from answers weighed by trust, and the scores.

    A difference is smaller the less it is known [MacKay92], and 0 where no answers join the items.
    """
    graph, edges = cells.trusting(trust), cells.graph
    fit, information = most_probable(
        graph, "bradley-terry", RIDGE, graph.components, start, TOLERANCE
    )
    variance = information.inverse_diagonal.values
    signal = max(_mean_over_compared(graph, fit.x**2 - variance), 0.0)
    kept = signal / np.maximum(signal + variance, np.finfo(float).tiny)
    scores, variance = kept * fit.x, kept * variance
    i, j = edges.i, edges.j
    difference = (scores[i] - scores[j]) / np.sqrt(1 + np.pi / 8 * (variance[i] + variance[j]))
    joined = graph.components[i] == graph.components[j]
    return np.where(joined, difference, 0.0), fit.x


def differences_by_others(cells: WorkerCells, trust: FloatArray, start: FloatArray) -> FloatArray:
    """Difference of every cell's edge, from the answers of others than the cell's worker.

    Workers are left out in groups: one by one where they are few.
    """
    found = np.zeros(len(cells.edge))
    groups = _folds(cells)
    of_cell = np.append(groups, -1)[cells.worker]
    for group in range(groups.max(initial=-1) + 1):
        without = np.where(groups == group, 0.0, trust)
        difference, _ = known_differences(cells, without, start)
        mine = of_cell == group
        found[mine] = difference[cells.edge[mine]]
    return found


def _folds(cells: WorkerCells) -> IntArray:
    """The group of each worker; groups have about equally many answers."""
    is_small = cells.graph.n_items <= FEW_ITEMS and len(cells.edge) <= FEW_CELLS
    most = MANY_FOLDS if is_small else FEW_FOLDS
    order = np.argsort(-cells.per_worker(cells.answers), kind="stable")
    folds = np.empty(cells.n_workers, np.int64)
    folds[order] = np.arange(cells.n_workers) % most
    return folds


def _mean_over_compared(graph: ComparisonGraph, values: FloatArray) -> float:
    compared = np.zeros(graph.n_items, bool)
    compared[graph.i] = compared[graph.j] = True
    return float(values[compared].mean()) if compared.any() else 0.0
