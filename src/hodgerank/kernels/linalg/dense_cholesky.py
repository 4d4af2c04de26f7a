"""Dense factors and inverses of Laplacians of few items.

Of very few items the factor is kept as its inverse, for which NumPy is enough: importing SciPy
takes longer than all the rest of a small ranking.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.linalg.laplacian import degrees
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import CodeArray, FloatArray, IntArray

INVERTED_ITEMS = 60  # up to which the factor is kept as its inverse


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
    if n <= INVERTED_ITEMS:
        return np.linalg.inv(np.linalg.cholesky(matrix)), ridge + tau
    from scipy.linalg.lapack import dpotrf

    with few_threads(n):
        factor, fault = dpotrf(matrix, lower=1, overwrite_a=1, clean=0)
    if fault:
        raise np.linalg.LinAlgError(f"leading minor {fault} is not positive")
    return factor, ridge + tau


def dense_solve(factor: FloatArray, rhs: FloatArray) -> FloatArray:
    """The matrix's inverse times one or several right-hand sides, from `dense_factor`."""
    if len(factor) <= INVERTED_ITEMS:
        return np.asarray(factor.T @ (factor @ rhs))
    from scipy.linalg.lapack import dpotrs

    with few_threads(len(factor)):
        return np.asarray(dpotrs(factor, rhs, lower=1)[0]).reshape(rhs.shape)


def dense_inverse(factor: FloatArray, common: float, labels: IntArray) -> FloatArray:
    """The inverse on vectors that sum to zero, symmetric and full, from `dense_factor`."""
    if len(factor) <= INVERTED_ITEMS:
        return np.asarray(factor.T @ factor - _averaging(labels) / common)
    from scipy.linalg.lapack import dpotri

    with few_threads(len(factor)):
        lower, _ = dpotri(factor, lower=1)
    return np.asarray(_symmetric(lower) - _averaging(labels) / common)


def factor_and_inverse(matrix: FloatArray) -> tuple[float, FloatArray]:
    """Log determinant and inverse of a positive definite matrix, symmetric and full."""
    n = len(matrix)
    if n <= INVERTED_ITEMS:
        factor = np.linalg.cholesky(matrix)
        inverse_factor = np.linalg.inv(factor)
        inverse = inverse_factor.T @ inverse_factor
    else:
        from scipy.linalg.lapack import dpotrf, dpotri

        factor, fault = dpotrf(matrix, lower=1, clean=1)
        if fault:
            raise np.linalg.LinAlgError(f"leading minor {fault} is not positive")
        inverse = _symmetric(dpotri(factor, lower=1)[0])
    return 2 * float(np.log(np.diag(factor)).sum()), np.asarray(inverse)


def _symmetric(lower: FloatArray) -> FloatArray:
    """A full matrix from its lower triangle, whatever stands above it."""
    lower = np.tril(lower)
    full = lower + lower.T
    full[np.diag_indices(len(full))] /= 2
    return np.asarray(full)


def _averaging(labels: IntArray) -> FloatArray | float:
    """1/size where two items share a component, else 0."""
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return 1 / len(labels)
    return np.where(labels[:, None] == labels, 1 / sizes[labels], 0.0)
