"""Weighted graph Laplacians: assembly, dense inverse, matrix-free conjugate gradients.

Edges are given as i < j in lexicographic order with positive weights. Every system is
(L + ridge I) x = b on the vectors that sum to zero in each component: what a component's scores
have in common cannot be compared with anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse

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


def dense_factor(
    i: CodeArray, j: CodeArray, weights: FloatArray, labels: IntArray, ridge: float
) -> tuple[FloatArray, float]:
    """Cholesky factor of L + ridge I + tau J, and ridge + tau.

    J averages over each component. Adding it makes the matrix regular without changing what it
    does to vectors that sum to zero.
    """
    n = len(labels)
    matrix = np.zeros((n, n), order="F")
    matrix[j, i] = -weights  # the lower triangle is enough
    degree = degrees(i, j, weights, n)
    tau = max(float(degree.mean()), np.finfo(float).tiny)
    matrix += tau * _averaging(labels)
    matrix[np.diag_indices(n)] += degree + ridge
    factor, fault = linalg.lapack.dpotrf(matrix, lower=1, overwrite_a=1, clean=0)
    if fault:
        raise np.linalg.LinAlgError(f"leading minor {fault} is not positive")
    return factor, ridge + tau


def dense_inverse(factor: FloatArray, common: float, labels: IntArray) -> FloatArray:
    """The inverse on vectors that sum to zero, symmetric and full, from `dense_factor`."""
    lower, _ = linalg.lapack.dpotri(factor, lower=1)
    lower = np.tril(lower)
    inverse = lower + lower.T
    inverse[np.diag_indices(len(labels))] /= 2
    return np.asarray(inverse - _averaging(labels) / common)


def _averaging(labels: IntArray) -> FloatArray | float:
    """1/size where two items share a component, else 0."""
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return 1 / len(labels)
    return np.where(labels[:, None] == labels, 1 / sizes[labels], 0.0)


def conjugate_gradients(
    i: CodeArray,
    j: CodeArray,
    weights: FloatArray,
    labels: IntArray,
    ridge: float,
    rhs: FloatArray,
    *,
    tolerance: float,
    max_iterations: int,
    precondition: Callable[[FloatArray], FloatArray] | None = None,
) -> Solution:
    """Preconditioned conjugate gradients, all columns of `rhs` at once; by default Jacobi's.

    Only the upper triangle is stored; its transpose is a view.
    """
    n = len(labels)
    upper = upper_triangle(i, j, weights, n)
    lower = upper.T
    diagonal = upper @ np.ones(n) + lower @ np.ones(n) + ridge
    diagonal[diagonal == 0] = 1.0  # an item without comparisons: its row of L is empty
    column = (slice(None), None)
    b = rhs if rhs.ndim == 2 else rhs[column]
    b = centre(b, labels)
    diagonal = diagonal[column]

    def apply(x: FloatArray) -> FloatArray:
        return np.asarray(diagonal * x - upper @ x - lower @ x)

    def dot(a: FloatArray, c: FloatArray) -> FloatArray:
        return np.asarray(np.einsum("ik,ik->k", a, c))

    def preconditioned(r: FloatArray) -> FloatArray:
        return np.asarray(r / diagonal) if precondition is None else precondition(r)

    x = np.zeros_like(b)
    r = b.copy()
    z = preconditioned(r)
    p = z.copy()
    rz = dot(r, z)
    scale = np.where(rz > 0, rz, 1.0)
    residual = float(np.sqrt((rz / scale).max()))
    iterations = 0
    while residual > tolerance and iterations < max_iterations:
        iterations += 1
        q = apply(p)
        curvature = dot(p, q)
        step = np.divide(rz, curvature, out=np.zeros_like(rz), where=curvature > 0)
        x += step * p
        r -= step * q
        z = preconditioned(r)
        previous, rz = rz, dot(r, z)
        p = z + np.divide(rz, previous, out=np.zeros_like(rz), where=previous > 0) * p
        residual = float(np.sqrt((rz / scale).max()))
    solver = "conjugate gradients" + ("" if precondition is None else ", spanning tree")
    return Solution(centre(x, labels).reshape(rhs.shape), iterations, residual, solver)
