"""Selection of the best pair: ties within a relative 1e-9 of the best are broken by the seed.

The precedence of a pair is a hash of (seed, step, i, j), so that implementations of a criterion
that differ by rounding choose the same pair. Pairs are i < j; matrices over pairs use their upper
triangle only.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hodgerank.kernels.compilation import compiled
from hodgerank.types import BoolArray, FloatArray, IntArray

TIE = 1e-9

KeyArray: TypeAlias = NDArray[np.uint64]
Best: TypeAlias = tuple[float, float, int, int, np.uint64]
"""The largest value seen, then the chosen pair: its value, i, j and its precedence."""

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)


@compiled(inline="always")
def _scramble(x: np.uint64) -> np.uint64:
    """The finaliser of splitmix64 [Steele14]."""
    x = (x ^ (x >> _SHIFT_1)) * _MIX_1
    x = (x ^ (x >> _SHIFT_2)) * _MIX_2
    return x ^ (x >> _SHIFT_3)


@compiled
def stream(seed: int, step: int) -> int:
    """Return the key of the precedences at one step."""
    key = _scramble(_scramble(np.uint64(seed) + _GOLDEN) + np.uint64(step) * _GOLDEN)
    return int(np.int64(key))


@compiled(inline="always")
def item_key(key: int, i: int) -> np.uint64:
    """Return a random number per item and step; among ties the largest k_i xor k_j is chosen."""
    return _scramble(np.uint64(np.int64(key)) + np.uint64(i + 1) * _GOLDEN)


@compiled
def item_keys(key: int, n: int) -> KeyArray:
    """Return the random numbers of all items at one step; see `item_key`."""
    keys = np.empty(n, np.uint64)
    for i in range(n):
        keys[i] = item_key(key, i)
    return keys


@compiled
def is_ahead(key: int, i: int, j: int) -> bool:
    """Whether the random number of i is larger than that of j."""
    return bool(item_key(key, i) > item_key(key, j))


@compiled(inline="always")
def consider(best: Best, i: int, j: int, value: float, precedence: np.uint64) -> Best:
    """Return `best` or the pair (i, j), whichever is better.

    The maximum is stored apart from the value of the chosen pair, so that a chain of ties does not
    drift away from it.
    """
    maximum, best_value, best_i, best_j, best_precedence = best
    if value < maximum * (1 - TIE) or value < 0:
        return best
    higher = max(value, maximum)
    if best_value < higher * (1 - TIE) or precedence > best_precedence:
        return higher, value, int(i), int(j), precedence
    return higher, best_value, best_i, best_j, best_precedence


@compiled(inline="always")
def none_yet() -> Best:
    """Return the start value of `consider`; i stays -1 if no pair is allowed."""
    none = int(np.int64(-1))  # a literal -1 would make callers compile twice
    return -1.0, -1.0, none, none, np.uint64(0)


@compiled
def best_listed(values: FloatArray, i: IntArray, j: IntArray, key: int) -> int:
    """Return the position of the best of the listed pairs i < j, -1 if all are negative."""
    best = none_yet()
    for k in range(len(values)):
        precedence = item_key(key, i[k]) ^ item_key(key, j[k])
        best = consider(best, k, k, values[k], precedence)
    return best[2]


@compiled
def best_in_row(
    best: Best, a: int, values: FloatArray, blocked: BoolArray, has_blocked: bool, keys: KeyArray
) -> Best:
    """Return the best of `best` and the pairs (a, b > a) with values[b]."""
    threshold = best[0] * (1 - TIE)
    for b in range(a + 1, len(values)):
        if values[b] >= threshold and not (has_blocked and blocked[a, b]):
            best = consider(best, a, b, values[b], keys[a] ^ keys[b])
            threshold = best[0] * (1 - TIE)
    return best


@compiled
def least_asked_pair(
    counts: IntArray, in_rounds: bool, blocked: BoolArray, has_blocked: bool, key: int
) -> tuple[int, int]:
    """Return a random pair i < j; with `in_rounds`, one of those asked least often."""
    n = len(counts)
    keys = item_keys(key, n)
    fewest, highest = 2**62, np.uint64(0)
    best_i = best_j = int(np.int64(-1))
    for a in range(n - 1):
        for b in range(a + 1, n):
            if has_blocked and blocked[a, b]:
                continue
            count = counts[a, b] if in_rounds else 0
            if count > fewest:
                continue
            precedence = keys[a] ^ keys[b]
            if count < fewest or precedence > highest:
                fewest, highest, best_i, best_j = count, precedence, a, b
    return best_i, best_j
