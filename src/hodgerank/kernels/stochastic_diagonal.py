"""Diagonal of L^+ for large graphs without small factors, from a few random solves.

Writing L = D - A, the series L^+ ~ D^-1 + D^-1 A D^-1 + D^-1 A D^-1 A D^-1 + R has first terms
whose diagonals are known in closed form (1/d_i, 0 and sum_j w_ij^2 / (d_i^2 d_j)). Only the
diagonal of the remainder R is estimated, as the mean of q * (R q) over random signs q
(Bekas, Kokiopoulou and Saad 2007); on expander-like graphs R is tiny.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from hodgerank.kernels.laplacian import degrees
from hodgerank.types import CodeArray, FloatArray

PROBES_AT_A_TIME = 8
MAX_PROBES = 128


def stochastic_diagonal(
    i: CodeArray,
    j: CodeArray,
    weights: FloatArray,
    n: int,
    ridge: float,
    solve: Callable[[FloatArray], FloatArray],
    rng: np.random.Generator,
    *,
    target: float = 0.01,
) -> tuple[FloatArray, float]:
    """Diagonal of the inverse and its relative error (root mean square over items).

    Probes are added until the error is below `target` or there are `MAX_PROBES`.
    """
    diagonal = degrees(i, j, weights, n) + ridge
    diagonal[diagonal == 0] = np.inf
    upper = sparse.csr_array((weights, j, np.searchsorted(i, np.arange(n + 1))), shape=(n, n))
    lower = upper.T
    inverse = 1 / diagonal

    def step(x: FloatArray) -> FloatArray:
        return np.asarray(inverse[:, None] * (upper @ x + lower @ x))

    squared = upper.power(2)
    known = inverse + (squared @ inverse + squared.T @ inverse) * inverse**2
    total, total_squares, n_probes, error = np.zeros(n), np.zeros(n), 0, np.inf
    while error > target and n_probes < MAX_PROBES:
        signs = rng.choice([-1.0, 1.0], size=(n, PROBES_AT_A_TIME))
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
        error = float(np.sqrt(np.mean(variance[used] / estimate[used] ** 2))) if used.any() else 0.0
    return estimate, error
