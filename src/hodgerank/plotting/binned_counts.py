"""Counts on a grid, for more dots than can be seen one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgerank.plotting.theme import altair, data_of
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


def drawn_cells(
    values: list[dict[str, Any]], axes: tuple[Any, Any], tooltip: list[Any], **look: str
) -> Any:
    """The cells between their ends, the darker the more they count."""
    alt = altair()
    shade = alt.Scale(type="sqrt", range=[0.15, 1])
    return (
        alt.Chart(data_of(values))
        .mark_rect(**look)
        .encode(
            x=axes[0],
            x2="x_end:Q",
            y=axes[1],
            y2="y_end:Q",
            opacity=alt.Opacity("count:Q", scale=shade, legend=None),
            tooltip=tooltip,
        )
    )
