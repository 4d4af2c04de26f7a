"""TextTable: a table without types, in a file or in memory."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, zip_longest
from pathlib import Path
from typing import IO, ClassVar, cast

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
ENOUGH = 1 << 18  # bytes inspected for the separator
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
    skipped: tuple[str, ...] = ()  # lines before the table
    backend = "auto"
    from_text = True
    is_lazy = False
    is_streamable = False
    scale = None
    nested: ClassVar[frozenset[str]] = frozenset()

    @property
    def columns(self) -> list[str]:
        """Names of the columns; 1, 2, 3 ... without a header."""
        if self.has_header:
            return list(self.first)
        return [str(place) for place in range(1, len(self.first) + 1)]

    def without_header(self) -> TextTable:
        """Return the same table with its first line as a row."""
        return replace(self, has_header=False)

    def with_fields(self, names: Iterable[str]) -> TextTable:
        """Return the table itself: text has no nested columns."""
        return self

    def rows(self, columns: list[str]) -> tuple[pl.DataFrame, BoolArray | None]:
        """Return every row of these columns, and which have too many fields (None: none)."""
        repeated = {name for name, times in Counter(self.columns).items() if times > 1}
        twice = next((name for name in columns if name in repeated), None)
        if twice is not None:
            raise InvalidComparisons(f"{self.name}: two columns are called {twice}: rename one")
        table, ragged = self._all_rows
        where = {name: place for place, name in enumerate(self.columns)}
        return table.select(table.to_series(where[name]).alias(name) for name in columns), ragged

    def reader(self, columns: list[str]) -> Callable[[str], pl.Series]:
        """Return a function that returns one of these columns, which are in memory already."""
        known = dict(zip(self.columns, self._all_rows[0].get_columns(), strict=False))
        return {name: known[name] for name in columns}.__getitem__

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
                skip_lines=len(self.skipped),
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
            lines = islice(self._checked(stream), len(self.skipped), None)
            reader = csv.reader(lines, delimiter=self.separator)
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
            lines = _first_lines(stream, name)
        if not "".join(lines).strip():
            raise InvalidComparisons(f"{name} is empty: a header and one row are needed")
        csv.field_size_limit(LONGEST_CELL)
        separator, skipped = _find_table(lines, separator)
        fields = next(csv.reader(lines[skipped:], delimiter=separator))
    except DAMAGE as error:
        raise damaged(name, error) from None
    if len(fields) > MOST_COLUMNS:
        raise _too_wide(name)
    return TextTable(name, content, separator, tuple(fields), skipped=tuple(lines[:skipped]))


LOOKED_AT = 60  # lines inspected for the separator, more if a quotation mark is open
MOST_BEFORE = 20  # lines of title or comment before the table


def _first_lines(stream: IO[bytes], name: str) -> list[str]:
    """Return the first lines, with the rest of a record that is broken over several."""
    lines, line = [], b""
    size, n_quotes = 0, 0
    while piece := stream.readline(PIECE):
        line += piece
        size, n_quotes = size + len(piece), n_quotes + piece.count(b'"')
        if len(line) > PIECE and _is_too_wide(line):
            raise _too_wide(name)
        if not piece.endswith(b"\n") and size <= LONGEST_CELL:
            continue
        lines.append(line.decode("utf-8", errors="replace").replace("\0", ""))
        line = b""
        is_enough = len(lines) >= LOOKED_AT or size > ENOUGH
        if (n_quotes % 2 == 0 and is_enough) or size > LONGEST_CELL:
            break
    return [*lines, *([line.decode("utf-8", errors="replace").replace("\0", "")] if line else [])]


def _find_table(lines: list[str], separator: str | None) -> tuple[str, int]:
    """Return the separator that splits the lines most evenly, and the lines before the table.

    Of separators that split all lines equally, a comma comes last: it may be a decimal comma, or
    separate the values of a list in a cell.
    """
    text, rated = "".join(lines), []
    possible = [sign for sign in SEPARATORS if sign in text or sign == SEPARATORS[0]]
    for candidate in possible if separator is None else separator:
        records, starts = _records(lines, candidate)
        skipped = _lines_before(records)
        widths = [len(record) for record in records[skipped:] if record]
        is_split = bool(widths) and widths[0] > 1
        evenness = widths.count(widths[0]) / len(widths) if is_split else 0.0
        is_even = evenness == 1 and len(widths) > 1
        # one line alone says nothing about evenness: the more fields, the likelier
        order = (skipped == 0, candidate != ",") if is_even else (round(evenness, 1),)
        score = (is_even, *order, widths[0] * is_split)
        rated.append((score if widths else (False, 0.0), candidate, starts[skipped]))
    _, best, start = max(rated, key=lambda found: found[0])
    return best, start


def _records(lines: list[str], separator: str) -> tuple[list[list[str]], list[int]]:
    """Return the records of the first lines, and the number of lines before each."""
    reader = csv.reader(lines, delimiter=separator)
    records, starts = [], [0]
    for record in reader:
        records.append(record)
        starts.append(reader.line_num)
    return records, starts


def _lines_before(records: list[list[str]]) -> int:
    """Return how many records are a title or comments: one cell, where the next ones have more."""
    for place, record in enumerate(records[: min(MOST_BEFORE, len(records) - 2)]):
        n_filled = sum(bool(cell.strip()) for cell in record)
        below = records[place + 1]
        is_comment = bool(record) and record[0].lstrip().startswith("#")
        if n_filled > 1 and not (is_comment and _is_comment_above(records[place:])):
            has_rows = sum(bool(cell.strip()) for cell in below) > 1
            return place if has_rows and _is_header(records[place:]) else 0
    return 0


def _is_header(records: list[list[str]]) -> bool:
    """Return whether the first record names the columns: none of its cells occurs again below."""
    first, *rest = records
    below = [set(column) for column in zip_longest(*rest, fillvalue="")]
    return not any(cell in column for cell, column in zip(first, below, strict=False) if cell)


def _is_comment_above(records: list[list[str]]) -> bool:
    """Return whether a line that begins with # is a comment: the table has another width."""
    table = (r for r in records if r and not r[0].lstrip().startswith("#"))
    return len(next(table, records[0])) != len(records[0])


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
    if isinstance(error, csv.Error):  # its messages are about the csv module, not about the file
        reason = "it is not text with one record per line. Export it as CSV"
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
