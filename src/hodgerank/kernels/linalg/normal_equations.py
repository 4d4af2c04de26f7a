"""The linear system of every estimator, the choice of its solver, and its variances."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from hodgerank.errors import DidNotConverge
from hodgerank.kernels.linalg import laplacian
from hodgerank.kernels.linalg.cholesky import (
    StarMesh,
    dense_factor,
    dense_inverse,
    dense_inverse_diagonal,
    dense_solve,
    star_mesh,
    star_mesh_solve,
)
from hodgerank.kernels.linalg.conjugate_gradients import solve_laplacian
from hodgerank.kernels.linalg.laplacian import Solution, degrees, divergence, upper_triangle
from hodgerank.types import CodeArray, FloatArray, IntArray

PROBES_AT_A_TIME = 8
TRIAL_PROBES = 16
MAX_PROBES = 128

Solve = Callable[[FloatArray], FloatArray]


def stochastic_diagonal(
    i: CodeArray,
    j: CodeArray,
    weights: FloatArray,
    n: int,
    ridge: float,
    solve: Solve,
    rng: np.random.Generator,
    *,
    target: float,
) -> tuple[FloatArray, float]:
    """Return the diagonal of (L + ridge I)^-1 on centred vectors and its relative error (rms).

    Probes are added until the error is below `target` or there are `MAX_PROBES`.
    """
    degree = degrees(i, j, weights, n) + ridge
    inverse = np.divide(1, degree, out=np.zeros(n), where=degree > 0)
    upper = upper_triangle(i, j, weights, n)
    lower = upper.T

    def step(x: FloatArray) -> FloatArray:
        return np.asarray(inverse[:, None] * (upper @ x + lower @ x))

    squared = upper_triangle(i, j, weights**2, n)
    known = inverse + (squared @ inverse + squared.T @ inverse) * inverse**2
    total, total_squares, n_probes, error = np.zeros(n), np.zeros(n), 0, np.inf
    while error > target and n_probes < MAX_PROBES:
        signs: FloatArray = rng.choice(np.array([-1.0, 1.0]), size=(n, PROBES_AT_A_TIME))
        first = inverse[:, None] * signs
        samples = signs * (solve(signs) - first - step(first + step(first)))
        total += samples.sum(axis=1)
        total_squares += (samples**2).sum(axis=1)
        n_probes += PROBES_AT_A_TIME
        mean = total / n_probes
        # Cauchy-Schwarz: an entry is at least (1 - 1/size)^2 / d_i in a component of that size
        estimate = np.maximum(known + mean, inverse / 4)
        variance = (total_squares / n_probes - mean**2) / (n_probes - 1)
        used = estimate > 0
        error = float(np.sqrt(np.mean(variance[used] / estimate[used] ** 2)))
        if n_probes == TRIAL_PROBES and error * np.sqrt(n_probes) > np.sqrt(2):
            return _mean_squares(i, j, weights, n, ridge, solve, rng), np.sqrt(2 / MAX_PROBES)
    return estimate, error


def _mean_squares(
    i: CodeArray,
    j: CodeArray,
    weights: FloatArray,
    n: int,
    ridge: float,
    solve: Solve,
    rng: np.random.Generator,
) -> FloatArray:
    total = np.zeros(n)
    for _ in range(MAX_PROBES // PROBES_AT_A_TIME):
        flows = np.sqrt(weights) * rng.choice([-1.0, 1.0], size=(PROBES_AT_A_TIME, len(weights)))
        rhs = np.column_stack([divergence(i, j, flow, n) for flow in flows])
        rhs += np.sqrt(ridge) * rng.normal(size=rhs.shape)
        total += (solve(rhs) ** 2).sum(axis=1)
    return total / MAX_PROBES


# The largest dense matrix: 3,000 items take 72 MB and a second for the full inverse.
DENSE_ITEMS = 3_000
# Up to this a factorisation is faster than conjugate gradients.
FACTORED_ITEMS = 150
FEW_ITERATIONS = 60
MANY_ITERATIONS = 5_000
# Ratio of weights beyond which the spanning tree is worth its cost per step.
WIDE = 1e3
TOLERANCE = 1e-11  # of the residual, relative to the right-hand side
SLACK = 10.0  # in units of the tolerance, which refers to the norm of the preconditioner
REFINEMENTS = 3
LOOSE = 1e-6  # tolerance that a dense factor always meets
NEGLIGIBLE = 1e-6  # energy of the last correction, relative to that of the solution

Method = Literal["dense", "sparse", "iterative"]


class Diagonal(NamedTuple):
    """Diagonal of an inverse; `relative_error` is 0 if it is exact."""

    values: FloatArray
    relative_error: float


class NormalEquations:
    """(L + ridge I) x = b for the Laplacian L of a weighted graph.

    Restricted to vectors that sum to zero in each component: with ridge 0 the inverse is L^+.
    """

    def __init__(
        self,
        i: CodeArray,
        j: CodeArray,
        weights: FloatArray,
        components: IntArray,
        ridge: float = 0.0,
    ) -> None:
        self.i, self.j, self.weights = i, j, weights
        self.components = components
        self.ridge = ridge
        self._is_hard = False  # Jacobi preconditioning was tried and is not sufficient

    def __getstate__(self) -> dict[str, Any]:
        """Return the system alone: some factors cannot be pickled; they are recomputed."""
        kept = ("i", "j", "weights", "components", "ridge", "_is_hard")
        return {name: self.__dict__[name] for name in kept}

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return len(self.components)

    @cached_property
    def method(self) -> Method:
        """How the inverse is computed: dense for few items, sparse if the graph allows it."""
        if self.n <= DENSE_ITEMS:
            return "dense"
        return "iterative" if self._order is None else "sparse"

    def solve(self, rhs: FloatArray, *, tolerance: float = TOLERANCE) -> FloatArray:
        """Return the solution alone; see `solution`."""
        return self.solution(rhs, tolerance=tolerance).x

    def solution(self, rhs: FloatArray, *, tolerance: float = TOLERANCE) -> Solution:
        """Solve for one right-hand side, or for each column.

        Conjugate gradients need few steps on the expander-like graphs of random designs, so they
        are tried first; chains and bottlenecks go to the direct solvers. If those would be too
        large, conjugate gradients continue, with the heaviest spanning tree as preconditioner if
        weights differ much.
        """
        if self.n > FACTORED_ITEMS and "_dense_factor" not in self.__dict__ and not self._is_hard:
            few = self._conjugate_gradients(rhs, tolerance, FEW_ITERATIONS)
            if few.residual <= tolerance:
                return few
            self._is_hard = True
        return self._refined(rhs, tolerance)

    def _refined(self, rhs: FloatArray, tolerance: float) -> Solution:
        """Solve, with iterative refinement if the residual is too large.

        With widely different weights, scores may be so large that no double precision solution
        meets the tolerance. It is accepted if the last correction is negligible in the energy x^T A
        x, the measure of least squares.
        """
        x, iterations, residual, solver = self._hard_solution(rhs, tolerance)
        if tolerance >= LOOSE and self.method == "dense":
            return Solution(x, iterations, LOOSE, solver)
        defect, residual = self._defect(x, rhs)
        enough, error, turns = SLACK * tolerance, 0.0, 0
        while residual > enough and turns < REFINEMENTS:
            turns += 1
            correction = self._hard_solution(defect, tolerance)
            error = _largest_ratio(correction.x * defect, x * rhs)
            x = x + correction.x
            iterations += correction.iterations
            defect, residual = self._defect(x, rhs)
        if not (residual <= enough or error <= NEGLIGIBLE):
            raise DidNotConverge("the linear solver", iterations, residual)
        return Solution(x, iterations, residual, solver)

    def _hard_solution(self, rhs: FloatArray, tolerance: float) -> Solution:
        if self.method == "dense":
            solver = "dense Cholesky" if self._has_dense_factor else "star-mesh elimination"
            return Solution(self._dense_solve(rhs), 1, np.nan, solver)
        if self.method == "sparse":
            return Solution(self._sparse_solve(rhs), 1, np.nan, "sparse Cholesky")
        precondition = self._tree if self._has_wide_weights else None
        found = self._conjugate_gradients(rhs, tolerance, MANY_ITERATIONS, precondition)
        if found.residual > tolerance:
            raise DidNotConverge("the linear solver", found.iterations, found.residual)
        return found

    def _defect(self, x: FloatArray, rhs: FloatArray) -> tuple[FloatArray, float]:
        """Return the residual of a solution, and its norm relative to the right-hand side.

        Computed from score differences, which lose fewer digits than the matrix.
        """
        if x.ndim > 1:
            parts = [self._defect(*columns) for columns in zip(x.T, rhs.T, strict=True)]
            return np.column_stack([part for part, _ in parts]), max(size for _, size in parts)
        flow = self.weights * (x[self.i] - x[self.j])
        applied = laplacian.divergence(self.i, self.j, flow, self.n) + self.ridge * x
        b = self._centre(rhs)
        size = float(np.linalg.norm(b))
        defect = b - applied
        return defect, float(np.linalg.norm(defect)) / size if size else 0.0

    def _conjugate_gradients(
        self,
        rhs: FloatArray,
        tolerance: float,
        max_iterations: int,
        precondition: Callable[[FloatArray], FloatArray] | None = None,
    ) -> Solution:
        return solve_laplacian(
            self.i, self.j, self.weights, self.components, self.ridge, rhs,
            tolerance=tolerance, max_iterations=max_iterations, precondition=precondition,
        )  # fmt: skip

    @property
    def _has_wide_weights(self) -> bool:
        return len(self.weights) > 0 and bool(self.weights.max() > WIDE * self.weights.min())

    @cached_property
    def _tree(self) -> Callable[[FloatArray], FloatArray]:
        from hodgerank.kernels.linalg.conjugate_gradients import tree_preconditioner

        return tree_preconditioner(self.i, self.j, self.weights, self.components, self.ridge)

    @cached_property
    def _has_dense_factor(self) -> bool:
        """Whether the matrix is numerically positive definite: not if weights differ too much."""
        try:
            return bool(np.isfinite(self._dense_factor[0]).all())
        except np.linalg.LinAlgError:
            return False

    def _dense_solve(self, rhs: FloatArray) -> FloatArray:
        if not self._has_dense_factor:
            return self._centre(star_mesh_solve(self._star_mesh, self._centre(rhs)))
        return self._centre(dense_solve(self._dense_factor[0], self._centre(rhs)))

    @cached_property
    def _star_mesh(self) -> StarMesh:
        return star_mesh(self.i, self.j, self.weights, self.n, self.ridge)

    def _centre(self, x: FloatArray) -> FloatArray:
        return laplacian.centre(x, self.components)

    @cached_property
    def inverse(self) -> FloatArray:
        """The full inverse; used only where `method` is dense."""
        if not self._has_dense_factor:
            inverse = self._dense_solve(np.eye(self.n))
            return np.asarray((inverse + inverse.T) / 2)
        return dense_inverse(*self._dense_factor, self.components)

    @cached_property
    def inverse_diagonal(self) -> Diagonal:
        """Diagonal of the inverse: exact if feasible, otherwise estimated with its error."""
        return self.inverse_diagonal_within(0.01)

    def inverse_diagonal_within(self, error: float) -> Diagonal:
        """Return the diagonal with this relative error, if estimated and the probes suffice."""
        if self.method == "dense":
            if "inverse" in self.__dict__ or not self._has_dense_factor:
                return Diagonal(np.diag(self.inverse).copy(), 0.0)
            return Diagonal(dense_inverse_diagonal(*self._dense_factor, self.components), 0.0)
        if self.method == "sparse":
            return Diagonal(self._sparse_diagonal(), 0.0)

        values, reached = stochastic_diagonal(
            self.i, self.j, self.weights, self.n, self.ridge,
            lambda rhs: self.solve(rhs, tolerance=1e-3),
            np.random.default_rng(0),
            target=error,
        )  # fmt: skip
        return Diagonal(values, reached)

    @cached_property
    def _dense_factor(self) -> tuple[FloatArray, float]:
        return dense_factor(self.i, self.j, self.weights, self.components, self.ridge)

    @cached_property
    def _order(self) -> IntArray | None:
        from hodgerank.kernels.linalg.cholesky import elimination_order

        return elimination_order(self.i, self.j, self.components)

    @cached_property
    def _sparse_factor(self) -> tuple[Any, IntArray]:
        """Factor of L + ridge I and its items, in order.

        With ridge 0, L is singular: one item of each component is fixed at zero.
        """
        from scipy import sparse

        from hodgerank.kernels.linalg.cholesky import factorise, few_cycles

        assert self._order is not None
        order = self._order
        if not self.ridge:
            _, held = np.unique(self.components, return_index=True)
            order = order[~np.isin(order, held)]
        degree = laplacian.degrees(self.i, self.j, self.weights, self.n) + self.ridge
        upper = sparse.coo_array((-self.weights, (self.i, self.j)), shape=(self.n, self.n))
        matrix = (upper + upper.T + sparse.diags_array(degree)).tocsr()[order][:, order]
        return factorise(matrix, reorder=few_cycles(self.i, self.components)), order

    def _sparse_solve(self, rhs: FloatArray) -> FloatArray:
        lu, order = self._sparse_factor
        b = self._centre(rhs)
        x = np.zeros_like(b)
        x[order] = lu.solve(b[order])
        return self._centre(x)

    def _sparse_diagonal(self) -> FloatArray:
        """Diagonal of P G P, with G the factorised inverse and P the centring."""
        from hodgerank.kernels.linalg.cholesky import inverse_diagonal

        lu, order = self._sparse_factor
        diagonal, row_sums = np.zeros(self.n), np.zeros(self.n)
        diagonal[order] = inverse_diagonal(lu)
        row_sums[order] = lu.solve(np.ones(len(order)))
        size = np.bincount(self.components)[self.components]
        total = np.bincount(self.components, row_sums)[self.components]
        return diagonal - 2 * row_sums / size + total / size**2


def _largest_ratio(part: FloatArray, whole: FloatArray) -> float:
    """Return the largest ratio of column sums."""
    size = np.abs(whole.sum(axis=0))
    return float(np.max(np.abs(part.sum(axis=0)) / np.where(size > 0, size, 1.0)))


PROBES = 32


def effective_resistances(equations: NormalEquations) -> FloatArray:
    """S_ii + S_jj - 2 S_ij of every edge, S the inverse of the system.

    Exact if the inverse fits into memory. Otherwise the mean square of differences of random
    solutions with covariance S, accurate to about 25% for an edge and much better for sums over
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
    # the resistance of an edge is at most that of the edge alone
    return np.minimum(total / PROBES, 1 / equations.weights)
