"""Names that a spreadsheet would run as formulas: written with an apostrophe, read without."""

from __future__ import annotations

import re

import polars as pl

GUARD = "'"
# Spreadsheets run text that begins so. A name that looks guarded already gets one more apostrophe,
# so that reading removes exactly what writing added.
DANGEROUS = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def guarded(text: str) -> str:
    """Return `text` in a form that is safe in a CSV file opened with a spreadsheet.

    >>> guarded("=1+1"), guarded("-5"), guarded("tea")
    ("'=1+1", '-5', 'tea')
    """
    if DANGEROUS.match(text) and not NUMBER.fullmatch(text):
        return GUARD + text
    return text


def with_guards(table: pl.DataFrame) -> pl.DataFrame:
    """Apply `guarded` to every text of a table, before it is written as CSV."""
    columns = table.get_columns()  # by position: any text may be the name of a column
    for place, column in enumerate(columns):
        if column.dtype != pl.String:
            continue
        text = column.rename("")
        is_number = text.str.contains(f"^(?:{NUMBER.pattern})$")
        is_unsafe = text.str.contains(f"^(?:{DANGEROUS.pattern})") & ~is_number
        if is_unsafe.any():
            safe = pl.when(is_unsafe).then(GUARD + text).otherwise(text)
            columns[place] = pl.select(safe).to_series().rename(column.name)
    return pl.DataFrame({column.name: column for column in columns})


def without_guards(table: pl.DataFrame) -> pl.DataFrame:
    """Undo `guarded` in a table of text."""
    guard = rf"^{GUARD}({DANGEROUS.pattern})"
    columns = table.get_columns()  # by position: any text may be the name of a column
    for place, column in enumerate(columns):
        text = column.rename("")
        if column.dtype == pl.String and text.str.starts_with(GUARD).any():
            columns[place] = text.str.replace(guard, "$1").rename(column.name)
    return pl.DataFrame(columns)
