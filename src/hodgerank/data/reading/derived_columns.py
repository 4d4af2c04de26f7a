"""Columns made from others: `type+level` names an item, `score_a-score_b` decides a vote."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import polars as pl

from hodgerank.data.reading.column_names import words_of
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.values import numbers
from hodgerank.data.sources.table import Table
from hodgerank.types import BoolArray, IntArray

BETWEEN = " / "  # between the parts of a label, as between a group and its items
PLACES = frozenset({"rank", "ranks", "ranking", "place"})


class Derived(NamedTuple):
    """A column made from others: their labels joined, or the sign of their difference."""

    name: str
    parts: tuple[str, ...]
    is_difference: bool = False
    is_graded: bool = False

    def series(self, table: pl.DataFrame) -> pl.Series:
        """Return the values, null where a part is missing."""
        if self.is_difference:
            first, second = (_measured(table[name]) for name in self.parts)
            difference = first - second
            return (difference if self.is_graded else difference.sign()).alias(self.name)
        labels = [_label(table[name]) for name in self.parts]
        return reduce(lambda a, b: a + BETWEEN + b, labels).alias(self.name)


def derived(name: str, columns: Sequence[str], *, is_outcome: bool = False) -> Derived | None:
    """Return the column that a name such as A+B or A-B describes, if its parts are columns.

    >>> derived("type1+level1", ["type1", "level1"]).parts
    ('type1', 'level1')
    """
    if name in columns:
        return None
    if is_outcome:
        for place, sign in enumerate(name):
            parts = name[:place].strip(), name[place + 1 :].strip()
            if sign == "-" and all(part in columns for part in parts):
                return Derived(name, parts, is_difference=True)
        return None
    joined = tuple(part.strip() for part in name.split("+"))
    return Derived(name, joined) if len(joined) > 1 and set(joined) <= set(columns) else None


def with_derived_columns(table: Table, given: ReadOptions) -> Table:
    """Return the table with the columns that the options describe."""
    columns = table.columns
    found = []
    for role, name in given.columns.items():
        column = derived(name, columns, is_outcome=role in ("outcome", "margin"))
        if column is not None:
            is_graded = given.scale is not None or role == "margin"
            found.append(column._replace(is_graded=is_graded))
    return DerivedTable(table, tuple(dict.fromkeys(found))) if found else table


@dataclass(frozen=True)
class DerivedTable:
    """A table with further columns, computed when they are read."""

    table: Table
    derived: tuple[Derived, ...]

    @property
    def name(self) -> str:
        """Name in messages."""
        return self.table.name

    @property
    def backend(self) -> str:
        """Dataframe library in which results are returned."""
        return self.table.backend

    @property
    def from_text(self) -> bool:
        """Whether all columns are strings because the format has no types."""
        return self.table.from_text

    @property
    def is_lazy(self) -> bool:
        """Whether the rows are stored elsewhere and may be too many to load."""
        return self.table.is_lazy

    @property
    def is_streamable(self) -> bool:
        """Whether rows can be read in batches, by an engine in this process."""
        return self.table.is_streamable

    @property
    def scale(self) -> tuple[float, float] | None:
        """Numbers for right and left, if the kind of source defines them."""
        return self.table.scale

    @property
    def columns(self) -> list[str]:
        """Names of all columns, the derived ones last."""
        return [*self.table.columns, *(column.name for column in self.derived)]

    @property
    def nested(self) -> frozenset[str]:
        """Columns whose cells hold lists or records, which may be long."""
        return self.table.nested

    def with_fields(self, names: Iterable[str]) -> Table:
        """Return the table itself: fields become columns before others are made from them."""
        return self

    def reader(self, columns: list[str]) -> Callable[[str], pl.Series]:
        """Return a function that reads one of these columns later, as it is now, or fails."""
        read, made = self.table.reader(self._needed(columns)), self._made

        def column(name: str) -> pl.Series:
            if name not in made:
                return read(name)
            return made[name].series(pl.DataFrame([read(part) for part in made[name].parts]))

        return column

    def parts_of(self, names: Iterable[str]) -> set[str]:
        """Return the columns from which these are made."""
        wanted = set(names)
        return {part for column in self.derived if column.name in wanted for part in column.parts}

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """Return every row of these columns, and which have too many fields (None: none)."""
        table, ragged = self.table.rows(self._needed(columns))
        return self._with(table, columns), ragged

    def distinct_rows(self, columns: list[str]) -> tuple[pl.DataFrame, IntArray]:
        """Return distinct rows with their counts, counted where the rows are stored."""
        table, counts = self.table.distinct_rows(self._needed(columns))
        return self._with(table, columns), counts

    def head(self, columns: list[str], size: int) -> pl.DataFrame:
        """Return the first rows of these columns."""
        return self._with(self.table.head(self._needed(columns), size), columns)

    def batches(self, columns: list[str], size: int) -> Iterator[pl.DataFrame]:
        """Yield batches of rows in order; only if the table is streamable."""
        for batch in self.table.batches(self._needed(columns), size):
            yield self._with(batch, columns)

    @property
    def _made(self) -> dict[str, Derived]:
        return {column.name: column for column in self.derived}

    def _needed(self, columns: Sequence[str]) -> list[str]:
        own = {column.name for column in self.derived}
        plain = [name for name in columns if name not in own]
        return list(dict.fromkeys([*plain, *sorted(self.parts_of(columns))]))

    def _with(self, table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        made = self._made
        return pl.DataFrame(
            [made[name].series(table) if name in made else table[name] for name in columns]
        )


def _label(column: pl.Series) -> pl.Series:
    """Return a part of a label; a blank one is missing."""
    text = column.cast(pl.String).str.strip_chars().alias("part")
    if column.dtype.is_float():  # 1.0 is the same level as 1 in another file
        text = text.str.replace(r"\.0$", "")
    return text.set(text == "", None)


def _measured(column: pl.Series) -> pl.Series:
    """Return numbers; a negative place stands for a missing one in published tables."""
    found = numbers(column)
    is_place = PLACES.intersection(words_of(column.name))
    return found.set(found < 0, None) if is_place else found
