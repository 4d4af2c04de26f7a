"""From a raw table and its layout to Comparisons: every row is used, counted or reported."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from hodgerank.data.comparisons import MARGIN, Comparisons
from hodgerank.data.display_order import doubt_display
from hodgerank.data.extra_columns import ExtraColumns
from hodgerank.data.reading.column_names import words_of
from hodgerank.data.reading.item_names import labels_beside, with_names
from hodgerank.data.reading.layouts import Layout
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.outcomes import (
    Outcomes,
    is_measured,
    margins,
    measure,
    understand_labels,
)
from hodgerank.data.reading.report import Reading, Row, report_on
from hodgerank.data.reading.values import (
    MISSING,
    NOT_A_NAME,
    Encoding,
    encode,
    numbers,
    read_counts,
)
from hodgerank.errors import InvalidComparisons
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray

# Adaptive samplers, besides top-5 and similar names; 'adaptive' is any of them.
FOLLOWS_LABELS = frozenset({"auto", "sort", "rank", "bayesian", "crowd-bt", "adaptive"})
# Samplers that are not adaptive; 'design' is a list of pairs made before any vote.
IGNORES_LABELS = frozenset(
    {"d-optimal", "a-optimal", "fiedler", "spectral", "rounds", "random", "design"}
)


def follows_labels(asker: str) -> bool:
    """Return whether the sampler of that name is adaptive.

    >>> follows_labels("top-5"), follows_labels("rounds")
    (True, False)
    """
    return asker in FOLLOWS_LABELS or re.fullmatch(r"top-[1-9]\d*", asker) is not None


def askers(table: pl.DataFrame, column: str | None) -> frozenset[str]:
    """Return the samplers that a column names; none if it holds other values, such as people."""
    if column is None:
        return frozenset()
    names = table[column].cast(pl.String, strict=False).drop_nulls().unique().to_list()
    found = frozenset(name.strip().lower() for name in names) - {""}
    is_known = all(name in IGNORES_LABELS or follows_labels(name) for name in found)
    return found if is_known else frozenset()


def without_other_askers(table: pl.DataFrame, reading: Reading) -> Reading:
    """Return the reading without a column of this name that names no samplers."""
    column = reading.layout.asked_by
    if column is None or askers(table, column):
        return reading
    return replace(
        reading,
        layout=replace(reading.layout, asked_by=None),
        unused=(*reading.unused, column),
    )


LIGHTEST, HEAVIEST = 1e-6, 1e6  # ratio of weights: beyond it, sums lose precision


@dataclass(frozen=True)
class Decoded:
    """Votes, and the group of each if there are groups."""

    votes: Comparisons
    groups: Encoding | None


def decode(
    table: pl.DataFrame,
    reading: Reading,
    *,
    multiplicity: IntArray | None = None,
    ragged: BoolArray | None = None,
    backend: str = "auto",
) -> Decoded:
    """Decode the usable rows.

    `multiplicity` is how often each row of an aggregated table occurred; None means once.
    """
    if not len(table):
        raise InvalidComparisons(f"{reading.source}: there is a header but no rows")
    reading = without_other_askers(table, reading)
    layout, options = reading.layout, reading.options
    status = np.zeros(len(table), np.uint8)
    columns, outcomes = _encoded_columns(table, reading, status)
    columns["weight"] = _weights(table, layout, status)
    columns["time"], unread = _times(table, layout)
    if options.time is not None:
        status[unread] = Row.BAD_TIME
    counts = _counts(table, layout, status)
    columns["multiplicity"] = counts if multiplicity is None else multiplicity
    if counts is not None and multiplicity is not None:
        columns["multiplicity"] = multiplicity * counts
    if layout.unit is None:
        columns["ballot"] = None if layout.ballot is None else _ballots(table[layout.ballot])
    _mark_unusable(table, reading, columns["left"], columns["right"], ragged, status)
    if unread.any() and options.time is None:
        columns["time"] = None
        reading.notes.append(
            f"column {layout.time!r} is not used: its values are not times in ISO 8601 or seconds"
        )
    report = report_on(
        table, reading, status, multiplicity, kind=outcomes.kind, both_bad=outcomes.both_bad
    )
    report = replace(report, strengths=outcomes.strengths, margin_unit=_margin_unit(table, reading))
    used = status == Row.USED
    report = replace(report, adaptive=_is_adaptive(table, layout, used))
    groups = columns.pop("groups")
    columns["row"] = reading.row
    columns["display_known"] = _display_known(table, layout, options)
    if not used.all():
        columns["row"] = np.arange(1, len(table) + 1) if reading.row is None else reading.row
        columns = {
            name: values[used] if isinstance(values, np.ndarray) else values
            for name, values in columns.items()
        }
        groups = None if groups is None else (groups[0], [groups[1][0][used]])
    if reading.extra is not None:
        time = None if columns["time"] is None else layout.time
        used_for = {
            layout.worker,
            layout.weight,
            layout.count,
            time,
            layout.asked_by,
            layout.is_display_known,
        }
        names = [name for name in reading.extra.names if name not in used_for]
        columns["extra"] = ExtraColumns(reading.extra, names, columns["row"])
    votes = Comparisons(**columns, report=report, backend=backend)
    is_recorded = layout.asked_by or layout.is_display_known  # samplers record the display order
    if options.display_known is None and not is_recorded:
        votes = doubt_display(votes)
        report = votes.report
    if reading.names is not None:
        votes = with_names(votes, reading.names)
        report = votes.report
    if votes.ballot is not None or not used.all():
        votes = votes.compacted()
        n, is_unit = votes.n_ballots, layout.unit is not None
        counted = replace(report, ballots=0 if is_unit else n, units=n if is_unit else 0)
        votes = replace(votes, report=counted)
    return Decoded(votes, groups)


def _encoded_columns(
    table: pl.DataFrame, reading: Reading, status: NDArray[np.uint8]
) -> tuple[dict[str, Any], Outcomes]:
    """Return items, workers, groups and outcomes of all rows, and how outcomes were read."""
    layout = reading.layout
    is_label = layout.outcome is not None and not is_measured(table[layout.outcome])
    labelled = is_label and not layout.is_margin
    names = {"worker": layout.worker, "group": layout.group, "unit": layout.unit}
    if labelled:
        names["outcome"] = layout.outcome
    single = {part: name for part, name in names.items() if name is not None}
    encodings = encode(
        table,
        [[layout.left, layout.right], *([name] for name in single.values())],
        from_text=reading.from_text,
        not_names=frozenset() if reading.options.keep_na else NOT_A_NAME,
    )
    items, (left, right) = encodings[0]
    found = dict(zip(single, encodings[1:], strict=True))
    workers, (worker,) = found.get("worker", ((), [np.full(len(table), MISSING, np.int32)]))
    if layout.outcome is None:
        outcomes = Outcomes(None, np.ones(len(table)))
    elif layout.is_margin and layout.outcome is not None:
        outcomes = Outcomes("margin", margins(table[layout.outcome], reading, status))
    elif labelled:
        outcomes = understand_labels(found["outcome"], reading, items, left, right, status)
    else:
        outcomes = Outcomes("number", measure(table[layout.outcome], reading, status))
    outcome = -outcomes.values if reading.options.worse else outcomes.values
    columns: dict[str, Any] = {"left": left, "right": right, "outcome": outcome, "worker": worker}
    if layout.labels:
        items = labels_beside(items, [(table[ids], table[label]) for ids, label in layout.labels])
    if "group" in found:
        status[found["group"][1][0] == MISSING] = Row.MISSING_ITEM
    if "unit" in found:
        columns["units"], (unit,) = found["unit"]
        if not columns["units"]:
            raise InvalidComparisons(f"{reading.source}: the unit column {layout.unit!r} is empty")
        columns["ballot"] = each_by_itself(unit, len(columns["units"]))
    return {"items": items, "workers": workers, "groups": found.get("group"), **columns}, outcomes


def _mark_unusable(
    table: pl.DataFrame,
    reading: Reading,
    left: CodeArray,
    right: CodeArray,
    ragged: BoolArray | None,
    status: NDArray[np.uint8],
) -> None:
    """Mark rows without two different items, and rows with too many fields."""
    status[left == right] = Row.SELF
    missing = (left == MISSING) | (right == MISSING)
    if missing.any():
        layout = reading.layout
        is_blank = [_is_blank(table[name]) for name in (layout.left, layout.right)]
        # A word for "missing" takes precedence over an empty cell, which may be an oversight.
        unsaid = ((left == MISSING) & is_blank[0]) | ((right == MISSING) & is_blank[1])
        status[missing] = np.where(unsaid[missing], Row.NO_ITEM, Row.MISSING_ITEM)
        if layout.outcome is None:
            status[is_blank[0] & is_blank[1]] = Row.UNANSWERED
        if reading.from_text:
            blank = np.logical_and.reduce([_is_blank(table[name]) for name in layout.columns])
            status[blank] = Row.BLANK
    if ragged is not None:
        status[ragged] = Row.RAGGED


def _is_blank(column: pl.Series) -> BoolArray:
    blank = column.is_null()
    if column.dtype == pl.String:
        blank |= (column.str.strip_chars() == "").fill_null(value=True)
    elif column.dtype.is_float():
        blank |= column.is_nan().fill_null(value=True)
    return blank.to_numpy()


# Words of a column of margins that say nothing about their unit.
NO_UNITS = frozenset({
    "margin", "margins", "diff", "difference", "delta", "by", "of", "victory", "outcome",
})  # fmt: skip


def _margin_unit(table: pl.DataFrame, reading: Reading) -> str | None:
    """Return the unit of margins: that of a table we wrote, or what the name of the column says."""
    layout, options = reading.layout, reading.options
    if options.signs_only and not layout.is_margin:
        raise InvalidComparisons(
            f"{reading.source}: signs_only=True (--signs-only) is for margins: name their column "
            "with margin=... (--margin), or leave it out"
        )
    if not layout.is_margin or options.signs_only:
        return None
    if layout.margin_unit is not None:
        units = table[layout.margin_unit].drop_nulls().unique().cast(pl.String).to_list()
        if len(units) > 1:
            raise InvalidComparisons(
                f"{reading.source}: the column {layout.margin_unit} holds several units: rank each "
                "separately with where=... (--where)"
            )
        return units[0] if units else MARGIN
    parts = [words_of(name) for name in layout.difference or (str(layout.outcome),)]
    words = [word for word in parts[0] if all(word in part for part in parts)]
    return " ".join(word for word in words if word not in NO_UNITS) or MARGIN


def _weights(table: pl.DataFrame, layout: Layout, status: NDArray[np.uint8]) -> FloatArray | None:
    if layout.weight is None:
        return None
    weight = numbers(table[layout.weight]).fill_null(np.nan).to_numpy()
    status[~((weight >= LIGHTEST) & (weight <= HEAVIEST))] = Row.BAD_WEIGHT
    return weight


def _counts(table: pl.DataFrame, layout: Layout, status: NDArray[np.uint8]) -> IntArray | None:
    """Return how many votes each row stands for."""
    if layout.count is None:
        return None
    counts, is_wrong = read_counts(table[layout.count])
    status[is_wrong] = Row.BAD_COUNT
    status[counts == 0] = Row.UNANSWERED
    return counts


def _is_adaptive(table: pl.DataFrame, layout: Layout, used: BoolArray) -> bool:
    """Return whether the pairs with votes were chosen adaptively."""
    if layout.asked_by is None:
        return False
    return any(map(follows_labels, askers(table.filter(used), layout.asked_by)))


def _display_known(table: pl.DataFrame, layout: Layout, options: ReadOptions) -> BoolArray | bool:
    """Return whether left and right are the display order, for all votes or for each."""
    if options.display_known is not None:
        return options.display_known
    if layout.is_display_known is None or not layout.display_known:
        return layout.display_known
    said = table[layout.is_display_known].cast(pl.String, strict=False).str.strip_chars()
    return said.str.to_lowercase().is_in(["true", "1", "yes"]).fill_null(value=False).to_numpy()


def each_by_itself(unit: CodeArray, n_units: int) -> CodeArray:
    """Number the units; a vote without one is a unit by itself."""
    unknown = unit == MISSING
    return np.where(unknown, n_units + np.cumsum(unknown) - 1, unit)


def _ballots(column: pl.Series) -> IntArray:
    """Return the number of each vote's ballot; a vote without one is a ballot by itself."""
    if column.dtype.is_integer() and not column.null_count():
        return column.cast(pl.Int64).to_numpy()
    codes = numbers(column).rank("dense").fill_null(0).cast(pl.Int32).to_numpy() - 1
    return each_by_itself(codes, int(codes.max(initial=-1)) + 1).astype(np.int64)


def _times(table: pl.DataFrame, layout: Layout) -> tuple[NDArray[Any] | None, BoolArray]:
    """Read times: seconds as numbers, everything else as datetime64; and mark invalid rows.

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
    """Read ISO 8601 dates and times in UTC; null for other values."""
    text = column.str.strip_chars().str.replace(" ", "T", literal=True)
    text = text.str.replace(r"^(\d{4}-\d{2}-\d{2})$", "${1}T00:00:00")
    text = text.str.replace(r"T(\d{2}:\d{2})(Z|[+-]\d{2}:?\d{2})?$", "T${1}:00${2}")
    text = text.str.replace(r"Z$", "+00:00")
    text = text.str.replace(r"(T[\d:.]+)$", "${1}+00:00")
    return text.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%z", strict=False, time_unit="us")
