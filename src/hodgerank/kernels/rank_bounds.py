"""Rank intervals from pairwise differences.

An item's rank is at least 1 + the number of items surely above it, and at most n - the number
surely below; "surely" means that the difference exceeds z standard errors.
"""

from __future__ import annotations

import numba
import numpy as np

from hodgerank.types import FloatArray, IntArray


def rank_bounds(scores: FloatArray, covariance: FloatArray, z: float) -> tuple[IntArray, IntArray]:
    """Lower and upper rank of each item (1 is best) from the full covariance."""
    variances = np.diag(covariance)
    spread = variances[:, None] + variances - 2 * covariance
    sure = scores[:, None] - scores > z * np.sqrt(np.maximum(spread, 0.0))
    return 1 + sure.sum(axis=0), len(scores) - sure.sum(axis=1)


@numba.njit(cache=True)
def rank_bounds_independent(scores, variances, z):  # type: ignore[no-untyped-def]
    """The same from variances alone, for scores in falling order, scores taken as uncorrelated.

    The largest and smallest variance settle most pairs at once; the others are looked at.
    """
    n = len(scores)
    lower = np.empty(n, np.int64)
    upper = np.empty(n, np.int64)
    rising = -scores
    least, most = variances.min(), variances.max()
    for k in range(n):
        sure_gap = z * np.sqrt(variances[k] + most)
        open_gap = z * np.sqrt(variances[k] + least)
        above = np.searchsorted(rising, -(scores[k] + sure_gap), side="left")
        end = np.searchsorted(rising, -(scores[k] + open_gap), side="left")
        count = above
        for other in range(above, end):
            gap = scores[other] - scores[k]
            if gap * gap > z * z * (variances[k] + variances[other]):
                count += 1
        lower[k] = 1 + count
        start = np.searchsorted(rising, -(scores[k] - open_gap), side="right")
        below = np.searchsorted(rising, -(scores[k] - sure_gap), side="right")
        count = n - below
        for other in range(start, below):
            gap = scores[k] - scores[other]
            if gap * gap > z * z * (variances[k] + variances[other]):
                count += 1
        upper[k] = n - count
    return lower, upper
