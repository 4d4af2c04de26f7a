"""What became of each row of a table, and how that is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hodgerank.data.comparisons import ReadReport
from hodgerank.data.reading.layouts import Layout
from hodgerank.data.reading.options import OutcomeKind, ReadOptions
from hodgerank.errors import InvalidComparisons
from hodgerank.types import IntArray


class Row(IntEnum):
    """What became of a row."""

    USED = 0
    BOTH_BAD = 1
    SKIPPED = 2
    BLANK = 3
    RAGGED = 4
    NO_ITEM = 5
    SELF = 6
    NO_OUTCOME = 7
    OUT_OF_RANGE = 8
    NEITHER = 9
    BAD_WEIGHT = 10
    BAD_TIME = 11


FAULTS: Mapping[Row, tuple[str, str]] = {
    Row.RAGGED: ("has more fields than the header", "put names that hold the separator in quotes"),
    Row.NO_ITEM: ("an item is missing", "fill in both items"),
    Row.SELF: ("an item is compared with itself", "remove the row"),
    Row.NO_OUTCOME: ("the outcome is missing", "fill it in, or write 'skip'"),
    Row.OUT_OF_RANGE: (
        "the outcome is not a number in {range}",
        "use -1 (right), 0 (tie), +1 (left) or a grade in between, or name the ends of the scale: "
        "scale=(1, 5), --scale 1 5 (where 1 is left and 2 is right: --scale 2 1)",
    ),
    Row.NEITHER: (
        "the winner is neither of the two items, nor left, right or tie",
        "correct the spelling, or say what the column holds: outcome_as='word', --outcome-as word",
    ),
    Row.BAD_WEIGHT: ("the weight is not a positive number", "give a weight above 0"),
    Row.BAD_TIME: ("the time cannot be read", "use ISO 8601 or seconds"),
}


@dataclass(frozen=True)
class Reading:
    """A table that is being read: its layout, what messages call it, and the options."""

    layout: Layout
    source: str
    from_text: bool
    options: ReadOptions


def report_on(
    table: pl.DataFrame,
    reading: Reading,
    status: NDArray[np.uint8],
    kind: OutcomeKind | None,
    multiplicity: IntArray | None,
) -> ReadReport:
    """Count what became of the rows; bad ones raise unless they are to be skipped."""
    if multiplicity is None and not status.any():
        tally = np.zeros(len(Row), int)
        tally[Row.USED] = len(status)
    else:
        tally = np.bincount(status, weights=multiplicity, minlength=len(Row)).astype(int)
    rejected = {row: int(tally[row]) for row in FAULTS if tally[row]}
    low, high = reading.options.scale
    reasons = [
        f"{count:,} x {FAULTS[row][0].format(range=f'[{low:g}, {high:g}]')}"
        for row, count in rejected.items()
    ]
    rows = int(tally.sum() - tally[Row.BLANK])
    if rejected and (not reading.options.skip_invalid or not tally[Row.USED]):
        numbered = multiplicity is None  # a reduced table has an order of its own
        raise InvalidComparisons(
            _complaint(table, reading, status, rows, rejected, reasons, numbered=numbered)
        )
    if not tally[Row.USED]:
        raise InvalidComparisons(
            f"{reading.source}: none of the {rows:,} rows is an answer "
            f"({tally[Row.BOTH_BAD]:,} 'both bad', {tally[Row.SKIPPED]:,} skipped)"
        )
    meaning = {
        None: "the first column won; display order unknown",
        "number": f"outcome {low:g} to {high:g}",
        "word": "outcome in words",
        "item": "outcome is the chosen item",
    }[kind]
    return ReadReport(
        source=reading.source,
        layout=f"{reading.layout} ({meaning})",
        rows=rows,
        both_bad=int(tally[Row.BOTH_BAD]),
        skipped=int(tally[Row.SKIPPED]),
        rejected=sum(rejected.values()),
        rejections=tuple(reasons),
    )


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
    lines = [f"{reading.source}: {sum(rejected.values()):,} of {rows:,} rows cannot be used"]
    for (row, _), reason in zip(rejected.items(), reasons, strict=True):
        lines.append(f"  {reason}: {FAULTS[row][1]}")
        first = np.flatnonzero(status == row)[:3]
        lines += [
            f"    row{f' {k + 1}' if numbered else ''}: {_shown(table, int(k), reading.layout)}"
            for k in first
        ]
    lines.append("  or drop and count such rows with skip_invalid=True (--skip-invalid)")
    return "\n".join(lines)


def _shown(table: pl.DataFrame, row: int, layout: Layout) -> str:
    cells = table.row(row, named=True)
    return ", ".join("" if cells[name] is None else str(cells[name]) for name in layout.columns)
