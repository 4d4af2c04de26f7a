"""open_table: the table behind a path, a stream, a dataframe, or rows."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hodgerank.data.sources.table import Table
from hodgerank.errors import InvalidComparisons


def open_table(
    source: Any,
    *,
    encoding: str | None,
    separator: str | None,
    sheet: str | None,
    name: str | None = None,
) -> Table:
    """Find out what the source is; what reads it is imported only then."""
    if isinstance(source, str | os.PathLike) or hasattr(source, "read"):
        from hodgerank.data.sources.files import open_file

        place = source if hasattr(source, "read") else Path(source)
        return open_file(place, encoding=encoding, separator=separator, sheet=sheet, name=name)
    from hodgerank.data.sources.frames import Frame

    if Frame.accepts(source):
        return Frame(source)
    if isinstance(source, Iterable) and not isinstance(source, bytes):
        from hodgerank.data.sources.rows import OUTCOME_OF_TUPLES, table_of_rows

        table, are_tuples = table_of_rows(source)
        return Frame(table, name="rows", scale=OUTCOME_OF_TUPLES if are_tuples else None)
    raise InvalidComparisons(
        f"cannot read votes from a {type(source).__name__}: "
        "give a path, a dataframe, rows (left, right, outcome), or Comparisons"
    )
