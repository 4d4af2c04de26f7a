"""Status of each row of a table, and how it is reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hodgerank.data.comparisons import ReadReport
from hodgerank.data.extra_columns import SourceColumns
from hodgerank.data.reading.layouts import Layout
from hodgerank.data.reading.options import PLAIN_SCALE, OutcomeKind, ReadOptions
from hodgerank.display import short
from hodgerank.errors import InvalidComparisons
from hodgerank.types import IntArray


class Row(IntEnum):
    """Status of a row."""

    USED = 0
    BOTH_BAD = 1
    SKIPPED = 2
    UNANSWERED = 3
    MISSING_ITEM = 4
    BLANK = 5
    RAGGED = 6
    NO_ITEM = 7
    SELF = 8
    OUT_OF_RANGE = 9
    NEITHER = 10
    BAD_WEIGHT = 11
    BAD_COUNT = 12
    BAD_TIME = 13


FAULTS: Mapping[Row, tuple[str, str]] = {
    Row.RAGGED: (
        "has more fields than the header",
        "put names that contain the separator in quotes",
    ),
    Row.NO_ITEM: ("an item is missing", "fill in both items, or write NA"),
    Row.SELF: ("an item is compared with itself", "remove the row"),
    Row.OUT_OF_RANGE: ("the outcome is not a number in {range}", "{remedy}"),
    Row.NEITHER: (
        "the winner is neither of the two items, nor left, right or tie",
        "correct the spelling, or give the kind of outcome: outcome_as='word' (--outcome-as word)",
    ),
    Row.BAD_WEIGHT: (
        "the weight is not a number between 1e-6 and 1e6",
        "give a weight above 0; a plain vote has weight 1",
    ),
    Row.BAD_COUNT: (
        "the count is not a whole number",
        "use whole numbers, or read the column as weights: weight=... (--weight)",
    ),
    Row.BAD_TIME: ("the time is invalid", "use ISO 8601 or seconds"),
}


@dataclass(frozen=True)
class Reading:
    """A table being read: its layout, its name in messages, and the options.

    Attributes
    ----------
    shape
        Name of the layout in the report, if the table had another shape.
    row
        Source row of each row, from 1, if some are missing.
    n_rows
        Number of rows of the source, if it had another shape.
    filtered, unused, notes
        As in `ReadReport`.
    extra
        Columns to keep with the votes unless they turn out to be used.
    """

    layout: Layout
    source: str
    from_text: bool
    options: ReadOptions
    shape: str | None = None
    row: IntArray | None = None
    n_rows: int | None = None
    filtered: int = 0
    unused: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    extra: SourceColumns | None = None

    @property
    def scale(self) -> tuple[float, float]:
        """Numbers for right and left."""
        return self.options.scale or self.layout.scale or PLAIN_SCALE


def report_on(
    table: pl.DataFrame,
    reading: Reading,
    status: NDArray[np.uint8],
    kind: OutcomeKind | None,
    multiplicity: IntArray | None,
) -> ReadReport:
    """Count rows by status; raise an error for invalid rows unless they are skipped."""
    if multiplicity is None and not status.any():
        tally = np.zeros(len(Row), int)
        tally[Row.USED] = len(status)
    else:
        tally = np.bincount(status, weights=multiplicity, minlength=len(Row)).astype(int)
    rejected = {row: int(tally[row]) for row in FAULTS if tally[row]}
    low, high = reading.scale
    reasons = [
        f"{count:,} x {FAULTS[row][0].format(range=f'[{min(low, high):g}, {max(low, high):g}]')}"
        for row, count in rejected.items()
    ]
    rows = int(tally.sum() - tally[Row.BLANK])
    if rejected and (not reading.options.skip_invalid or not tally[Row.USED]):
        numbered = multiplicity is None  # an aggregated table has another order
        raise InvalidComparisons(
            _complaint(table, reading, status, rows, rejected, reasons, numbered=numbered)
        )
    report = ReadReport(
        source=reading.source,
        layout=_described(reading, kind),
        rows=rows if reading.n_rows is None else reading.n_rows,
        both_bad=int(tally[Row.BOTH_BAD]),
        skipped=int(tally[Row.SKIPPED]),
        unanswered=int(tally[Row.UNANSWERED]),
        missing=int(tally[Row.MISSING_ITEM]),
        filtered=reading.filtered,
        rejected=sum(rejected.values()),
        rejections=tuple(reasons),
        unused=reading.unused,
        notes=tuple(reading.notes),
    )
    if not tally[Row.USED]:
        counts = ", ".join(f"{count:,} {reason}" for reason, count in report.left_out.items())
        raise InvalidComparisons(
            f"{reading.source}: none of the {rows:,} rows is a vote ({counts or 'all blank'})"
        )
    return report


def _described(reading: Reading, kind: OutcomeKind | None) -> str:
    if reading.shape is not None:
        return reading.shape
    low, high = reading.scale
    meaning = {
        None: "the first column won; display order unknown",
        "number": f"outcome {low:g} to {high:g}",
        "word": "outcome in words",
        "item": "outcome is the chosen item",
    }[kind]
    return f"{reading.layout} ({meaning})"


def _complaint(
    table: pl.DataFrame,
    reading: Reading,
    status: NDArray[np.uint8],
    rows: int,
    rejected: Mapping[Row, int],
    reasons: list[str],
    *,
    numbered: bool,
) -> str:
    lines = [f"{reading.source}: {sum(rejected.values()):,} of {rows:,} rows are invalid"]
    for (row, _), reason in zip(rejected.items(), reasons, strict=True):
        remedy = FAULTS[row][1]
        if row == Row.OUT_OF_RANGE:
            remedy = _other_scale(table, reading)
        lines.append(f"  {reason}: {remedy}")
        for k in np.flatnonzero(status == row)[:3].tolist():
            place = k + 1 if reading.row is None else int(reading.row[k])
            shown = _shown(table, k, reading.layout)
            lines.append(f"    row{f' {place}' if numbered else ''}: {shown}")
    lines.append("  or leave out invalid rows with skip_invalid=True (--skip-invalid)")
    return "\n".join(lines)


def _other_scale(table: pl.DataFrame, reading: Reading) -> str:
    """Propose the range of the data as the scale."""
    from hodgerank.data.reading.values import numbers

    plain = "use -1 (right), 0 (tie), +1 (left) or a grade in between"
    found = numbers(table[str(reading.layout.outcome)]).drop_nulls()
    found = found.filter(found.is_finite())
    if found.is_empty() or found.min() == found.max():
        return f"{plain}, or give the ends of the scale: scale=(1, 5) (--scale 1 5)"
    low, high = float(found.min()), float(found.max())  # type: ignore[arg-type]
    return (
        f"{plain}; the numbers go from {low:g} to {high:g}, so perhaps give the ends of the "
        f"scale: --scale {low:g} {high:g} (scale=({low:g}, {high:g})) if {high:g} prefers left, "
        f"--scale {high:g} {low:g} if {low:g} prefers left"
    )


def _shown(table: pl.DataFrame, row: int, layout: Layout) -> str:
    cells = table.row(row, named=True)
    return ", ".join(
        "" if cells[name] is None else short(str(cells[name])) for name in layout.columns
    )
