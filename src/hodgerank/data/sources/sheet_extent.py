"""Extent: how far the filled cells of a sheet reach."""

from __future__ import annotations

from typing import NamedTuple


class Extent(NamedTuple):
    """Last row and column of a sheet, from 1, and the number of filled cells."""

    n_rows: int
    n_columns: int
    n_filled: int

    def with_cell(self, row: int, column: int) -> Extent:
        """Return the extent with one more cell."""
        return Extent(max(self.n_rows, row), max(self.n_columns, column), self.n_filled + 1)
