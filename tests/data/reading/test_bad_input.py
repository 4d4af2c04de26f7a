"""Bad input gives one error that names the file, the rows and the remedy."""

from __future__ import annotations

import bz2
import gzip

import pandas as pd
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons

HEADER = "left,right,label\n"


def complaint(source, **options) -> str:
    with pytest.raises(InvalidComparisons) as caught:
        hr.read_comparisons(source, **options)
    return str(caught.value)


@pytest.mark.parametrize(
    ("rows", "row", "what", "remedy"),
    [
        ("a,b,1\nc,c,1\n", "row 2: c, c, 1", "compared with itself", "remove the row"),
        ("a,b,1\nb,c,2\n", "row 2: b, c, 2", "not a number in [-1, 1]", "--scale 2 1"),
        ("a,b,a\nb,c,a\nb,c,b\n", "row 2: b, c, a", "neither of the two items", "spelling"),
        ("a,b,left\nb,c,lefft\n", "row 2: b, c, lefft", "neither of the two", "spelling"),
        ("a,b,1\n,c,1\n", "row 2: , c, 1", "an item is missing", "fill in both"),
        ("a,b,1\nb,c,1,9\n", "row 2: b, c, 1", "more fields than the header", "quotes"),
    ],
)
def test_a_bad_row_is_named_with_its_remedy(write, rows, row, what, remedy):
    path = write(HEADER + rows)
    message = complaint(path)
    for part in (str(path), row, what, remedy, "skip_invalid=True"):
        assert part in message
    kept = hr.read_comparisons(path, skip_invalid=True)
    assert kept.report.rejected == 1
    assert what in kept.report.rejections[0]
    assert len(kept) == rows.count("\n") - 1


def test_several_faults_come_in_one_error(write):
    message = complaint(write(HEADER + "a,b,1\na,a,1\nb,c,9\nc,c,0\n"))
    assert "3 of 4 rows" in message
    assert "2 x an item is compared with itself" in message
    assert "1 x the outcome is not a number" in message


def test_items_only_in_dropped_rows_are_gone(write):
    votes = hr.read_comparisons(write(HEADER + "a,b,1\nz,z,1\n"), skip_invalid=True)
    assert votes.items == ("a", "b")


def test_missing_columns_come_with_the_nearest_names(write):
    message = complaint(write("lefft,rihgt,label\na,b,1\n"))
    assert "--left lefft --right rihgt --outcome label" in message
    assert "left='lefft', right='rihgt', outcome='label'" in message
    assert "lefft, rihgt, label" in message
    assert "no column for the outcome" in complaint(write("left,right,x\na,b,u v\n"))
    assert "did you mean winner?" in complaint(write("left,right,winner\na,b,a\n"), outcome="winer")


def test_empty_files(write):
    assert "is empty" in complaint(write(""))
    assert "is empty" in complaint(write("\0" * 50))
    assert "there is a header but no rows" in complaint(write(HEADER))
    assert "no rows" in complaint([])


def test_a_file_of_nothing_but_skips(write):
    assert "none of the 2 rows" in complaint(write("left,right,winner\na,b,skip\na,b,not sure\n"))


def test_files_that_are_not_there(tmp_path):
    assert "does not exist" in complaint(tmp_path / "nothing.csv")
    assert "is a folder" in complaint(tmp_path)


def test_mixed_encodings_name_the_line(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_bytes(HEADER.encode() + "thé,b,1\n".encode() + "café,b,1\n".encode("latin-1"))
    message = complaint(path)
    for part in (str(path), "line 3", "0xe9", "café", "encoding='latin-1'"):
        assert part in message


def test_damaged_parquet_and_json(write):
    assert "not readable as Parquet" in complaint(write("nonsense", "votes.parquet"))
    assert "JSON lines" in complaint(write("nonsense\n", "votes.jsonl")) or "damaged" in complaint(
        write("nonsense\n", "votes.jsonl")
    )


def test_repeated_columns(write):
    assert "two columns are called label" in complaint(write("left,right,label,label\na,b,1,1\n"))


def test_weights_must_be_positive(write):
    message = complaint(write("left,right,label,weight\na,b,1,0\na,b,1,x\na,b,1,1\n"))
    assert "2 x the weight is not a number between" in message


def test_times_must_be_readable(write):
    path = write("left,right,label,time\na,b,1,yesterday\na,b,1,2024-01-01 10:00\n")
    message = complaint(path, time="time")
    assert "the time is invalid" in message
    assert "row 1" in message
    votes = hr.read_comparisons(path)
    assert votes.time is None
    assert "column 'time' is not used" in votes.report.notes[0]


def test_rows_of_the_wrong_shape():
    assert "(left, right, outcome)" in complaint([("a", "b")])
    assert "integers" in complaint([("a", 1, 1), (2, "b", 1)])
    assert "integers or strings" in complaint([(1.5, 2.5, 1)])
    assert "cannot read votes from a int" in complaint(3)


def test_files_in_other_wrappings_say_so(tmp_path):
    packed = tmp_path / "votes.csv.bz2"
    packed.write_bytes(bz2.compress(HEADER.encode()))
    assert "compressed with bzip2" in complaint(packed)
    cut = tmp_path / "votes.csv.gz"
    cut.write_bytes(gzip.compress(HEADER.encode() + b"a,b,1\n" * 999)[:-20])
    assert "damaged" in complaint(cut)
    assert "quotation mark" in complaint(_written(tmp_path / "open.csv", HEADER + 'a,"b,1\n'))


def _written(path, text):
    path.write_text(text)
    return path


def test_too_many_fields_are_noticed_beside_unused_columns(write):
    text = "prompt,winner,loser\nhello,a,b\nhi, there,a,b\nx,b,a\n"
    assert "more fields than the header" in complaint(write(text))


def test_a_column_plays_one_part(write):
    path = write("left,right,label\na,b,1\n")
    assert "two roles" in complaint(path, worker="left")
    assert "needs --winner" in complaint(path, loser="right")


def test_dataframes_that_mix_types():
    frame = pd.DataFrame({"left": ["a", 1], "right": ["b", "c"], "label": [1, 1]})
    assert "each column needs one type" in complaint(frame)


def test_senseless_options(write):
    path = write(HEADER + "a,b,1\n")
    for options in (
        {"scale": (1, 1)},
        {"scale": 5},
        {"outcome_as": "x"},
        {"separator": "::"},
        {"encoding": "latin-99"},
    ):
        with pytest.raises(InvalidArgument):
            hr.read_comparisons(path, **options)
