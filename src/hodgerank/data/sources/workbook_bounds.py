"""Refuse workbooks whose cells would not fit in memory, before any reader allocates them.

A reader allocates a rectangle from the first to the last filled cell. One cell in the far corner of
a file of 1 kB therefore costs hundreds of gigabytes, and the process is killed. The bounds come
from the cells themselves, since the size that a sheet states about itself may be wrong. Sheets of
.xlsx are searched with regular expressions that find too many cells rather than too few; only if
these look too many is the sheet parsed.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from hodgerank.data.sources.biff_records import OLE_MARK, Extent, biff_extents, xlsb_extent
from hodgerank.data.sources.text_table import MOST_COLUMNS
from hodgerank.errors import InvalidComparisons

MOST_CELLS = 1 << 25  # in the rectangle of filled cells; about 50 bytes each
# A smaller rectangle may be almost empty; in a larger one, at least 1 of 64 cells must be filled.
FEW_CELLS, EMPTY_PER_FILLED = 1 << 20, 64
MOST_UNPACKED = 1 << 30  # bytes, of all parts
MOST_TEXT = 1 << 30  # bytes, of all cells; a text is stored once and repeated by the reader
LONGEST_TAG = 1 << 24
PIECE = 1 << 20
DELETE = (
    "Delete single cells far from the table (Ctrl+End finds the last one), or export the table as "
    "CSV"
)
DAMAGE = (
    *(BadZipFile, zlib.error, struct.error, expat.ExpatError, OSError, EOFError),
    *(NotImplementedError, RuntimeError, ValueError, OverflowError, IndexError),
)
_CELL = re.compile(rb"<(?:[\w.-]+:)?c[\s/>]")
_REFERENCE = re.compile(rb"""r\s*=\s*["']\s*([A-Za-z]*\d+)""")
_LETTERS, _DIGITS = (b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", b"0123456789")
_TEXT = re.compile(rb"<(?:[\w.-]+:)?si[\s/>]")
_VALUE = re.compile(rb"<(?:[\w.-]+:)?v(?:\s[^>]*)?>\s*(\d{1,9})\s*<")


def require_bounded_workbook(content: Path | bytes, name: str) -> None:
    """Raise InvalidComparisons for a workbook that takes too much memory to read.

    Files that are not workbooks pass: their reader says what is wrong.
    """
    try:
        with content.open("rb") if isinstance(content, Path) else io.BytesIO(content) as stream:
            start = stream.read(len(OLE_MARK))
            stream.seek(0)
            if start == OLE_MARK:
                for extent in biff_extents(stream.read()):
                    _require_few(extent, name)
            elif start[:2] == b"PK":
                with ZipFile(stream) as book:
                    _require_bounded_zip(book, name)
    except DAMAGE as error:
        if isinstance(error, InvalidComparisons):
            raise
        raise InvalidComparisons(
            f"{name} is not readable as a workbook: {error or type(error).__name__}. Save it "
            "again, or export it as CSV"
        ) from None


def _require_bounded_zip(book: ZipFile, name: str) -> None:
    """Check every part, since any of them may be declared to be a sheet."""
    n_bytes = n_cells = longest = 0
    binary_parts = _declared_in(book, "xl/_rels/workbook.bin.rels") | {"sharedStrings.bin"}
    for part in book.infolist():
        if part.filename == "content.xml":
            n_bytes += _require_bounded_ods(book, part, name)
            continue
        if part.filename.rpartition("/")[2] in binary_parts:
            with book.open(part) as stream:
                sheet = stream.read(MOST_UNPACKED - n_bytes + 1)
            n_bytes += len(sheet)
            _require_unpacked(n_bytes, name)
            _require_few(xlsb_extent(sheet), name)
            continue
        found = _search(book, part, name, n_bytes)
        n_bytes, n_cells = found.n_bytes, n_cells + found.extent.n_filled
        longest = max(longest, found.longest)
        if not _is_few(found.extent):
            _require_few(_parsed(book, part), name)
    if n_cells * longest > MOST_TEXT:
        _require_little_text(book, name)


def _declared_in(book: ZipFile, part: str) -> frozenset[str]:
    """Return the names of the parts that a list of parts names, without their folders."""
    if part not in book.namelist():
        return frozenset()
    with book.open(part) as stream:
        content = stream.read(PIECE).decode("utf-8", "replace")
    return frozenset(re.findall(r"""([^/"'\\]+)["']""", content))


class _Found(NamedTuple):
    """Upper bounds for one part of a workbook."""

    extent: Extent
    longest: int  # bytes of the longest shared text
    n_bytes: int


def _search(book: ZipFile, part: ZipInfo, name: str, n_bytes: int) -> _Found:
    """Find the last row and column to which anything in the part refers."""
    n_cells = n_referenced = longest = 0
    rows: set[int] = set()
    letters: set[bytes] = set()
    text_at, at = None, 0
    for piece in _pieces(book, part, name):
        n_bytes += len(piece)
        _require_unpacked(n_bytes, name)
        n_cells += _count_cells(piece)
        references = _REFERENCE.findall(piece)
        if references:
            together = b" ".join(references)
            digits = set(together.translate(None, _LETTERS).split())
            as_number = int if max(map(len, digits)) < 18 else _row  # which is slower
            rows.add(max(map(as_number, digits)))
            columns = together.translate(None, _DIGITS).split()
            letters.update(columns)
            n_referenced += len(columns)
        for match in _TEXT.finditer(piece) if b"si" in piece else ():
            if text_at is not None:
                longest = max(longest, at + match.start() - text_at)
            text_at = at + match.start()
        at += len(piece)
    if text_at is not None:
        longest = max(longest, at - text_at)
    # A cell without a reference follows the one before it.
    n_columns = max(map(_column, letters), default=0) + max(n_cells - n_referenced, 0)
    n_rows = max(rows, default=0)
    n_rows = max(n_rows, n_cells if n_referenced < n_cells else 0)
    return _Found(Extent(n_rows, n_columns, n_cells), longest, n_bytes)


def _count_cells(piece: bytes) -> int:
    """Count the cells; most programs write them all in one way, which is counted faster."""
    plain = piece.count(b"<c r=")
    if plain == piece.count(b"<c") and b":c" not in piece:
        return plain
    return len(_CELL.findall(piece))


def _pieces(book: ZipFile, part: ZipInfo, name: str) -> Iterator[bytes]:
    """Yield the bytes of a part in pieces that end before a tag."""
    rest = b""
    with book.open(part) as stream:
        while piece := stream.read(PIECE):
            piece = rest + piece
            end = piece.rfind(b"<")
            if end <= 0:
                end = len(piece) if end < 0 else 0
            if len(piece) - end > LONGEST_TAG:
                raise InvalidComparisons(
                    f"{name} is not readable as a workbook: a cell is longer than {LONGEST_TAG:,} "
                    "bytes. Export it as CSV"
                )
            yield piece[:end]
            rest = piece[end:]
    yield rest


def _column(letters: bytes) -> int:
    """Return the number of a column: 1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper()[:12]:
        number = 26 * number + letter - 64
    return number


def _row(digits: bytes) -> int:
    return int(digits.lstrip(b"0")[:18] or b"0")


def _parsed(book: ZipFile, part: ZipInfo) -> Extent:
    """Return the rectangle of the cells with a value, in a sheet of .xlsx."""
    extent = Extent(0, 0, 0)
    row = column = 0
    place = (0, 0)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, place, extent
        tag = tag.rpartition(":")[2]
        if tag == "row":
            reference = attributes.get("r", "").strip()
            row = _row(reference.encode()) if reference.isdecimal() else row + 1
            column = 0
        elif tag == "c":
            letters, _, digits = _split(attributes.get("r", ""))
            column = _column(letters) if letters else column + 1
            place = (_row(digits) if digits else row, column)
        elif tag in ("v", "is"):
            extent = extent.with_cell(*place)

    _parse(book, part, start)
    return extent


def _split(reference: str) -> tuple[bytes, bytes, bytes]:
    match = re.fullmatch(rb"([A-Za-z]*)()(\d*)", reference.strip().encode())
    return (match[1], match[2], match[3]) if match else (b"", b"", b"")


def _require_bounded_ods(book: ZipFile, part: ZipInfo, name: str) -> int:
    """Check the tables of an .ods, whose cells and rows say how often they are repeated."""
    n_rows = n_columns = row_times = column_times = n_text = n_tags = 0
    last_row = last_column = 0
    in_cell = is_filled = False

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal n_rows, n_columns, row_times, column_times, in_cell, is_filled
        nonlocal last_row, last_column, n_tags
        tag = tag.rpartition(":")[2]
        if tag == "table":
            n_rows = n_columns = last_row = last_column = n_tags = 0
        elif tag == "table-row":
            row_times = _times(attributes, "number-rows-repeated")
            n_rows, n_columns = n_rows + row_times, 0
        elif tag in ("table-cell", "covered-table-cell"):
            column_times = _times(attributes, "number-columns-repeated")
            n_columns += column_times
            in_cell, is_filled = True, False
            n_tags += 1
            if any(key.endswith(("value-type", ":formula")) for key in attributes):
                fill()
        elif in_cell:
            fill()

    def fill() -> None:
        nonlocal last_row, last_column, is_filled
        is_filled = True
        last_row, last_column = n_rows, max(last_column, n_columns)

    def end(tag: str) -> None:
        nonlocal in_cell
        tag = tag.rpartition(":")[2]
        if tag in ("table-cell", "covered-table-cell"):
            in_cell = False
        elif tag == "table":
            _require_few(Extent(last_row, last_column, n_tags), name)

    def text(content: str) -> None:
        nonlocal n_text
        if in_cell and is_filled:
            n_text += len(content) * row_times * column_times
            if n_text > MOST_TEXT:
                raise _too_much(f"its cells hold more than {MOST_TEXT >> 20:,} MB of text", name)

    return _parse(book, part, start, end, text, name=name)


def _times(attributes: dict[str, str], what: str) -> int:
    value = next((v for key, v in attributes.items() if key.endswith(what)), "1").strip()
    return int(value[:18]) if value.isdecimal() else 1


def _parse(
    book: ZipFile,
    part: ZipInfo,
    start: Any,
    end: Any = None,
    text: Any = None,
    *,
    name: str = "",
) -> int:
    """Parse XML without building it, and return how many bytes it has."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text
    parser.EntityDeclHandler = _refuse_entities
    n_bytes = 0
    with book.open(part) as stream:
        while piece := stream.read(PIECE):
            n_bytes += len(piece)
            _require_unpacked(n_bytes, name)
            parser.Parse(piece, False)
    parser.Parse(b"", True)
    return n_bytes


def _refuse_entities(*_: object) -> None:
    raise ValueError("it declares entities, which no spreadsheet program writes")


def _require_little_text(book: ZipFile, name: str) -> None:
    """Count how much text the cells hold that refer to shared texts."""
    lengths: list[int] = []
    uses = np.zeros(0, np.int64)
    for part in book.infolist():
        starts, at = [], 0
        for piece in _pieces(book, part, name):
            starts += [at + match.start() for match in _TEXT.finditer(piece)]
            at += len(piece)
            values = np.array(_VALUE.findall(piece), "S9")
            with suppress(ValueError):
                found = np.bincount(np.minimum(values.astype(np.int64), 1 << 24))
                size = max(len(uses), len(found))
                uses = np.pad(uses, (0, size - len(uses))) + np.pad(found, (0, size - len(found)))
        if starts:
            lengths = np.diff([*starts, at]).tolist()
    known = min(len(lengths), len(uses))
    if int(np.dot(uses[:known].astype(float), np.array(lengths[:known], float))) > MOST_TEXT:
        raise _too_much(f"its cells hold more than {MOST_TEXT >> 20:,} MB of text", name)


def _is_few(extent: Extent) -> bool:
    area = extent.n_rows * extent.n_columns
    if extent.n_columns > MOST_COLUMNS:
        return False
    return area <= MOST_CELLS and area <= FEW_CELLS + EMPTY_PER_FILLED * extent.n_filled


def _require_few(extent: Extent, name: str) -> None:
    if _is_few(extent):
        return
    size = f"{extent.n_rows:,} rows and {extent.n_columns:,} columns"
    if extent.n_columns > MOST_COLUMNS:
        raise InvalidComparisons(
            f"{name}: its cells reach over {size}; at most {MOST_COLUMNS:,} columns are read. "
            f"{DELETE}"
        )
    if extent.n_rows * extent.n_columns > EMPTY_PER_FILLED * extent.n_filled:
        raise InvalidComparisons(
            f"{name}: its cells reach over {size}, but only {extent.n_filled:,} are filled. "
            f"Sheets of more than {FEW_CELLS:,} cells may not be almost empty. {DELETE}"
        )
    raise _too_much(f"it has {size}; at most {MOST_CELLS:,} cells are read", name)


def _require_unpacked(n_bytes: int, name: str) -> None:
    if n_bytes > MOST_UNPACKED:
        raise _too_much(f"it unpacks to more than {MOST_UNPACKED >> 20:,} MB", name)


def _too_much(what: str, name: str) -> InvalidComparisons:
    return InvalidComparisons(f"{name} is too large for a workbook: {what}. Export it as CSV")
