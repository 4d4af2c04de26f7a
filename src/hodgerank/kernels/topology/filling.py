"""Which triangles of a graph fill its loops: homology modulo 2 of a whole graph at once.

Items are added one by one, each with its edges to smaller items in rising order. A triangle is
complete with the edge of its two largest items. An edge that completes none joins two components or
opens a loop class; one that completes some is, by the first of them, the sum of that triangle's
other two edges. So every edge is a set of loop classes modulo 2, kept as the bits of a row, and
each further triangle says that a sum of three rows is zero: it is independent of the others if
Gaussian elimination leaves something of it. Once every class is filled no triangle can be.
"""

import numpy as np
from numpy.typing import NDArray

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, IntArray

Bits = NDArray[np.uint64]
WORD = 64


@compiled(inline="always")
def _root(parents: IntArray, item: int) -> int:
    while parents[item] != item:
        parents[item] = parents[parents[item]]
        item = parents[item]
    return item


@compiled
def _next_common(
    starts: IntArray, tails: CodeArray, j: int, k: int, a: int, b: int
) -> tuple[int, int]:
    """Where the smaller neighbours of j and k, from positions a and b on, next have one in common.

    (-1, -1) if nowhere.
    """
    while a < starts[j + 1] and b < starts[k + 1]:
        if tails[a] == tails[b]:
            return a, b
        if tails[a] < tails[b]:
            a += 1
        else:
            b += 1
    return -1, -1


@compiled
def count_classes(starts: IntArray, tails: CodeArray) -> int:
    """Number of loop classes that are ever opened.

    The edges to smaller items of item k are rows `starts[k]` to `starts[k + 1]` of `tails`, in
    rising order.
    """
    n = len(starts) - 1
    parents = np.arange(n)
    classes = 0
    for k in range(n):
        for e in range(starts[k], starts[k + 1]):
            j = tails[e]
            if _next_common(starts, tails, j, k, starts[j], starts[k])[0] >= 0:
                continue
            one, other = _root(parents, j), _root(parents, k)
            if one == other:
                classes += 1
            else:
                parents[one] = other
    return classes


@compiled
def filling_triangles(starts: IntArray, tails: CodeArray, n_classes: int) -> IntArray:
    """Independent triangles (i < j < k) whose boundaries span those of all, a row each."""
    n = len(starts) - 1
    n_words = (n_classes + WORD - 1) // WORD
    rows = np.zeros((len(tails), n_words), np.uint64)
    relations = np.zeros((n_classes, n_words), np.uint64)  # by their highest class
    is_filled = np.zeros(n_classes, np.bool_)
    parents = np.arange(n)
    found = np.empty((len(tails) + n_classes, 3), np.int64)
    n_found, n_open, opened = 0, 0, 0
    r = np.empty(n_words, np.uint64)
    for k in range(n):
        for e in range(starts[k], starts[k + 1]):
            j = tails[e]
            a, b = _next_common(starts, tails, j, k, starts[j], starts[k])
            if a < 0:
                one, other = _root(parents, j), _root(parents, k)
                if one == other:
                    rows[e, opened // WORD] = np.uint64(1) << np.uint64(opened % WORD)
                    opened += 1
                    n_open += 1
                else:
                    parents[one] = other
                continue
            found[n_found, 0], found[n_found, 1], found[n_found, 2] = tails[a], j, k
            n_found += 1
            if n_open == 0 and opened == 0:
                continue
            for w in range(n_words):
                rows[e, w] = rows[a, w] ^ rows[b, w]
            while n_open:
                a, b = _next_common(starts, tails, j, k, a + 1, b + 1)
                if a < 0:
                    break
                for w in range(n_words):
                    r[w] = rows[e, w] ^ rows[a, w] ^ rows[b, w]
                if _is_independent(r, relations, is_filled):
                    n_open -= 1
                    found[n_found, 0], found[n_found, 1], found[n_found, 2] = tails[a], j, k
                    n_found += 1
    return found[:n_found]


@compiled
def _is_independent(r: Bits, relations: Bits, is_filled: NDArray[np.bool_]) -> bool:
    """Reduce a relation by those known; what is left of it, if anything, is a new one."""
    for w in range(len(r) - 1, -1, -1):
        while r[w]:
            highest = w * WORD + _highest_bit(r[w])
            if not is_filled[highest]:
                is_filled[highest] = True
                relations[highest] = r
                return True
            for v in range(w + 1):
                r[v] ^= relations[highest, v]
    return False


@compiled
def _highest_bit(word: np.uint64) -> int:
    bit = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(bit + step):
            bit += step
    return bit
