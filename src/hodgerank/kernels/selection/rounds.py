"""Asking every pair as often as the others."""

from __future__ import annotations

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.selection.ties import consider, item_keys, none_yet
from hodgerank.types import BoolArray, IntArray


@compiled
def least_asked_pair(
    counts: IntArray, in_rounds: bool, blocked: BoolArray, has_blocked: bool, key: int
) -> tuple[int, int]:
    """A random pair i < j, where `in_rounds` among those asked least often."""
    n = len(counts)
    keys = item_keys(key, n)
    fewest = 2**62
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
