"""Conjugate gradients: the loop, written once, and the Laplacian systems that it solves."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hodgerank.kernels.linalg.laplacian import Solution, centre, upper_triangle
from hodgerank.types import CodeArray, FloatArray, IntArray

Operator = Callable[[FloatArray], FloatArray]
Size = Callable[[FloatArray, FloatArray], float]
"""How large a residual is, given itself and what the preconditioner makes of it."""


class Iterate(NamedTuple):
    """Solution, its residuals, their size before the first and after the last step, and steps."""

    x: FloatArray
    r: FloatArray
    first_size: float
    size: float
    iterations: int


def conjugate_gradients(
    apply: Operator,
    rhs: FloatArray,
    precondition: Operator,
    *,
    tolerance: float,
    max_iterations: int,
    start: FloatArray | None = None,
    size: Size | None = None,
) -> Iterate:
    """Solve A x = b for each column b of `rhs` at once, A symmetric and positive semidefinite.

    Ends when the residuals are of no more than the tolerance. Without a `size` of its own that is
    the largest of any column in the norm of the preconditioner, relative to that of the start.
    """
    x = np.zeros_like(rhs) if start is None else start.copy()
    r = rhs.copy() if start is None else rhs - apply(x)
    z = precondition(r)
    rz = _dot(r, z)
    scale = np.where(rz > 0, rz, 1.0)

    def measure() -> float:
        return float(np.sqrt((rz / scale).max(initial=0.0))) if size is None else size(r, z)

    p = z.copy()
    first = now = measure()
    iterations = 0
    while now > tolerance and iterations < max_iterations:
        iterations += 1
        q = apply(p)
        step = _quotient(rz, _dot(p, q))
        x += step * p
        r -= step * q
        z = precondition(r)
        previous, rz = rz, _dot(r, z)
        p = z + _quotient(rz, previous) * p
        now = measure()
    return Iterate(x, r, first, now, iterations)


def _dot(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.einsum("ik,ik->k", a, b))


def _quotient(a: FloatArray, b: FloatArray) -> FloatArray:
    """Of each column; 0 where there is nothing left to do."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)


def solve_laplacian(
    i: CodeArray,
    j: CodeArray,
    weights: FloatArray,
    labels: IntArray,
    ridge: float,
    rhs: FloatArray,
    *,
    tolerance: float,
    max_iterations: int,
    precondition: Operator | None = None,
) -> Solution:
    """(L + ridge I) x = b on vectors that sum to zero in each component; by default Jacobi's.

    Only the upper triangle is stored; its transpose is a view.
    """
    n = len(labels)
    upper = upper_triangle(i, j, weights, n)
    lower = upper.T
    diagonal = upper @ np.ones(n) + lower @ np.ones(n) + ridge
    diagonal[diagonal == 0] = 1.0  # an item without comparisons: its row of L is empty
    diagonal = diagonal[:, None]
    columns = centre(rhs if rhs.ndim == 2 else rhs[:, None], labels)
    found = conjugate_gradients(
        lambda x: np.asarray(diagonal * x - upper @ x - lower @ x),
        columns,
        (lambda r: r / diagonal) if precondition is None else precondition,
        tolerance=tolerance,
        max_iterations=max_iterations,
    )
    solver = "conjugate gradients" + ("" if precondition is None else ", spanning tree")
    x = centre(found.x, labels).reshape(rhs.shape)
    return Solution(x, found.iterations, found.size, solver)
