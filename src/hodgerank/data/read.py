"""read_comparisons: votes from a file, a dataframe or rows, in the layout they already have."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.decode import decode
from hodgerank.data.files import File
from hodgerank.data.frames import Frame
from hodgerank.data.layouts import ColumnNames, recognise
from hodgerank.data.reading import PLAIN_SCALE, OutcomeKind, Reading
from hodgerank.errors import InvalidArgument, InvalidComparisons

PIECE = 1 << 23  # rows in memory at once
ROW_COLUMNS = ("left", "right", "outcome", "worker")


def read_comparisons(
    source: Any,
    *,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    winner: str | None = None,
    loser: str | None = None,
    worker: str | None = None,
    weight: str | None = None,
    time: str | None = None,
    outcome_as: OutcomeKind | None = None,
    scale: tuple[float, float] = PLAIN_SCALE,
    display_known: bool | None = None,
    skip_invalid: bool = False,
    encoding: str | None = None,
    separator: str | None = None,
) -> Comparisons:
    """Read votes.

    Parameters
    ----------
    source
        A path (CSV, TSV, either gzipped; Parquet, also many files as 'votes/*.parquet'; JSON
        lines), a binary stream of CSV, any
        dataframe narwhals knows (pandas, polars, pyarrow, duckdb, dask, pyspark ...), or rows:
        tuples (left, right, outcome[, worker]) or dicts.
    left, right, outcome, winner, loser, worker, weight, time
        Column names. What is not named is recognised: `left,right,label`, `left,right,winner`,
        `model_a,model_b,winner`, `winner,loser` and their kin. `report.layout` says what was taken.
    outcome_as
        What the outcome column holds: a 'number', a 'word' (left, right, tie) or the chosen
        'item'. Default: whichever explains most rows.
    scale
        The numbers that mean "right is best" and "left is best", e.g. (0, 1) or (1, 7).
    display_known
        Whether left and right are as shown. Default: yes, except for winner and loser columns.
    skip_invalid
        Drop and count rows that cannot be used instead of raising `InvalidComparisons`.
    encoding, separator
        Of text files; found out if not given (UTF-8 or a byte order mark; comma, tab, ; or |).

    Examples
    --------
    >>> votes = read_comparisons([("tea", "coffee", 1), ("tea", "milk", -1, "ann")])
    >>> votes.items, len(votes), votes.workers
    (('coffee', 'milk', 'tea'), 2, ('ann',))
    """
    names = ColumnNames(left, right, outcome, winner, loser, worker, weight, time)
    options: dict[str, Any] = {
        "outcome_as": outcome_as,
        "scale": scale,
        "needs_time": time is not None,
        "display_known": display_known,
        "skip_invalid": skip_invalid,
    }
    if isinstance(source, Comparisons):
        if any(vars(names).values()):
            raise InvalidArgument("these votes have been read already: columns cannot be named now")
        return source.repeated()
    if isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        place = source if hasattr(source, "read") else Path(source)
        file = File(place, encoding, separator)
        raw = file.open()
        layout = recognise(raw.columns, names, file.name)
        reading = Reading(layout, file.name, file.is_text, **options)
        table, ragged = raw.rows(layout.columns)
        return _decoded(table, reading, ragged=ragged)
    if Frame.accepts(source):
        frame = Frame(source)
        label = f"{frame.backend} frame"
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        frame, label = Frame(_table_of_rows(source)), "rows"
    else:
        raise InvalidComparisons(
            f"cannot read votes from a {type(source).__name__}: "
            "give a path, a dataframe, or rows (left, right, outcome)"
        )
    layout = recognise(frame.columns, names, label)
    reading = Reading(layout, label, False, **options)
    return _decoded(frame.rows(layout.columns), reading, backend=frame.backend)


def reduce_frame(
    source: Any, *, by_worker: bool = False, name: str | None = None, **options: Any
) -> Comparisons:
    """Distinct answers and how often each was given, reduced where the frame lives.

    Takes the column names and options of `read_comparisons`. Times are dropped, and workers unless
    they are asked for: this is the way to statistics when the rows are too many to bring over.
    """
    given = {name: options.pop(name, None) for name in vars(ColumnNames())}
    frame = Frame(source)
    label = name or f"{frame.backend} frame"
    layout = recognise(frame.columns, ColumnNames(**given), label)
    layout = replace(layout, worker=layout.worker if by_worker else None, time=None)
    table, counts = frame.distinct_rows(layout.columns)
    reading = Reading(layout, label, False, **options)
    return _decoded(table, reading, multiplicity=counts, backend=frame.backend)


def read_pieces(file: File, **options: Any) -> Iterator[Comparisons]:
    """Parquet files piece by piece, without workers and times.

    Takes the column names and options of `read_comparisons`.
    """
    given = {name: options.pop(name, None) for name in vars(ColumnNames())}
    layout = recognise(file.open().columns, ColumnNames(**given), file.name)
    layout = replace(layout, worker=None, time=None)
    for start, table in file.pieces(layout.columns, PIECE):
        source = f"{file.name}, from row {start + 1:,}" if start else file.name
        yield _decoded(table, Reading(layout, source, False, **options))


def _decoded(table: pl.DataFrame, reading: Reading, **options: Any) -> Comparisons:
    try:
        return decode(table, reading, **options)
    except pl.exceptions.PolarsError as error:
        reason = str(error).split("\n", 1)[0]
        raise InvalidComparisons(f"{reading.source}: a column cannot be used: {reason}") from None


def _table_of_rows(rows: Iterable[Any]) -> pl.DataFrame:
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
    return pl.DataFrame([_column(name, values) for name, values in columns.items()])


def _column(name: str, values: list[Any]) -> pl.Series:
    if any(isinstance(value, float | np.floating) for value in values):
        values = [float(v) if isinstance(v, int | np.integer) else v for v in values]
    if any(isinstance(value, Decimal) for value in values):
        values = [None if v is None else float(v) for v in values]
    try:
        return pl.Series(name, values)
    except (TypeError, OverflowError):
        raise InvalidComparisons(
            f"rows: the values of {name} are of different types: "
            "make them all integers or all strings"
        ) from None
