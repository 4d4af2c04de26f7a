"""Weighted graph Laplacians and sums over their edges.

Edges are given as i < j in lexicographic order with positive weights. Every system is
(L + ridge I) x = b on the vectors that sum to zero in each component, because the level of a
component's scores is not identified.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray

# Up to this a pass over the edges is faster than a sparse matrix, or importing SciPy.
FEW_EDGES = 5_000
FEW_ITEMS = 300  # for which a dense matrix of pairs is fast


class Solution(NamedTuple):
    """Solution, number of iterations, largest relative residual of a column, and the solver.

    Conjugate gradients measure residuals in the norm of the preconditioner, so that items with
    small weights count as much as others.
    """

    x: FloatArray
    iterations: int
    residual: float
    solver: str


def inner_product(a: FloatArray, b: FloatArray) -> float:
    """Return the inner product of edge values; without BLAS, which would start threads."""
    return float(np.einsum("e,e->", a, b))


def components(i: CodeArray, j: CodeArray, n: int) -> IntArray:
    """Return the component label of each item, largest component first."""
    if 0 < n <= FEW_ITEMS and _is_connected(i, j, n):
        return np.zeros(n, np.int64)
    labels = _labels_of_few(i, j, n) if len(i) <= FEW_EDGES else _labels_of_many(i, j, n)
    order = np.argsort(-np.bincount(labels), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.asarray(place[labels], dtype=np.int64)


def _is_connected(i: CodeArray, j: CodeArray, n: int) -> bool:
    adjacent = np.zeros((n, n), bool)
    adjacent[i, j] = adjacent[j, i] = True
    return bool(reached_from_first(adjacent).all())


def reached_from_first(leads_to: BoolArray) -> BoolArray:
    """Return the items that can be reached from the first item, given a matrix of steps."""
    reached = np.zeros(len(leads_to), bool)
    frontier = np.zeros(1, np.int64)
    while len(frontier):
        reached[frontier] = True
        frontier = np.flatnonzero(leads_to[frontier].any(axis=0) & ~reached)
    return reached


def _labels_of_few(i: CodeArray, j: CodeArray, n: int) -> IntArray:
    """Propagate the smallest label along edges until nothing changes."""
    least = np.arange(n)
    while True:
        low = np.minimum(least[i], least[j])
        before = least.copy()
        np.minimum.at(least, i, low)
        np.minimum.at(least, j, low)
        np.minimum.at(least, before[i], low)
        np.minimum.at(least, before[j], low)
        least = least[least]
        if np.array_equal(least, before):
            return np.unique(least, return_inverse=True)[1]


def _labels_of_many(i: CodeArray, j: CodeArray, n: int) -> IntArray:
    """Label components; a subset of the edges nearly always suffices and is tried first."""
    from scipy import sparse

    stride = max(1, len(i) // (8 * max(n, 1)))
    for step in (stride, 1):
        some = np.ones(len(i[::step]), np.int8)
        graph = sparse.coo_array((some, (i[::step], j[::step])), shape=(n, n))
        n_components, labels = sparse.csgraph.connected_components(graph, directed=False)
        if n_components == 1:
            break
    return np.asarray(labels)


def divergence(i: CodeArray, j: CodeArray, flow: FloatArray, n: int) -> FloatArray:
    """D0^T flow: outflow minus inflow of each item."""
    outgoing, incoming = _sums_at_ends(i, j, flow, n)
    return outgoing - incoming


def degrees(i: CodeArray, j: CodeArray, weights: FloatArray, n: int) -> FloatArray:
    """Return the sum of the weights at each item."""
    outgoing, incoming = _sums_at_ends(i, j, weights, n)
    return outgoing + incoming


def _sums_at_ends(
    i: CodeArray, j: CodeArray, values: FloatArray, n: int
) -> tuple[FloatArray, FloatArray]:
    if len(i) <= FEW_EDGES:
        outgoing, incoming = np.bincount(i, values, n), np.bincount(j, values, n)
        return outgoing.astype(float), incoming.astype(float)
    matrix = upper_triangle(i, j, values, n)
    ones = np.ones(n)
    return matrix @ ones, matrix.T @ ones


def upper_triangle(i: CodeArray, j: CodeArray, values: FloatArray, n: int) -> Any:
    """Return a sparse matrix with one entry per edge; sorted edges need no rearrangement."""
    from scipy import sparse

    # Same integer type as the edges: otherwise searchsorted would copy them.
    starts = np.searchsorted(i, np.arange(n + 1, dtype=i.dtype)).astype(np.int32)
    return sparse.csr_array((values, j, starts), shape=(n, n))


def centre(x: FloatArray, labels: IntArray) -> FloatArray:
    """Subtract the mean of each component; columns are separate vectors."""
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return np.asarray(x - x.mean(axis=0))
    if x.ndim == 1:
        return np.asarray(x - (np.bincount(labels, x) / sizes)[labels])
    from scipy import sparse

    gather = sparse.csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))))
    means = (gather @ x) / sizes[:, None]
    return np.asarray(x - means[labels])
