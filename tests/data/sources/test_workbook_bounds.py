"""Workbooks are bounded by their cells before any of them is allocated."""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from zipfile import ZipFile

import polars as pl
import pytest

from data.sources.made_workbooks import (
    VOTES,
    ods_of,
    ods_row,
    xls_of,
    xlsb_of,
    xlsx_of,
    xlsx_rows,
)
from hodgerank import read_comparisons
from hodgerank.data.sources import workbook_bounds
from hodgerank.data.sources.workbook_bounds import require_bounded_workbook
from hodgerank.errors import InvalidComparisons

TABLE = ods_row("left", "right", "winner") + ods_row("tea", "milk", "tea")
FAR = {**VOTES, "XFD1048576": "x"}


def bounded(content: bytes) -> None:
    require_bounded_workbook(content, "book")


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("xlsx", xlsx_of(xlsx_rows(VOTES))),
        ("xlsm", xlsx_of(xlsx_rows(VOTES))),
        ("xlsb", xlsb_of(VOTES)),
        ("xls", xls_of(VOTES)),
        ("xls", xls_of(VOTES, is_small=True)),
        ("ods", ods_of(TABLE)),
    ],
)
def test_every_format_is_read(tmp_path, form, content):
    path = tmp_path / f"votes.{form}"
    path.write_bytes(content)
    votes = read_comparisons(path)
    assert (votes.items, len(votes)) == (("milk", "tea"), 1)


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("xlsx", xlsx_of(xlsx_rows(FAR))),
        ("xlsb", xlsb_of(FAR)),
        ("xls", xls_of({**VOTES, "IV65536": "x"})),
        ("xls", xls_of({**VOTES, "ZZZ60000": "x"})),
        ("xls", xls_of({**VOTES, "ZZZ60000": "x"}, is_small=True)),
        ("xls", xls_of({**VOTES, "ZZZ60000": "x"}, far_fat=True)),
        ("ods", ods_of(TABLE + ods_row(times=1_000_000) + ods_row("x", columns=10_000))),
    ],
)
def test_a_cell_in_the_far_corner_is_an_error_that_says_to_delete_it(tmp_path, form, content):
    path = tmp_path / f"votes.{form}"
    path.write_bytes(content)
    assert len(content) < 7_000
    with pytest.raises(InvalidComparisons, match="Delete single cells far from the table"):
        read_comparisons(path)


@pytest.mark.parametrize(
    "row",
    [
        "<row r='7'><c r = 'zzz900000' t='inlineStr'><is><t>x</t></is></c></row>",
        '<row r="1048576"><x:c r="XFD1048576"><v>1</v></x:c></row>',
        '<row r="00000000000000000001"><c r="AAA0000900000"><v>1</v></c></row>',
        '<row r="2"><c note=">" r="XFD1048576"><v>1</v></c></row>',
        f'<row r="2"><c r{" " * 70_000}="XFD1048576"><v>1</v></c></row>',
        '<row r="1"><c r="A99999999999999999999999"><v>1</v></c></row>',
        '<row r="1"><c r="ZZZZZZZZZZZZZZZZZZZZZZZZ1"><v>1</v></c></row>',
    ],
)
def test_no_way_to_write_a_reference_evades_the_bound(row, monkeypatch):
    monkeypatch.setattr(workbook_bounds, "PIECE", 4096)
    with pytest.raises(InvalidComparisons):
        bounded(xlsx_of(xlsx_rows(VOTES) + row))


def test_cells_without_a_value_do_no_harm(tmp_path):
    """Spreadsheet programs keep the format of whole columns and rows."""
    path = tmp_path / "votes.xlsx"
    styled = '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
    path.write_bytes(xlsx_of(xlsx_rows(VOTES) + styled))
    assert len(read_comparisons(path)) == 1
    empty = '<table:table-cell table:number-columns-repeated="16384"/>'
    rest = f'<table:table-row table:number-rows-repeated="1048574">{empty}</table:table-row>'
    bounded(ods_of(TABLE + rest))


def test_cells_without_references_follow_each_other(tmp_path):
    cells = "".join(f"<c><v>{k}</v></c>" for k in range(2_000))
    bounded(xlsx_of(f"<row>{cells}</row>" * 2))
    far = f'<row r="1000000">{cells}</row>'
    with pytest.raises(InvalidComparisons, match="1,000,000 rows and 2,000 columns"):
        bounded(xlsx_of(xlsx_rows(VOTES) + far))


def test_a_large_table_is_not_refused(tmp_path):
    path = tmp_path / "votes.xlsx"
    n = 3_000
    table = pl.DataFrame(
        {"left": ["a"] * n, "right": ["b"] * n, "winner": ["a", "b", "tie"] * 1000}
    )
    table.write_excel(path)
    assert len(read_comparisons(path)) == n


@pytest.mark.parametrize("size", [(0xFFFFFFFF, 3), (65_536, 65_535)])
def test_an_xls_that_states_a_huge_size_is_refused(size):
    """Its reader reserves memory for the stated size."""
    with pytest.raises(InvalidComparisons, match=r"a sheet states .* rows and"):
        bounded(xls_of(VOTES, size))


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (40, 1 << 31, "more sectors than it has"),
        (44, 1 << 31, "more sectors than it has"),
        (64, 1 << 31, "more sectors than it has"),
        (72, 1 << 31, "more sectors than it has"),
        (1024 + 128 + 120, 1 << 31, "streams that are longer than the file"),
        (2560 + 57 + 4, 1 << 24, "ends before it begins"),
    ],
)
def test_an_xls_that_states_impossible_numbers_is_refused(place, value, message):
    content = bytearray(xls_of(VOTES))
    content[place : place + 4] = value.to_bytes(4, "little")
    with pytest.raises(InvalidComparisons, match=message):
        bounded(bytes(content))


def test_columns_are_bounded_even_if_there_are_few_rows():
    for content in (xlsb_of({**VOTES, "BBBB2": "x"}), xlsx_of(xlsx_rows({**VOTES, "BBBB2": "x"}))):
        with pytest.raises(InvalidComparisons, match="at most 16,384 columns are read"):
            bounded(content)


def test_a_cell_of_an_xlsb_without_a_place_is_refused():
    with pytest.raises(InvalidComparisons, match="a cell has no place"):
        bounded(xlsb_of(VOTES, more=b"\x06\x00"))


def test_sheets_of_an_xls_that_begin_at_the_same_place_are_read_once():
    content = bytearray(xls_of(VOTES, is_small=True))
    at = content.index(b"\x85\x00\x09\x00")
    content[at + 4 : at + 8] = bytes(4)
    bounded(bytes(content))


def test_a_sheet_inside_another_record_of_an_xls_is_found():
    with pytest.raises(InvalidComparisons, match="60,000 rows and 15,004 columns"):
        bounded(xls_of(VOTES, hidden={"VEB60000": "x"}))


def test_several_numbers_in_one_record_of_an_xls_are_counted():
    bounded(xls_of(VOTES, numbers=(2, 0, 4)))
    with pytest.raises(InvalidComparisons, match="60,001 rows and 15,005 columns, but only 11"):
        bounded(xls_of(VOTES, numbers=(60_000, 15_000, 5)))


def test_repeated_text_of_an_ods_is_counted():
    long = ods_row("x" * 100_000, times=100, columns=1_000)
    with pytest.raises(InvalidComparisons, match="more than 1,024 MB of text"):
        bounded(ods_of(TABLE + long))


def test_repeated_shared_text_of_an_xlsx_is_counted(monkeypatch):
    monkeypatch.setattr(workbook_bounds, "MOST_TEXT", 1 << 20)
    texts = f"<sst><si><t>short</t></si><si><t>{'x' * 30_000}</t></si></sst>"

    def book(shared: int) -> bytes:
        cell = f"<v>{shared}</v>"
        rows = "".join(f'<row r="{k}"><c r="A{k}" t="s">{cell}</c></row>' for k in range(1, 200))
        return xlsx_of(rows, **{"xl/sharedStrings.xml": texts})

    bounded(book(0))
    with pytest.raises(InvalidComparisons, match="of text"):
        bounded(book(1))


def test_a_zip_bomb_is_refused(monkeypatch):
    monkeypatch.setattr(workbook_bounds, "MOST_UNPACKED", 3 << 20)
    for content in (
        xlsx_of("<row/>" * 700_000),
        xlsx_of("", **{"xl/media/image.png": "\0" * 4_000_000}),
        ods_of("<table:table-row/>" * 300_000),
    ):
        assert len(content) < 40_000
        with pytest.raises(InvalidComparisons, match="unpacks to more than 3 MB"):
            bounded(content)


@pytest.mark.parametrize(
    "content",
    [
        b"PK\3\4 nonsense",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 2000,
        xls_of(VOTES)[:1200],
        xls_of(VOTES)[:600] + bytes(5000),
        ods_of("<table:table-row>"),
        ods_of("").replace(b"content.xml", b"content.xmm"),
    ],
    ids=["zip", "ole", "marks", "cut", "zeros", "xml", "no content"],
)
def test_damaged_workbooks_are_an_error_or_left_to_their_reader(content):
    try:
        bounded(content)
    except InvalidComparisons as error:
        assert "not readable as a workbook" in str(error)  # noqa: PT017


def test_entities_are_refused():
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>'
    content = ods_of(TABLE)
    buffer = BytesIO()
    with ZipFile(BytesIO(content)) as old, ZipFile(buffer, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            new.writestr(name, bomb + text if name == "content.xml" else text)
    with pytest.raises(InvalidComparisons, match="declares entities"):
        bounded(buffer.getvalue())


@pytest.mark.slow
def test_a_far_cell_takes_little_memory(tmp_path):
    path = tmp_path / "votes.xlsx"
    path.write_bytes(xlsx_of(xlsx_rows(FAR)))
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))\n"
        "from hodgerank import read_comparisons\n"
        "try:\n    read_comparisons(sys.argv[1])\nexcept ValueError as error:\n    print(error)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 300_000)\n"
    )
    if sys.platform != "linux":
        pytest.skip("needs limits of memory")
    run = [sys.executable, "-c", script, str(path)]
    found = subprocess.run(run, capture_output=True, text=True, check=True, timeout=100)
    assert "Ctrl+End" in found.stdout
    assert found.stdout.endswith("True\n")
