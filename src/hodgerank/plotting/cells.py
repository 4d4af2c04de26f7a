"""Counts on a grid, where there are more dots than can be told apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.types import FloatArray, IntArray

Ends = tuple[float, float]


def count_cells(
    x: FloatArray,
    y: FloatArray,
    counts: IntArray,
    ends: tuple[Ends, Ends],
    shape: tuple[int, int],
) -> list[dict[str, Any]]:
    """A row for each cell of the grid that is not empty: its ends and what it counts."""
    table, x_edges, y_edges = np.histogram2d(x, y, shape, ends, weights=counts)
    return [
        {
            "x": round(float(x_edges[i]), 6),
            "x_end": round(float(x_edges[i + 1]), 6),
            "y": round(float(y_edges[j]), 6),
            "y_end": round(float(y_edges[j + 1]), 6),
            "count": int(table[i, j]),
        }
        for i, j in np.argwhere(table > 0).tolist()
    ]
