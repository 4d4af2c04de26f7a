"""Table: interface of every source of votes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import polars as pl

from hodgerank.types import BoolArray, IntArray


class Table(Protocol):
    """Named columns, whose rows are read on demand."""

    @property
    def name(self) -> str:
        """Name in messages."""

    @property
    def backend(self) -> str:
        """Dataframe library in which results are returned."""

    @property
    def from_text(self) -> bool:
        """Whether all columns are strings because the format has no types."""

    @property
    def is_lazy(self) -> bool:
        """Whether the rows are stored elsewhere and may be too many to load."""

    @property
    def scale(self) -> tuple[float, float] | None:
        """Numbers for right and left, if the kind of source defines them."""

    @property
    def columns(self) -> list[str]:
        """Names of all columns, found without reading rows."""

    @property
    def nested(self) -> frozenset[str]:
        """Columns whose cells hold lists or records, which may be long."""

    def with_fields(self, names: Iterable[str]) -> Table:
        """Return the table with fields of nested columns as columns: `tag.math` for math of tag."""

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """Return every row of these columns, and which have too many fields (None: none)."""

    def reader(self, columns: list[str]) -> Callable[[str], pl.Series]:
        """Return a function that reads one of these columns later, as it is now, or fails.

        It keeps only these columns in memory, and reads those of a file when they are used.
        """

    def distinct_rows(self, columns: list[str]) -> tuple[pl.DataFrame, IntArray]:
        """Return distinct rows with their counts, counted where the rows are stored."""

    @property
    def is_streamable(self) -> bool:
        """Whether rows can be read in batches, by an engine in this process."""

    def head(self, columns: list[str], size: int) -> pl.DataFrame:
        """Return the first rows of these columns."""

    def batches(self, columns: list[str], size: int) -> Iterator[pl.DataFrame]:
        """Yield batches of rows in order; only if the table is streamable."""
