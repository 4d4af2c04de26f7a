"""ExtraColumns: columns of the source that ranking does not use, kept with the votes.

Votes refer to rows of their source. A column is read when it is first used, so long texts in a
Parquet file cost nothing until then. All subsets of the votes share what has been read. Pickling
reads every column, since the source may not exist where the pickle is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hodgerank.display import short
from hodgerank.errors import InvalidArgument, InvalidComparisons, did_you_mean
from hodgerank.types import IntArray

if TYPE_CHECKING:
    import polars as pl

MOST_NAMED = 8  # columns that a message lists


class SourceColumns:
    """Columns of a whole table, each read once, on first use.

    Attributes
    ----------
    names
        Columns that can be read.
    n_rows
        Number of rows of each.
    from_text
        Whether all columns are strings because the format has no types.
    """

    def __init__(
        self,
        names: Sequence[str],
        n_rows: int,
        read: Callable[[str], pl.Series],
        *,
        from_text: bool = False,
        source: str = "memory",
    ) -> None:
        self.names = tuple(names)
        self.n_rows = n_rows
        self.from_text = from_text
        self._read = read
        self._source = source
        self._known: dict[str, pl.Series] = {}

    def column(self, name: str) -> pl.Series:
        """Return all rows of a column."""
        if name not in self._known:
            try:
                column = self._read(name)
            except InvalidComparisons as error:
                raise InvalidComparisons(
                    f"column {short(repr(name))} of {self._source} is read on first use, and now "
                    f"it cannot be read ({error}): read the votes again"
                ) from None
            if len(column) != self.n_rows:
                raise InvalidComparisons(
                    f"{self._source} has changed since the votes were read: it had "
                    f"{self.n_rows:,} rows and now has {len(column):,}; read the votes again"
                )
            # Objects of Python cannot be written or joined.
            is_object = str(column.dtype) == "Object"
            self._known[name] = (_as_text(column) if is_object else column).alias(name)
        return self._known[name]


_NOTHING: dict[str, pl.Series] = {}
_NONE = SourceColumns((), 0, _NOTHING.__getitem__)


class ExtraColumns(Mapping[str, "pl.Series"]):
    """A mapping from names to columns, with one value for each vote.

    >>> import hodgerank as hr
    >>> rows = [{"left": "a", "right": "b", "outcome": 1, "device": "phone"}]
    >>> extra = hr.read_comparisons(rows).extra
    >>> list(extra), extra["device"].to_list()
    (['device'], ['phone'])
    """

    def __init__(
        self,
        source: SourceColumns = _NONE,
        names: Sequence[str] = (),
        rows: IntArray | None = None,
    ) -> None:
        self._source = source
        self._names = dict.fromkeys(names)
        self._rows = rows  # from 1; None: every row of the source in order

    @classmethod
    def of(cls, columns: Mapping[str, Any], *, from_text: bool = False) -> ExtraColumns:
        """Return columns in memory: arrays, series or lists of equal length."""
        import polars as pl

        known: dict[str, pl.Series] = {}
        for name, values in columns.items():
            if not isinstance(name, str):
                raise InvalidArgument(
                    f"the name of an extra column must be text, not {short(repr(name))}"
                )
            try:
                known[name] = pl.Series(name, values)
            except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
                reason = str(error).split("\n", 1)[0]
                raise InvalidArgument(
                    f"extra column {short(repr(name))} needs values of one type: {reason}"
                ) from None
        lengths = {len(column) for column in known.values()}
        if len(lengths) > 1:
            raise InvalidArgument("the extra columns have different lengths")
        n_rows = max(lengths, default=0)
        source = SourceColumns(tuple(known), n_rows, known.__getitem__, from_text=from_text)
        return cls(source, source.names)

    @property
    def n_rows(self) -> int:
        """Number of values of each column."""
        return self._source.n_rows if self._rows is None else len(self._rows)

    @property
    def from_text(self) -> bool:
        """Whether all columns are strings because the format has no types."""
        return self._source.from_text

    def at(self, positions: Any) -> ExtraColumns:
        """Return the columns of some votes (a mask or positions)."""
        if not self._names:
            return self
        rows = np.arange(1, self.n_rows + 1) if self._rows is None else self._rows
        return ExtraColumns(self._source, tuple(self._names), rows[positions])

    def require(self, name: str) -> pl.Series:
        """Return a column, or raise an error that lists those there are."""
        if name in self._names:
            return self[name]
        listed = ", ".join(short(known) for known in list(self._names)[:MOST_NAMED])
        more = len(self._names) - MOST_NAMED
        verb = "is" if len(self._names) == 1 else "are"
        has = f"there {verb} {listed}{f' and {more:,} more' if more > 0 else ''}"
        if not self._names:
            has = "they have none; name it when reading the file, with group=... or unit=..."
        raise InvalidArgument(
            f"the votes have no extra column {short(repr(name))}"
            f"{did_you_mean(name, self._names)}: {has}"
        )

    def __getitem__(self, name: str) -> pl.Series:
        """Return a column, which is read now if it was not used before."""
        if name not in self._names:
            raise KeyError(name)
        column = self._source.column(name)
        return column if self._rows is None else column.gather(self._rows - 1)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        """Number of columns."""
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExtraColumns):
            return NotImplemented
        same_names = list(self) == list(other)
        return same_names and all(self[name].equals(other[name]) for name in self)

    def __repr__(self) -> str:
        """Return the names of the columns."""
        return f"ExtraColumns({', '.join(short(name) for name in self._names) or 'none'})"

    def __deepcopy__(self, memo: Any) -> ExtraColumns:
        """Return these columns, which do not change."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the columns of these votes, read if necessary."""
        return _restored, (dict(self), self.from_text)


def _restored(columns: dict[str, pl.Series], from_text: bool) -> ExtraColumns:
    return ExtraColumns.of(columns, from_text=from_text)


def joined_columns(parts: Sequence[ExtraColumns], lengths: Sequence[int]) -> ExtraColumns:
    """Join the columns of several parts, of these lengths; where a part lacks one, it is null."""
    names = tuple(dict.fromkeys(name for part in parts for name in part))
    if not names:
        return ExtraColumns()

    def read(name: str) -> pl.Series:
        import polars as pl

        found = [
            part[name] if name in part else pl.repeat(None, n, dtype=pl.Null, eager=True)
            for part, n in zip(parts, lengths, strict=True)
        ]
        try:
            return pl.concat([column.to_frame("x") for column in found], how="vertical_relaxed")[
                "x"
            ]
        except pl.exceptions.PolarsError:  # no common type
            return pl.concat([_as_text(column) for column in found])

    from_text = all(part.from_text for part in parts if len(part))
    source = SourceColumns(names, sum(lengths), read, from_text=from_text)
    return ExtraColumns(source, names)


def _as_text(column: pl.Series) -> pl.Series:
    import polars as pl

    texts = [None if value is None else str(value) for value in column.to_list()]
    return pl.Series("x", texts, pl.String)
