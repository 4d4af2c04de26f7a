"""Systems beyond a Laplacian: with a border of additional unknowns, or any precision matrix."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.kernels.linalg.cholesky import factor_and_inverse
from hodgerank.kernels.linalg.laplacian import Solution, centre
from hodgerank.kernels.linalg.normal_equations import (
    DENSE_ITEMS,
    Diagonal,
    Method,
    NormalEquations,
)
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray

# A tiny prior holds directions that the votes do not determine at 0.
NEARLY_SINGULAR = 1e-10
COLUMNS = 64  # per solve
FULL = 0.1  # share of nonzeros from which a border is treated as dense


class BorderedEquations:
    """A bordered system; `border` is C, n x (groups q), and `blocks` are the q x q blocks of D.

    With the groups eliminated it is (A - C D^-1 C^T) x = g over the scores alone, and can replace
    `NormalEquations` in solves and inverses.
    """

    def __init__(self, items: NormalEquations, border: Any, blocks: FloatArray) -> None:
        self.items, self.blocks = items, blocks
        self.border = border.toarray() if border.nnz > FULL * np.prod(border.shape) else border
        n_unknowns = blocks.shape[0] * blocks.shape[1]
        if items.n > DENSE_ITEMS and n_unknowns > DENSE_ITEMS:
            raise InvalidArgument(
                f"position bias of {blocks.shape[0]:,} workers over {items.n:,} items is too large "
                "to solve exactly: use one for all workers (position_bias='common'), or fewer "
                "groups"
            )

    @property
    def n(self) -> int:
        """Number of scores."""
        return self.items.n

    @property
    def ridge(self) -> float:
        """Precision of the prior on the scores."""
        return self.items.ridge

    @cached_property
    def method(self) -> Method:
        """How the inverse is computed."""
        return "dense" if self.n <= DENSE_ITEMS else self.items.method

    def solve_both(self, g: FloatArray, h: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return scores, and unknowns of the groups, one row each."""
        if self.method == "dense":
            scaled = (self._inverse_blocks @ h[:, :, None]).ravel()
            x = self._solve_scores(g - self.border @ scaled)
            rest = h - (self.border.T @ x).reshape(h.shape)
            return x, (self._inverse_blocks @ rest[:, :, None])[:, :, 0]
        b = self._group_inverse @ (h.ravel() - self._solved_border.T @ g)
        return self.items.solve(g) - self._solved_border @ b, b.reshape(h.shape)

    def solve(self, rhs: FloatArray) -> FloatArray:
        """Return scores for one right-hand side, or for each column."""
        if self.method == "dense":
            return self._solve_scores(rhs)
        added = self._group_inverse @ (self._solved_border.T @ rhs)
        return np.asarray(self.items.solve(rhs) + self._solved_border @ added)

    def without_groups(self, g: FloatArray, h: FloatArray) -> FloatArray:
        """Eliminate the groups from gradients of the scores, g - C D^-1 h; also columns."""
        return np.asarray(g - self._scaled_border @ h)

    @cached_property
    def inverse(self) -> FloatArray:
        """The full inverse over the scores; used only where `method` is dense."""
        inverse = self._solve_scores(np.eye(self.n))
        return centre(inverse.T, self.items.components)

    @cached_property
    def inverse_diagonal(self) -> Diagonal:
        """Diagonal of the inverse."""
        if self.method == "dense":
            return Diagonal(np.diag(self.inverse).copy(), 0.0)
        plain = self.items.inverse_diagonal
        solved = self._solved_border
        added = np.einsum("ia,ia->i", solved @ self._group_inverse, solved)
        return Diagonal(plain.values + added, plain.relative_error)

    @cached_property
    def group_covariances(self) -> FloatArray:
        """The diagonal blocks of the inverse that belong to the groups."""
        n_groups, q, _ = self.blocks.shape
        if self.method != "dense":
            full = self._group_inverse.reshape(n_groups, q, n_groups, q)
            return np.ascontiguousarray(np.einsum("gagb->gab", full))
        scaled = _dense(self._scaled_border)
        solved = self._solve_scores(scaled)
        shape = (self.items.n, n_groups, q)
        added = np.einsum("iga,igb->gab", scaled.reshape(shape), solved.reshape(shape))
        return np.asarray(self._inverse_blocks + added)

    @cached_property
    def _inverse_blocks(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.blocks), float)

    @cached_property
    def _score_factor(self) -> Any:
        """Factor of A - C D^-1 C^T, regular on vectors that sum to zero in each component."""
        from scipy import linalg

        items, n = self.items, self.items.n
        matrix = np.zeros((n, n))
        matrix[items.i, items.j] = -items.weights
        matrix += matrix.T
        matrix -= np.diag(matrix.sum(axis=1))
        typical = max(float(np.diag(matrix).mean()), 1e-300)
        with few_threads(n):
            matrix -= _dense(self._scaled_border @ self.border.T)
        same = items.components[:, None] == items.components
        matrix += typical * same / same.sum(axis=0)
        matrix[np.diag_indices(n)] += items.ridge + NEARLY_SINGULAR * typical
        with few_threads(n):
            return linalg.cho_factor(matrix, lower=True)

    def _solve_scores(self, rhs: FloatArray) -> FloatArray:
        from scipy import linalg

        with few_threads(self.items.n):
            return centre(linalg.cho_solve(self._score_factor, rhs), self.items.components)

    @cached_property
    def _scaled_border(self) -> Any:
        """C D^-1."""
        if isinstance(self.border, np.ndarray):
            by_group = self.border.reshape(self.n, *self.blocks.shape[:2])
            return np.einsum("iga,gab->igb", by_group, self._inverse_blocks).reshape(self.n, -1)
        return self.border @ _block_diagonal(self._inverse_blocks).tocsc()

    @cached_property
    def _solved_border(self) -> FloatArray:
        """A^-1 C."""
        columns = range(0, self.border.shape[1], COLUMNS)
        return np.hstack(
            [self.items.solve(_dense(self.border[:, k : k + COLUMNS])) for k in columns]
        )

    @cached_property
    def _group_inverse(self) -> FloatArray:
        """(D - C^T A^-1 C)^-1."""
        from scipy import linalg

        blocks = _block_diagonal(self.blocks * (1 + NEARLY_SINGULAR)).toarray()
        schur = blocks - self.border.T @ self._solved_border
        return np.asarray(linalg.inv((schur + schur.T) / 2))


def _block_diagonal(blocks: FloatArray) -> Any:
    from scipy import sparse

    n = len(blocks)
    return sparse.bsr_array((blocks, np.arange(n), np.arange(n + 1)))


def _dense(matrix: Any) -> FloatArray:
    return matrix if isinstance(matrix, np.ndarray) else np.asarray(matrix.toarray())


class PrecisionEquations:
    """A system for scores with a given precision; inverses are those of centred scores.

    Attributes
    ----------
    matrix
        The precision: a dense array, or a sparse matrix whose factor stays sparse.
    ridge
        Inverse of the variance of the prior it contains.
    """

    def __init__(self, matrix: Any, ridge: float) -> None:
        self.matrix, self.ridge = matrix, ridge

    def __getstate__(self) -> dict[str, Any]:
        """Return the system alone: some factors cannot be pickled; they are recomputed."""
        return {"matrix": self.matrix, "ridge": self.ridge}

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return int(self.matrix.shape[0])

    @property
    def method(self) -> Method:
        """How the inverse is computed."""
        return "dense" if isinstance(self.matrix, np.ndarray) else "sparse"

    def solution(self, rhs: FloatArray) -> Solution:
        """Return centred scores, and how they were computed."""
        return Solution(self.solve(rhs), 1, np.nan, f"{self.method} Cholesky")

    def solve(self, rhs: FloatArray) -> FloatArray:
        """Return centred scores for one right-hand side that sums to zero, or for each column."""
        if self.method == "dense":
            with few_threads(self.n):
                x = self._uncentred @ rhs
        else:
            x = self._factor.solve(rhs)
        return np.asarray(x - x.mean(axis=0))

    @cached_property
    def _uncentred(self) -> FloatArray:
        with few_threads(self.n):
            return factor_and_inverse(self.matrix)[1]

    @cached_property
    def _factor(self) -> Any:
        from hodgerank.kernels.linalg.cholesky import factorise

        return factorise(self.matrix, reorder=True)

    @cached_property
    def inverse(self) -> FloatArray:
        """The full inverse; used only where `method` is dense."""
        rows = self._uncentred.mean(axis=0)
        return np.asarray(self._uncentred - rows[:, None] - rows + rows.mean())

    @cached_property
    def inverse_diagonal(self) -> Diagonal:
        """Diagonal of the inverse."""
        if self.method == "dense":
            return Diagonal(np.diag(self.inverse).copy(), 0.0)
        from hodgerank.kernels.linalg.cholesky import inverse_diagonal

        rows = self._factor.solve(np.full(self.n, 1 / self.n))
        return Diagonal(inverse_diagonal(self._factor) - 2 * rows + rows.mean(), 0.0)
