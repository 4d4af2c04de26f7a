"""Pairs of items that two orders put differently, in n log n steps."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray


def turned_pairs(before: FloatArray, after: FloatArray) -> int:
    """Number of pairs strictly ordered by both scores, and differently."""
    return int(_inversions(after[np.lexsort((after, before))]))


@compiled
def _inversions(values: FloatArray) -> int:
    """Pairs of places whose earlier value is larger: what merging sorted runs moves across."""
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
