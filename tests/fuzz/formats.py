"""Sheets as the bytes of a file, in every format that can be read."""

from __future__ import annotations

import gzip
import io
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import polars as pl

from fuzz.sheets import Cell, Sheet, is_tame

SEPARATORS = ",\t;|"


@dataclass
class Written:
    """A file, and what the command must be told to read it."""

    format: str
    suffix: str
    content: bytes
    options: list[str] = field(default_factory=list)
    is_certain: bool = True


def draw_format(rng: Random, sheet: Sheet) -> Written:
    """The sheet in some format; one without a header can only be text."""
    writers: list[Callable[[Random, Sheet], Written]] = [
        plain_text, other_encoding, zipped, json_lines, json_records, parquet, workbook,
    ]  # fmt: skip
    writers = writers if sheet.has_header else writers[:3]
    return rng.choices(writers, [35, 15, 10, 12, 8, 12, 8][: len(writers)])[0](rng, sheet)


def plain_text(rng: Random, sheet: Sheet) -> Written:
    """CSV, TSV, semicolons and bars, with the line ends and marks that programs leave."""
    name, separator, comma = rng.choice(
        (("CSV", ",", "."), ("CSV", ",", "."), ("TSV", "\t", "."), ("semicolons", ";", "."),
         ("decimal commas", ";", ","), ("bars", "|", "."))
    )  # fmt: skip
    text = _text(rng, sheet, separator, comma)
    mark = "\ufeff" if rng.random() < 0.1 else ""
    options = ["--separator", separator] if rng.random() < 0.1 else []
    suffix = ".tsv" if name == "TSV" else rng.choice((".csv", ".csv", ".csv", ".txt", ".data", ""))
    return Written(name, suffix, (mark + text).encode(), options)


def other_encoding(rng: Random, sheet: Sheet) -> Written:
    """UTF-16, which announces itself, and Latin-1, which must be named."""
    text = _text(rng, sheet, rng.choice(",;\t"), ".")
    if rng.random() < 0.5:
        return Written("UTF-16", ".csv", text.encode("utf-16"))
    try:
        content = text.encode("latin-1")
    except UnicodeEncodeError:
        return Written("UTF-16 BE", ".csv", b"\xfe\xff" + text.encode("utf-16-be"))
    is_named = rng.random() < 0.7
    options = ["--encoding", "latin-1"] if is_named else []
    return Written("Latin-1", ".csv", content, options, is_named or text.isascii())


def zipped(rng: Random, sheet: Sheet) -> Written:
    """CSV with gzip."""
    content = gzip.compress(_text(rng, sheet, ",", ".").encode(), mtime=0)
    return Written("gzip", rng.choice((".csv.gz", ".gz", ".csv")), content)


def json_lines(rng: Random, sheet: Sheet) -> Written:
    """JSON lines, also with gzip."""
    lines = "".join(json.dumps(record) + "\n" for record in _records(sheet)).encode()
    if rng.random() < 0.3:
        return Written("JSON lines gzip", ".jsonl.gz", gzip.compress(lines, mtime=0))
    return Written("JSON lines", rng.choice((".jsonl", ".ndjson", "")), lines)


def json_records(rng: Random, sheet: Sheet) -> Written:
    """JSON, a list of records."""
    content = json.dumps(_records(sheet), ensure_ascii=rng.random() < 0.5, indent=1)
    return Written("JSON", ".json", content.encode("utf-8", "surrogatepass"))


def parquet(rng: Random, sheet: Sheet) -> Written:
    """Parquet; items that are all integers are sometimes stored so."""
    content = io.BytesIO()
    _frame(sheet).write_parquet(content)
    return Written("Parquet", rng.choice((".parquet", ".pq")), content.getvalue())


def workbook(rng: Random, sheet: Sheet) -> Written:
    """Excel, where it takes the cells as they are."""
    if not is_tame(sheet):
        return plain_text(rng, sheet)
    content = io.BytesIO()
    _frame(sheet).write_excel(content)
    return Written("Excel", ".xlsx", content.getvalue())


def _text(rng: Random, sheet: Sheet, separator: str, comma: str) -> str:
    end = rng.choice(("\n", "\n", "\n", "\r\n"))
    quotes_all = rng.random() < 0.15
    table = [sheet.header, *sheet.rows] if sheet.has_header else sheet.rows
    lines = [
        separator.join(_quoted(_shown(cell, comma), quotes_all) for cell in row) for row in table
    ]
    return end.join(lines) + (end if rng.random() < 0.9 else "")


def _shown(cell: Cell, comma: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:g}".replace(".", comma)
    return str(cell)


def _quoted(cell: str, always: bool) -> str:
    """In quotes where a reader might stumble otherwise."""
    needs_quotes = any(mark in cell for mark in (*SEPARATORS, '"', "\r", "\n"))
    if always or needs_quotes or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _columns(sheet: Sheet) -> dict[str, list[Cell]]:
    """Columns of one type each: numbers, or text where one cell is."""
    columns: dict[str, list[Cell]] = {}
    for place, name in enumerate(sheet.header):
        cells = [row[place] for row in sheet.rows]
        is_text = any(isinstance(cell, str) for cell in cells)
        columns[name] = [
            cell if cell is None or not is_text else _shown(cell, ".") for cell in cells
        ]
    return columns


def _frame(sheet: Sheet) -> pl.DataFrame:
    return pl.DataFrame(_columns(sheet), strict=False)


def _records(sheet: Sheet) -> list[dict[str, Cell]]:
    columns = {
        name: [None if isinstance(c, float) and not math.isfinite(c) else c for c in cells]
        for name, cells in _columns(sheet).items()
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
