"""Effective resistance of every edge: the variance of a difference of scores, in units of noise."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.types import FloatArray

PROBES = 32
PROBES_AT_A_TIME = 8


def effective_resistances(equations: NormalEquations) -> FloatArray:
    """S_ii + S_jj - 2 S_ij of every edge, S the inverse of the system.

    Exact where the inverse fits into memory. Elsewhere the mean square of differences of random
    solutions with covariance S, right to some 25 % for an edge and much better for sums over
    many [Spielman08].
    """
    i, j = equations.i, equations.j
    if equations.method == "dense":
        inverse = equations.inverse
        diagonal = np.diag(inverse)
        return np.asarray(np.maximum(diagonal[i] + diagonal[j] - 2 * inverse[i, j], 0.0))
    rng = np.random.default_rng(0)
    total = np.zeros(len(i))
    for _ in range(PROBES // PROBES_AT_A_TIME):
        heads = rng.integers(0, 2, (PROBES_AT_A_TIME, len(i)), np.int8)
        flows = np.sqrt(equations.weights) * (2 * heads - 1)
        rhs = np.column_stack([divergence(i, j, flow, equations.n) for flow in flows])
        rhs += np.sqrt(equations.ridge) * rng.normal(size=rhs.shape)
        x = equations.solve(rhs, tolerance=1e-3)
        total += ((x[i] - x[j]) ** 2).sum(axis=1)
    # no edge resists more than it would by itself
    return np.minimum(total / PROBES, 1 / equations.weights)
