"""Rows for which a condition holds, as in `where="worker != 'bot' and seconds > 2"`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from hodgerank.data.reading.layout_detection import no_such_column
from hodgerank.data.reading.values import numbers
from hodgerank.errors import InvalidArgument
from hodgerank.types import BoolArray

_NOT_UNDERSTOOD = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def columns_in(where: str, columns: Sequence[str], source: str) -> list[str]:
    """Return the columns that a condition uses.

    >>> columns_in("worker != 'bot' and seconds > 2", ["worker", "seconds"], "votes.csv")
    ['worker', 'seconds']
    """
    try:
        names = pl.sql_expr(where).meta.root_names()
    except _NOT_UNDERSTOOD as error:
        raise _not_understood(where, error) from None
    for name in names:
        if name not in columns:
            raise no_such_column(source, name, columns)
    return list(dict.fromkeys(names))


def names_in(where: str) -> list[str]:
    """Return the names that a condition uses; none of an invalid one, which is reported later."""
    try:
        return pl.sql_expr(where).meta.root_names()
    except _NOT_UNDERSTOOD:
        return []


def rows_where(where: str, table: pl.DataFrame, *, from_text: bool) -> BoolArray:
    """Return the rows for which the condition holds; it does not hold for missing values.

    Numeric columns of a text file are compared as numbers if possible, else as text.
    """
    condition = pl.sql_expr(where)
    try:
        if from_text:
            names = condition.meta.root_names()
            typed = table.with_columns(_typed(table[name]) for name in dict.fromkeys(names))
            try:
                return _holds(condition, typed)
            except _NOT_UNDERSTOOD:
                pass
        return _holds(condition, table)
    except _NOT_UNDERSTOOD as error:
        raise _not_understood(where, error) from None


def _holds(condition: pl.Expr, table: pl.DataFrame) -> BoolArray:
    marked = table.with_row_index("__row__").filter(condition)["__row__"]
    holds = np.zeros(len(table), bool)
    holds[marked.to_numpy()] = True
    return holds


def _typed(column: pl.Series) -> pl.Series:
    as_numbers = numbers(column).alias(column.name)
    return as_numbers if as_numbers.null_count() == column.null_count() else column


def _not_understood(where: str, error: BaseException) -> InvalidArgument:
    reason = str(error).split("\n", 1)[0]
    return InvalidArgument(
        f"the condition {where!r} is invalid ({reason}): write it like \"worker != 'bot' and "
        'seconds > 2", with text in single quotes'
    )
