"""From answers to edges: sums over the answers of each unordered pair."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from hodgerank.types import CodeArray, FloatArray, IntArray

# Below this many cells per answer a table of all pairs is faster than sorting.
CELLS_PER_ANSWER = 4


class EdgeSums(NamedTuple):
    """One row per edge, i < j, in lexicographic order; outcomes turned so that i stands left."""

    i: CodeArray
    j: CodeArray
    counts: IntArray
    weights: FloatArray
    sums: FloatArray
    squares: FloatArray


def sum_by_edge(
    left: CodeArray,
    right: CodeArray,
    outcome: FloatArray,
    weight: FloatArray | None,
    multiplicity: IntArray | None,
    n_items: int,
) -> EdgeSums:
    """Number of answers, and the sums of w, w y and w y^2, of every pair that was asked.

    `multiplicity` is how many answers a row stands for; its weight is that of each of them.
    """
    turned = outcome * (1 - 2 * (left > right).view(np.int8))
    low, high = np.minimum(left, right), np.maximum(left, right)
    if multiplicity is not None:
        weight = multiplicity.astype(float) if weight is None else weight * multiplicity
    weighted = turned if weight is None else weight * turned
    plain = bool((np.abs(outcome) == 1).all())  # no ties, no grades: every square is 1
    if n_items**2 <= max(CELLS_PER_ANSWER * len(left), 1 << 16):
        cell = low.astype(np.int64) * n_items + high

        def total(values: FloatArray | IntArray) -> FloatArray:
            return np.bincount(cell, values, minlength=n_items**2)[edges].astype(float, copy=False)

        table = np.bincount(cell, minlength=n_items**2)
        edges = np.flatnonzero(table)
        i, j = (end.astype(np.int32) for end in np.divmod(edges, n_items))
        rows = table[edges]
    else:
        order = _lexicographic_order(low, high, n_items)
        low, high = low[order], high[order]
        starts = np.flatnonzero(np.r_[True, (low[1:] != low[:-1]) | (high[1:] != high[:-1])])

        def total(values: FloatArray | IntArray) -> FloatArray:
            return np.add.reduceat(values[order], starts, dtype=float)

        i, j = low[starts], high[starts]
        rows = np.diff(starts, append=len(low))
    counts = rows if multiplicity is None else total(multiplicity).astype(np.int64)
    weights = rows.astype(float) if weight is None else total(weight)
    squares = weights.copy() if plain else total(weighted * turned)
    return EdgeSums(i, j, counts, weights, total(weighted), squares)


def _lexicographic_order(low: CodeArray, high: CodeArray, n_items: int) -> CodeArray:
    """Row order by (low, high): two stable counting sorts, the lesser key first."""
    by_high = _counting_sort(high, n_items)
    return by_high[_counting_sort(low[by_high], n_items)]


def _counting_sort(keys: CodeArray, n_keys: int) -> CodeArray:
    """Stable sorting permutation in linear time: the transposition of a sparse matrix."""
    m = len(keys)
    rows = np.arange(m, dtype=np.int32)
    matrix = sparse.csr_array((rows, keys, np.arange(m + 1, dtype=np.int32)), shape=(m, n_keys))
    return np.asarray(matrix.tocsc().data)
