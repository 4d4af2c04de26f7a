"""Diagonal of the inverse Laplacian of a large graph without small factors, from random solves.

Two estimators, the better of which is used:

*Signs.* The mean of q * (L^+ q) over random signs q [Bekas07], of the
remainder that is left after the first terms of L^+ ~ D^-1 + D^-1 A D^-1 + D^-1 A D^-1 A D^-1 + ...
(L = D - A), whose diagonals are known: 1/d_i, 0 and sum_j w_ij^2 / (d_i^2 d_j). On expander-like
graphs, which random designs give, the remainder is tiny.

*Squares.* Solutions z for random right-hand sides with covariance L have covariance L^+, so the
mean of z_i^2 is its diagonal, with relative variance 2 / probes on any graph [Spielman08].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hodgerank.kernels.linalg.laplacian import degrees, divergence, upper_triangle
from hodgerank.types import CodeArray, FloatArray

PROBES_AT_A_TIME = 8
TRIAL_PROBES = 16
MAX_PROBES = 128

Solve = Callable[[FloatArray], FloatArray]


def stochastic_diagonal(
    i: CodeArray,
    j: CodeArray,
    weights: FloatArray,
    n: int,
    ridge: float,
    solve: Solve,
    rng: np.random.Generator,
    *,
    target: float = 0.01,
) -> tuple[FloatArray, float]:
    """Diagonal of (L + ridge I)^-1 on centred vectors and its relative error (rms over items).

    Probes are added until the error is below `target` or there are `MAX_PROBES`.
    """
    degree = degrees(i, j, weights, n) + ridge
    inverse = np.divide(1, degree, out=np.zeros(n), where=degree > 0)
    upper = upper_triangle(i, j, weights, n)
    lower = upper.T

    def step(x: FloatArray) -> FloatArray:
        return np.asarray(inverse[:, None] * (upper @ x + lower @ x))

    squared = upper_triangle(i, j, weights**2, n)
    known = inverse + (squared @ inverse + squared.T @ inverse) * inverse**2
    total, total_squares, n_probes, error = np.zeros(n), np.zeros(n), 0, np.inf
    while error > target and n_probes < MAX_PROBES:
        signs: FloatArray = rng.choice(np.array([-1.0, 1.0]), size=(n, PROBES_AT_A_TIME))
        first = inverse[:, None] * signs
        samples = signs * (solve(signs) - first - step(first + step(first)))
        total += samples.sum(axis=1)
        total_squares += (samples**2).sum(axis=1)
        n_probes += PROBES_AT_A_TIME
        mean = total / n_probes
        # Cauchy-Schwarz: an entry is at least (1 - 1/size)^2 / d_i in a component of that size
        estimate = np.maximum(known + mean, inverse / 4)
        variance = (total_squares / n_probes - mean**2) / (n_probes - 1)
        used = estimate > 0
        error = float(np.sqrt(np.mean(variance[used] / estimate[used] ** 2)))
        if n_probes == TRIAL_PROBES and error * np.sqrt(n_probes) > np.sqrt(2):
            return _mean_squares(i, j, weights, n, ridge, solve, rng), np.sqrt(2 / MAX_PROBES)
    return estimate, error


def _mean_squares(
    i: CodeArray,
    j: CodeArray,
    weights: FloatArray,
    n: int,
    ridge: float,
    solve: Solve,
    rng: np.random.Generator,
) -> FloatArray:
    total = np.zeros(n)
    for _ in range(MAX_PROBES // PROBES_AT_A_TIME):
        flows = np.sqrt(weights) * rng.choice([-1.0, 1.0], size=(PROBES_AT_A_TIME, len(weights)))
        rhs = np.column_stack([divergence(i, j, flow, n) for flow in flows])
        rhs += np.sqrt(ridge) * rng.normal(size=rhs.shape)
        total += (solve(rhs) ** 2).sum(axis=1)
    return total / MAX_PROBES
