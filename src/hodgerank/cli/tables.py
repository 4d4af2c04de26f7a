"""Tables on disk, in and out, by the suffix of their file."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import polars as pl

from hodgerank.cli.outputs import TABLES, goes_to_standard_output
from hodgerank.cli.standard_input import file_or_input
from hodgerank.cli.standard_output import print_bytes
from hodgerank.data.sources.files import open_file
from hodgerank.errors import InvalidComparisons
from hodgerank.notebook import cut
from hodgerank.writing import write_file


def write_table(table: pl.DataFrame, path: Path) -> None:
    """Write a table in the format its name ends in; to standard output as CSV."""
    if goes_to_standard_output(path):
        print_bytes(table.write_csv().encode())
        return
    writers: dict[str, Callable[[BytesIO], object]] = {
        ".csv": table.write_csv,
        ".parquet": table.write_parquet,
        ".json": table.write_json,
    }
    buffer = BytesIO()
    writers[path.suffix.lower()](buffer)
    write_file(path, buffer.getvalue())


def write_result(result: Any, path: Path) -> None:
    """Write a result: as its chart if the name says so, else as its table."""
    if path.suffix.lower() in TABLES or goes_to_standard_output(path):
        write_table(result.to_frame("polars"), path)
        return
    from hodgerank.plotting.charts import save_chart

    save_chart(result.plot(), path)


def read_scores(path: Path) -> dict[str, float]:
    """Scores by item from a table with columns item and score."""
    raw = open_file(file_or_input(path))
    if not {"item", "score"} <= set(raw.columns):
        columns = cut(", ".join(raw.columns), 200)
        raise InvalidComparisons(f"{path}: columns item and score are needed; it has {columns}")
    table, _ = raw.rows(["item", "score"])
    scores = table["score"].cast(pl.Float64, strict=False)
    names = table["item"].cast(pl.String).str.strip_chars()
    if scores.null_count() or names.n_unique() < len(names):
        raise InvalidComparisons(f"{path}: every item needs one score, a number")
    return dict(zip(names, scores, strict=True))
