"""Workbooks of every format, written by hand: a few cells at any place."""

from __future__ import annotations

import struct
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

VOTES = {"A1": "left", "B1": "right", "C1": "winner", "A2": "tea", "B2": "milk", "C2": "tea"}
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"


def place(reference: str) -> tuple[int, int]:
    """Return row and column of a cell, from 0."""
    letters = reference.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - 64
    return int(reference[len(letters) :]) - 1, column - 1


def _zip(parts: dict[str, str | bytes]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as book:
        for name, content in parts.items():
            # Tests are named after these bytes, which must not depend on the time.
            part = ZipInfo(name, (2020, 1, 1, 0, 0, 0))
            part.compress_type = ZIP_DEFLATED
            book.writestr(part, content)
    return buffer.getvalue()


def _relations(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_RELATIONS}/{kind}" Target="{target}"/></Relationships>'
    )


def xlsx_of(rows: str, **parts: str) -> bytes:
    """Return a workbook with these rows of XML, and further parts by name."""
    return _zip(
        {
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
            "_rels/.rels": _relations("officeDocument", "xl/workbook.xml"),
            "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _relations("worksheet", "worksheets/sheet1.xml"),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}'
            "</sheetData></worksheet>",
            **parts,
        }
    )


def xlsx_rows(cells: dict[str, str]) -> str:
    """Return rows of XML with these cells."""
    by_row: dict[int, str] = {}
    for reference, text in cells.items():
        row = place(reference)[0] + 1
        cell = f'<c r="{reference}" t="inlineStr"><is><t>{text}</t></is></c>'
        by_row[row] = by_row.get(row, "") + cell
    return "".join(f'<row r="{row}">{inside}</row>' for row, inside in by_row.items())


def ods_of(rows: str) -> bytes:
    """Return an .ods with these rows of XML."""
    names = "urn:oasis:names:tc:opendocument:xmlns"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    return _zip(
        {
            "mimetype": kind,
            "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{names}:manifest:1.0">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
            "</manifest:manifest>",
            "content.xml": f'<office:document-content xmlns:office="{names}:office:1.0" '
            f'xmlns:table="{names}:table:1.0" xmlns:text="{names}:text:1.0"><office:body>'
            f'<office:spreadsheet><table:table table:name="S">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        }
    )


def ods_row(*texts: str, times: int = 1, columns: int = 1) -> str:
    """Return a row of an .ods; the row and each of its cells may be repeated."""
    cells = "".join(
        f'<table:table-cell office:value-type="string" table:number-columns-repeated="{columns}">'
        f"<text:p>{text}</text:p></table:table-cell>"
        for text in texts
    )
    return f'<table:table-row table:number-rows-repeated="{times}">{cells}</table:table-row>'


def _binary(kind: int, body: bytes = b"") -> bytes:
    """Return a record of an .xlsb."""
    number = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return number + bytes([len(body)]) + body


def _wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def xlsb_of(
    cells: dict[str, str], size: tuple[int, int, int, int] = (0, 1, 0, 2), more: bytes = b""
) -> bytes:
    """Return an .xlsb with these cells, a stated size and more records."""
    sheet = _binary(129) + _binary(148, struct.pack("<4I", *size)) + _binary(145)
    last = -1
    for reference, text in cells.items():
        row, column = place(reference)
        if row != last:
            sheet += _binary(0, struct.pack("<I", row) + bytes(13))
            last = row
        sheet += _binary(6, struct.pack("<II", column, 0) + _wide(text))
    sheet += more + _binary(146) + _binary(130)
    bundle = struct.pack("<II", 0, 1) + _wide("rId1") + _wide("S")
    book = _binary(131) + _binary(143) + _binary(156, bundle) + _binary(144) + _binary(132)
    return _zip(
        {
            "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
            "xl/workbook.bin": book,
            "xl/_rels/workbook.bin.rels": _relations("worksheet", "worksheets/sheet1.bin"),
            "xl/worksheets/sheet1.bin": sheet,
            "xl/printerSettings/printerSettings1.bin": bytes(range(256)) * 40,
        }
    )


def _record(kind: int, body: bytes) -> bytes:
    """Return a record of an .xls."""
    return struct.pack("<HH", kind, len(body)) + body


def xls_of(
    cells: dict[str, str],
    size: tuple[int, int] = (2, 3),
    *,
    numbers: tuple[int, int, int] | None = None,
    hidden: dict[str, str] | None = None,
    is_small: bool = False,
    far_fat: bool = False,
) -> bytes:
    """Return an .xls with these cells and a stated number of rows and columns.

    `numbers` is the row and first column of several numbers in one record, and how many. `hidden`
    are cells of a second sheet, which begins inside a record of the first.
    """
    start = _record(0x809, struct.pack("<HHHHII", 0x600, 0x5, 0, 0, 0, 0x600))
    end = _record(0x0A, b"")
    name = b"\x01\x00S"

    def book(offset: int, second: int = 0) -> bytes:
        sheets = _record(0x85, struct.pack("<IBB", offset, 0, 0) + name[:1] + b"\0S")
        if hidden is not None:
            sheets += _record(0x85, struct.pack("<IBB", second, 0, 0) + name[:1] + b"\0T")
        return start + sheets + end

    def labels(cells: dict[str, str]) -> bytes:
        found = b""
        for reference, text in cells.items():
            row, column = place(reference)
            label = struct.pack("<HHHHB", row, column, 0, len(text), 0) + text.encode("latin-1")
            found += _record(0x204, label)
        return found

    sheet = _record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0x600))
    sheet += _record(0x200, struct.pack("<IIHHH", 0, size[0], 0, size[1], 0))
    sheet += labels(cells)
    if numbers is not None:
        row, first, n = numbers
        values = struct.pack("<HI", 0, 0) * n
        sheet += _record(
            0xBD, struct.pack("<HH", row, first) + values + struct.pack("<H", first + n - 1)
        )
    first = len(book(0))
    second = first + len(sheet) + 4
    if hidden is not None:
        sheet += _record(0x1234, labels(hidden) + end)
    content = book(first, second) + sheet + end
    if not is_small:
        content += bytes(max(0, 4096 - len(content)))
    return _ole(content, is_small=is_small, far_fat=far_fat)


def _ole(content: bytes, *, is_small: bool = False, far_fat: bool = False) -> bytes:
    """Return an OLE container that holds one stream, the workbook.

    A small stream is kept in sectors of 64 bytes; `far_fat` lists the FAT outside the header.
    """
    size = len(content)
    content += bytes(-len(content) % 512)
    n = len(content) // 512
    free, end, fat_mark = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
    # Sector 0 is the FAT, 1 the directory, 2 the FAT of small sectors, 3 lists FATs, 4 ... is data.
    fat = struct.pack(f"<{n + 4}I", fat_mark, end, end, end, *range(5, n + 4), end)
    small = struct.pack(f"<{8 * n}I", *range(1, 8 * n), end) if is_small else b""
    far = struct.pack("<128I", 0, *[free] * 126, end)
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack(
        "<HHHHH6xIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096,
        2 if is_small else end, int(is_small), 3 if far_fat else end, int(far_fat),
    )  # fmt: skip
    header += struct.pack("<109I", free if far_fat else 0, *[free] * 108)

    def entry(name: str, kind: int, child: int, first: int, size: int) -> bytes:
        text = name.encode("utf-16-le")
        return (
            text.ljust(64, b"\0")
            + struct.pack("<HBBIII", len(text) + 2 if name else 0, kind, 1, free, free, child)
            + bytes(36)
            + struct.pack("<IQ", first, size)
        )

    root = (
        entry("Root Entry", 5, 1, 4, len(content))
        if is_small
        else entry("Root Entry", 5, 1, end, 0)
    )
    directory = root + entry("Workbook", 2, free, 0 if is_small else 4, size)
    directory += entry("", 0, free, 0, 0) * 2
    sectors = (fat.ljust(512, b"\xff"), directory, small.ljust(512, b"\xff"), far)
    return header + b"".join(sectors) + content
