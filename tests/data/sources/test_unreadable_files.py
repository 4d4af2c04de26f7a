"""Files of other programs, and tables of too many columns, end in an error that says what to do."""

from __future__ import annotations

import gzip
import json

import pytest

from hodgerank import read_comparisons
from hodgerank.data.sources import text_table
from hodgerank.errors import InvalidComparisons


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("v.rds", b"", 'write.csv(readRDS("v.rds"), "v.csv", row.names=FALSE)'),
        ("v.RData", gzip.compress(b"RDX3\nX\n", mtime=0), 'load("v.RData", e)'),
        ("v.rda", b"BZh9", 'load("v.rda", e)'),
        ("v.csv", gzip.compress(b"RDX3\nX\n\0\0\0", mtime=0), '"v-converted.csv"'),
        ("v", gzip.compress(b"X\n\0\0\0\3", mtime=0), 'readRDS("v")'),
        ("v", b"RDX2\nX\n", 'load("v", e)'),
        ("v.sav", b"$FL2", 'pandas.read_spss("v.sav")'),
        ("v.txt", b"$FL2@(#) SPSS", "pandas.read_spss"),
        ("v.dta", b"", 'pandas.read_stata("v.dta").to_csv("v.csv", index=False)'),
        ("v.sas7bdat", b"", "pandas.read_sas"),
    ],
)
def test_files_of_statistics_programs_name_the_command_that_converts(
    tmp_path, monkeypatch, name, content, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidComparisons) as caught:
        read_comparisons(name)
    assert message in str(caught.value)


def test_a_hostile_name_is_not_part_of_the_command(tmp_path):
    path = tmp_path / "x'; echo pwned; '.rds"
    path.write_bytes(b"")
    with pytest.raises(InvalidComparisons) as caught:
        read_comparisons(path)
    assert 'readRDS("votes.rds")' in str(caught.value)


def test_a_header_of_a_million_columns_is_an_error(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(",".join(map(str, range(1_000_000))) + "\n")
    with pytest.raises(InvalidComparisons, match="more than 16,384 columns: write one row"):
        read_comparisons(path)


def test_a_long_line_is_not_read_to_its_end(monkeypatch, tmp_path):
    monkeypatch.setattr(text_table, "PIECE", 1 << 10)
    monkeypatch.setattr(text_table, "MOST_COLUMNS", 100)
    path = tmp_path / "votes.csv"
    path.write_text("a;" * 100_000)
    with path.open("rb") as stream:
        with pytest.raises(InvalidComparisons, match="more than 100 columns"):
            text_table._first_lines(stream, "votes.csv")
        assert stream.tell() < 4_000


def test_a_row_of_many_fields_is_an_error_that_names_the_row(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,winner\na,b,a\n" + "1," * 300_000 + "\nb,a,b\n")
    with pytest.raises(InvalidComparisons, match="has more fields than the header"):
        read_comparisons(path)
    assert len(read_comparisons(path, skip_invalid=True)) == 2


def test_a_long_first_cell_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text_table, "PIECE", 1 << 10)
    text = "a, b; " * 5_000
    path = tmp_path / "votes.csv"
    path.write_text(f'"{text}\n{text}",x,1\nx,"{text}\n{text}",-1\n')
    votes = read_comparisons(path, header=False)
    assert (votes.n_items, len(votes)) == (2, 2)


def test_numbers_of_later_rows_decide_the_type_of_json(tmp_path):
    rows = [{"left": "a", "right": "b", "outcome": 1}] * 150
    rows += [{"left": "a", "right": "b", "outcome": -0.5}]
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(rows))
    assert read_comparisons(path).outcome[-1] == -0.5


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_nested_values_of_mixed_types_do_no_harm(tmp_path, form):
    rows = [
        {"left": "a", "right": "b", "winner": "a", "more": {"k": 1}},
        {"left": "b", "right": "a", "winner": "a", "more": {"k": [1]}},
        {"left": "b", "right": "c", "winner": "b", "more": [1, {"x": "y"}]},
        {"left": "b", "right": "c", "winner": "c"},
    ]
    path = tmp_path / f"votes.{form}"
    path.write_text(json.dumps(rows) if form == "json" else "\n".join(map(json.dumps, rows)))
    assert len(read_comparisons(path)) == 4


def test_nested_columns_of_an_unknown_table_do_no_harm(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"x": [1, 2], "y": {"z": 1}, "one": "a", "two": "b"}]))
    with pytest.raises(InvalidComparisons, match="no column for the outcome was recognised"):
        read_comparisons(path)
