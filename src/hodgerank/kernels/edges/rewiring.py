"""Random graphs in which every item has as many neighbours as in a given one."""

from __future__ import annotations

import numpy as np

from hodgerank.types import CodeArray, IntArray

ROUNDS = 8  # in each, every edge is offered to another one


def rewired(
    i: CodeArray, j: CodeArray, n: int, rng: np.random.Generator
) -> tuple[CodeArray, CodeArray]:
    """The edges i < j with their ends exchanged at random, sorted, none twice.

    Edges meet two by two and exchange an end each, (a, b), (c, d) -> (a, d), (c, b), unless that
    would make a loop or an edge that is there already: Markov's chain of [Rao96], many steps at
    a time.
    """
    left, right = i.astype(np.int64), j.astype(np.int64)
    half = len(left) // 2
    for _ in range(ROUNDS if half else 0):
        order = rng.permutation(len(left))
        one, other = order[:half], order[half : 2 * half]
        turned = rng.random(half) < 0.5  # which end of the other edge is exchanged
        c = np.where(turned, right[other], left[other])
        d = np.where(turned, left[other], right[other])
        a, b = left[one], right[one]
        first, second = _codes(a, d, n), _codes(c, b, n)
        proposed = np.concatenate((first, second))
        _, place, times = np.unique(proposed, return_inverse=True, return_counts=True)
        new = (times[place] == 1) & ~np.isin(proposed, _codes(left, right, n))
        fits = new[:half] & new[half:] & (a != d) & (c != b)
        left[one[fits]], right[one[fits]] = a[fits], d[fits]
        left[other[fits]], right[other[fits]] = c[fits], b[fits]
    codes = np.sort(_codes(left, right, n))
    return (codes // n).astype(np.int32), (codes % n).astype(np.int32)


def _codes(left: IntArray, right: IntArray, n: int) -> IntArray:
    return np.asarray(np.minimum(left, right) * n + np.maximum(left, right))
