"""Numbers in text, as people write them: with a point, or with a decimal comma."""

from __future__ import annotations

import re

import polars as pl

_COMMA = r"^\s*[+-]?\d*,\d+\s*$"
_THOUSANDS = r"^\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*$"


def numbers(column: pl.Series) -> pl.Series:
    """The column as floating-point numbers, null where it holds none.

    1,5 is one and a half; 1,500 might be thousands, so such a column is not read by its commas.
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
    """One number, NaN where it is none; the comma of a label is a decimal comma.

    >>> number("0,5"), number("-1")
    (0.5, -1.0)
    """
    try:
        return float(text.replace(",", ".") if re.match(_COMMA, text) else text)
    except (ValueError, OverflowError):
        return float("nan")
