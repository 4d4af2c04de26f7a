"""From a raw table and its layout to arrays: what each row means, or why it cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hodgerank.data.codes import MISSING, Encoding, encode
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.data.layouts import NAMES_AN_ITEM, Layout
from hodgerank.errors import InvalidArgument, InvalidComparisons, choose
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item

OutcomeKind = Literal["number", "word", "item"]
PLAIN_SCALE = (-1.0, 1.0)

LEFT = frozenset({"left", "model_a", "model_1", "item_a", "option_a", "a", "l", "first", "true"})
RIGHT = frozenset(
    {"right", "model_b", "model_2", "item_b", "option_b", "b", "r", "second", "false"}
)
TIE = frozenset({"tie", "draw", "equal", "same", "both", "tie (bothgood)", "bothgood", "both_good"})
BOTH_BAD = frozenset({"tie (bothbad)", "bothbad", "both_bad", "both bad", "neither"})
SKIP = frozenset({"skip", "skipped", "ignore", "ignored", "unknown", "unsure", "n/a", "na"})


ONE_SIDED = (
    "no outcome is negative: if 0 means that right was preferred, and not a tie, "
    "read with scale=(0, 1), --scale 0 1"
)


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
        "scale=(1, 5), --scale 1 5",
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
    """How a raw table is to be understood."""

    layout: Layout
    source: str
    from_text: bool
    outcome_as: OutcomeKind | None = None
    scale: tuple[float, float] = PLAIN_SCALE
    needs_time: bool = False
    display_known: bool | None = None
    skip_invalid: bool = False

    def __post_init__(self) -> None:
        if self.outcome_as is not None:
            choose(self.outcome_as, ("number", "word", "item"), "outcome_as")
        try:
            low, high = (float(end) for end in self.scale)
        except (TypeError, ValueError):
            raise InvalidArgument(f"scale {self.scale!r} must be two numbers") from None
        object.__setattr__(self, "scale", (low, high))
        if not (np.isfinite(low) and np.isfinite(high) and low != high):
            raise InvalidArgument(f"scale {self.scale} needs two different finite ends")


def decode(
    table: pl.DataFrame,
    reading: Reading,
    *,
    multiplicity: IntArray | None = None,
    ragged: BoolArray | None = None,
    backend: str = "polars",
) -> tuple[Comparisons, IntArray | None]:
    """The usable rows as Comparisons, and how many answers each stands for.

    `multiplicity` says how often each row of an already reduced table occurred; None is once.
    """
    layout = reading.layout
    if not len(table):
        raise InvalidComparisons(f"{reading.source}: there are no rows, only a header")
    status = np.zeros(len(table), np.uint8)
    labelled = layout.outcome is not None and not _is_measured(table[layout.outcome])
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
        kind, outcome = _labels(encodings[-1], reading, items, left, right, status)
    else:
        values = table[layout.outcome].cast(pl.Float64).fill_null(np.nan).to_numpy()
        if table[layout.outcome].dtype == pl.Boolean:
            values = 2 * values - 1  # true is left, false is right
        kind, outcome = "number", _numbers(values, reading, status)
    weight = _weights(table, layout, status)
    time, unread = _times(table, layout)
    if reading.needs_time:
        status[unread] = Row.BAD_TIME
    status[left == right] = Row.SELF
    missing = (left == MISSING) | (right == MISSING)
    if missing.any():
        status[missing] = Row.NO_ITEM
        if reading.from_text:
            blank = pl.all_horizontal(pl.col(layout.columns).is_null())
            status[table.select(blank).to_series().to_numpy()] = Row.BLANK
    if ragged is not None:
        status[ragged] = Row.RAGGED

    report = _report(table, reading, status, kind, multiplicity)
    if kind == "number" and not (outcome < 0).any() and (outcome == 0).any():
        report = replace(report, notes=(*report.notes, ONE_SIDED))
    if unread.any() and not reading.needs_time:
        time = None
        note = f"column {layout.time!r} was left out: it is not a time in ISO 8601 or in seconds"
        report = replace(report, notes=(*report.notes, note))
    used = status == Row.USED
    if not used.all():
        left, right, outcome, worker = left[used], right[used], outcome[used], worker[used]
        weight = None if weight is None else weight[used]
        time = None if time is None else time[used]
        multiplicity = None if multiplicity is None else multiplicity[used]
        items, (left, right) = _compacted(items, left, right)
        workers, (worker,) = _compacted(workers, worker)
    known = layout.outcome is not None if reading.display_known is None else reading.display_known
    comparisons = Comparisons(
        items=items,
        left=left,
        right=right,
        outcome=outcome,
        workers=workers,
        worker=worker,
        display_known=np.asarray(known),
        weight=weight,
        time=time,
        report=report,
        backend=backend,
    )
    return comparisons, multiplicity


def _is_measured(column: pl.Series) -> bool:
    """Whether the outcome can only be a number, not the name of an item."""
    dtype = column.dtype
    return dtype.is_float() or dtype.is_decimal() or dtype == pl.Boolean


def _labels(
    encoding: Encoding,
    reading: Reading,
    items: tuple[Item, ...],
    left: CodeArray,
    right: CodeArray,
    status: NDArray[np.uint8],
) -> tuple[OutcomeKind, FloatArray]:
    """Outcomes in [-1, 1] of a column of labels; rows without one get their status.

    Labels are few and rows are many: each label is understood once, then rows are looked up.
    """
    labels, (codes,) = encoding
    values = np.array([_number(label) for label in labels] + [np.nan])  # MISSING is the last
    position = {str(item): code for code, item in enumerate(items)}
    # The name of an item is not a word: items may be called A and B.
    as_word = reading.outcome_as == "word"
    names = set() if as_word else {name.lower() for name in position}
    words = [
        None if str(label).lower() in names else _word(label, reading.layout) for label in labels
    ]
    word_status, word_value = _word_tables(words)
    chosen = np.array([position.get(str(label), -2) for label in labels] + [-2], np.int32)

    kind = reading.outcome_as or _most_plausible_kind(
        codes, values, word_value, chosen, left, right, reading
    )
    if kind == "number":
        outcome = _numbers(values[codes], reading, status)
        if np.isnan(values[:-1]).any():  # words among the numbers: ties, skips, or nonsense
            favours_nobody = word_value == 0
            meaning = np.where(favours_nobody, word_status, np.uint8(Row.OUT_OF_RANGE))
            is_word = np.isnan(values)[codes] & (codes != MISSING)
            status[is_word] = meaning[codes[is_word]]
            outcome[is_word] = 0.0
        return kind, outcome
    if kind == "word":
        if word_status[:-1].any() or codes.min() == MISSING:
            status[:] = word_status[codes]
        return kind, word_value[codes]
    chose_left, chose_right = chosen[codes] == left, chosen[codes] == right
    outcome = np.where(chose_left, 1.0, np.where(chose_right, -1.0, 0.0))
    otherwise = np.where(np.nan_to_num(word_value, nan=1) == 0, word_status, np.uint8(Row.NEITHER))
    otherwise[-1] = Row.NO_OUTCOME
    status[:] = np.where(chose_left | chose_right, np.uint8(Row.USED), otherwise[codes])
    return kind, outcome


def _most_plausible_kind(
    codes: CodeArray,
    values: FloatArray,
    word_value: FloatArray,
    chosen: CodeArray,
    left: CodeArray,
    right: CodeArray,
    reading: Reading,
) -> OutcomeKind:
    """The reading of the labels that explains most rows."""
    is_number = np.abs(_rescaled(values, reading.scale)) <= 1
    is_word = ~np.isnan(word_value)
    names_item = chosen >= 0
    if not names_item.any() and is_word[:-1].all():
        return "word"
    if not names_item.any() and is_number[:-1].all():
        return "number"
    rows = np.bincount(codes + 1, minlength=len(values))  # MISSING comes first here
    rows = np.r_[rows[1:], rows[0]]
    chose = int(((chosen[codes] == left) | (chosen[codes] == right)).sum())
    explained: dict[OutcomeKind, int] = {
        "number": int(rows @ is_number),
        "item": chose + int(rows @ (word_value == 0)) if chose else 0,
        "word": int(rows @ is_word),
    }
    # On equal evidence the name of the column decides between 'number' and 'item'.
    order: list[OutcomeKind] = ["number", "item", "word"]
    if str(reading.layout.outcome).lower() in NAMES_AN_ITEM:
        order = ["item", "word", "number"]
    return max(order, key=lambda name: explained[name])


def _number(label: Item) -> float:
    try:
        return float(label)
    except ValueError:
        return np.nan


def _word(label: Item, layout: Layout) -> str | None:
    """The vocabulary's word for a label; the names of the item columns are words too."""
    text = str(label).lower()
    if text in LEFT or text == layout.left.lower():
        return "left"
    if text in RIGHT or text == layout.right.lower():
        return "right"
    for name, words in (("tie", TIE), ("both bad", BOTH_BAD), ("skip", SKIP)):
        if text in words:
            return name
    return None


def _word_tables(words: list[str | None]) -> tuple[NDArray[np.uint8], FloatArray]:
    """Status and outcome of each word; a word that favours nobody has outcome 0."""
    statuses = {"both bad": Row.BOTH_BAD, "skip": Row.SKIPPED, None: Row.NEITHER}
    values = {"left": 1.0, "right": -1.0, None: np.nan}
    status = [statuses.get(word, Row.USED) for word in words]
    value = [values.get(word, 0.0) for word in words]
    return np.array([*status, Row.NO_OUTCOME], np.uint8), np.array([*value, np.nan])


def _numbers(values: FloatArray, reading: Reading, status: NDArray[np.uint8]) -> FloatArray:
    outcome = _rescaled(values, reading.scale)
    inside = np.abs(outcome) <= 1
    if not inside.all():
        status[~inside] = Row.OUT_OF_RANGE
        status[np.isnan(values)] = Row.NO_OUTCOME
    return outcome


def _rescaled(values: FloatArray, scale: tuple[float, float]) -> FloatArray:
    low, high = scale
    return values if scale == PLAIN_SCALE else 2 * (values - low) / (high - low) - 1


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


def _report(
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
    low, high = reading.scale
    reasons = [
        f"{count:,} x {FAULTS[row][0].format(range=f'[{low:g}, {high:g}]')}"
        for row, count in rejected.items()
    ]
    rows = int(tally.sum() - tally[Row.BLANK])
    if rejected and (not reading.skip_invalid or not tally[Row.USED]):
        raise InvalidComparisons(_complaint(table, reading, status, rows, rejected, reasons))
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
) -> str:
    lines = [f"{reading.source}: {sum(rejected.values()):,} of {rows:,} rows cannot be used"]
    for (row, _), reason in zip(rejected.items(), reasons, strict=True):
        lines.append(f"  {reason}: {FAULTS[row][1]}")
        first = np.flatnonzero(status == row)[:3]
        lines += [f"    row {k + 1}: {_shown(table, int(k), reading.layout)}" for k in first]
    lines.append("  or drop and count such rows with skip_invalid=True (--skip-invalid)")
    return "\n".join(lines)


def _shown(table: pl.DataFrame, row: int, layout: Layout) -> str:
    cells = table.row(row, named=True)
    return ", ".join("" if cells[name] is None else str(cells[name]) for name in layout.columns)
