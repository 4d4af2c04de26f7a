"""The posterior under prior and sites, from sparse factors, for chains of very many items."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.kernels.expectation_propagation.sites import Differences
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.linalg.sparse_cholesky import factorise, inverse_on_edges
from hodgerank.types import CodeArray, FloatArray


def sparse_precision(i: CodeArray, j: CodeArray, t: FloatArray, prior: Any) -> Any:
    """The precision of the prior, and that of the sites on top."""
    from scipy import sparse

    n = prior.shape[0]
    upper = sparse.coo_array((-t, (i, j)), shape=(n, n))
    own = np.bincount(i, t, n) + np.bincount(j, t, n)
    return (prior + upper + upper.T + sparse.diags_array(own)).tocsc()


class SparseDifferences:
    """Differences of all pairs by one factorisation and the recursion of [Takahashi73]."""

    def __init__(self, i: CodeArray, j: CodeArray, prior: Any, log_determinant: float) -> None:
        self._i, self._j = i, j
        self._prior, self._log_determinant = prior, log_determinant

    def __call__(self, t: FloatArray, u: FloatArray) -> Differences:
        """For precisions t and shifts u of the sites."""
        i, j, n = self._i, self._j, self._prior.shape[0]
        pull = divergence(i, j, u, n)
        factor = factorise(sparse_precision(i, j, t, self._prior), reorder=True)
        own, joint = inverse_on_edges(factor, i, j)
        mean = factor.solve(pull)
        variance = np.maximum(own[i] + own[j] - 2 * joint, np.finfo(float).tiny)
        log_determinant = float(np.log(factor.U.diagonal()).sum())
        return Differences(
            mean[i] - mean[j],
            variance,
            log_determinant - self._log_determinant,
            float(mean @ pull),
        )
