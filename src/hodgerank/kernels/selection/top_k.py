"""Which items are the k best: how much the order of each pair matters for that.

A pair matters as far as exactly one of its two items is among the k best. Pairs weigh what they do
for the order of all, times the probability of that.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.posterior.resistance import covariance_of
from hodgerank.kernels.selection.misordering import order_weights
from hodgerank.types import FloatArray

N_DRAWS = 512
LEAST = 1e-6  # what pairs weigh that do not matter: once the k best are known, the rest is sorted


def top_k_weights(C: FloatArray, mean: FloatArray, k: int) -> FloatArray:
    """w_kl P(exactly one of the two is among the k best), by draws of the scores."""
    n = len(mean)
    if n < 2:
        return np.zeros((n, n))
    k = min(k, n - 1)
    covariance = covariance_of(C)
    tiny = 1e-9 * float(np.trace(covariance)) / n
    factor = np.linalg.cholesky(covariance + tiny * np.eye(n))
    noise = np.random.default_rng(0).standard_normal((N_DRAWS, n))
    draws = mean + noise @ factor.T
    is_top = np.zeros((N_DRAWS, n))
    np.put_along_axis(is_top, np.argpartition(-draws, k - 1, axis=1)[:, :k], 1.0, axis=1)
    share = is_top.mean(axis=0)
    both = is_top.T @ is_top / N_DRAWS
    return np.asarray(order_weights(C, mean) * (share[:, None] + share - 2 * both + LEAST))
