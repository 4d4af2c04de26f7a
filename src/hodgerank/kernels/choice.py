"""Choosing the best pair: ties within a relative 1e-9 of the best are broken by the seed.

A pair's precedence is a hash of (seed, step, i, j), so that two implementations of a criterion
that differ by rounding choose the same pair. Pairs are i < j; matrices over pairs keep their upper
triangle alone.
"""

import numba
import numpy as np

from hodgerank.kernels import compilation  # noqa: F401  (tells the user when it takes long)

TIE = 1e-9

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_1, _SHIFT_2, _SHIFT_3 = np.uint64(30), np.uint64(27), np.uint64(31)


@numba.njit(cache=True, inline="always")
def _scramble(x):  # type: ignore[no-untyped-def]
    """The finaliser of splitmix64 [Steele14]."""
    x = (x ^ (x >> _SHIFT_1)) * _MIX_1
    x = (x ^ (x >> _SHIFT_2)) * _MIX_2
    return x ^ (x >> _SHIFT_3)


@numba.njit(cache=True)
def stream(seed, step):  # type: ignore[no-untyped-def]
    """The key under which pairs take precedence at one step."""
    return np.int64(_scramble(_scramble(np.uint64(seed) + _GOLDEN) + np.uint64(step) * _GOLDEN))


@numba.njit(cache=True, inline="always")
def item_key(key, i):  # type: ignore[no-untyped-def]
    """A random number per item and step; the tied pair with the largest k_i xor k_j is chosen."""
    return _scramble(np.uint64(key) + np.uint64(i + 1) * _GOLDEN)


@numba.njit(cache=True)
def item_keys(key, n):  # type: ignore[no-untyped-def]
    """The keys of all items."""
    keys = np.empty(n, np.uint64)
    for i in range(n):
        keys[i] = item_key(key, i)
    return keys


@numba.njit(cache=True, inline="always")
def consider(best, i, j, value, precedence):  # type: ignore[no-untyped-def]
    """`best` or the pair (i, j), whichever is better; `best` is (maximum, value, i, j, precedence).

    The maximum is remembered apart from the value of the chosen pair, so that a chain of ties
    does not drift away from it.
    """
    maximum, best_value, best_i, best_j, best_precedence = best
    if value < maximum * (1 - TIE) or value < 0:
        return best
    higher = max(value, maximum)
    if best_value < higher * (1 - TIE) or precedence > best_precedence:
        return higher, value, np.int64(i), np.int64(j), precedence
    return higher, best_value, best_i, best_j, best_precedence


@numba.njit(cache=True, inline="always")
def none_yet():  # type: ignore[no-untyped-def]
    """What `consider` starts from; i stays -1 where no pair is allowed."""
    return -1.0, -1.0, np.int64(-1), np.int64(-1), np.uint64(0)


@numba.njit(cache=True)
def best_listed(values, i, j, key):  # type: ignore[no-untyped-def]
    """Position of the best of the listed pairs i < j, -1 if all values are negative."""
    best = none_yet()
    for k in range(len(values)):
        precedence = item_key(key, i[k]) ^ item_key(key, j[k])
        best = consider(best, k, k, values[k], precedence)
    return best[2]


@numba.njit(cache=True)
def best_in_row(best, a, values, blocked, has_blocked, keys):  # type: ignore[no-untyped-def]
    """The best of `best` and the pairs (a, b > a), whose values stand in values[b]."""
    threshold = best[0] * (1 - TIE)
    for b in range(a + 1, len(values)):
        if values[b] >= threshold and not (has_blocked and blocked[a, b]):
            best = consider(best, a, b, values[b], keys[a] ^ keys[b])
            threshold = best[0] * (1 - TIE)
    return best
