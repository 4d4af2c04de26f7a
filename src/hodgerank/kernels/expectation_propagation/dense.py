"""The posterior under prior and sites, from dense matrices."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.expectation_propagation.sites import Differences
from hodgerank.kernels.linalg.dense_cholesky import factor_and_inverse
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import CodeArray, FloatArray


def dense_precision(i: CodeArray, j: CodeArray, t: FloatArray, prior: FloatArray) -> FloatArray:
    """The precision of the prior, and that of the sites on top."""
    n = len(prior)
    precision = prior.copy()
    precision[i, j] -= t
    precision[j, i] -= t
    own = np.bincount(i, t, n) + np.bincount(j, t, n)
    precision[np.diag_indices(n)] += own
    return precision


class DenseDifferences:
    """Differences of all pairs by one inverse; `prior` is a precision with its ln det."""

    def __init__(
        self, i: CodeArray, j: CodeArray, prior: FloatArray, log_determinant: float
    ) -> None:
        self._i, self._j = i, j
        self._prior, self._log_determinant = prior, log_determinant

    def __call__(self, t: FloatArray, u: FloatArray) -> Differences:
        """For precisions t and shifts u of the sites."""
        i, j, n = self._i, self._j, len(self._prior)
        pull = divergence(i, j, u, n)
        with few_threads(n):
            log_determinant, covariance = factor_and_inverse(dense_precision(i, j, t, self._prior))
            mean = covariance @ pull
        own = np.diag(covariance)
        variance = np.maximum(own[i] + own[j] - 2 * covariance[i, j], np.finfo(float).tiny)
        return Differences(
            mean[i] - mean[j],
            variance,
            log_determinant - self._log_determinant,
            float(mean @ pull),
        )
