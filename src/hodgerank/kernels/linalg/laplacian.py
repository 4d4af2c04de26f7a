"""Weighted graph Laplacians and what is summed over their edges.

Edges are given as i < j in lexicographic order with positive weights. Every system is
(L + ridge I) x = b on the vectors that sum to zero in each component: what a component's scores
have in common cannot be compared with anything.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from hodgerank.types import CodeArray, FloatArray, IntArray


class Solution(NamedTuple):
    """Solution, number of iterations, the largest relative residual of a column, and the solver.

    Conjugate gradients measure residuals in the norm of the preconditioner, so that an item with
    little weight counts as much as one with a lot.
    """

    x: FloatArray
    iterations: int
    residual: float
    solver: str


def inner_product(a: FloatArray, b: FloatArray) -> float:
    """Of two values per edge; without BLAS, which would start threads for it, see `threads`."""
    return float(np.einsum("e,e->", a, b))


def components(i: CodeArray, j: CodeArray, n: int) -> IntArray:
    """Component label of each item, largest component first."""
    # A few edges nearly always join all that can be joined.
    stride = max(1, len(i) // (8 * max(n, 1)))
    for step in (stride, 1):
        some = np.ones(len(i[::step]), np.int8)
        graph = sparse.coo_array((some, (i[::step], j[::step])), shape=(n, n))
        n_components, labels = sparse.csgraph.connected_components(graph, directed=False)
        if n_components == 1:
            break
    order = np.argsort(-np.bincount(labels), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return np.asarray(place[labels], dtype=np.int64)


def divergence(i: CodeArray, j: CodeArray, flow: FloatArray, n: int) -> FloatArray:
    """D0^T flow: what leaves each item minus what enters it."""
    outgoing, incoming = _sums_at_ends(i, j, flow, n)
    return outgoing - incoming


def degrees(i: CodeArray, j: CodeArray, weights: FloatArray, n: int) -> FloatArray:
    """Sum of the weights at each item."""
    outgoing, incoming = _sums_at_ends(i, j, weights, n)
    return outgoing + incoming


def _sums_at_ends(
    i: CodeArray, j: CodeArray, values: FloatArray, n: int
) -> tuple[FloatArray, FloatArray]:
    matrix = upper_triangle(i, j, values, n)
    ones = np.ones(n)
    return matrix @ ones, matrix.T @ ones


def upper_triangle(i: CodeArray, j: CodeArray, values: FloatArray, n: int) -> Any:
    """A sparse matrix with one entry per edge; the edges being sorted, nothing is moved."""
    starts = np.searchsorted(i, np.arange(n + 1)).astype(np.int32)
    return sparse.csr_array((values, j, starts), shape=(n, n))


def centre(x: FloatArray, labels: IntArray) -> FloatArray:
    """Subtract the mean of each component; columns are separate vectors."""
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return np.asarray(x - x.mean(axis=0))
    gather = sparse.csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))))
    means = (gather @ x) / (sizes if x.ndim == 1 else sizes[:, None])
    return np.asarray(x - means[labels])
