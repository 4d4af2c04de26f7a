"""Conjugate gradients for Laplacian systems, and a spanning-tree preconditioner."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hodgerank.kernels.linalg import laplacian
from hodgerank.kernels.linalg.laplacian import Solution, centre, upper_triangle
from hodgerank.types import CodeArray, FloatArray, IntArray

Operator = Callable[[FloatArray], FloatArray]
Size = Callable[[FloatArray, FloatArray], float]
"""Size of a residual, given itself and the preconditioned residual."""


class Iterate(NamedTuple):
    """Solution, residuals, their size before the first and after the last step, and steps."""

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

    Stops when the size of the residuals is at most the tolerance. The default `size` is the largest
    norm of a column in the norm of the preconditioner, relative to the start.
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
    """Return the quotient of each column; 0 for converged columns."""
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
    """Solve (L + ridge I) x = b on vectors that sum to zero in each component.

    Uses Jacobi preconditioning by default. Only the upper triangle is stored; its transpose is a
    view.
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


def heaviest_tree(i: CodeArray, j: CodeArray, weights: FloatArray, n: int) -> IntArray:
    """Return positions of the edges of a heaviest spanning tree of each component."""
    from scipy import sparse

    order = np.argsort(-weights, kind="stable")
    # by rank, since the lightest sum of ranks is the heaviest tree and no rank is zero
    rank = np.empty(len(weights))
    rank[order] = np.arange(1, len(weights) + 1)
    tree = sparse.csgraph.minimum_spanning_tree(sparse.csr_array((rank, (i, j)), shape=(n, n)))
    return np.sort(order[tree.data.astype(np.int64) - 1])


def tree_preconditioner(
    i: CodeArray, j: CodeArray, weights: FloatArray, labels: IntArray, ridge: float
) -> Callable[[FloatArray], FloatArray]:
    """Return M^-1; constant shifts of a component are left to the caller."""
    from scipy import sparse
    from scipy.sparse.linalg import splu

    n = len(labels)
    tree = heaviest_tree(i, j, weights, n)
    rest = np.ones(len(i), bool)
    rest[tree] = False
    diagonal = laplacian.degrees(i[rest], j[rest], weights[rest], n) + ridge
    own = laplacian.degrees(i[tree], j[tree], weights[tree], n)
    # A graph that is only a tree would be singular: one item of its component is fixed.
    is_bare = np.bincount(labels, diagonal) == 0
    _, first = np.unique(labels, return_index=True)
    held = first[is_bare]
    diagonal[held] = np.where(own[held] > 0, own[held], 1.0)
    own += diagonal
    upper = laplacian.upper_triangle(i[tree], j[tree], weights[tree], n)
    matrix = sparse.diags_array(own) - upper - upper.T
    factor = splu(
        matrix.tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return lambda r: np.asarray(factor.solve(r))
