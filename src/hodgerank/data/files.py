"""Files of votes: CSV, TSV (plain or gzip), JSON lines and Parquet, as raw tables."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np
import polars as pl

from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.types import BoolArray

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")
SEPARATORS = ",\t;|"
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
        if isinstance(self.source, Path) and not self.source.is_file():
            what = "is a folder, not a file" if self.source.is_dir() else "does not exist"
            raise InvalidComparisons(f"{self.source} {what}")
        if self.separator is not None and len(self.separator) != 1:
            raise InvalidArgument(f"separator {self.separator!r} must be a single character")

    @property
    def name(self) -> str:
        """What messages call it."""
        return str(self.source) if isinstance(self.source, Path) else "standard input"

    @property
    def is_text(self) -> bool:
        """Whether columns come without types."""
        return not self._ends_with(PARQUET + JSON_LINES)

    def _ends_with(self, suffixes: tuple[str, ...]) -> bool:
        return isinstance(self.source, Path) and self.source.name.lower().endswith(suffixes)

    def open(self) -> RawTable:
        """The column names, and the rows when asked for."""
        if self._ends_with(PARQUET):
            return self._typed(lambda: pl.scan_parquet(self.source), "Parquet")
        if self._ends_with(JSON_LINES):
            return self._typed(
                lambda: pl.scan_ndjson(self.source, infer_schema_length=None), "JSON lines"
            )
        return self._text()

    def _typed(self, scan: Callable[[], pl.LazyFrame], what: str) -> RawTable:
        try:
            lazy = scan()
            return RawTable(self.name, lazy.collect_schema().names(), lazy)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise InvalidComparisons(f"{self.name} is not readable as {what}: {error}") from None

    def _text(self) -> RawTable:
        data = self._utf8()
        with _opened(data) as stream:
            first = stream.readline().decode("utf-8", errors="replace").rstrip("\r\n")
        if not first.strip():
            raise InvalidComparisons(f"{self.name} is empty: a header and one row are needed")
        separator = self.separator or max(SEPARATORS, key=first.count)
        columns = next(csv.reader([first], delimiter=separator))
        repeated = {name for name in columns if columns.count(name) > 1}
        if repeated:
            raise InvalidComparisons(
                f"{self.name}: column {', '.join(sorted(repeated))} appears twice: rename one"
            )
        lazy = pl.scan_csv(data, separator=separator, infer_schema=False)
        return RawTable(self.name, columns, lazy, text=data, separator=separator)

    def _utf8(self) -> Path | bytes:
        """The file itself, or its content re-encoded where it is in another encoding."""
        data: Path | bytes = self.source if isinstance(self.source, Path) else self.source.read()
        encoding = self.encoding
        if encoding is None:
            with _opened(data) as stream:
                start = stream.read(3)
            marks = (name for mark, name in _BYTE_ORDER_MARKS.items() if start.startswith(mark))
            encoding = next(marks, None)
        if encoding is None:
            return data
        with _opened(data) as stream:
            content = stream.read()
        try:
            return content.decode(encoding).encode()
        except LookupError:
            raise InvalidArgument(f"there is no encoding {encoding!r}; try 'latin-1'") from None
        except UnicodeDecodeError as error:
            raise InvalidComparisons(f"{self.name} is not {encoding}: {error}") from None


@dataclass(frozen=True)
class RawTable:
    """Column names and rows that are not yet understood."""

    name: str
    columns: list[str]
    lazy: pl.LazyFrame
    text: Path | bytes | None = None
    separator: str = ","

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """These columns, and which rows have more fields than the header (None: none has)."""
        try:
            return self.lazy.select(columns).collect(), None
        except (pl.exceptions.PolarsError, OSError) as error:
            if self.text is None:
                raise InvalidComparisons(f"{self.name} is damaged: {error}") from None
            return self._line_by_line(columns, str(error))

    def _line_by_line(self, columns: list[str], reason: str) -> tuple[pl.DataFrame, BoolArray]:
        """Find what the fast reader stumbled over."""
        assert self.text is not None
        with _opened(self.text) as stream:
            reader = csv.reader(self._checked(stream), delimiter=self.separator)
            next(reader)
            records = [record for record in reader if record]
        ragged = np.array([len(record) > len(self.columns) for record in records], bool)
        if not ragged.any():
            raise InvalidComparisons(f"{self.name} is not readable as CSV: {reason}")
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
