"""Cell values: labels to integer codes, numbers in text, columns of counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import polars as pl

from hodgerank.data.reading.layouts import Layout
from hodgerank.errors import InvalidComparisons
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item

MISSING = -1
# Words for missing values. Na is sodium, and None may be a treatment.
NOT_A_NAME = frozenset(
    {
        "N/A",
        "n/a",
        "NA",
        "na",
        "NaN",
        "nan",
        "NAN",
        "null",
        "NULL",
        "Null",
        "-",
        "?",
        "#N/A",
        "<NA>",
    }
)
FEW_ROWS = 100_000  # encoded column by column
MOST_CELLS = 1 << 27  # of a table of integers
CHUNK = 1 << 16  # rows searched first for the labels of categories
_CANONICAL_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


Encoding: TypeAlias = tuple[tuple[Item, ...], list[CodeArray]]


def encode(
    table: pl.DataFrame,
    groups: Sequence[Sequence[str]],
    *,
    from_text: bool,
    not_names: frozenset[str] = frozenset(),
) -> list[Encoding]:
    """Encode each group of columns as positions in its sorted distinct labels.

    A code is a position among the labels, `MISSING` for a missing or blank one, or for one of
    `not_names`. Labels lose
    surrounding white space. With `from_text` (a file format without types), labels that are all
    plain integers become integers; '007' is not one.

    Sorting makes every later result independent of the order of the rows.

    >>> table = pl.DataFrame({"left": ["b", "a "], "right": ["a", ""]})
    >>> encode(table, [["left", "right"]], from_text=True)[0][0]
    ('a', 'b')
    """
    blank = not_names | {""}
    plain = {name: _plain(table[name]) for group in groups for name in group}
    is_text = {name: not column.dtype.is_integer() for name, column in plain.items()}
    categories = _categories(plain, groups, is_text) if len(table) > FEW_ROWS else None
    encodings = []
    for group in groups:
        columns = [plain[name] for name in group]
        if not any(is_text[name] for name in group):
            encodings.append(_encode_integers(columns))
        elif not all(is_text[name] for name in group):
            raise InvalidComparisons(
                f"columns {' and '.join(group)} mix integers and strings: convert them to one type"
            )
        elif categories is None:
            encodings.append(_encode_few(columns, blank, from_text=from_text))
        else:
            codes = [_physical(categories[name]) for name in group]
            encodings.append(_decode_categories(columns, codes, blank, from_text=from_text))
    return encodings


def _categories(
    plain: dict[str, pl.Series], groups: Sequence[Sequence[str]], is_text: dict[str, bool]
) -> pl.DataFrame:
    """Convert text columns to categories; the columns of a group share their codes.

    A private category space makes the columns of a group share their codes. It lives as long as a
    column that uses it does; casting all at once also uses all cores.
    """
    casts: list[pl.Expr] = []
    for group in groups:
        text = [name for name in group if is_text[name]]
        kinds = {plain[name].dtype for name in text}
        space = pl.Categorical(pl.Categories.random())
        if len(kinds) == 1 and pl.String not in kinds:
            casts += map(pl.col, text)  # they share codes already
        else:
            casts += [pl.col(name).cast(pl.String).cast(space) for name in text]
    return pl.LazyFrame(plain).select(casts).collect(engine="streaming")


def _encode_few(
    columns: Sequence[pl.Series], blank: frozenset[str], *, from_text: bool
) -> Encoding:
    """Encode text columns by an enumeration of their labels, which needs no streaming."""
    together = pl.concat([column.cast(pl.String) for column in columns])
    distinct = together.unique()
    if together.null_count():
        distinct = distinct.drop_nulls()
    labels = [label.strip() for label in distinct.to_list()]
    values, position = _sorted_labels(set(labels) - blank, from_text)
    codes = together.cast(pl.Enum(distinct)).to_physical()
    if together.null_count():
        codes = codes.cast(pl.Int32).fill_null(MISSING)
    places = [position.get(label, MISSING) for label in labels]
    rows = np.array([*places, MISSING], np.int32)[codes.to_numpy()]
    n = len(columns[0])
    return values, [rows[k * n : (k + 1) * n] for k in range(len(columns))]


def _sorted_labels(labels: set[str], from_text: bool) -> tuple[tuple[Item, ...], dict[str, int]]:
    """Return labels in sorted order, as integers if possible, and the code of each."""
    values: list[Item] = sorted(labels)
    if from_text and all(_CANONICAL_INTEGER.fullmatch(str(label)) for label in labels):
        values = sorted(int(label) for label in labels)
    return tuple(values), dict(zip(map(str, values), range(len(values)), strict=True))


def _plain(column: pl.Series) -> pl.Series:
    """Return the column as Int64 or text: String, or categories that have codes already."""
    dtype = column.dtype
    if dtype in (pl.String, pl.Null):
        return column.cast(pl.String)
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return column
    if dtype.is_integer():
        return column.cast(pl.Int64)
    if dtype.is_float():
        # pandas turns integers into floats as soon as one is missing.
        column = column.fill_nan(None)
        whole = column.cast(pl.Int64, strict=False)
        if bool((whole.cast(pl.Float64) == column).fill_null(value=True).all()):
            return whole
    raise InvalidComparisons(
        f"column {column.name!r} has type {dtype}: items and workers must be integers or strings"
    )


def as_text(column: pl.Series) -> pl.Series:
    """Return a column of lists or truth values as text; others as they are.

    A judge may be a list of its model and its prompt: ["gpt-4", "pair-v2"] is 'gpt-4 pair-v2'.
    """
    if column.dtype == pl.Boolean:
        return column.cast(pl.String)
    if isinstance(column.dtype, pl.List) and not column.dtype.inner.is_nested():
        return column.cast(pl.List(pl.String)).list.join(" ", ignore_nulls=True)
    return column


def _decode_categories(
    columns: Sequence[pl.Series],
    codes: Sequence[CodeArray],
    blank: frozenset[str],
    *,
    from_text: bool,
) -> Encoding:
    """Return the cleaned and sorted labels of the categories, and the columns as codes."""
    size = 1 + max(int(column.max()) for column in codes)
    unseen = np.ones(size + 1, bool)
    unseen[MISSING] = False
    seen, names = [np.zeros(0, np.int64)], []
    for column, categories in zip(columns, codes, strict=True):
        start, end = 0, CHUNK
        while start < len(column) and unseen.any():
            part = categories[start:end]
            row_of = np.full(size + 1, -1, np.int64)
            row_of[part] = np.arange(start, start + len(part))
            found = np.flatnonzero((row_of >= 0) & unseen)
            unseen[found] = False
            seen.append(found)
            names += column.gather(row_of[found]).cast(pl.String).to_list()
            start, end = end, 2 * end
    labels = list(map(str.strip, names))
    values, position = _sorted_labels(set(labels) - blank, from_text)
    position |= dict.fromkeys(blank, MISSING)
    table = np.full(size + 1, MISSING, np.int32)
    table[np.concatenate(seen)] = [*map(position.__getitem__, labels)]
    return values, [table[column] for column in codes]


def _physical(column: pl.Series) -> CodeArray:
    codes = column.to_physical()
    if codes.null_count() or codes.dtype != pl.UInt32:
        return codes.cast(pl.Int32).fill_null(MISSING).to_numpy()
    return codes.to_numpy().view(np.int32)


def _encode_integers(columns: Sequence[pl.Series]) -> Encoding:
    known = [column.drop_nulls() for column in columns if column.null_count() < len(column)]
    ends = [
        int(end) for column in known for end in (column.to_numpy().min(), column.to_numpy().max())
    ]
    rows = sum(map(len, columns))
    if ends and max(ends) - min(ends) < min(MOST_CELLS, 4 * rows + CHUNK):
        return _look_up_integers(columns, min(ends), max(ends))
    distinct = pl.concat([column.unique() for column in columns]).drop_nulls().unique().sort()
    values = distinct.to_numpy()
    codes = []
    for column in columns:
        missing = column.is_null().to_numpy()
        found = np.searchsorted(values, column.fill_null(0).to_numpy()).astype(np.int32)
        codes.append(np.where(missing, np.int32(MISSING), found))
    return tuple(distinct.to_list()), codes


def _look_up_integers(columns: Sequence[pl.Series], low: int, high: int) -> Encoding:
    """Encode integers with a table of all possible values."""
    places = [
        (column if not column.null_count() else column.fill_null(low)).to_numpy() - low
        for column in columns
    ]
    missing = [column.is_null().to_numpy() if column.null_count() else None for column in columns]
    seen = np.zeros(high - low + 1, np.bool_)
    for place, gone in zip(places, missing, strict=True):
        seen[place if gone is None else place[~gone]] = True
    table = (np.cumsum(seen) - 1).astype(np.int32)
    codes = []
    for place, gone in zip(places, missing, strict=True):
        found = table[place]
        if gone is not None:
            found[gone] = MISSING
        codes.append(found)
    return tuple((np.flatnonzero(seen) + low).tolist()), codes


def encode_values(values: Sequence[Item]) -> tuple[tuple[Item, ...], CodeArray]:
    """Return distinct values in sorted order, and the values as codes."""
    try:
        table = pl.DataFrame({"value": values})
    except TypeError:
        raise InvalidComparisons("labels must be all integers or all strings") from None
    ((labels, (codes,)),) = encode(table, [["value"]], from_text=False)
    return labels, codes


_COMMA = r"^\s*[+-]?\d*,\d+\s*$"
_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*$"


def numbers(column: pl.Series) -> pl.Series:
    """Return the column as floating-point numbers, null for other values.

    1,5 is read as 1.5; 1,500 might mean thousands, so such a column is not converted.
    """
    column = column.alias("numbers")  # a name like ^x$ would be a pattern to polars
    dtype = column.dtype
    if dtype != pl.String:
        usable = dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)
        if not usable:
            return pl.Series(column.name, [None] * len(column), pl.Float64)
        return column.cast(pl.Float64).fill_nan(None)
    text = column.str.strip_chars()
    plain = text.cast(pl.Float64, strict=False).fill_nan(None)
    unread = text.filter(plain.is_null() & text.is_not_null())
    if not len(unread) or not unread.str.contains(_COMMA).any():
        return plain
    if unread.str.contains(_THOUSANDS).any():
        return plain
    with_points = text.str.replace(",", ".", literal=True)
    by_comma = pl.select(
        pl.when(text.str.contains(_COMMA)).then(with_points).otherwise(text)
    ).to_series()
    return by_comma.cast(pl.Float64, strict=False).fill_nan(None)


def number(text: str) -> float:
    """Return a number, NaN for other text; a comma is a decimal comma.

    >>> number("0,5"), number("-1")
    (0.5, -1.0)
    """
    try:
        return float(text.replace(",", ".") if re.match(_COMMA, text) else text)
    except (ValueError, OverflowError):
        return float("nan")


MOST = 2**53  # votes that a row may stand for
SURELY_NUMBERED = 3  # rows that count up one by one


def whole_numbers(column: pl.Series) -> pl.Series:
    """Return a column of counts as numbers; in 1,204 the comma separates thousands."""
    if column.dtype != pl.String:
        return numbers(column)
    text = column.alias("numbers").str.strip_chars()
    with_comma = text.filter(text.str.contains(",", literal=True))
    if with_comma.is_empty() or not with_comma.str.contains(_THOUSANDS).all():
        return numbers(column)
    return numbers(text.str.replace_all(",", "", literal=True))


def read_counts(column: pl.Series) -> tuple[IntArray, BoolArray]:
    """Return whole numbers from 0, and which cells are invalid."""
    counts = whole_numbers(column).fill_null(np.nan).to_numpy()
    is_count = (counts >= 0) & (counts <= MOST) & (counts == np.floor(counts))
    return np.where(is_count, counts, 1).astype(np.int64), ~is_count


def without_running_number(layout: Layout, rows: pl.DataFrame) -> Layout:
    """Return the layout without a count column that only numbers the rows."""
    if layout.count is None:
        return layout
    return replace(layout, count=None) if numbers_rows(rows[layout.count]) else layout


def numbers_rows(column: pl.Series) -> bool:
    """Return whether the values count up by one, possibly restarting."""
    counts: FloatArray = numbers(column).fill_null(np.nan).to_numpy()
    if len(counts) < SURELY_NUMBERED or not counts[0] <= 1:
        return False
    steps = np.diff(counts)
    starts_again = counts[1:] == counts[0]
    return bool(((steps == 1) | starts_again).all() and (steps == 1).sum() >= len(counts) / 2)
