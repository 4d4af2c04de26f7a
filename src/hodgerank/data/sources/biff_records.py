"""Extents of sheets in binary workbooks: .xls (records in an OLE container) and .xlsb."""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from
from typing import NamedTuple

OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MOST_STATED = 1 << 25  # cells
_HEADER, _NAMES_OF_STREAM = 512, ("Workbook", "Book")
_FREE = 0xFFFFFFFA  # sector numbers from here on are marks
_DIRECTORY_ENTRY, _SMALL = 128, 4096
# Records of .xls: those that begin with row and column, several in a row, and the stated size.
_CELLS = frozenset({0x0002, 0x0003, 0x0004, 0x0005, 0x0006, 0x0203, 0x0204, 0x0205, 0x0206,
                    0x0406, 0x027E, 0x00FD, 0x00D6})  # fmt: skip
_SEVERAL, _DIMENSIONS, _SHEET, _END, _TEXTS = 0x00BD, 0x0200, 0x0085, 0x000A, 0x00FC
# Records of .xlsb: the head of a row, and cells with a value.
_ROW, _VALUES, _SHARED = 0, range(2, 12), 159


class Extent(NamedTuple):
    """Last row and column of a sheet, from 1, and the number of filled cells."""

    n_rows: int
    n_columns: int
    n_filled: int

    def with_cell(self, row: int, column: int) -> Extent:
        """Return the extent with one more cell."""
        return Extent(max(self.n_rows, row), max(self.n_columns, column), self.n_filled + 1)


def biff_extents(content: bytes) -> Iterator[Extent]:
    """Yield the extent of every sheet of an .xls file; ValueError if it states impossible sizes."""
    for records in _streams_of(content):
        starts, visited, seen = [0], {0}, 0
        # A sheet begins where the list of sheets says, even inside another record.
        while starts:
            at, extent = starts.pop(), Extent(0, 0, 0)
            while at + 4 <= len(records):
                kind, size = unpack_from("<HH", records, at)
                body = records[at + 4 : at + 4 + size]
                at += 4 + size
                seen += 1
                if 4 * seen > len(records):
                    raise ValueError("its sheets overlap")
                if kind == _SHEET and len(body) >= 4:
                    (start,) = unpack_from("<I", body)
                    starts += [start] if start not in visited else []
                    visited.add(start)
                elif kind == _END:
                    break
                else:
                    extent = _with_record(extent, kind, body, len(content))
            yield extent


def _with_record(extent: Extent, kind: int, body: bytes, n_bytes: int) -> Extent:
    """Return the extent with the cells of one record of an .xls."""
    size = len(body)
    if kind in _CELLS and size >= 4:
        row, column = unpack_from("<HH", body)
        return extent.with_cell(row + 1, column + 1)
    if kind == _SEVERAL and size >= 12:
        row, first = unpack_from("<HH", body)
        last = max(first, unpack_from("<H", body, size - 2)[0])
        extent = extent.with_cell(row + 1, last + 1)
        return extent._replace(n_filled=extent.n_filled + (size - 12) // 6)
    if kind == _DIMENSIONS and size >= 10:
        # Readers reserve memory for the stated size before they look at a cell.
        form = "<IIHH" if size >= 12 else "<HHHH"
        first_row, rows, first_column, columns = unpack_from(form, body)
        if rows and columns:
            if first_row > rows or first_column > columns:
                raise ValueError("a sheet states that it ends before it begins")
            if rows * columns > MOST_STATED:
                raise ValueError(f"a sheet states {rows:,} rows and {columns:,} columns")
    if kind == _TEXTS and size >= 8 and not 0 <= unpack_from("<i", body, 4)[0] <= n_bytes:
        raise ValueError("it states more texts than it has bytes")
    return extent


def _streams_of(content: bytes) -> Iterator[bytes]:
    """Yield the streams of the workbook in an OLE container."""
    sector_size = 1 << min(unpack_from("<H", content, 30)[0], 16)
    if sector_size not in (512, 4096):
        raise ValueError("the sectors of the file have an unknown size")
    n_sectors = len(content) // sector_size
    # Readers reserve memory for the numbers of sectors that the header states.
    stated = [unpack_from("<I", content, place)[0] for place in (40, 44, 64, 72)]
    if max(stated) > n_sectors:
        raise ValueError("its header states more sectors than it has")
    first_of_directory = unpack_from("<I", content, 48)[0]
    first_small, _, next_fat = unpack_from("<III", content, 60)

    def sector(number: int) -> bytes:
        begin = max(_HEADER, sector_size) + number * sector_size
        return content[begin : begin + sector_size]

    def chain(first: int, following: tuple[int, ...]) -> list[int]:
        found: list[int] = []
        number = first
        while number < _FREE:
            if number >= len(following) or len(found) > len(following):
                raise ValueError("its sectors are not in order")
            found.append(number)
            number = following[number]
        return found

    places = [number for number in unpack_from("<109I", content, 76) if number < _FREE]
    seen = 0
    while next_fat < _FREE and seen <= n_sectors:
        *more, next_fat = _numbers(sector(next_fat))
        places += [number for number in more if number < _FREE]
        seen += 1
    fat = tuple(number for place in places[: n_sectors + 1] for number in _numbers(sector(place)))
    directory = b"".join(map(sector, chain(first_of_directory, fat)))
    root_first = unpack_from("<I", directory, 116)[0]
    for at in range(0, len(directory) - _DIRECTORY_ENTRY + 1, _DIRECTORY_ENTRY):
        name = directory[at : at + 64].decode("utf-16-le", "replace").split("\0")[0]
        first, size = unpack_from("<II", directory, at + 116)
        if size > len(content):
            raise ValueError("it states streams that are longer than the file")
        if name not in _NAMES_OF_STREAM:
            continue
        if size >= _SMALL:
            yield b"".join(map(sector, chain(first, fat)))[:size]
        else:
            small = tuple(n for s in chain(first_small, fat) for n in _numbers(sector(s)))
            store = b"".join(map(sector, chain(root_first, fat)))
            yield b"".join(store[64 * k : 64 * k + 64] for k in chain(first, small))[:size]


def _numbers(sector: bytes) -> tuple[int, ...]:
    return unpack_from(f"<{len(sector) // 4}I", sector)


def xlsb_extent(part: bytes) -> Extent:
    """Return the extent of a part of an .xlsb file; parts that are not sheets have no cells."""
    extent, row, at = Extent(0, 0, 0), 0, 0
    while at + 2 <= len(part):
        kind = part[at]
        at += 1
        if kind & 0x80:
            kind = (kind & 0x7F) | (part[at] & 0x7F) << 7
            at += 1
        size = shift = 0
        while at < len(part) and shift < 28:
            byte = part[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
        if kind == _ROW or kind in _VALUES:
            if size < 4 or at + 4 > len(part):
                raise ValueError("a cell has no place")  # readers would take it from another one
            (place,) = unpack_from("<I", part, at)
            if kind == _ROW:
                row = place + 1
            else:
                extent = extent.with_cell(row, place + 1)
        elif kind == _SHARED and unpack_from("<I", part[at : at + 8].ljust(8, b"\0"), 4)[0] > len(
            part
        ):
            raise ValueError("it states more texts than it has bytes")
        at += size
    return extent
