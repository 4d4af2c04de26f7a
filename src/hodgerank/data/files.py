"""Files of votes: CSV, TSV (plain or gzip), JSON lines and Parquet, as raw tables."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import IO, cast

import numpy as np
import polars as pl

from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.types import BoolArray

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
JSON = (".json",)
SEPARATORS = ",\t;|"
OTHER_PACKERS = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"(\xb5/\xfd": "zstd", b"PK\x03\x04": "zip"}
DAMAGE = (pl.exceptions.PolarsError, OSError, EOFError, zlib.error, csv.Error)
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}


@dataclass(frozen=True)
class File:
    """A readable table on disk or in a stream.

    Text without types (CSV) is read as strings, so that '007' stays an item and a bad number
    can be reported with its row.
    """

    source: Path | IO[bytes]
    encoding: str | None = None
    separator: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.source, Path) and not self.source.is_file() and not self.is_many:
            what = "is a folder, not a file" if self.source.is_dir() else "does not exist"
            if any(mark in self.name for mark in "*?["):
                what += " (many files at once must be Parquet)"
            raise InvalidComparisons(f"{self.source} {what}")
        separator = self.separator
        if separator == "\\t":
            object.__setattr__(self, "separator", "\t")
        elif separator is not None and not (len(separator) == 1 and separator.isascii()):
            raise InvalidArgument(f"separator {separator!r} must be a single ASCII character")

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.source) if isinstance(self.source, Path) else "standard input"

    @property
    def is_many(self) -> bool:
        """Whether it is a pattern of Parquet files: 'votes/*.parquet'."""
        if not isinstance(self.source, Path) or not self._ends_with(PARQUET):
            return False
        pattern = str(self.source)
        if self.source.is_file():
            return False
        if not any(mark in pattern for mark in "*?["):
            return False
        if not glob(pattern, recursive=True):
            raise InvalidComparisons(f"no file is called like {pattern}")
        return True

    def pieces(self, columns: list[str], size: int) -> Iterator[tuple[int, pl.DataFrame]]:
        """So many rows of these columns at a time, and the number of rows before them."""
        lazy = self.open().lazy
        assert lazy is not None, "text is not read in pieces"
        try:
            n_rows = int(lazy.select(pl.len()).collect().item())
            table = lazy.select(columns)
            for start in range(0, n_rows, size):
                yield start, table.slice(start, size).collect(engine="streaming")
        except DAMAGE as error:
            raise _damaged(self.name, error) from None

    @property
    def is_text(self) -> bool:
        """Whether columns come without types."""
        return not self._ends_with(PARQUET + JSON_LINES + JSON)

    def _ends_with(self, suffixes: tuple[str, ...]) -> bool:
        return isinstance(self.source, Path) and self.source.name.lower().endswith(suffixes)

    def open(self) -> RawTable:
        """The column names, and the rows when asked for."""
        if self._ends_with(PARQUET):
            return self._typed(lambda path: pl.scan_parquet(path, glob=self.is_many), "Parquet")
        if self._ends_with(JSON_LINES):
            return self._typed(_read_json_lines, "JSON lines")
        if self._ends_with(JSON):
            return self._typed(lambda path: pl.read_json(path).lazy(), "JSON")
        try:
            return self._text()
        except DAMAGE as error:
            raise _damaged(self.name, error) from None

    def _typed(self, scan: Callable[[Path], pl.LazyFrame], what: str) -> RawTable:
        assert isinstance(self.source, Path)
        try:
            lazy = scan(self.source)
            return RawTable(self.name, lazy.collect_schema().names(), lazy)
        except DAMAGE as error:
            reason = str(error).split("\n", 1)[0]
            raise InvalidComparisons(f"{self.name} is not readable as {what}: {reason}") from None

    def _text(self) -> RawTable:
        data = self._utf8()
        with _opened(data) as stream:
            first = stream.readline().decode("utf-8", errors="replace").rstrip("\r\n")
        if not first.strip():
            raise InvalidComparisons(f"{self.name} is empty: a header and one row are needed")
        unquoted = re.sub(r'"[^"]*"', "", first)
        separator = self.separator or max(SEPARATORS, key=unquoted.count)
        columns = next(csv.reader([first], delimiter=separator))
        return RawTable(self.name, columns, None, text=data, separator=separator)

    def _utf8(self) -> Path | bytes:
        """The file itself, or its content with another encoding or line ends made plain."""
        data: Path | bytes = self.source if isinstance(self.source, Path) else self.source.read()
        if isinstance(data, str):
            data = data.encode()
        encoding = self.encoding
        if encoding is None:
            with _opened(data) as stream:
                start = stream.read(1 << 16)
            packed = (name for mark, name in OTHER_PACKERS.items() if start.startswith(mark))
            if packer := next(packed, None):
                raise InvalidComparisons(f"{self.name} is packed with {packer}: unpack it first")
            marks = (name for mark, name in _BYTE_ORDER_MARKS.items() if start.startswith(mark))
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
            raise InvalidComparisons(f"{self.name} is not {encoding}: {error}") from None


@dataclass(frozen=True)
class RawTable:
    """Column names and rows that are not yet understood."""

    name: str
    columns: list[str]
    lazy: pl.LazyFrame | None
    text: Path | bytes | None = None
    separator: str = ","

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """These columns, and which rows have more fields than the header (None: none has)."""
        twice = [name for name in columns if self.columns.count(name) > 1]
        if twice:
            raise InvalidComparisons(f"{self.name}: column {twice[0]} appears twice: rename one")
        try:
            if self.lazy is not None:
                return self.lazy.select(columns).collect(), None
            assert self.text is not None
            # All columns are read, since rows with too many fields are only noticed then.
            table = pl.read_csv(self.text, separator=self.separator, infer_schema=False, glob=False)
            names = dict(zip(self.columns, table.columns, strict=True))
            return table.select(pl.col(names[name]).alias(name) for name in columns), None
        except DAMAGE as error:
            if self.text is None:
                raise _damaged(self.name, error) from None
            reason = str(error)
        try:
            return self._line_by_line(columns, reason)
        except DAMAGE as error:
            raise _damaged(self.name, error) from None

    def _line_by_line(self, columns: list[str], reason: str) -> tuple[pl.DataFrame, BoolArray]:
        """Find what the fast reader stumbled over."""
        assert self.text is not None
        with _opened(self.text) as stream:
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


def _read_json_lines(path: Path) -> pl.LazyFrame:
    with _opened(path) as stream:
        return pl.read_ndjson(stream.read(), infer_schema_length=None).lazy()


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
