"""A x = b for any positive definite A over the scores, dense or sparse, with what is centred."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.kernels.linalg.dense_cholesky import factor_and_inverse
from hodgerank.kernels.linalg.laplacian import Solution
from hodgerank.kernels.linalg.normal_equations import Diagonal, Method
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray


class PrecisionEquations:
    """Scores with this precision; inverses are those of centred scores.

    Attributes
    ----------
    matrix
        The precision: a dense array, or a sparse matrix whose factor is known to stay sparse.
    ridge
        Inverse of the variance that the prior in it was built with.
    """

    def __init__(self, matrix: Any, ridge: float) -> None:
        self.matrix, self.ridge = matrix, ridge

    def __getstate__(self) -> dict[str, Any]:
        """The system alone: factors cannot all be pickled, and are found again when needed."""
        return {"matrix": self.matrix, "ridge": self.ridge}

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return int(self.matrix.shape[0])

    @property
    def method(self) -> Method:
        """What the inverse comes from."""
        return "dense" if isinstance(self.matrix, np.ndarray) else "sparse"

    def solution(self, rhs: FloatArray) -> Solution:
        """Centred scores, and how they were found."""
        return Solution(self.solve(rhs), 1, np.nan, f"{self.method} Cholesky")

    def solve(self, rhs: FloatArray) -> FloatArray:
        """Centred scores for one right-hand side that sums to zero, or for each column."""
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
        from hodgerank.kernels.linalg.sparse_cholesky import factorise

        return factorise(self.matrix, reorder=True)

    @cached_property
    def inverse(self) -> FloatArray:
        """The whole inverse; only asked for where `method` is dense."""
        rows = self._uncentred.mean(axis=0)
        return np.asarray(self._uncentred - rows[:, None] - rows + rows.mean())

    @cached_property
    def inverse_diagonal(self) -> Diagonal:
        """Its diagonal."""
        if self.method == "dense":
            return Diagonal(np.diag(self.inverse).copy(), 0.0)
        from hodgerank.kernels.linalg.sparse_cholesky import inverse_diagonal

        rows = self._factor.solve(np.full(self.n, 1 / self.n))
        return Diagonal(inverse_diagonal(self._factor) - 2 * rows + rows.mean(), 0.0)
