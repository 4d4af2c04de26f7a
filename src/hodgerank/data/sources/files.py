"""Files of votes as tables: CSV, TSV (plain or gzip), JSON lines, JSON, Parquet, Excel, PrefLib."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from functools import partial
from glob import glob
from pathlib import Path
from typing import IO

import polars as pl

from hodgerank.data.sources.foreign_formats import refuse_by_name
from hodgerank.data.sources.table import Table
from hodgerank.data.sources.text_table import DAMAGE, TextTable, damaged, open_text, opened
from hodgerank.display import short
from hodgerank.errors import InvalidArgument, InvalidComparisons, MissingDependency

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
JSON = (".json",)
EXCEL = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
PREFLIB = (".soc", ".soi", ".toc", ".toi")
TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
MAGIC = {rb"PAR1": PARQUET[0], rb'\{\s*"': JSON_LINES[0], rb"\[\s*\{": JSON[0]}


def open_file(
    source: Path | IO[bytes],
    *,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
    name: str | None = None,
    remark: str = "",
) -> Table:
    """Open the table in a file, in the files that match a pattern, or in a stream.

    `name` is the name in messages, whose suffix determines the format; `remark` is added to it.
    """
    content: Path | bytes
    if isinstance(source, Path):
        name, content = name or str(source), source
        if is_pattern(source):
            return _open_parquet(source, name, many=True)
        _require_readable(source)
        if not source.is_file():  # a pipe can be read only once
            content = _bytes_of(source.open("rb"), name)
    else:
        name, content = "standard input", _bytes_of(source, "standard input")
    refuse_by_name(name)
    ending = _ending(name, content)
    name += remark
    if sheet is not None and not ending.endswith(EXCEL):
        raise InvalidArgument(f"{name} is not a workbook: it has no sheets")
    if ending.endswith(PARQUET):
        return _open_parquet(content, name)
    if ending.endswith(JSON_LINES):
        return _open_typed(content, name, _read_json_lines, "JSON lines")
    if ending.endswith(JSON):
        return _open_typed(content, name, _read_json, "JSON")
    if ending.endswith(EXCEL):
        return _open_excel(content, name, sheet)
    if ending.endswith(PREFLIB):
        return _open_preflib(content, name, encoding)
    return open_text(content, name, encoding, separator)


def is_pattern(path: Path) -> bool:
    """Return whether many Parquet files are meant: 'votes/*.parquet'."""
    pattern = str(path)
    is_one = path.name.lower().endswith(PARQUET) and any(mark in pattern for mark in "*?[")
    if not is_one or path.exists():
        return False
    if not glob(pattern, recursive=True):
        raise InvalidComparisons(f"no file matches {pattern}")
    return True


def _require_readable(path: Path) -> None:
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except (OSError, ValueError):  # a name that no file can have
        is_folder, is_there = False, False
    if is_folder:
        raise InvalidComparisons(f"{path} is a folder, not a file")
    if not is_there:
        many = any(mark in str(path) for mark in "*?[")
        raise InvalidComparisons(f"no file matches {path}" if many else f"{path} does not exist")


def _bytes_of(stream: IO[bytes], name: str) -> bytes:
    try:
        data: bytes | str = stream.read()
    except (OSError, ValueError) as error:
        raise InvalidComparisons(f"{name} cannot be read: {error}") from None
    return data.encode() if isinstance(data, str) else data


def _ending(name: str, content: Path | bytes) -> str:
    """Return the format, by the name or else by the first bytes."""
    suffix = name.lower()
    if suffix.endswith((*PARQUET, *JSON_LINES, *JSON, *EXCEL, *PREFLIB)):
        return suffix
    try:
        with opened(content) as stream:
            start = stream.read(1 << 16).lstrip()
    except DAMAGE:
        return suffix
    if re.match(rb"#|\d|\xef", start):  # the reader of such files is imported on demand
        from hodgerank.data.sources.preflib import is_preflib

        if is_preflib(start):
            return PREFLIB[0]
    if suffix.endswith(TEXT):
        return suffix
    return next((ending for mark, ending in MAGIC.items() if re.match(mark, start)), suffix)


def _open_parquet(content: Path | bytes, name: str, *, many: bool = False) -> Table:
    scan = partial(pl.scan_parquet, glob=many)
    file = content if isinstance(content, Path) and not many else None
    return _open_typed(
        content, name, lambda data: scan(_seekable(data)), "Parquet", is_lazy=many, file=file
    )


def _open_preflib(content: Path | bytes, name: str, encoding: str | None) -> Table:
    from hodgerank.data.sources.frames import Frame
    from hodgerank.data.sources.preflib import read_preflib

    try:
        return Frame(read_preflib(content, name, encoding), name=f"{name} (PrefLib)")
    except DAMAGE as error:
        raise damaged(name, error) from None


def _open_typed(
    content: Path | bytes,
    name: str,
    scan: Callable[[Path | bytes], pl.LazyFrame],
    what: str,
    *,
    is_lazy: bool = False,
    file: Path | None = None,
) -> Table:
    """Read a format whose columns have types; `file` is read when its columns are used."""
    from hodgerank.data.sources.frames import AUTO, Frame

    try:
        lazy = scan(content)
        lazy.collect_schema()
    except (*DAMAGE, RecursionError) as error:
        reason = str(error).split("\n", 1)[0]
        raise InvalidComparisons(f"{name} is not readable as {what}: {reason}") from None
    return Frame(lazy, name=name, is_lazy=is_lazy, file=file, backend=AUTO)


def _seekable(content: Path | bytes) -> Path | io.BytesIO:
    return content if isinstance(content, Path) else io.BytesIO(content)


def _read_json(content: Path | bytes) -> pl.LazyFrame:
    # Types inferred from the first rows alone would turn a later 1.5 into 1.
    try:
        return pl.read_json(_seekable(content), infer_schema_length=None).lazy()
    except pl.exceptions.PolarsError as error:
        with opened(content) as stream:
            return _leniently(stream.read(), error)


def _read_json_lines(content: Path | bytes) -> pl.LazyFrame:
    with opened(content) as stream:
        data = stream.read()
    try:
        return pl.read_ndjson(data, infer_schema_length=None).lazy()
    except pl.exceptions.PolarsError as error:
        rows = b",".join(line for line in data.splitlines() if line.strip())
        return _leniently(b"[" + rows + b"]", error)


def _leniently(data: bytes, error: pl.exceptions.PolarsError) -> pl.LazyFrame:
    """Read records with NaN, or with nested values of different types, which become JSON text."""
    try:
        records = json.loads(data)
    except ValueError:
        raise error from None
    if not (isinstance(records, list) and all(isinstance(record, dict) for record in records)):
        raise error
    columns: list[pl.Series] = []
    for name in dict.fromkeys(name for record in records for name in record):
        values = [record.get(name) for record in records]
        try:
            columns.append(pl.Series(name, values))
        except (TypeError, OverflowError, pl.exceptions.PolarsError):
            texts = [v if v is None or isinstance(v, str) else json.dumps(v) for v in values]
            columns.append(pl.Series(name, texts, pl.String))
    return pl.LazyFrame(columns)


def _open_excel(content: Path | bytes, name: str, sheet: str | None) -> TextTable:
    """Read a sheet of a workbook as text; numbers are recognised later, as in CSV."""
    try:
        import fastexcel
    except ImportError:
        raise MissingDependency("hodgerank[excel]", "reading a workbook") from None
    from hodgerank.data.sources.workbook_bounds import require_bounded_workbook

    require_bounded_workbook(content, name)
    try:
        book = fastexcel.read_excel(content)
        names, is_named = book.sheet_names, sheet is not None
        if sheet is None:
            sheet = names[0]
        elif sheet not in names:
            raise InvalidComparisons(f"{name} has no sheet {sheet!r}: it has {', '.join(names)}")
        cells = book.load_sheet(sheet, header_row=None, dtypes="string").to_polars()
    except BaseException as error:
        # A panic of the library is no Exception, and its class cannot be imported.
        known = (fastexcel.FastExcelError, pl.exceptions.PolarsError, OSError, IndexError)
        if not isinstance(error, known) and type(error).__name__ != "PanicException":
            raise
        reason = str(error).split("\n", 1)[0]
        raise InvalidComparisons(f"{name} is not readable as a workbook: {reason}") from None
    filled = cells.filter(~pl.all_horizontal(pl.all().is_null())) if cells.width else cells
    others = "" if is_named else f" (others: {short(', '.join(n for n in names if n != sheet))})"
    where = f"{name}, sheet {sheet}{others}" if len(names) > 1 else name
    if not len(filled):
        raise InvalidComparisons(f"{where} is empty: a header and one row are needed")
    return open_text(filled.write_csv(include_header=False).encode(), where, separator=",")
