"""TextTable: a table without types, in a file or in memory."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, cast

import numpy as np
import polars as pl

from hodgerank.data.sources.foreign_formats import refuse_by_start
from hodgerank.data.sources.formula_guard import without_guards
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.types import BoolArray, IntArray

SEPARATORS = ",\t;|"
OTHER_PACKERS = {b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"(\xb5/\xfd": "zstd", b"PK\x03\x04": "zip"}
DAMAGE = (
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,  # raised by the library's own code on unexpected bytes
    OSError,
    EOFError,
    zlib.error,
    csv.Error,
)
_BYTE_ORDER_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
MOST_COLUMNS = 1 << 14  # as in a spreadsheet
PIECE = 1 << 20  # bytes of a long line read at once
LONGEST_CELL = 1 << 27  # characters; the limit of the csv module is too small for some prompts


@dataclass(frozen=True)
class TextTable:
    """A table whose columns are all strings.

    So '007' stays an item, and an invalid number can be reported with its row.
    """

    name: str
    content: Path | bytes
    separator: str
    first: tuple[str, ...]
    has_header: bool = True
    backend = "polars"
    from_text = True
    is_lazy = False
    is_streamable = False
    scale = None

    @property
    def columns(self) -> list[str]:
        """Names of the columns; 1, 2, 3 ... without a header."""
        if self.has_header:
            return list(self.first)
        return [str(place) for place in range(1, len(self.first) + 1)]

    def without_header(self) -> TextTable:
        """Return the same table with its first line as a row."""
        return TextTable(self.name, self.content, self.separator, self.first, has_header=False)

    def with_fields(self, names: Iterable[str]) -> TextTable:
        """Return the table itself: text has no nested columns."""
        return self

    def flat(self, columns: Iterable[str]) -> list[str]:
        """Return all of the columns: text has no nested ones."""
        return list(columns)

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """Return every row of these columns, and which have too many fields (None: none)."""
        repeated = {name for name, times in Counter(self.columns).items() if times > 1}
        twice = next((name for name in columns if name in repeated), None)
        if twice is not None:
            raise InvalidComparisons(f"{self.name}: two columns are called {twice}: rename one")
        table, ragged = self._all_rows
        where = {name: place for place, name in enumerate(self.columns)}
        return table.select(table.to_series(where[name]).alias(name) for name in columns), ragged

    def distinct_rows(self, columns: list[str]) -> tuple[pl.DataFrame, IntArray]:
        """Return each row with count 1; counting text saves nothing."""
        table, _ = self.rows(columns)
        return table, np.ones(len(table), np.int64)

    def head(self, columns: list[str], size: int) -> pl.DataFrame:
        """Return the first rows of these columns."""
        return self.rows(columns)[0].head(size)

    def batches(self, columns: list[str], size: int) -> Iterator[pl.DataFrame]:
        """Yield everything at once."""
        yield self.rows(columns)[0]

    @cached_property
    def _all_rows(self) -> tuple[pl.DataFrame, BoolArray | None]:
        """Read all columns, since rows with too many fields are noticed only then."""
        try:
            table = pl.read_csv(
                self.content,
                separator=self.separator,
                has_header=self.has_header,
                infer_schema=False,
                glob=False,
            )
            if table.width == len(self.first):
                return without_guards(table), None
            reason = f"its first line has {len(self.first)} fields, others {table.width}"
        except DAMAGE as error:
            reason = str(error)
        try:
            table, ragged = self._line_by_line(reason)
            return without_guards(table), ragged
        except DAMAGE as error:
            raise damaged(self.name, error) from None

    def _line_by_line(self, reason: str) -> tuple[pl.DataFrame, BoolArray]:
        """Find the line that the fast reader could not read."""
        csv.field_size_limit(LONGEST_CELL)
        with opened(self.content) as stream:
            reader = csv.reader(self._checked(stream), delimiter=self.separator)
            if self.has_header:
                next(reader)
            width = len(self.first)
            records = [record[: width + 1] for record in reader if record]
        ragged = np.array([len(record) > width for record in records], bool)
        if not ragged.any():
            first = reason.split("\n", 1)[0]
            raise InvalidComparisons(
                f"{self.name} is not readable as CSV: {first}. Is a quotation mark left open?"
            )
        cells = [[*record[:width], *[None] * (width - len(record))] for record in records]
        names = [str(place) for place in range(width)]
        table = pl.DataFrame(cells, schema=dict.fromkeys(names, pl.String), orient="row")
        return table, ragged

    def _checked(self, stream: IO[bytes]) -> Iterator[str]:
        for line_number, line in enumerate(stream, start=1):
            try:
                yield line.decode().replace("\0", "")
            except UnicodeDecodeError as error:
                raise InvalidComparisons(
                    f"{self.name}, line {line_number}: byte 0x{line[error.start]:02x} is not "
                    f"UTF-8 ({line.decode('latin-1').strip()[:60]!r} if it were Latin-1). Save "
                    "the file as UTF-8, or give its encoding: encoding='latin-1' (--encoding "
                    "latin-1)"
                ) from None


def open_text(
    content: Path | bytes, name: str, encoding: str | None = None, separator: str | None = None
) -> TextTable:
    """Open the table in a text; separator and encoding are detected if not given."""
    if separator == "\\t":
        separator = "\t"
    elif separator is not None and not (len(separator) == 1 and separator.isascii()):
        raise InvalidArgument(f"separator {separator!r} must be a single ASCII character")
    try:
        content = _as_utf8(content, name, encoding)
        with opened(content) as stream:
            first = _first_record(stream, name).replace("\0", "")
        if not first.strip():
            raise InvalidComparisons(f"{name} is empty: a header and one row are needed")
        unquoted = re.sub(r'"[^"]*"', "", first)
        separator = separator or max(SEPARATORS, key=unquoted.count)
        csv.field_size_limit(LONGEST_CELL)
        fields = next(csv.reader(first.splitlines(keepends=True), delimiter=separator))
    except DAMAGE as error:
        raise damaged(name, error) from None
    if len(fields) > MOST_COLUMNS:
        raise _too_wide(name)
    return TextTable(name, content, separator, tuple(fields))


def _first_record(stream: IO[bytes], name: str) -> str:
    """Return the first line, and the following ones while a quotation mark is open."""
    record, n_quotes = b"", 0
    while line := stream.readline(PIECE):
        record += line
        n_quotes += line.count(b'"')
        is_whole = line.endswith(b"\n") and n_quotes % 2 == 0
        if is_whole or len(record) > LONGEST_CELL:
            break
        if len(record) > PIECE and _is_too_wide(record):
            raise _too_wide(name)
    return record.decode("utf-8", errors="replace").rstrip("\r\n")


def _is_too_wide(start: bytes) -> bool:
    """Return whether a line that starts so has too many fields, however it is separated."""
    unquoted = re.sub(rb'"[^"]*"', b"", start)
    return any(unquoted.count(separator.encode()) >= MOST_COLUMNS for separator in SEPARATORS)


def _too_wide(name: str) -> InvalidComparisons:
    return InvalidComparisons(
        f"{name} has more than {MOST_COLUMNS:,} columns: write one row per vote, and only the "
        "columns of the two items, the outcome and the worker"
    )


def _as_utf8(data: Path | bytes, name: str, encoding: str | None) -> Path | bytes:
    """Return the file, or its content converted to UTF-8 and plain line ends."""
    if encoding is None:
        with opened(data) as stream:
            start = stream.read(1 << 16)
        refuse_by_start(name, start)
        packed = (packer for mark, packer in OTHER_PACKERS.items() if start.startswith(mark))
        if packer := next(packed, None):
            raise InvalidComparisons(f"{name} is compressed with {packer}: decompress it first")
        marks = (found for mark, found in _BYTE_ORDER_MARKS.items() if start.startswith(mark))
        encoding = next(marks, None)
        is_plain = not start[:1].isspace() and (b"\r" not in start or b"\n" in start)
        if encoding is None and is_plain:
            return data
    with opened(data) as stream:
        content = stream.read()
    if b"\n" not in content[: 1 << 16]:
        content = content.replace(b"\r", b"\n")  # line ends of old Macintosh programs
    try:
        return content.decode(encoding or "utf-8").lstrip().encode()
    except (LookupError, ValueError) as error:
        if isinstance(error, UnicodeError) and not isinstance(error, LookupError):
            raise InvalidComparisons(f"{name} is not {encoding}: {error}") from None
        raise InvalidArgument(f"there is no encoding {encoding!r}; try 'latin-1'") from None


def damaged(name: str, error: BaseException) -> InvalidComparisons:
    """Return the error for a file that its reader cannot read."""
    reason = str(error).split("\n", 1)[0]
    return InvalidComparisons(f"{name} is damaged or not a table: {reason}")


@contextmanager
def opened(data: Path | bytes) -> Iterator[IO[bytes]]:
    """Return the bytes of a file or buffer, decompressed if gzipped."""
    with data.open("rb") if isinstance(data, Path) else io.BytesIO(data) as raw:
        is_gzip = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        if not is_gzip:
            yield raw
            return
        with gzip.open(raw) as unpacked:
            yield cast(IO[bytes], unpacked)
