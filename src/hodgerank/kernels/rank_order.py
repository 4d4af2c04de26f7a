"""Orders of items: rank intervals from pairwise differences, and discordant pairs."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray, IntArray


def rank_bounds(scores: FloatArray, covariance: FloatArray, z: float) -> IntArray:
    """Return lower and upper rank of each item (1 is best), one row each, from the covariance."""
    variances = np.diag(covariance)
    spread = variances[:, None] + variances - 2 * covariance
    sure = scores[:, None] - scores > z * np.sqrt(np.maximum(spread, 0.0))
    return np.column_stack((1 + sure.sum(axis=0), len(scores) - sure.sum(axis=1)))


@compiled
def rank_bounds_independent(scores: FloatArray, variances: FloatArray, z: float) -> IntArray:
    """Return lower and upper rank of each item, one row each, for scores in descending order.

    The largest and smallest variance decide most pairs at once; the others are compared
    individually.
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


def turned_pairs(before: FloatArray, after: FloatArray) -> int:
    """Return the number of pairs that both scores order strictly, and differently."""
    order = np.argsort(before)
    if (before[order[1:]] == before[order[:-1]]).any():
        order = np.lexsort((after, before))  # slower: pairs tied before are not discordant
    return int(_inversions(after[order]))


@compiled
def _inversions(values: FloatArray) -> int:
    """Count inversions by merge sort."""
    n, width, count = len(values), 1, 0
    runs, merged = values.copy(), np.empty_like(values)
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            a, b = start, middle
            for place in range(start, end):
                if a < middle and (b >= end or runs[a] <= runs[b]):
                    merged[place] = runs[a]
                    a += 1
                else:
                    merged[place] = runs[b]
                    b += 1
                    count += middle - a
        runs, merged = merged, runs
        width *= 2
    return count
