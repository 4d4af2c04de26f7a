"""Extents of sheets in binary workbooks: .xls (records in an OLE container) and .xlsb."""

from __future__ import annotations

from collections.abc import Iterator
from struct import unpack_from

from hodgerank.data.sources.sheet_extent import Extent

OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEADER, _NAME_OF_STREAM = 512, ("Workbook", "Book")
_FREE = 0xFFFFFFFA  # sector numbers from here on are marks
_DIRECTORY_ENTRY, _SMALL = 128, 4096
# Records of .xls: those that begin with row and column, several in a row, and the stated size.
_CELLS = frozenset({0x0002, 0x0003, 0x0004, 0x0005, 0x0006, 0x0203, 0x0204, 0x0205, 0x0206,
                    0x0207, 0x0406, 0x027E, 0x00FD, 0x00D6})  # fmt: skip
_SEVERAL, _DIMENSIONS, _SHEET_STARTS = 0x00BD, 0x0200, (0x0809, 0x0409, 0x0209, 0x0009)
# Records of .xlsb: the head of a row, and cells with a value.
_ROW, _VALUES = 0, range(2, 12)


def biff_extents(content: bytes) -> Iterator[Extent]:
    """Yield the extent of every sheet of an .xls file."""
    records = _stream_of(content)
    extent, at = Extent(0, 0, 0), 0
    while at + 4 <= len(records):
        kind, size = unpack_from("<HH", records, at)
        body = records[at + 4 : at + 4 + size]
        at += 4 + size
        if kind in _SHEET_STARTS:
            yield extent
            extent = Extent(0, 0, 0)
        elif kind in _CELLS and size >= 4:
            row, column = unpack_from("<HH", body)
            extent = extent.with_cell(row + 1, column + 1)
        elif kind == _SEVERAL and size >= 12:
            row, first = unpack_from("<HH", body)
            last = max(first, unpack_from("<H", body, size - 2)[0])
            extent = extent.with_cell(row + 1, last + 1)
            extent = extent._replace(n_filled=extent.n_filled + (size - 12) // 6)
        elif kind == _DIMENSIONS and size >= 8:
            # Readers reserve memory for the stated size before they look at a cell.
            rows, columns = unpack_from("<IxxH", body, 4) if size >= 12 else (
                unpack_from("<HxxH", body, 2)
            )  # fmt: skip
            yield Extent(rows, columns, rows * columns)
    yield extent


def _stream_of(content: bytes) -> bytes:
    """Return the stream of the workbook in an OLE container; empty if there is none."""
    sector_size = 1 << unpack_from("<H", content, 30)[0]
    if sector_size not in (512, 4096):
        raise ValueError("the sectors of the file have an unknown size")
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
    while next_fat < _FREE and seen <= len(content) // sector_size:
        *more, next_fat = _numbers(sector(next_fat))
        places += [number for number in more if number < _FREE]
        seen += 1
    fat = tuple(number for place in places for number in _numbers(sector(place)))
    directory = b"".join(map(sector, chain(first_of_directory, fat)))
    root_first = unpack_from("<I", directory, 116)[0]
    for at in range(0, len(directory) - _DIRECTORY_ENTRY + 1, _DIRECTORY_ENTRY):
        name = directory[at : at + 64].decode("utf-16-le", "replace").split("\0")[0]
        if name not in _NAME_OF_STREAM:
            continue
        first, size = unpack_from("<II", directory, at + 116)
        if size >= _SMALL:
            return b"".join(map(sector, chain(first, fat)))[:size]
        small = tuple(n for s in chain(first_small, fat) for n in _numbers(sector(s)))
        store = b"".join(map(sector, chain(root_first, fat)))
        return b"".join(store[64 * k : 64 * k + 64] for k in chain(first, small))[:size]
    return b""


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
        if kind == _ROW and size >= 4 and at + 4 <= len(part):
            row = unpack_from("<I", part, at)[0] + 1
        elif kind in _VALUES and size >= 4 and at + 4 <= len(part):
            extent = extent.with_cell(row, unpack_from("<I", part, at)[0] + 1)
        at += size
    return extent
