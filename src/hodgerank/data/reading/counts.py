"""Columns of counts: how many answers a row stands for, or only the number of the row."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from hodgerank.data.reading.layouts import Layout
from hodgerank.data.reading.numerals import numbers
from hodgerank.types import BoolArray, FloatArray, IntArray

MOST = 2**53  # answers that a row may stand for
SURELY_NUMBERED = 3  # rows that count up one by one


def read_counts(column: pl.Series) -> tuple[IntArray, BoolArray]:
    """Whole numbers from 0, and which cells are none."""
    counts = numbers(column).fill_null(np.nan).to_numpy()
    is_count = (counts >= 0) & (counts <= MOST) & (counts == np.floor(counts))
    return np.where(is_count, counts, 1).astype(np.int64), ~is_count


def without_running_number(layout: Layout, rows: pl.DataFrame) -> Layout:
    """The layout without a column that was taken for counts, but numbers the rows."""
    if layout.count is None:
        return layout
    counts = numbers(rows[layout.count]).fill_null(np.nan).to_numpy()
    return replace(layout, count=None) if _numbers_rows(counts) else layout


def _numbers_rows(counts: FloatArray) -> bool:
    """Whether the values count up by one, from wherever they start again."""
    if len(counts) < SURELY_NUMBERED or not counts[0] <= 1:
        return False
    steps = np.diff(counts)
    starts_again = counts[1:] == counts[0]
    return bool(((steps == 1) | starts_again).all() and (steps == 1).sum() >= len(counts) / 2)
