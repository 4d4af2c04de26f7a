"""Names that a spreadsheet would take for formulas: written with an apostrophe, read without."""

from __future__ import annotations

import re

import polars as pl

GUARD = "'"
# Spreadsheets run what begins so. A name that looks guarded already gets one more apostrophe, so
# that reading takes away what writing put there, and nothing else.
DANGEROUS = re.compile(r"'*[=+\-@\t\r]")
NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")


def guarded(text: str) -> str:
    """`text` as it can stand in a CSV file that somebody opens with a spreadsheet.

    >>> guarded("=1+1"), guarded("-5"), guarded("tea")
    ("'=1+1", '-5', 'tea')
    """
    if DANGEROUS.match(text) and not NUMBER.fullmatch(text):
        return GUARD + text
    return text


def without_guards(table: pl.DataFrame) -> pl.DataFrame:
    """A table of text as it was before `guarded`."""
    guard = rf"^{GUARD}({DANGEROUS.pattern})"
    columns = table.get_columns()  # by place: any text may be the name of a column
    for place, column in enumerate(columns):
        text = column.rename("")
        if column.dtype == pl.String and text.str.starts_with(GUARD).any():
            columns[place] = text.str.replace(guard, "$1").rename(column.name)
    return pl.DataFrame(columns)
