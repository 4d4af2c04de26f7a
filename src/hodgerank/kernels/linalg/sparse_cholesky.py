"""Exact solves and diagonals of inverses on graphs with little fill-in: trees, chains, ladders.

SuperLU factorises, and the recursion of [Takahashi73] gives the entries of the inverse on the
pattern of the factor, which is all that standard errors need.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, FloatArray, IntArray

# Bounds on the work, not on n: a factor of a few 10^7 entries takes seconds.
MAX_CYCLES = 500
MAX_BAND_WORK = 2e9


def elimination_order(i: CodeArray, j: CodeArray, labels: IntArray) -> IntArray | None:
    """An order of elimination with little fill-in; None if neither bound below promises one.

    A graph with mu independent cycles has, once items with at most two neighbours are
    eliminated (which adds no edges), at most 2 mu items left: SuperLU's own minimum-degree
    order finds them, and any order may be returned. A graph of bandwidth b keeps it: reverse
    Cuthill-McKee finds that order.
    """
    n = len(labels)
    if few_cycles(i, labels):
        return np.arange(n)
    order, width = narrow_order(i, j, n)
    return order if n * float(width) ** 2 <= MAX_BAND_WORK else None


def narrow_order(i: CodeArray, j: CodeArray, n: int) -> tuple[IntArray, int]:
    """The order of reverse Cuthill-McKee, and the bandwidth of the graph in it."""
    adjacency = sparse.coo_array((np.ones(len(i), np.int8), (i, j)), shape=(n, n))
    order = sparse.csgraph.reverse_cuthill_mckee((adjacency + adjacency.T).tocsr(), True)
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    return order.astype(np.int64), int(np.abs(place[i] - place[j]).max(initial=0))


def few_cycles(i: CodeArray, labels: IntArray) -> bool:
    """Whether the number of independent cycles, |E| - n + components, is small."""
    return len(i) - len(labels) + int(labels.max()) + 1 <= MAX_CYCLES


def factorise(matrix: Any, *, reorder: bool) -> Any:
    """LDL^T of a sparse positive definite matrix, without pivoting."""
    return splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A" if reorder else "NATURAL",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def inverse_diagonal(lu: Any) -> FloatArray:
    """Diagonal of the inverse of a matrix from its symmetric LU factorisation."""
    lower, inverse = _inverse_on_pattern(lu)
    return np.asarray(inverse[lower.indptr[:-1]][lu.perm_c])


def inverse_on_edges(lu: Any, i: CodeArray, j: CodeArray) -> tuple[FloatArray, FloatArray]:
    """Diagonal of the inverse, and its entries at edges that the matrix has."""
    lower, inverse = _inverse_on_pattern(lu)
    a, b = lu.perm_c[i].astype(np.int64), lu.perm_c[j].astype(np.int64)
    n = lower.shape[0]
    column = np.repeat(np.arange(n), np.diff(lower.indptr))
    place = np.searchsorted(column * n + lower.indices, np.minimum(a, b) * n + np.maximum(a, b))
    return np.asarray(inverse[lower.indptr[:-1]][lu.perm_c]), np.asarray(inverse[place])


def _inverse_on_pattern(lu: Any) -> tuple[Any, FloatArray]:
    """The lower factor, columns sorted, and the inverse's entries where it has some."""
    lower = sparse.csc_array(lu.L)
    lower.sort_indices()
    return lower, _takahashi(lower.indptr, lower.indices, lower.data, lu.U.diagonal())


@compiled
def _takahashi(
    indptr: CodeArray, indices: CodeArray, values: FloatArray, pivots: FloatArray
) -> FloatArray:
    """Z = (L D L^T)^-1 on the pattern of L, from the last column to the first."""
    n = len(indptr) - 1
    inverse = np.zeros_like(values)
    place = np.full(n, -1, np.int64)
    for column in range(n - 1, -1, -1):
        start, stop = indptr[column], indptr[column + 1]
        for a in range(start + 1, stop):
            place[indices[a]] = a
        # Z[k, column] = - sum over l in the pattern of L[l, column] Z[k, l]
        for a in range(start + 1, stop):
            row = indices[a]
            for b in range(indptr[row], indptr[row + 1]):
                at = place[indices[b]]
                if at >= 0:
                    inverse[at] -= values[a] * inverse[b]
                    if at != a:
                        inverse[a] -= values[at] * inverse[b]
        total = 1.0 / pivots[column]
        for a in range(start + 1, stop):
            total -= values[a] * inverse[a]
            place[indices[a]] = -1
        inverse[start] = total
    return inverse
