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
from hodgerank.types import BoolArray, FloatArray

# A tiny prior holds directions that the votes do not determine at 0.
NEARLY_SINGULAR = 1e-10
COLUMNS = 64  # per solve
ROWS = 1024  # groups whose variances are computed at once
# Pivots, relative to the diagonal: below the first, eigenvalues are computed to decide whether the
# matrix is singular; those below the second count as zero.
DOUBTFUL, SINGULAR = 1e-6, 1e-9
VISIBLE = 1e-6  # an entry of a null vector that is not zero, relative to the largest
TINY = 1e-300
FULL = 0.1  # share of nonzeros from which a border is treated as dense


class BorderedEquations:
    """Laplacian equations for scores x, bordered by columns with unknowns b of their own.

        A x + C b = g
        C^T x + D b = h

    `border` is C, n x p. The first unknowns form groups of q, which D does not couple: `blocks` are
    its q x q blocks. D couples the last s unknowns with all others: `crossing` holds these columns,
    p x s. The groups are eliminated, so that there may be many more of them than items; the other
    unknowns stay beside the scores. The equations that are left over the scores alone can replace
    `NormalEquations` in solves and inverses. With too many items for a dense matrix, the scores are
    eliminated instead.
    """

    def __init__(
        self, items: NormalEquations, border: Any, blocks: FloatArray, crossing: Any = None
    ) -> None:
        self.items, self.blocks, self.crossing = items, blocks, crossing
        self.border = border.toarray() if border.nnz > FULL * np.prod(border.shape) else border
        self._n_own = blocks.shape[0] * blocks.shape[1]
        self._has_core = items.n + border.shape[1] - self._n_own <= DENSE_ITEMS
        if not self._has_core and border.shape[1] > DENSE_ITEMS:
            raise InvalidArgument(
                f"position bias of {border.shape[1]:,} groups over {items.n:,} items is too large "
                "to solve exactly: use one for all votes (position_bias='common'), or fewer groups"
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
        return "dense" if self._has_core else self.items.method

    def solve_both(self, g: FloatArray, h: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the scores and all other unknowns, for one right-hand side or for each column."""
        if self._has_core:
            own, beside = h[: self._n_own], h[self._n_own :]
            y = self._solve_core(np.concatenate((g, beside)) - self._scaled_border @ own)
            by_group = own.reshape(*self.blocks.shape[:2], -1)
            b = (self._inverse_blocks @ by_group).reshape(own.shape) - self._scaled_border.T @ y
            return y[: self.n], np.concatenate((b, y[self.n :]))
        b = self._group_inverse @ (h - self._solved_border.T @ g)
        return self.items.solve(g) - self._solved_border @ b, b

    def solve(self, rhs: FloatArray) -> FloatArray:
        """Return scores for one right-hand side, or for each column."""
        if self._has_core:
            return self._solve_core(self._padded(rhs))[: self.n]
        added = self._group_inverse @ (self._solved_border.T @ rhs)
        return np.asarray(self.items.solve(rhs) + self._solved_border @ added)

    @cached_property
    def inverse(self) -> FloatArray:
        """The full inverse over the scores; used only where `method` is dense."""
        if not self._has_core:
            added = self._solved_border @ self._group_inverse @ self._solved_border.T
            return np.asarray(self.items.inverse + added)
        inverse = self._core_inverse[: self.n, : self.n]
        return centre(inverse.T, self.items.components)

    @cached_property
    def inverse_diagonal(self) -> Diagonal:
        """Diagonal of the inverse over the scores."""
        if "inverse" in self.__dict__ or self._has_core:
            return Diagonal(np.diag(self.inverse).copy(), 0.0)
        plain = self.items.inverse_diagonal
        solved = self._solved_border
        added = np.einsum("ia,ia->i", solved @ self._group_inverse, solved)
        return Diagonal(plain.values + added, plain.relative_error)

    @cached_property
    def border_variances(self) -> FloatArray:
        """Diagonal of the inverse over all other unknowns."""
        if not self._has_core:
            return np.diag(self._group_inverse).copy()
        scaled, n_core = self._scaled_border, self._scaled_border.shape[0]
        own = np.einsum("gaa->ga", self._inverse_blocks).ravel().copy()
        if self._n_own <= n_core:
            dense = _dense(scaled)
            own += np.einsum("ig,ig->g", dense, self._solve_core(dense))
            beside = np.eye(n_core)[:, self.n :]
            return np.append(own, np.einsum("ia,ia->a", beside, self._solve_core(beside)))
        inverse = self._core_inverse
        for k in range(0, self._n_own, ROWS):
            rows = scaled[:, k : k + ROWS].T
            own[k : k + ROWS] += np.asarray((rows * (rows @ inverse)).sum(axis=1))
        return np.append(own, np.diag(inverse)[self.n :])

    @cached_property
    def crossing_covariance(self) -> FloatArray:
        """The block of the inverse that belongs to the unknowns that cross the groups."""
        if not self._has_core:
            return self._group_inverse[self._n_own :, self._n_own :]
        n_core = len(self._core_factor[0])
        return self._solve_core(np.eye(n_core)[:, self.n :])[self.n :]

    @cached_property
    def open_unknowns(self) -> BoolArray:
        """Which other unknowns the equations do not determine, the scores being centred.

        Those that are not zero in some null vector of the matrix.
        """
        from scipy import linalg

        if self._has_core:
            matrix, size = self._core()
            if float((np.diag(self._core_factor[0]) ** 2 / size).min()) > DOUBTFUL:
                return np.zeros(self.border.shape[1], np.bool_)
        else:
            matrix, size = self._schur, np.maximum(np.diag(self._inner), TINY)
        root = np.sqrt(size)
        values, vectors = linalg.eigh(matrix / np.outer(root, root))
        null = vectors[:, values <= SINGULAR] / root[:, None]
        if self._has_core:
            null = np.vstack((-(self._scaled_border.T @ null), null[self.n :]))
        largest = np.abs(null).max(axis=0, initial=TINY, keepdims=True)
        return np.asarray((np.abs(null) > VISIBLE * largest).any(axis=1))

    def _padded(self, rhs: FloatArray) -> FloatArray:
        """Append zeros for the unknowns beside the scores."""
        if self.crossing is None:
            return rhs
        beside = self.border.shape[1] - self._n_own
        return np.concatenate((rhs, np.zeros((beside, *rhs.shape[1:]))))

    @cached_property
    def _inverse_blocks(self) -> FloatArray:
        return np.asarray(np.linalg.inv(self.blocks), float)

    def _core(self) -> tuple[FloatArray, FloatArray]:
        """Return the matrix with the groups eliminated, and its diagonal before that.

        The projector on constant scores of each component is added: centred vectors do not see it.
        """
        items, n = self.items, self.items.n
        matrix = np.zeros((n, n))
        matrix[items.i, items.j] = -items.weights
        matrix += matrix.T
        matrix -= np.diag(matrix.sum(axis=1))
        typical = max(float(np.diag(matrix).mean()), TINY)
        same = items.components[:, None] == items.components
        matrix += typical * same / same.sum(axis=0)
        matrix[np.diag_indices(n)] += items.ridge
        if self.crossing is not None:
            beside = _dense(self.border[:, self._n_own :])
            among = _dense(self.crossing[self._n_own :])
            matrix = np.block([[matrix, beside], [beside.T, among]])
        size = np.diag(matrix).copy()
        with few_threads(n):
            matrix -= _dense(self._scaled_border @ self._own_border.T)
        return matrix, size

    @cached_property
    def _core_factor(self) -> Any:
        """Factor of the matrix, regular on scores that sum to zero in each component."""
        from scipy import linalg

        matrix, size = self._core()
        matrix[np.diag_indices(len(size))] += NEARLY_SINGULAR * size
        with few_threads(len(size)):
            return linalg.cho_factor(matrix, lower=True, overwrite_a=True)

    def _solve_core(self, rhs: FloatArray) -> FloatArray:
        from scipy import linalg

        with few_threads(self.items.n):
            y = linalg.cho_solve(self._core_factor, rhs)
        y[: self.n] = centre(y[: self.n], self.items.components)
        return np.asarray(y)

    @cached_property
    def _core_inverse(self) -> FloatArray:
        return self._solve_core(np.eye(len(self._core_factor[0])))

    @cached_property
    def _own_border(self) -> Any:
        """The columns of the groups, over scores and the unknowns beside them."""
        if self.crossing is None:
            return self.border
        from scipy import sparse

        own = self.border[:, : self._n_own]
        rows = self.crossing[: self._n_own].T
        if isinstance(own, np.ndarray):
            return np.vstack((own, _dense(rows)))
        return sparse.vstack((own, rows), format="csc")

    @cached_property
    def _scaled_border(self) -> Any:
        """The columns of the groups, divided by their blocks."""
        border = self._own_border
        if isinstance(border, np.ndarray):
            by_group = border.reshape(len(border), *self.blocks.shape[:2])
            return np.einsum("iga,gab->igb", by_group, self._inverse_blocks).reshape(
                len(border), -1
            )
        return (border @ _block_diagonal(self._inverse_blocks).tocsc()).tocsc()

    @cached_property
    def _solved_border(self) -> FloatArray:
        """A^-1 C."""
        columns = range(0, self.border.shape[1], COLUMNS)
        return np.hstack(
            [self.items.solve(_dense(self.border[:, k : k + COLUMNS])) for k in columns]
        )

    @cached_property
    def _inner(self) -> FloatArray:
        """D, dense."""
        inner = np.zeros((self.border.shape[1],) * 2)
        own = self._n_own
        inner[:own, :own] = _block_diagonal(self.blocks).toarray()
        if self.crossing is not None:
            inner[:, own:] = _dense(self.crossing)
            inner[own:] = inner[:, own:].T
        return inner

    @cached_property
    def _schur(self) -> FloatArray:
        """D - C^T A^-1 C."""
        schur = self._inner - self.border.T @ self._solved_border
        return np.asarray((schur + schur.T) / 2)

    @cached_property
    def _group_inverse(self) -> FloatArray:
        from scipy import linalg

        held = NEARLY_SINGULAR * np.diag(np.diag(self._inner))
        return np.asarray(linalg.inv(self._schur + held))


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
