"""Votes as a table: CSV or Parquet, which every other command reads."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hodgerank.data.sources.formulas import guarded
from hodgerank.errors import require_one_of

BESIDE_VOTES = ("answer", "purpose", "is_counted", "why_not", "marks", "is_late")
FORMATS = (".csv", ".parquet", ".jsonl")
SIDES = ("left", "right")


def format_of(path: Path | str) -> str:
    """By the ending of a file's name."""
    ending = Path(path).suffix.lower()
    return require_one_of(ending, FORMATS, "the ending")


def table_of(rows: Sequence[dict[str, Any]], form: str, *, everything: bool) -> bytes:
    """Answers as a CSV or Parquet file, all of them or those that count.

    Where all are there, those that do not count have no outcome; what was said is in `answer`.
    """
    import polars as pl

    if everything:  # whoever reads it as votes gets those that are
        rows = [
            {
                **row,
                "answer": row["outcome"],
                "outcome": row["outcome"] if row["is_counted"] else None,
            }
            for row in rows
        ]
    else:
        rows = [
            {name: value for name, value in row.items() if name not in BESIDE_VOTES}
            for row in rows
            if row["is_counted"]
        ]
    schema = {name: kind for name, kind in SCHEMA.items() if everything or name not in BESIDE_VOTES}
    names = [row[side] for row in rows for side in SIDES]
    if not all(isinstance(name, int) for name in names):
        rows = [{**row, **{side: str(row[side]) for side in SIDES}} for row in rows]
        schema |= dict.fromkeys(SIDES, "str")
    kinds = {"int": pl.Int64, "str": pl.String, "float": pl.Float64, "bool": pl.Boolean}
    table = pl.DataFrame(rows, schema={name: kinds[kind] for name, kind in schema.items()})
    said = {"weight": 1.0, "track": "", "is_display_known": True}
    quiet = [name for name, usual in said.items() if (table[name] == usual).all()]
    table = table.drop(quiet)
    if form == ".parquet":
        from io import BytesIO

        content = BytesIO()
        table.write_parquet(content)
        return content.getvalue()
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    safe = (pl.col(name).map_elements(guarded, pl.String) for name in texts)
    return table.with_columns(safe).write_csv().encode()


SCHEMA = {
    "left": "int",
    "right": "int",
    "outcome": "float",
    "worker": "str",
    "weight": "float",
    "time": "str",
    "seconds": "float",
    "track": "str",
    "asked_by": "str",
    "answer": "float",
    "purpose": "str",
    "is_counted": "bool",
    "why_not": "str",
    "marks": "str",
    "is_late": "bool",
    "is_display_known": "bool",
}
