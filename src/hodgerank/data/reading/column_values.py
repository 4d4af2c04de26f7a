"""Checks of what the values of columns can be: names of items, an outcome, or neither.

A layout found by the names of columns is an assumption. These checks refuse it where the values
contradict it: counts and signs are not items, a running number is not an outcome, and texts that
occur once each cannot be ranked.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import polars as pl

from hodgerank.data.reading.column_names import ITEM_WORDS, item_pairs, words_of
from hodgerank.data.reading.layouts import Layout, pair_layout
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.outcome_words import Meaning, Vocabulary
from hodgerank.data.reading.values import number, numbers
from hodgerank.data.sources.table import Table

LOOKED_AT = 500  # rows
MANY_ROWS = 20_000
FEWEST_ROWS = 20  # in which every item may occur once, and nothing is refused
MOST_ITSELF = 0.02  # share of rows that compare an item with itself
ALMOST_ALL = 0.9
LABEL_WORDS = frozenset(ITEM_WORDS) - {"id"}  # the id of a row names no item
TEXT_LENGTH = 20  # characters, from which on cells that differ in most rows are texts


def objection(table: Table, layout: Layout) -> str | None:
    """Return why the values contradict a layout that was found by the names of columns.

    It looks at lists, because queries of a few rows would take most of the time of reading.
    """
    if table.is_lazy:  # reading some rows of it may take long
        return None
    names = [layout.left, layout.right]
    outcome = layout.outcome if layout.difference is None and not layout.is_margin else None
    head = table.head([*names, *([outcome] if outcome else [])], LOOKED_AT)
    nested = next((name for name in head.columns if head[name].dtype.is_nested()), None)
    if nested is not None:
        return f"{nested} holds lists or records, not one value per row"
    left, right = (head[name].to_list() for name in names)
    pair = " and ".join(names)
    are_numbers = _are_numbers(left) and _are_numbers(right)
    label = _label_of_rows(table, names) if are_numbers else None
    if label is not None:
        return f"{pair} hold numbers for each {label}, not items"
    if len(head) < FEWEST_ROWS:
        return None
    if are_numbers:
        if is_sign(head[names[0]]) or is_sign(head[names[1]]):
            return f"{pair} hold signs, not items"
        if any(has_fractions(head[name]) for name in names):
            return f"{pair} hold measurements, not items"
        n_itself = sum(a == b for a, b in zip(left, right, strict=True))
        if n_itself > MOST_ITSELF * len(head):
            return f"{pair} hold numbers that are often equal, not items"
    if max(len(set(left)), len(set(right))) > len(head) / 2:
        rows = table.head(names, MANY_ROWS) if len(head) == LOOKED_AT else head
        # In a part of a large table items may occur once because there are many of them.
        if len(rows) < MANY_ROWS and are_single(rows[names[0]], rows[names[1]]):
            return (
                f"almost every value of {pair} occurs only once, so nothing connects them: a "
                "ranking needs items that are compared several times"
            )
    if layout.difference is not None:
        measured = table.head([*names, *layout.difference], LOOKED_AT)
        left_item, right_item = (measured[name] for name in names)
        first, second = (measured[name] for name in layout.difference)
        if is_attribute((left_item, right_item), (first, second)) or is_attribute(
            (left_item, right_item), (second, first)
        ):
            return f"{' and '.join(layout.difference)} are the same for an item in every row"
    if outcome is None:
        return None
    is_flag = layout.scale is not None and is_numeric(head[outcome])
    if is_flag and not bool(numbers(head[outcome]).drop_nulls().is_between(0, 1).all()):
        return f"{outcome} holds other numbers than 0 and 1"
    labels = set(head[outcome].to_list())
    if len(labels) == len(head) and is_running_number(head[outcome]):
        return f"{outcome} is a row number, not an outcome"
    if len(labels) == 1 and not _may_be_all(labels.pop(), layout, {*left, *right}):
        return f"{outcome} is the same in every row"
    return None


def _may_be_all(label: Any, layout: Layout, items: set[Any]) -> bool:
    """Return whether a label may be the outcome of every row: a number, an item, or a word."""
    if not isinstance(label, str) or label in items or number(label) == number(label):
        return True
    known: dict[str, Meaning] = {layout.left.lower(): "left", layout.right.lower(): "right"}
    return Vocabulary({}, known, layout.sides).word(label) is not None


def _are_numbers(cells: list[Any]) -> bool:
    """Return whether all cells that are filled in are numbers."""
    filled = [cell for cell in cells if cell is not None and str(cell).strip()]
    return bool(filled) and all(
        number(cell) == number(cell) if isinstance(cell, str) else type(cell) in (int, float)
        for cell in filled
    )


def filled_in(column: pl.Series) -> pl.Series:
    """Return the cells that are neither missing nor blank."""
    cells = column.drop_nulls()
    return cells.filter(cells.str.strip_chars() != "") if cells.dtype == pl.String else cells


def is_numeric(column: pl.Series) -> bool:
    """Return whether all cells that are filled in are numbers."""
    cells = filled_in(column)
    return len(cells) > 0 and numbers(cells).null_count() == 0


def has_fractions(column: pl.Series) -> bool:
    """Return whether some of the numbers are not whole."""
    found = numbers(column).drop_nulls()
    return bool((found != found.round()).any())


def is_sign(column: pl.Series) -> bool:
    """Return whether all values are -1, 0 and 1, among them -1."""
    if not is_numeric(column):
        return False
    found = set(numbers(column).drop_nulls().unique().to_list())
    return found <= {-1.0, 0.0, 1.0} and -1.0 in found


FEW_GRADES = 21  # distinct numbers of a scale


def may_be_outcome(column: pl.Series, items: pl.Series) -> bool:
    """Return whether a column without a name may be the outcome: words, signs or a few grades."""
    if not is_numeric(column):
        return True
    found = set(numbers(column).drop_nulls().to_list())
    if (min(found) < 0 < max(found)) or len(found) < 4 or max(map(abs, found)) <= 1:
        return True
    n_shared = len(found & set(numbers(items).to_list()))
    return len(found) <= FEW_GRADES and n_shared <= len(found) / 2


def is_attribute(items: tuple[pl.Series, pl.Series], values: tuple[pl.Series, pl.Series]) -> bool:
    """Return whether numbers belong to the items: an item has the same one in all its rows."""
    seen = pl.concat(
        pl.DataFrame({"item": item.cast(pl.String, strict=False), "value": numbers(value)})
        for item, value in zip(items, values, strict=True)
    ).drop_nulls()
    per_item = seen.group_by("item").agg(pl.len(), pl.col("value").n_unique())
    often = per_item.filter(pl.col("len") >= 3)
    return len(often) > 0 and float((often["value"] == 1).mean() or 0) > ALMOST_ALL  # type: ignore[arg-type]


def is_running_number(column: pl.Series) -> bool:
    """Return whether a column numbers the rows, in any order and with gaps."""
    cells = column.drop_nulls()
    if len(cells) < FEWEST_ROWS or cells.n_unique() < len(cells) or not is_numeric(cells):
        return False
    found = numbers(cells)
    return bool((found == found.round()).all())


def are_repeated(pairs: pl.DataFrame) -> bool:
    """Return whether most pairs of items, in either order, occur in several rows."""
    texts = pairs.select(pl.all().cast(pl.String, strict=False))
    both = texts.select(pl.min_horizontal(pl.all()), pl.max_horizontal(pl.all()).alias("other"))
    return len(both) >= FEWEST_ROWS and both.n_unique() < len(both) / 2


def are_single(left: pl.Series, right: pl.Series) -> bool:
    """Return whether almost every value of two columns, or of one that holds texts, occurs once."""
    one, other = (c.cast(pl.String, strict=False).alias("item").drop_nulls() for c in (left, right))
    both = pl.concat([one, other])
    if both.n_unique() > ALMOST_ALL * len(both):
        return True
    return any(
        cells.n_unique() > len(cells) / 2
        and float(cells.str.len_chars().mean() or 0) > TEXT_LENGTH  # type: ignore[arg-type]
        and len(set(cells) & set(rest)) < len(cells) / 10
        for cells, rest in ((one, other), (other, one))
    )


def _label_of_rows(table: Table, taken: list[str]) -> str | None:
    """Return a column that names something else in every row: what a table is about, not votes."""
    times = Counter(table.columns)
    named = [name for name, n in times.items() if name not in taken and n == 1]
    named = [name for name in named if not LABEL_WORDS.isdisjoint(words_of(name))]
    return label_of_rows(table.head(named, LOOKED_AT)) if named else None


def label_of_rows(head: pl.DataFrame) -> str | None:
    """Return a column called like items that has another text in every row."""
    for name in head.columns if len(head) > 2 else ():
        is_text = head[name].dtype == pl.String and not is_numeric(head[name])
        is_item = not LABEL_WORDS.isdisjoint(words_of(name))
        filled = head[name].drop_nulls()
        if is_item and is_text and filled.n_unique() > ALMOST_ALL * len(filled):
            return name
    return None


LONG = 60  # characters, of a text; the name of an item is shorter
REPEATED = 2  # times that a name occurs on average; texts are mostly different


def prefer_labels(layout: Layout, table: Table, given: ReadOptions) -> Layout:
    """Return the layout with the columns that name the items, if it took their long texts.

    So `policy_1, policy_2` are the items beside `response_1, response_2`.
    """
    columns = [name for name in table.columns if name not in layout.parts]
    candidates = [pair for pairs in item_pairs(columns) for pair in pairs]
    if not candidates or not _are_texts(table, layout.left, layout.right):
        return layout
    named = [pair for pair in candidates if _are_names(table, pair.left, pair.right)]
    if len(named) != 1:
        return layout
    given = replace(given, left=named[0].left, right=named[0].right)
    return pair_layout(table.columns, given) or layout


def _are_texts(table: Table, *columns: str) -> bool:
    """Return whether these columns hold long texts."""
    head = table.head(list(columns), LOOKED_AT)
    lengths = [head[name].cast(pl.String, strict=False).str.len_chars().mean() for name in columns]
    return all(isinstance(length, int | float) and length > LONG for length in lengths)


def _are_names(table: Table, *columns: str) -> bool:
    """Return whether these columns hold short names, most of which occur several times."""
    head = table.head(list(columns), LOOKED_AT)
    if not all(head[name].dtype == pl.String for name in columns):
        return False
    together = pl.concat([head[name].alias("name") for name in columns]).drop_nulls()
    if together.is_empty() or int(together.str.len_chars().max() or 0) > LONG:  # type: ignore[arg-type]
        return False
    return len(together) >= REPEATED * together.n_unique()
