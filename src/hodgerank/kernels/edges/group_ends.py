"""What answers of groups add up to at the items they compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.types import CodeArray, FloatArray, IntArray

CELLS_PER_ANSWER = 4  # up to which a table is faster than a sparse matrix


def sums_at_ends(
    i: CodeArray, j: CodeArray, values: FloatArray, group: IntArray, shape: tuple[int, int]
) -> Any:
    """A sparse matrix of items by groups: values are added at item i and taken away at item j."""
    from scipy import sparse

    n_items, n_groups = shape
    if n_items * n_groups <= CELLS_PER_ANSWER * len(values):
        wide = np.int64(n_groups)
        table = np.bincount(i * wide + group, values, n_items * n_groups).astype(float)
        table -= np.bincount(j * wide + group, values, n_items * n_groups)
        return sparse.csc_array(table.reshape(shape))
    places = (np.concatenate((i, j)), np.concatenate((group, group)))
    return sparse.coo_array((np.concatenate((values, -values)), places), shape).tocsc()
