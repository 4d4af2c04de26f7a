"""Table: what every source of votes offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import polars as pl

from hodgerank.types import BoolArray, IntArray


class Table(Protocol):
    """Columns with names, and rows that are not read before they are asked for."""

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def backend(self) -> str:
        """The dataframe library that results go back to."""

    @property
    def from_text(self) -> bool:
        """Whether all columns are strings because the format has no types."""

    @property
    def is_lazy(self) -> bool:
        """Whether the rows live elsewhere, and may be too many to bring over."""

    @property
    def scale(self) -> tuple[float, float] | None:
        """The numbers for right and left, where the form of the source defines them."""

    @property
    def columns(self) -> list[str]:
        """Names of all columns, found without reading rows."""

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """Every row of these columns, and which have more fields than the header (None: none)."""

    def distinct_rows(self, columns: list[str]) -> tuple[pl.DataFrame, IntArray]:
        """Distinct rows and how often each occurs, counted where the rows live."""

    @property
    def is_streamable(self) -> bool:
        """Whether rows can be had in batches: those of an engine in this process can."""

    def head(self, columns: list[str], size: int) -> pl.DataFrame:
        """The first so many rows of these columns."""

    def batches(self, columns: list[str], size: int) -> Iterator[pl.DataFrame]:
        """About so many rows at a time, in order; only where the table is streamable."""
