"""Status of each row of a table, and how it is reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from shlex import quote
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hodgerank.data.comparisons import ReadReport
from hodgerank.data.extra_columns import SourceColumns
from hodgerank.data.reading.column_names import words_of
from hodgerank.data.reading.column_values import is_running_number
from hodgerank.data.reading.layouts import NAMES_AN_ITEM, Layout
from hodgerank.data.reading.options import PLAIN_SCALE, OutcomeKind, ReadOptions
from hodgerank.data.reading.values import numbers
from hodgerank.data.sources.table import Table
from hodgerank.display import short
from hodgerank.errors import InvalidComparisons
from hodgerank.types import BoolArray, IntArray


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
    BAD_MARGIN = 14
    NEGATIVE_MARGIN = 15


FAULTS: Mapping[Row, tuple[str, str]] = {
    Row.RAGGED: (
        "has more fields than the header",
        "put names that contain the separator in quotes",
    ),
    Row.NO_ITEM: ("an item is missing", "fill in both items, or write NA"),
    Row.SELF: (
        "an item is compared with itself",
        "remove the row; or if two columns name an item together, join them: --left A+B --right "
        "C+D (left='A+B', ...)",
    ),
    Row.OUT_OF_RANGE: ("the outcome is not a number in {range}", "{remedy}"),
    Row.NEITHER: (
        "the winner is neither of the two items, nor left, right or tie",
        "correct the spelling, or say what the words mean ({words}): --map "
        "WORD=left|right|tie|skip (map={{'WORD': 'left'}})",
    ),
    Row.BAD_WEIGHT: (
        "the weight is not a number between 1e-6 and 1e6",
        "give a weight above 0; a plain vote has weight 1",
    ),
    Row.BAD_COUNT: (
        "the count is not a whole number",
        "use whole numbers, or read the column as weights: weight=... (--weight)",
    ),
    Row.BAD_MARGIN: (
        "the margin is not a number between -1e100 and 1e100",
        "write by how much one item is better as a number, and leave the cell empty if unknown",
    ),
    Row.NEGATIVE_MARGIN: (
        "the margin of the winner is negative",
        "correct the row; if the first item may lose, name the items with --left and --right",
    ),
    Row.BAD_TIME: ("the time is invalid", "use ISO 8601 or seconds"),
}


# Rows that are not votes without being invalid, and what to check if there are many.
LEFT_OUT: Mapping[Row, str] = {
    Row.SKIPPED: "skipped by the worker ({words}); count a word as a tie with --tie WORD",
    Row.UNANSWERED: "without an answer in {column}; if it is not the outcome, name another column "
    "with --outcome",
    Row.MISSING_ITEM: "with a missing item; if NA is the name of an item, use --keep-na",
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
    names
        Table of ids and names of items, if the caller gave one.
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
    names: Table | None = None
    extra: SourceColumns | None = None

    @property
    def scale(self) -> tuple[float, float]:
        """Numbers for right and left."""
        return self.options.scale or self.layout.scale or PLAIN_SCALE


FEWEST_LEFT_OUT = 3
MANY_LEFT_OUT = 0.05  # share of rows from which on a warning names the likely cause


def report_on(
    table: pl.DataFrame,
    reading: Reading,
    status: NDArray[np.uint8],
    multiplicity: IntArray | None,
    *,
    kind: OutcomeKind | Literal["margin"] | None,
    both_bad: BoolArray | None,
) -> ReadReport:
    """Count rows by status; raise an error for invalid rows unless they are skipped.

    `both_bad` are the rows in which both items were rejected, and which count as ties.
    """
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
        error = InvalidComparisons(
            _complaint(table, reading, status, rows, rejected, reasons, numbered=numbered)
        )
        error.share = sum(rejected.values()) / rows
        error.itself = rejected.get(Row.SELF, 0) / rows
        raise error
    both_bad_ties = 0
    if both_bad is not None:
        is_tie = both_bad & (status == Row.USED)
        both_bad_ties = int(is_tie.sum() if multiplicity is None else multiplicity[is_tie].sum())
    report = ReadReport(
        source=reading.source,
        layout=_described(reading, kind),
        rows=rows if reading.n_rows is None else reading.n_rows,
        both_bad=int(tally[Row.BOTH_BAD]),
        both_bad_ties=both_bad_ties,
        skipped=int(tally[Row.SKIPPED]),
        unanswered=int(tally[Row.UNANSWERED]),
        missing=int(tally[Row.MISSING_ITEM]),
        filtered=reading.filtered,
        rejected=sum(rejected.values()),
        rejections=tuple(reasons),
        unused=reading.unused,
        notes=(*reading.notes, *_why_many_left_out(table, reading, status, tally)),
    )
    if not tally[Row.USED]:
        counts = ", ".join(f"{count:,} {reason}" for reason, count in report.left_out.items())
        raise InvalidComparisons(
            f"{reading.source}: none of the {rows:,} rows is a vote ({counts or 'all blank'})"
        )
    return report


def _why_many_left_out(
    table: pl.DataFrame, reading: Reading, status: NDArray[np.uint8], tally: NDArray[np.int64]
) -> list[str]:
    """Return a warning with the likely cause if many rows are left out; none if few are."""
    meant = {Row.USED, Row.BLANK, Row.BOTH_BAD}  # both bad is left out on request only
    counts = {row: int(tally[row]) for row in Row if row not in meant and tally[row]}
    n_rows = int(tally.sum() - tally[Row.BLANK])
    n_left_out = sum(counts.values())
    if n_left_out < FEWEST_LEFT_OUT or n_left_out <= MANY_LEFT_OUT * n_rows:
        return []
    worst = max(counts, key=lambda row: counts[row])
    why = f"invalid ({FAULTS[worst][0]}): " if worst in FAULTS else ""
    why = why.format(range="the scale") + _remedy(worst, table, reading, status)
    return [f"{n_left_out / n_rows:.0%} of the rows are left out, most of them {why}"]


def _described(reading: Reading, kind: OutcomeKind | Literal["margin"] | None) -> str:
    """Return the layout with what 'better' means in it."""
    better = "worse" if reading.options.worse else "better"
    if reading.shape is not None:
        return reading.shape + " (the item chosen is worse)" * bool(reading.options.worse)
    layout, (low, high) = reading.layout, reading.scale
    meaning = {
        None: f"{layout.left} is {better}; display order unknown",
        "number": f"{high:g}: left is {better}, {low:g}: right is {better}",
        "word": f"the side chosen is {better}",
        "item": f"the item chosen is {better}",
        "margin": f"by how much {layout.left} is {better}",
    }[kind]
    if kind == "margin":
        meaning += ", signs only" * bool(reading.options.signs_only)
    elif layout.difference is not None:
        meaning = "left is {} where {} exceeds {}".format(better, *layout.difference)
        meaning += f"; --margin {quote(str(layout.outcome))} also counts by how much"
    return f"{layout} ({meaning})"


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
        lines.append(f"  {reason}: {_remedy(row, table, reading, status)}")
        for k in np.flatnonzero(status == row)[:3].tolist():
            place = k + 1 if reading.row is None else int(reading.row[k])
            shown = _shown(table, k, reading.layout)
            lines.append(f"    row{f' {place}' if numbered else ''}: {shown}")
    # More than a few invalid rows mean that the columns hold something else.
    n_invalid = sum(rejected.values())
    if n_invalid < FEWEST_LEFT_OUT or n_invalid <= MANY_LEFT_OUT * rows:
        lines.append("  or leave out invalid rows with skip_invalid=True (--skip-invalid)")
    return "\n".join(lines)


def _remedy(row: Row, table: pl.DataFrame, reading: Reading, status: NDArray[np.uint8]) -> str:
    """Return what to do about rows of this status."""
    if row == Row.OUT_OF_RANGE:
        return _other_scale(table, reading)
    remedy = FAULTS[row][1] if row in FAULTS else LEFT_OUT[row]
    return remedy.format(
        words=_words(table, reading, status, row), column=reading.layout.outcome or "the winner"
    )


MOST_WORDS = 8  # listed with their counts


def _words(table: pl.DataFrame, reading: Reading, status: NDArray[np.uint8], row: Row) -> str:
    """Return the outcomes of these rows with their counts, the most frequent first."""
    column = reading.layout.outcome
    if column is None:
        return ""
    cells = table[column].filter(pl.Series(status == row)).cast(pl.String, strict=False)
    counts = (
        cells.alias("word").value_counts(sort=True).sort("count", "word", descending=[True, False])
    )
    listed = [
        f"{short(str(word))} x {count:,}" for word, count in counts.head(MOST_WORDS).iter_rows()
    ]
    more = len(counts) - MOST_WORDS
    return ", ".join(listed) + (f" and {more:,} more" if more > 0 else "")


def _other_scale(table: pl.DataFrame, reading: Reading) -> str:
    """Propose a scale: symmetric for signed numbers, else the range of the data."""
    plain = "use -1 (right), 0 (tie), +1 (left) or a grade in between"
    found = numbers(table[str(reading.layout.outcome)]).drop_nulls()
    found = found.filter(found.is_finite())
    names_a_winner = NAMES_AN_ITEM.intersection(words_of(str(reading.layout.outcome)))
    n_codes = int(found.is_in([0.0, 1.0, 2.0, 3.0]).sum())
    codes = "say what the numbers mean: --map NUMBER=left|right|tie|skip (map={'1': 'left'})"
    if (names_a_winner and n_codes > 0.9 * len(found)) or are_codes(found):
        return codes
    if is_running_number(found):
        return f"{plain}; these numbers differ in every row: name the outcome with --outcome"
    if found.is_empty() or found.min() == found.max():
        return f"{plain}, or give the ends of the scale: scale=(1, 5) (--scale 1 5)"
    least, most = float(found.min()), float(found.max())  # type: ignore[arg-type]
    low, high = scale_of(least, most)
    if found.n_unique() <= FEW_CODES:
        plain = f"if they are codes, {codes}; if they are grades, {plain}"
    return (
        f"{plain}; the numbers go from {least:g} to {most:g}, so perhaps give the ends of the "
        f"scale: --scale {low:g} {high:g} (scale=({low:g}, {high:g})) if {high:g} prefers left, "
        f"--scale {high:g} {low:g} if {low:g} prefers left"
        + _of_margins(str(reading.layout.outcome), least, most)
    )


def _of_margins(column: str, least: float, most: float) -> str:
    """Ask whether numbers are margins, of which 0 is a tie."""
    if not may_be_margins(least, most):
        return ""
    margin = f"--margin {quote(column)} (margin={column!r})"
    found = f", {margin} if they are margins without bounds, such as goals, of left over right"
    if least >= 0:
        return f", --scale {-most:g} {most:g} (scale=({-most:g}, {most:g})) if 0 is a tie{found}"
    other = f"--margin {quote(column)} --worse (margin={column!r}, worse=True)"
    return f"{found}, {other} if they are margins of right over left"


def may_be_margins(low: float, high: float) -> bool:
    """Return whether numbers in this range may be margins: signed, or of the winner, from 0 on.

    Numbers that fill a usual scale of grades are grades, and a few small ones are codes.

    >>> may_be_margins(-12, 28), may_be_margins(0, 28), may_be_margins(1, 7)
    (True, True, False)
    """
    are_grades = (low, high) in SCALES or high <= FEW_CODES
    return low < 0 < high or (0 <= low <= 1 and not are_grades)


FEW_CODES = 3


def are_codes(found: pl.Series) -> bool:
    """Return whether a few numbers are not evenly spaced, as codes such as 1, 2 and 99 are."""
    known = sorted(found.drop_nulls().unique().to_list())
    steps = {round(b - a, 9) for a, b in pairwise(known)}
    return 3 <= len(known) <= 5 and len(steps) > 1 and max(steps) > 5 * min(steps)


# Scales in common use; numbers that do not reach the ends of one may still be on it.
SCALES = ((1, 5), (1, 7), (0, 10), (1, 9), (1, 10), (0, 100))


def scale_of(low: float, high: float) -> tuple[float, float]:
    """Return the scale of numbers that range from `low` to `high`.

    Signed numbers have a symmetric scale, so that 0 is a tie.

    >>> scale_of(-2, 5), scale_of(2, 5), scale_of(0, 3)
    ((-5, 5), (1, 5), (0, 3))
    """
    if low < 0 < high:
        end = max(-low, high)
        return -end, end
    usual = [ends for ends in SCALES if ends[0] <= low and high == ends[1]]
    return usual[0] if usual and low > usual[0][0] else (low, high)


def _shown(table: pl.DataFrame, row: int, layout: Layout) -> str:
    cells = table.row(row, named=True)
    return ", ".join(
        "" if cells[name] is None else short(str(cells[name])) for name in layout.columns
    )
