"""Elimination without subtraction, for weights so wide apart that rounding defeats Cholesky.

Eliminating an item of a graph joins its neighbours to each other (a star becomes a mesh): with d
the sum of the weights and the ridge at item k, w_ij grows by w_ik w_jk / d and the ridge of i by
w_ik ridge_k / d. Everything that is added is positive, so that no digits are lost however
different the weights are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.types import CodeArray, FloatArray


class StarMesh(NamedTuple):
    """Shares of item k that go to later items (row k, right of the diagonal), and the sums d."""

    shares: FloatArray
    sums: FloatArray


def star_mesh(i: CodeArray, j: CodeArray, weights: FloatArray, n: int, ridge: float) -> StarMesh:
    """Eliminate all items in their order."""
    mesh = np.zeros((n, n))
    mesh[i, j] = mesh[j, i] = weights
    excess = np.full(n, ridge)
    sums = np.zeros(n)
    for k in range(n):
        row = mesh[k, k + 1 :]
        sums[k] = row.sum() + excess[k]
        if sums[k] == 0:  # the last of its component
            continue
        shares = row / sums[k]
        mesh[k + 1 :, k + 1 :] += np.outer(row, shares)
        excess[k + 1 :] += shares * excess[k]
        mesh[k, k + 1 :] = shares
    return StarMesh(mesh, sums)


def star_mesh_solve(factor: StarMesh, rhs: FloatArray) -> FloatArray:
    """(L + ridge I)^-1 b; where that is singular, with 0 for the last item of each component."""
    shares, sums = factor
    x = rhs.copy()
    for k in range(len(sums)):
        x[k + 1 :] += np.multiply.outer(shares[k, k + 1 :], x[k])
    for k in reversed(range(len(sums))):
        x[k] = (x[k] / sums[k] if sums[k] else 0.0) + shares[k, k + 1 :] @ x[k + 1 :]
    return x
