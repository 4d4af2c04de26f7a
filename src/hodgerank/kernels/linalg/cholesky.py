"""Factors and inverses of Laplacians: dense, sparse, and exact for extreme weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.linalg.laplacian import degrees
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import CodeArray, FloatArray, IntArray

INVERTED_ITEMS = 60  # largest n for which the inverse of the factor is stored


def dense_factor(
    i: CodeArray, j: CodeArray, weights: FloatArray, labels: IntArray, ridge: float
) -> tuple[FloatArray, float]:
    """Return the Cholesky factor of L + ridge I + tau J, and ridge + tau.

    J averages over each component. Adding it makes the matrix regular without changing its effect
    on vectors that sum to zero.
    """
    n = len(labels)
    matrix = np.zeros((n, n), order="F")
    matrix[j, i] = -weights  # the lower triangle is enough
    degree = degrees(i, j, weights, n)
    tau = max(float(degree.mean()), np.finfo(float).tiny)
    matrix += tau * _averaging(labels)
    matrix[np.diag_indices(n)] += degree + ridge
    if n <= INVERTED_ITEMS:
        return np.linalg.inv(np.linalg.cholesky(matrix)), ridge + tau
    from scipy.linalg.lapack import dpotrf

    with few_threads(n):
        factor, fault = dpotrf(matrix, lower=1, overwrite_a=1)
    if fault:
        raise np.linalg.LinAlgError(f"leading minor {fault} is not positive")
    return factor, ridge + tau


def dense_solve(factor: FloatArray, rhs: FloatArray) -> FloatArray:
    """Apply the inverse to one or several right-hand sides, from `dense_factor`."""
    if len(factor) <= INVERTED_ITEMS:
        return np.asarray(factor.T @ (factor @ rhs))
    from scipy.linalg.lapack import dpotrs

    with few_threads(len(factor)):
        return np.asarray(dpotrs(factor, rhs, lower=1)[0]).reshape(rhs.shape)


def dense_inverse(factor: FloatArray, common: float, labels: IntArray) -> FloatArray:
    """Return the full inverse on vectors that sum to zero, from `dense_factor`."""
    if len(factor) <= INVERTED_ITEMS:
        return np.asarray(factor.T @ factor - _averaging(labels) / common)
    from scipy.linalg.lapack import dpotri

    with few_threads(len(factor)):
        lower, _ = dpotri(factor, lower=1)
    return np.asarray(_symmetric(lower) - _averaging(labels) / common)


def dense_inverse_diagonal(factor: FloatArray, common: float, labels: IntArray) -> FloatArray:
    """Return the diagonal of `dense_inverse`, in half the time."""
    inverse = factor
    if len(factor) > INVERTED_ITEMS:
        from scipy.linalg.lapack import dtrtri

        with few_threads(len(factor)):
            inverse, _ = dtrtri(factor, lower=1)
    squares = np.einsum("ij,ij->j", inverse, inverse)
    return np.asarray(squares - 1 / (common * np.bincount(labels)[labels]))


def factor_and_inverse(matrix: FloatArray) -> tuple[float, FloatArray]:
    """Return log determinant and full inverse of a positive definite matrix."""
    n = len(matrix)
    if n <= INVERTED_ITEMS:
        factor = np.linalg.cholesky(matrix)
        inverse_factor = np.linalg.inv(factor)
        inverse = inverse_factor.T @ inverse_factor
    else:
        from scipy.linalg.lapack import dpotrf, dpotri

        factor, fault = dpotrf(matrix, lower=1)
        if fault:
            raise np.linalg.LinAlgError(f"leading minor {fault} is not positive")
        inverse = _symmetric(dpotri(factor, lower=1)[0])
    return 2 * float(np.log(np.diag(factor)).sum()), np.asarray(inverse)


def _symmetric(lower: FloatArray) -> FloatArray:
    """Return the full matrix from its lower triangle."""
    full = lower + lower.T
    full[np.diag_indices(len(full))] /= 2
    return np.asarray(full)


def _averaging(labels: IntArray) -> FloatArray | float:
    """Return 1/size where two items share a component, else 0."""
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return 1 / len(labels)
    return np.where(labels[:, None] == labels, 1 / sizes[labels], 0.0)


# Bounds of the work, not of n: a factor of a few 10^7 entries takes seconds.
MAX_CYCLES = 500
MAX_BAND_WORK = 2e9


def elimination_order(i: CodeArray, j: CodeArray, labels: IntArray) -> IntArray | None:
    """Return an elimination order with little fill-in, or None if neither bound ensures one.

    In a graph with mu independent cycles, eliminating items with at most two neighbours adds no
    edges and leaves at most 2 mu items: SuperLU's minimum-degree order finds them, so any order may
    be returned. A graph of bandwidth b keeps it: reverse Cuthill-McKee finds that order.
    """
    n = len(labels)
    if few_cycles(i, labels):
        return np.arange(n)
    if float(len(i)) ** 2 > n * MAX_BAND_WORK:  # a band of width b has at most n b edges
        return None
    order, width = narrow_order(i, j, n)
    return order if n * float(width) ** 2 <= MAX_BAND_WORK else None


def narrow_order(i: CodeArray, j: CodeArray, n: int) -> tuple[IntArray, int]:
    """Return the reverse Cuthill-McKee order, and the bandwidth of the graph in it."""
    from scipy import sparse

    adjacency = sparse.coo_array((np.ones(len(i), np.int8), (i, j)), shape=(n, n))
    order = sparse.csgraph.reverse_cuthill_mckee((adjacency + adjacency.T).tocsr(), True)
    place = np.empty(n, np.int64)
    place[order] = np.arange(n)
    return order.astype(np.int64), int(np.abs(place[i] - place[j]).max(initial=0))


def few_cycles(i: CodeArray, labels: IntArray) -> bool:
    """Whether the number of independent cycles, |E| - n + components, is small."""
    return len(i) - len(labels) + int(labels.max()) + 1 <= MAX_CYCLES


def factorise(matrix: Any, *, reorder: bool) -> Any:
    """Factorise a sparse positive definite matrix as LDL^T, without pivoting."""
    from scipy.sparse.linalg import splu

    return splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A" if reorder else "NATURAL",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def inverse_diagonal(lu: Any) -> FloatArray:
    """Return the diagonal of the inverse from a symmetric LU factorisation."""
    lower, inverse = _inverse_on_pattern(lu)
    return np.asarray(inverse[lower.indptr[:-1]][lu.perm_c])


def inverse_on_edges(lu: Any, i: CodeArray, j: CodeArray) -> tuple[FloatArray, FloatArray]:
    """Return the diagonal of the inverse, and its entries at edges of the matrix."""
    lower, inverse = _inverse_on_pattern(lu)
    a, b = lu.perm_c[i].astype(np.int64), lu.perm_c[j].astype(np.int64)
    n = lower.shape[0]
    column = np.repeat(np.arange(n), np.diff(lower.indptr))
    place = np.searchsorted(column * n + lower.indices, np.minimum(a, b) * n + np.maximum(a, b))
    return np.asarray(inverse[lower.indptr[:-1]][lu.perm_c]), np.asarray(inverse[place])


def _inverse_on_pattern(lu: Any) -> tuple[Any, FloatArray]:
    """Return the lower factor with sorted columns, and the inverse on its pattern."""
    from scipy import sparse

    lower = sparse.csc_array(lu.L)
    lower.sort_indices()
    return lower, _takahashi(lower.indptr, lower.indices, lower.data, lu.U.diagonal())


@compiled
def _takahashi(
    indptr: CodeArray, indices: CodeArray, values: FloatArray, pivots: FloatArray
) -> FloatArray:
    """Return Z = (L D L^T)^-1 on the pattern of L, from the last column to the first."""
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


class StarMesh(NamedTuple):
    """Shares of item k that go to later items (row k, right of the diagonal), and the sums d."""

    shares: FloatArray
    sums: FloatArray


def star_mesh(i: CodeArray, j: CodeArray, weights: FloatArray, n: int, ridge: float) -> StarMesh:
    """Eliminate all items in order."""
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
    """Return (L + ridge I)^-1 b; if singular, with 0 for the last item of each component."""
    shares, sums = factor
    x = rhs.copy()
    for k in range(len(sums)):
        x[k + 1 :] += np.multiply.outer(shares[k, k + 1 :], x[k])
    for k in reversed(range(len(sums))):
        x[k] = (x[k] / sums[k] if sums[k] else 0.0) + shares[k, k + 1 :] @ x[k + 1 :]
    return x
