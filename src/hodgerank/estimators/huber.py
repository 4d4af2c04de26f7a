"""Scores that minimise the Huber loss, and the residuals beyond its threshold."""

from __future__ import annotations

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.huber import Cells, huber_objective, soft
from hodgerank.kernels.linalg.laplacian import Solution
from hodgerank.kernels.linalg.newton import Fit, maximise
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.types import FloatArray

TOLERANCE = 1e-10
ROUNDING = 1e-9


def huber_scores(
    graph: ComparisonGraph,
    cells: Cells,
    penalty: float,
    start: FloatArray,
    tolerance: float = TOLERANCE,
) -> Fit:
    """Minimise the Huber loss; the scores sum to zero in each component."""

    def solve(curvature: FloatArray, gradient: FloatArray, accuracy: float) -> Solution:
        equations = NormalEquations(graph.i, graph.j, curvature, graph.components)
        return equations.solution(gradient, tolerance=accuracy)

    objective = huber_objective(cells, penalty, graph.n_edges)
    return maximise(graph.i, graph.j, objective, solve, start=start, tolerance=tolerance)


def residuals(graph: ComparisonGraph, cells: Cells, scores: FloatArray) -> FloatArray:
    """Return the residual of each cell."""
    return np.asarray(cells.value - (scores[graph.i] - scores[graph.j])[cells.edge])


def excess_of(
    graph: ComparisonGraph, cells: Cells, scores: FloatArray, penalty: float
) -> FloatArray:
    """Return the part of each residual beyond the penalty; 0 where there is none."""
    excess = soft(residuals(graph, cells, scores), penalty)
    return np.where(np.abs(excess) > ROUNDING, excess, 0.0)
