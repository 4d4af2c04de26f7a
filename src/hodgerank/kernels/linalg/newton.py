"""Newton's method for concave functions of score differences; a step is one Laplacian solve."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hodgerank.kernels.linalg.laplacian import Solution, divergence
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import CodeArray, FloatArray

Objective = Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]
"""From the difference of every edge to the value, and each edge's slope and curvature (>= 0)."""
Solve = Callable[[FloatArray, FloatArray, float], Solution]

ROUNDING = 1e-12
SHORTEST = 1e-6


class Fit(NamedTuple):
    """Scores, objective, curvature of every edge, steps, size of the next step, solver."""

    x: FloatArray
    value: float
    curvature: FloatArray
    iterations: int
    residual: float
    solver: str


def maximise(
    i: CodeArray,
    j: CodeArray,
    objective: Objective,
    solve: Solve,
    *,
    start: FloatArray,
    ridge: float = 0.0,
    tolerance: float = 1e-9,
    max_iterations: int = 100,
) -> Fit:
    """Maximise objective(D0 x) - ridge/2 |x|^2.

    `solve(curvatures, gradient, tolerance)` solves (Laplacian of the curvatures + ridge I) step =
    gradient, only as accurately as Newton's method needs. A step that does not increase the
    objective is halved.
    """
    n = len(start)
    head, tail = i.astype(np.intp), j.astype(np.intp)  # converted once instead of at each indexing

    def evaluate(x: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        value, slope, curvature = objective(x[head] - x[tail])
        return value - ridge / 2 * float(x @ x), slope, curvature

    with few_threads(n):
        return _climb(evaluate, solve, i, j, start, ridge, tolerance, max_iterations)


def _climb(
    evaluate: Objective,
    solve: Solve,
    i: CodeArray,
    j: CodeArray,
    start: FloatArray,
    ridge: float,
    tolerance: float,
    max_iterations: int,
) -> Fit:
    """Iterate until the next step would be smaller than the tolerance."""
    x, n = start, len(start)
    total, slope, curvature = evaluate(x)
    residual = size = np.inf
    iterations, solver = 0, "none"
    while residual > tolerance and iterations < max_iterations:
        iterations += 1
        accuracy = min(max(size**2, 1e-6), 0.01)
        solution = solve(curvature, divergence(i, j, slope, n) - ridge * x, accuracy)
        step, solver = solution.x, solution.solver
        previous, size = size, float(np.abs(step).max(initial=0.0))
        length = 1.0
        while True:
            trial = x + length * step
            value, trial_slope, trial_curvature = evaluate(trial)
            # near the optimum the gain is smaller than rounding
            if value >= total - ROUNDING * abs(total) or length < SHORTEST:
                break
            length /= 2
        x, total, slope, curvature = trial, value, trial_slope, trial_curvature
        # Convergence is eventually quadratic, as far as steps are accurate: the next ratio of steps
        # is the square of this one, if neither was short by chance.
        residual = size
        if length == 1.0 and size < previous < np.inf:
            residual *= max((size / previous) ** 2, size, solution.residual)
    return Fit(x, total, curvature, iterations, residual, solver)
