"""Asking every pair as often as the others."""

import numba
import numpy as np

from hodgerank.kernels.choice import consider, item_keys, none_yet


@numba.njit(cache=True)
def least_asked_pair(counts, in_rounds, blocked, has_blocked, key):  # type: ignore[no-untyped-def]
    """A random pair i < j, where `in_rounds` among those asked least often."""
    n = len(counts)
    keys = item_keys(key, n)
    fewest = np.int64(2**62)
    best = none_yet()
    for a in range(n - 1):
        for b in range(a + 1, n):
            if has_blocked and blocked[a, b]:
                continue
            if in_rounds and counts[a, b] < fewest:
                fewest = counts[a, b]
                best = none_yet()
            if not in_rounds or counts[a, b] == fewest:
                best = consider(best, a, b, 1.0, keys[a] ^ keys[b])
    return best[2], best[3]
