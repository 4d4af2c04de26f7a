"""Rank intervals of very many items, whose scores are taken as uncorrelated.

Apart from `rank_bounds` because only large rankings should wait for a compiler.
"""

import numba
import numpy as np


@numba.njit(cache=True)
def rank_bounds_independent(scores, variances, z):  # type: ignore[no-untyped-def]
    """Lower and upper rank of each item, a row each, for scores in falling order.

    The largest and smallest variance settle most pairs at once; the others are looked at.
    """
    n = len(scores)
    bounds = np.empty((n, 2), np.int64)
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
        bounds[k, 0] = 1 + count
        start = np.searchsorted(rising, -(scores[k] - open_gap), side="right")
        below = np.searchsorted(rising, -(scores[k] - sure_gap), side="right")
        count = n - below
        for other in range(start, below):
            gap = scores[k] - scores[other]
            if gap * gap > z * z * (variances[k] + variances[other]):
                count += 1
        bounds[k, 1] = n - count
    return bounds
