"""Errors for tables whose layout is not recognised, with options that fit their columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from itertools import combinations

import polars as pl

from hodgerank.data.reading.column_names import item_pairs, sided_pairs
from hodgerank.data.reading.layouts import outcome_column
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.values import numbers
from hodgerank.data.sources.table import Table
from hodgerank.errors import InvalidComparisons, did_you_mean

LOOKED_AT = 500  # rows
MOST_COLUMNS = 30
FEW_VALUES = 11  # distinct values of an outcome
# Outcomes in words that make a column worth proposing.
WORDS = frozenset({
    "left", "right", "a", "b", "l", "r", "h", "d", "home", "away", "draw", "tie", "first", "second",
})  # fmt: skip
KNOWN = "left,right,outcome; left,right,winner; model_a,model_b,winner; winner,loser"


def no_such_column(source: str, name: str, columns: Sequence[str]) -> InvalidComparisons:
    """Return the error for a column that does not exist."""
    return InvalidComparisons(
        f"{source}: there is no column {name!r}{did_you_mean(name, columns)}. The columns are "
        f"{listed(columns)}"
    )


def cannot_be_recognised(table: Table, given: ReadOptions) -> InvalidComparisons:
    """Return the error for a layout that is not recognised."""
    columns = table.columns
    fitting = propose(columns, table.head(table.flat(_distinct(columns)), LOOKED_AT), given)
    what = "the outcome" if any(item_pairs(columns)) else "the two items"
    start = (
        f"{table.name}: no column for {what} was recognised. The columns are {listed(columns)}. "
    )
    if len(columns) == 1:
        start += "If they are not separated by a comma, tab, ; or |, name the --separator. "
    if fitting:
        return InvalidComparisons(
            f"{start}Perhaps this fits: {as_options(fitting)} (in Python {as_arguments(fitting)})"
        )
    return InvalidComparisons(
        f"{start}Name them (--left A --right B --outcome C, or --winner A --loser B), or rename "
        f"them to a known layout: {KNOWN}"
    )


def _distinct(columns: Sequence[str]) -> list[str]:
    return [name for name, n in Counter(columns).items() if n == 1 and not is_pattern(name)][
        :MOST_COLUMNS
    ]


def is_pattern(name: str) -> bool:
    """Return whether polars would take the name of a column for several columns."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def as_options(columns: Mapping[str, str]) -> str:
    """Format columns as options of the command line.

    >>> as_options({"left": "A", "outcome": "my grade"})
    "--left A --outcome 'my grade'"
    """
    from shlex import quote

    return " ".join(f"--{part.replace('_', '-')} {quote(name)}" for part, name in columns.items())


def as_arguments(columns: Mapping[str, str]) -> str:
    """Format columns as arguments of `read_comparisons`."""
    return ", ".join(f"{part}={name!r}" for part, name in columns.items())


def listed(columns: Sequence[str], most: int = 20) -> str:
    """List names of columns, but not too many."""
    more = f", ... ({len(columns):,} in all)" if len(columns) > most else ""
    return ", ".join(name[:40] for name in columns[:most]) + more


def propose(columns: Sequence[str], head: pl.DataFrame, given: ReadOptions) -> dict[str, str]:
    """Guess the roles of columns, by the nearest names first, then by their values."""
    found = dict(given.columns)
    for part in ("left", "right", "winner", "loser", "outcome"):
        near = get_close_matches(part, [c.lower() for c in columns], n=1, cutoff=0.6)
        if near and part not in found:
            name = next(c for c in columns if c.lower() == near[0])
            if name not in found.values():
                found[part] = name
    known, unknown = item_pairs(columns)
    if not _complete(found) and (known or unknown):
        pair = [*known, *unknown][0]
        found |= {"left": pair.left, "right": pair.right}
    if not _complete(found):
        alike = _alike(head, [name for name in head.columns if name not in found.values()])
        if alike is not None:
            found |= {"left": alike[0], "right": alike[1]}
    if not _complete(found):
        return {}
    if {"winner", "loser"} <= found.keys():
        return {part: found[part] for part in ("winner", "loser")}
    items = {part: found[part] for part in ("left", "right")}
    free = [name for name in columns if name not in items.values()]
    outcome = found.get("outcome") or found.get("winner") or outcome_column(free)
    outcome = outcome or _telling(head, items["left"], items["right"])
    if outcome is not None:
        return {**items, "outcome": outcome}
    return {"winner": items["left"], "loser": items["right"]}


def _complete(found: Mapping[str, str]) -> bool:
    return {"left", "right"} <= found.keys() or {"winner", "loser"} <= found.keys()


def _alike(head: pl.DataFrame, columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the two columns that share most values, if at least a third."""
    values = {}
    for name in columns:
        column = head[name]
        if column.dtype == pl.String or column.dtype.is_integer():
            distinct = {str(value) for value in column.drop_nulls().unique()}
            if len(distinct) > 2:
                values[name] = distinct
    rated = [
        (len(values[a] & values[b]) / len(values[a] | values[b]), a, b)
        for a, b in combinations(values, 2)
    ]
    share, a, b = max(rated, key=lambda pair: pair[0], default=(0.0, "", ""))
    return (a, b) if share >= 1 / 3 else None


def _telling(head: pl.DataFrame, left: str, right: str) -> str | None:
    """Return a column that names one of the two items in each row, or has few values."""
    if left not in head.columns or right not in head.columns:
        return None
    others = [name for name in head.columns if name not in (left, right)]
    text = head.select(pl.all().cast(pl.String, strict=False))
    for name in others:
        chosen = (text[name] == text[left]) | (text[name] == text[right])
        if len(text) and chosen.fill_null(value=False).mean() > 0.5:  # type: ignore[operator]
            return name
    measures = {name for pair in sided_pairs(head.columns) for name in pair[:2]}
    for name in others:
        values = {str(value).strip().lower() for value in text[name].drop_nulls().unique()}
        if len(values) > 1 and values <= WORDS:
            return name
    for name in others:
        column = head[name].drop_nulls()
        is_grade = 2 <= column.n_unique() <= FEW_VALUES and numbers(column).null_count() == 0
        if is_grade and name not in measures:
            return name
    return None
