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
    suspects = [
        name
        for name, kind in table.schema.items()
        if kind == pl.String and table[name].str.starts_with(GUARD).any()
    ]
    guard = rf"^{GUARD}({DANGEROUS.pattern})"
    return table.with_columns(pl.col(suspects).str.replace(guard, "$1")) if suspects else table
