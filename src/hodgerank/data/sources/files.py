"""Files of votes: CSV, TSV (plain or gzip), JSON lines and Parquet, as tables."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from glob import glob
from pathlib import Path
from typing import IO, cast

import numpy as np
import polars as pl

from hodgerank.data.sources.table import Table
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.types import BoolArray, IntArray

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
JSON = (".json",)
SEPARATORS = ",\t;|"
OTHER_PACKERS = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"(\xb5/\xfd": "zstd", b"PK\x03\x04": "zip"}
DAMAGE = (pl.exceptions.PolarsError, OSError, EOFError, zlib.error, csv.Error)
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


def open_file(
    source: Path | IO[bytes], *, encoding: str | None = None, separator: str | None = None
) -> Table:
    """The table in a file, in the files that a pattern matches, or in a stream of CSV."""
    if not isinstance(source, Path):
        return _open_text(source, encoding, separator)
    is_pattern = _is_pattern(source)
    if not source.is_file() and not is_pattern:
        what = "is a folder, not a file" if source.is_dir() else "does not exist"
        if any(mark in str(source) for mark in "*?["):
            what += " (many files at once must be Parquet)"
        raise InvalidComparisons(f"{source} {what}")
    ending = source.name.lower()
    if ending.endswith(PARQUET):
        scan = partial(pl.scan_parquet, glob=is_pattern)
        return _open_typed(source, scan, "Parquet", is_lazy=is_pattern)
    if ending.endswith(JSON_LINES):
        return _open_typed(source, _read_json_lines, "JSON lines")
    if ending.endswith(JSON):
        return _open_typed(source, lambda path: pl.read_json(path).lazy(), "JSON")
    return _open_text(source, encoding, separator)


def _is_pattern(path: Path) -> bool:
    """Whether many Parquet files are meant: 'votes/*.parquet'."""
    pattern = str(path)
    is_pattern = path.name.lower().endswith(PARQUET) and any(mark in pattern for mark in "*?[")
    if not is_pattern or path.is_file():
        return False
    if not glob(pattern, recursive=True):
        raise InvalidComparisons(f"no file is called like {pattern}")
    return True


def _open_typed(
    path: Path, scan: Callable[[Path], pl.LazyFrame], what: str, *, is_lazy: bool = False
) -> Table:
    """A format whose columns have types."""
    from hodgerank.data.sources.frames import Frame

    try:
        lazy = scan(path)
        lazy.collect_schema()
    except DAMAGE as error:
        reason = str(error).split("\n", 1)[0]
        raise InvalidComparisons(f"{path} is not readable as {what}: {reason}") from None
    return Frame(lazy, name=str(path), is_lazy=is_lazy)


def _read_json_lines(path: Path) -> pl.LazyFrame:
    with _opened(path) as stream:
        return pl.read_ndjson(stream.read(), infer_schema_length=None).lazy()


def _open_text(source: Path | IO[bytes], encoding: str | None, separator: str | None) -> TextTable:
    name = str(source) if isinstance(source, Path) else "standard input"
    if separator == "\\t":
        separator = "\t"
    elif separator is not None and not (len(separator) == 1 and separator.isascii()):
        raise InvalidArgument(f"separator {separator!r} must be a single ASCII character")
    try:
        data = _as_utf8(source, name, encoding)
        with _opened(data) as stream:
            first = stream.readline().decode("utf-8", errors="replace").rstrip("\r\n")
        if not first.strip():
            raise InvalidComparisons(f"{name} is empty: a header and one row are needed")
        unquoted = re.sub(r'"[^"]*"', "", first)
        separator = separator or max(SEPARATORS, key=unquoted.count)
        columns = next(csv.reader([first], delimiter=separator))
    except DAMAGE as error:
        raise _damaged(name, error) from None
    return TextTable(name, columns, data, separator)


def _as_utf8(source: Path | IO[bytes], name: str, encoding: str | None) -> Path | bytes:
    """The file itself, or its content with another encoding or line ends made plain."""
    data: Path | bytes = source if isinstance(source, Path) else source.read()
    if isinstance(data, str):
        data = data.encode()
    if encoding is None:
        with _opened(data) as stream:
            start = stream.read(1 << 16)
        packed = (packer for mark, packer in OTHER_PACKERS.items() if start.startswith(mark))
        if packer := next(packed, None):
            raise InvalidComparisons(f"{name} is packed with {packer}: unpack it first")
        marks = (found for mark, found in _BYTE_ORDER_MARKS.items() if start.startswith(mark))
        encoding = next(marks, None)
        is_plain = not start[:1].isspace() and (b"\r" not in start or b"\n" in start)
        if encoding is None and is_plain:
            return data
    with _opened(data) as stream:
        content = stream.read()
    if b"\n" not in content[: 1 << 16]:
        content = content.replace(b"\r", b"\n")  # the line ends of old Macintosh programs
    try:
        return content.decode(encoding or "utf-8").lstrip().encode()
    except LookupError:
        raise InvalidArgument(f"there is no encoding {encoding!r}; try 'latin-1'") from None
    except UnicodeDecodeError as error:
        raise InvalidComparisons(f"{name} is not {encoding}: {error}") from None


@dataclass(frozen=True)
class TextTable:
    """A table without types: all columns are strings.

    So '007' stays an item, and a bad number can be reported with its row.
    """

    name: str
    columns: list[str]
    content: Path | bytes
    separator: str
    backend = "polars"
    from_text = True
    is_lazy = False
    is_streamable = False

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """Every row of these columns, and which have more fields than the header (None: none)."""
        twice = [name for name in columns if self.columns.count(name) > 1]
        if twice:
            raise InvalidComparisons(f"{self.name}: column {twice[0]} appears twice: rename one")
        try:
            # All columns are read, since rows with too many fields are only noticed then.
            table = pl.read_csv(
                self.content, separator=self.separator, infer_schema=False, glob=False
            )
            names = dict(zip(self.columns, table.columns, strict=True))
            return table.select(pl.col(names[name]).alias(name) for name in columns), None
        except DAMAGE as error:
            reason = str(error)
        try:
            return self._line_by_line(columns, reason)
        except DAMAGE as error:
            raise _damaged(self.name, error) from None

    def distinct_rows(self, columns: list[str]) -> tuple[pl.DataFrame, IntArray]:
        """Each row once: text is here already, and counting it saves nothing."""
        table, _ = self.rows(columns)
        return table, np.ones(len(table), np.int64)

    def head(self, columns: list[str], size: int) -> pl.DataFrame:
        """The first so many rows of these columns."""
        return self.rows(columns)[0].head(size)

    def batches(self, columns: list[str], size: int) -> Iterator[pl.DataFrame]:
        """Everything at once: text is read in one go."""
        yield self.rows(columns)[0]

    def _line_by_line(self, columns: list[str], reason: str) -> tuple[pl.DataFrame, BoolArray]:
        """Find what the fast reader stumbled over."""
        with _opened(self.content) as stream:
            reader = csv.reader(self._checked(stream), delimiter=self.separator)
            next(reader)
            records = [record for record in reader if record]
        ragged = np.array([len(record) > len(self.columns) for record in records], bool)
        if not ragged.any():
            first = reason.split("\n", 1)[0]
            raise InvalidComparisons(
                f"{self.name} is not readable as CSV: {first}. Is a quotation mark left open?"
            )
        where = [self.columns.index(name) for name in columns]
        cells = [[r[k] if k < len(r) else None for k in where] for r in records]
        return pl.DataFrame(cells, schema=dict.fromkeys(columns, pl.String), orient="row"), ragged

    def _checked(self, stream: IO[bytes]) -> Iterator[str]:
        for number, line in enumerate(stream, start=1):
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise InvalidComparisons(
                    f"{self.name}, line {number}: byte 0x{line[error.start]:02x} is not UTF-8 "
                    f"({line.decode('latin-1').strip()[:60]!r} if it were Latin-1). Save the file "
                    "as UTF-8, or name its encoding: encoding='latin-1' (--encoding latin-1)"
                ) from None


def _damaged(name: str, error: Exception) -> InvalidComparisons:
    reason = str(error).split("\n", 1)[0]
    return InvalidComparisons(f"{name} is damaged or not a table of votes: {reason}")


@contextmanager
def _opened(data: Path | bytes) -> Iterator[IO[bytes]]:
    """The bytes of a file or of a buffer, unpacked if they are gzipped."""
    with data.open("rb") if isinstance(data, Path) else io.BytesIO(data) as raw:
        is_gzip = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        if not is_gzip:
            yield raw
            return
        with gzip.open(raw) as unpacked:
            yield cast(IO[bytes], unpacked)
