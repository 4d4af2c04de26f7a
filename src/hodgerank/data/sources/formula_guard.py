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


def without_guards(table: pl.DataFrame) -> pl.DataFrame:
    """Undo `guarded` in a table of text."""
    guard = rf"^{GUARD}({DANGEROUS.pattern})"
    columns = table.get_columns()  # by position: any text may be the name of a column
    for place, column in enumerate(columns):
        text = column.rename("")
        if column.dtype == pl.String and text.str.starts_with(GUARD).any():
            columns[place] = text.str.replace(guard, "$1").rename(column.name)
    return pl.DataFrame(columns)
