"""From a raw table and its layout to Comparisons: every row used, counted or complained about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.codes import MISSING, encode
from hodgerank.data.reading.layouts import Layout
from hodgerank.data.reading.options import OutcomeKind
from hodgerank.data.reading.outcomes import is_measured, measure, understand_labels
from hodgerank.data.reading.report import Reading, Row, report_on
from hodgerank.errors import InvalidComparisons
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item

ONE_SIDED = (
    "no outcome is negative: if 0 means that right was preferred, and not a tie, "
    "read with scale=(0, 1), --scale 0 1"
)


def decode(
    table: pl.DataFrame,
    reading: Reading,
    *,
    multiplicity: IntArray | None = None,
    ragged: BoolArray | None = None,
    backend: str = "polars",
) -> Comparisons:
    """The usable rows.

    `multiplicity` says how often each row of an already reduced table occurred; None is once.
    """
    if not len(table):
        raise InvalidComparisons(f"{reading.source}: there are no rows, only a header")
    layout, options = reading.layout, reading.options
    status = np.zeros(len(table), np.uint8)
    columns, kind = _encoded_columns(table, reading, status)
    columns |= {"weight": _weights(table, layout, status), "multiplicity": multiplicity}
    columns["time"], unread = _times(table, layout)
    if options.time is not None:
        status[unread] = Row.BAD_TIME
    _mark_unusable(table, reading, columns["left"], columns["right"], ragged, status)

    report = report_on(table, reading, status, kind, multiplicity)
    if kind == "number" and not (columns["outcome"] < 0).any() and (columns["outcome"] == 0).any():
        report = replace(report, notes=(*report.notes, ONE_SIDED))
    if unread.any() and options.time is None:
        columns["time"] = None
        note = f"column {layout.time!r} was left out: it is not a time in ISO 8601 or in seconds"
        report = replace(report, notes=(*report.notes, note))
    known = layout.outcome is not None if options.display_known is None else options.display_known
    return Comparisons(
        **_used_rows(columns, status == Row.USED),
        display_known=np.asarray(known),
        report=report,
        backend=backend,
    )


def _encoded_columns(
    table: pl.DataFrame, reading: Reading, status: NDArray[np.uint8]
) -> tuple[dict[str, Any], OutcomeKind | None]:
    """Items, workers and outcomes of all rows, and how the outcomes were understood."""
    layout = reading.layout
    labelled = layout.outcome is not None and not is_measured(table[layout.outcome])
    groups = [[layout.left, layout.right], *([name] for name in (layout.worker,) if name)]
    if labelled:
        groups.append([str(layout.outcome)])
    encodings = encode(table, groups, from_text=reading.from_text)
    items, (left, right) = encodings[0]
    workers: tuple[Item, ...] = ()
    worker = np.full(len(table), MISSING, np.int32)
    if layout.worker is not None:
        workers, (worker,) = encodings[1]
    kind: OutcomeKind | None = None
    if layout.outcome is None:
        outcome = np.ones(len(table))
    elif labelled:
        kind, outcome = understand_labels(encodings[-1], reading, items, left, right, status)
    else:
        kind, outcome = "number", measure(table[layout.outcome], reading, status)
    columns = {"left": left, "right": right, "outcome": outcome, "worker": worker}
    return {"items": items, "workers": workers, **columns}, kind


def _mark_unusable(
    table: pl.DataFrame,
    reading: Reading,
    left: CodeArray,
    right: CodeArray,
    ragged: BoolArray | None,
    status: NDArray[np.uint8],
) -> None:
    """Rows without two different items, and rows with too many fields."""
    status[left == right] = Row.SELF
    missing = (left == MISSING) | (right == MISSING)
    if missing.any():
        status[missing] = Row.NO_ITEM
        if reading.from_text:
            blank = pl.all_horizontal(pl.col(reading.layout.columns).is_null())
            status[table.select(blank).to_series().to_numpy()] = Row.BLANK
    if ragged is not None:
        status[ragged] = Row.RAGGED


def _used_rows(columns: dict[str, Any], used: BoolArray) -> dict[str, Any]:
    """The columns without rows that are not answers, and names that no other row has."""
    if used.all():
        return columns
    kept: dict[str, Any] = {
        name: values[used] if isinstance(values, np.ndarray) else values
        for name, values in columns.items()
    }
    items, (left, right) = _compacted(columns["items"], kept["left"], kept["right"])
    workers, (worker,) = _compacted(columns["workers"], kept["worker"])
    compact = {"items": items, "left": left, "right": right, "workers": workers, "worker": worker}
    return kept | compact


def _weights(table: pl.DataFrame, layout: Layout, status: NDArray[np.uint8]) -> FloatArray | None:
    if layout.weight is None:
        return None
    weight = table[layout.weight].cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
    status[~(np.isfinite(weight) & (weight > 0))] = Row.BAD_WEIGHT
    return weight


def _times(table: pl.DataFrame, layout: Layout) -> tuple[NDArray[Any] | None, BoolArray]:
    """Seconds as they are, everything else as datetime64; and which rows cannot be read.

    A missing time is allowed.
    """
    unread = np.zeros(len(table), bool)
    if layout.time is None:
        return None, unread
    column = table[layout.time]
    if column.dtype == pl.String:
        seconds = column.cast(pl.Float64, strict=False)
        is_number = seconds.null_count() == column.null_count()
        parsed = seconds if is_number else _iso_times(column)
        unread = (parsed.is_null() & column.is_not_null()).to_numpy()
        column = parsed
    if column.dtype in (pl.Date, pl.Datetime):
        return column.cast(pl.Datetime("us")).to_numpy(), unread
    if not column.dtype.is_numeric():
        return None, np.ones(len(table), bool)
    return column.cast(pl.Float64).fill_null(np.nan).to_numpy(), unread


def _iso_times(column: pl.Series) -> pl.Series:
    """ISO 8601 dates, or dates and times with or without a zone, in UTC; null where it is not."""
    text = column.str.strip_chars().str.replace(" ", "T", literal=True)
    text = text.str.replace(r"^(\d{4}-\d{2}-\d{2})$", "${1}T00:00:00")
    text = text.str.replace(r"T(\d{2}:\d{2})(Z|[+-]\d{2}:?\d{2})?$", "T${1}:00${2}")
    text = text.str.replace(r"Z$", "+00:00")
    text = text.str.replace(r"(T[\d:.]+)$", "${1}+00:00")
    return text.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", strict=False, time_unit="us")


def _compacted(
    names: tuple[Item, ...], *codes: CodeArray
) -> tuple[tuple[Item, ...], list[CodeArray]]:
    """Drop the names no remaining row uses."""
    seen = np.zeros(len(names) + 1, bool)  # the last slot is MISSING's
    for column in codes:
        seen[column] = True
    kept = np.flatnonzero(seen[:-1])
    table = np.full(len(names) + 1, MISSING, np.int32)
    table[kept] = np.arange(len(kept))
    return tuple(names[k] for k in kept), [table[column] for column in codes]
