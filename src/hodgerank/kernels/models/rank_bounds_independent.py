"""Rank intervals of very many items, whose scores are taken as uncorrelated.

In a module of its own because only large rankings should wait for a compiler.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray, IntArray


@compiled
def rank_bounds_independent(scores: FloatArray, variances: FloatArray, z: float) -> IntArray:
    """Lower and upper rank of each item, a row each, for scores in falling order.

    The largest and smallest variance decide most pairs at once; the others are compared one by one.
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
