"""Open the table behind a path, a stream, a dataframe or a list of rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hodgerank.data.sources.table import Table
from hodgerank.errors import InvalidComparisons

ROW_COLUMNS = ("left", "right", "outcome", "worker")
OUTCOME_OF_TUPLES = (-1.0, 1.0)  # right, left; 0 is a tie


def table_of_rows(rows: Iterable[Any]) -> tuple[pl.DataFrame, bool]:
    """Return a table of tuples (left, right, outcome[, worker]) or dicts, and which it was.

    >>> table, are_tuples = table_of_rows([("tea", "milk", 1), ("milk", "cola", 0, "ann")])
    >>> table.columns, are_tuples
    (['left', 'right', 'outcome', 'worker'], True)
    """
    records = list(rows)
    if not records:
        raise InvalidComparisons("rows: there are no rows")
    if all(isinstance(record, Mapping) for record in records):
        names = list(dict.fromkeys(name for record in records for name in record))
        columns = {name: [record.get(name) for record in records] for name in names}
    elif all(isinstance(record, Sequence) and not isinstance(record, str) for record in records):
        width = max(len(record) for record in records)
        if not 3 <= width <= len(ROW_COLUMNS):
            raise InvalidComparisons(
                f"rows: a row is (left, right, outcome) or (left, right, outcome, worker), "
                f"not {width} values"
            )
        filled = [(*record, *[None] * (width - len(record))) for record in records]
        columns = {name: [r[k] for r in filled] for k, name in enumerate(ROW_COLUMNS[:width])}
    else:
        raise InvalidComparisons("rows: a row is a tuple (left, right, outcome) or a dict")
    table = pl.DataFrame([_column(name, values) for name, values in columns.items()])
    return table, not isinstance(records[0], Mapping)


def _column(name: str, values: list[Any]) -> pl.Series:
    if any(isinstance(value, float | np.floating) for value in values):
        values = [float(v) if isinstance(v, int | np.integer) else v for v in values]
    if any(isinstance(value, Decimal) for value in values):
        values = [None if v is None else float(v) for v in values]
    try:
        return pl.Series(name, values)
    except UnicodeEncodeError:
        raise InvalidComparisons(f"rows: a value of {name} is not valid Unicode text") from None
    except (TypeError, OverflowError):
        raise InvalidComparisons(
            f"rows: the values of {name} have different types: make them all integers or all "
            "strings"
        ) from None


def open_table(
    source: Any,
    *,
    encoding: str | None,
    separator: str | None,
    sheet: str | None,
    name: str | None = None,
    remark: str = "",
) -> Table:
    """Open a source with the reader of its kind, which is imported on demand.

    `name` replaces the name of the file in messages, and `remark` is added to it.
    """
    if isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        from hodgerank.data.sources.files import open_file

        place = source if hasattr(source, "read") else Path(source)
        return open_file(
            place, encoding=encoding, separator=separator, sheet=sheet, name=name, remark=remark
        )
    from hodgerank.data.sources.frames import AUTO, Frame

    if Frame.accepts(source):
        return Frame(source)
    if isinstance(source, Iterable) and not isinstance(source, bytes):
        table, are_tuples = table_of_rows(source)
        scale = OUTCOME_OF_TUPLES if are_tuples else None
        return Frame(table, name="rows", scale=scale, backend=AUTO)
    raise InvalidComparisons(
        f"cannot read votes from a {type(source).__name__}: "
        "give a path, a dataframe, rows (left, right, outcome), or Comparisons"
    )
