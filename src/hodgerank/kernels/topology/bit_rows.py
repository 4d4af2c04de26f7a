"""Triangles of a dense graph: the neighbours of an item as bits, 64 of them looked at together.

Edges are given as in `triangles`.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, FloatArray, IntArray

BitRows: TypeAlias = NDArray[np.uint64]

MOST_ITEMS = 3_000  # of which a matrix takes 72 MB
WORD = 64
_ONE = np.uint64(1)
_PAIRS, _FOURS, _BYTES, _SUM = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)


def suit(starts: IntArray, heads: CodeArray) -> bool:
    """Whether rows of bits take less work than a walk along the edges, and fit into memory."""
    n = len(starts) - 1
    walked = int(np.diff(starts)[heads].sum())
    return n <= MOST_ITEMS and len(heads) * (n // WORD + 1) <= walked


@compiled(inline="always")
def _count(x: np.uint64) -> np.uint64:
    """Number of bits that are set, which the compiler knows an instruction for."""
    x = x - ((x >> np.uint64(1)) & _PAIRS)
    x = (x & _FOURS) + ((x >> np.uint64(2)) & _FOURS)
    x = (x + (x >> np.uint64(4))) & _BYTES
    return (x * _SUM) >> np.uint64(56)


@compiled(inline="always")
def _set(rows: BitRows, i: int, j: int) -> None:
    rows[i, j // WORD] |= _ONE << np.uint64(j % WORD)


@compiled
def common_neighbours(starts: IntArray, heads: CodeArray) -> IntArray:
    """How many neighbours the ends of each edge share: the triangles it is part of."""
    n = len(starts) - 1
    rows = np.zeros((n, n // WORD + 1), np.uint64)
    for i in range(n):
        for edge in range(starts[i], starts[i + 1]):
            _set(rows, i, heads[edge])
            _set(rows, heads[edge], i)
    counts = np.zeros(len(heads), np.int64)
    for i in range(n):
        for edge in range(starts[i], starts[i + 1]):
            j, shared = heads[edge], np.uint64(0)
            for word in range(rows.shape[1]):
                shared += _count(rows[i, word] & rows[j, word])
            counts[edge] = np.int64(shared)
    return counts


@compiled
def circles_in_bits(
    starts: IntArray, heads: CodeArray, ratios: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """What `triangles.circles` finds, column after column."""
    n, n_columns = len(starts) - 1, ratios.shape[1]
    sums, largest = np.zeros(n_columns), np.ones(n_columns)
    sizes = np.zeros((n, n))
    ahead, back = np.zeros((2, n, n // WORD + 1), np.uint64)
    for column in range(n_columns):
        own = ratios[:, column].copy()
        ahead[:] = 0
        back[:] = 0
        for i in range(n):
            for edge in range(starts[i], starts[i + 1]):
                sizes[i, heads[edge]] = abs(own[edge])
                if own[edge] > 1:
                    _set(ahead, i, heads[edge])
                elif own[edge] < -1:
                    _set(back, i, heads[edge])
        total, most = 0.0, 1.0
        for i in range(n):
            for edge in range(starts[i], starts[i + 1]):
                j, size = heads[edge], abs(own[edge])
                if size <= 1:
                    continue
                for word in range(j // WORD, ahead.shape[1]):
                    if own[edge] > 1:
                        found = ahead[j, word] & back[i, word]
                    else:
                        found = back[j, word] & ahead[i, word]
                    while found:
                        rest = found & (found - _ONE)  # without its lowest bit
                        k = WORD * word + np.int64(_count((found ^ rest) - _ONE))
                        weakest = min(size, sizes[j, k], sizes[i, k])
                        total += (weakest - 1) ** 2
                        most = max(most, weakest)
                        found = rest
        sums[column], largest[column] = total, most
    return sums, largest
