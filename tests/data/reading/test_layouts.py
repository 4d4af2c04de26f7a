"""The layouts people already have, from files."""

from __future__ import annotations

import gzip
from decimal import Decimal

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidComparisons


def answers(votes: hr.Comparisons) -> list[tuple]:
    return [
        (votes.items[a], votes.items[b], y)
        for a, b, y in zip(votes.left, votes.right, votes.outcome.tolist(), strict=True)
    ]


def test_numeric_labels(write):
    votes = hr.read_comparisons(write("left,right,label\nx,y,1\ny,z,-1\nx,z,0\nx,y,0.25\n"))
    assert answers(votes) == [("x", "y", 1), ("y", "z", -1), ("x", "z", 0), ("x", "y", 0.25)]
    assert votes.display_known.all()
    assert "1: left is better, -1: right is better" in votes.report.layout


def test_the_chosen_item_as_label(write):
    votes = hr.read_comparisons(write("left,right,label\nx,y,x\ny,z,z\nx,z,tie\n"))
    assert answers(votes) == [("x", "y", 1), ("y", "z", -1), ("x", "z", 0)]
    assert "the item chosen is better" in votes.report.layout


def test_winner_in_words(write):
    votes = hr.read_comparisons(
        write("left,right,winner\nx,y,left\ny,z,Right\nx,z,draw\nx,y,tie\n")
    )
    assert votes.outcome.tolist() == [1, -1, 0, 0]


def test_arena_battles_count_both_bad_as_ties_unless_they_are_dropped(write):
    text = (
        "model_a,model_b,winner,judge\n"
        "m1,m2,model_a,u1\nm2,m3,model_b,u1\nm1,m3,tie,u2\nm1,m2,tie (bothbad),u2\nm1,m2,skip,u3\n"
    )
    path = write(text)
    votes = hr.read_comparisons(path)
    assert votes.outcome.tolist() == [1, -1, 0, 0]
    assert (votes.report.both_bad, votes.report.both_bad_ties) == (0, 1)
    assert "1 (20%) skipped; 1 'both bad' counted as ties" in str(votes.report)
    votes = hr.read_comparisons(path, both_bad="drop")
    assert votes.outcome.tolist() == [1, -1, 0]
    assert (votes.report.both_bad, votes.report.both_bad_ties) == (1, 0)
    assert (votes.report.skipped, votes.report.rows) == (1, 5)
    assert votes.workers == ("u1", "u2")
    assert "1 (20%) 'both bad', 1 (20%) skipped" in str(votes.report)


def test_winner_and_loser_have_no_display_order(write):
    votes = hr.read_comparisons(write("winner,loser\nx,y\nz,x\n"))
    assert answers(votes) == [("x", "y", 1), ("z", "x", 1)]
    assert not votes.display_known.any()


def test_explicit_columns_win(write):
    path = write("left,right,label,A,B,grade\nu,v,1,x,y,7\nu,v,1,y,x,1\n")
    votes = hr.read_comparisons(path, left="A", right="B", outcome="grade", scale=(1, 7))
    assert answers(votes) == [("x", "y", 1), ("y", "x", -1)]


def test_one_explicit_column_beside_recognised_ones(write):
    votes = hr.read_comparisons(write("left,right,grade\nx,y,-1\n"), outcome="grade")
    assert votes.outcome.tolist() == [-1]


def test_column_names_are_recognised_in_any_case(write):
    votes = hr.read_comparisons(write("Left , RIGHT,Winner\nx,y,left\n"))
    assert len(votes) == 1


def test_items_that_are_numbers_become_integers(write):
    votes = hr.read_comparisons(write("left,right,label\n10,9,1\n9,8,-1\n"))
    assert votes.items == (8, 9, 10)
    assert all(type(item) is int for item in votes.items)


def test_items_with_leading_zeros_stay_text(write):
    assert hr.read_comparisons(write("left,right,label\n007,7,1\n")).items == ("007", "7")


def test_numeric_items_do_not_turn_labels_into_choices(write):
    votes = hr.read_comparisons(write("left,right,label\n1,2,1\n2,1,-1\n3,1,1\n2,3,-1\n"))
    assert votes.outcome.tolist() == [1, -1, 1, -1]


def test_numeric_items_named_as_winner_are_choices(write):
    votes = hr.read_comparisons(write("left,right,winner\n1,2,1\n2,1,1\n0,1,0\n1,0,0\n"))
    assert votes.outcome.tolist() == [1, -1, 1, -1]
    forced = hr.read_comparisons(write("left,right,winner\n1,2,1\n2,1,1\n"), outcome_as="number")
    assert forced.outcome.tolist() == [1, 1]


def test_items_called_a_and_b_are_items_before_they_are_words(write):
    votes = hr.read_comparisons(write("left,right,winner\nB,A,A\nA,B,A\n"))
    assert votes.outcome.tolist() == [-1, 1]


def test_white_space_around_names_is_no_difference(write):
    votes = hr.read_comparisons(write("left,right,label\nx , y,1\n y,x,1\n"))
    assert votes.items == ("x", "y")


@pytest.mark.parametrize("labels", [("1", "0"), ("0", "0.5", "1"), ("1.0", "0.0")])
def test_zero_and_one_are_refused_with_both_readings(write, labels):
    path = write("left,right,label\n" + "".join(f"x,y,{label}\n" for label in labels))
    with pytest.raises(InvalidComparisons) as caught:
        hr.read_comparisons(path)
    assert "--scale 0 1" in str(caught.value)
    assert "--scale -1 1" in str(caught.value)
    chosen = hr.read_comparisons(path, scale=(0, 1))
    assert chosen.outcome.tolist() == [2 * float(label) - 1 for label in labels]
    tied = hr.read_comparisons(path, scale=(-1, 1))
    assert tied.outcome.tolist() == [float(label) for label in labels]


def test_weights_workers_and_times(write):
    text = "left,right,label,worker,weight,time\nx,y,1,ann,2,2024-05-01T10:00:00\ny,x,1,,0.5,\n"
    votes = hr.read_comparisons(write(text))
    assert votes.weight.tolist() == [2, 0.5]
    assert votes.workers == ("ann",)
    assert votes.worker.tolist() == [0, -1]
    assert votes.time[0] == np.datetime64("2024-05-01T10:00:00")
    assert np.isnat(votes.time[1])


@pytest.mark.parametrize("separator", ["\t", ";", "|"])
def test_the_separator_is_found_out(write, separator):
    text = "left,right,label\nx,y,1\n".replace(",", separator)
    assert len(hr.read_comparisons(write(text))) == 1


def test_gzip_bom_utf16_and_blank_lines(write, tmp_path):
    text = "left,right,label\nx,y,1\n\ny,x,-1\n\n"
    packed = tmp_path / "votes.tsv.gz"
    packed.write_bytes(gzip.compress(text.replace(",", "\t").encode()))
    assert len(hr.read_comparisons(packed)) == 2
    assert len(hr.read_comparisons(write(text, encoding="utf-8-sig"))) == 2
    assert len(hr.read_comparisons(write(text, encoding="utf-16"))) == 2
    named = write("left,right,label\ncafé,thé,1\n", encoding="latin-1")
    assert hr.read_comparisons(named, encoding="latin-1").items == ("café", "thé")


def test_quoted_names_may_hold_separators_and_line_breaks(write):
    votes = hr.read_comparisons(write('left,right,label\n"x, the first","y\nsecond",1\n'))
    assert votes.items == ("x, the first", "y\nsecond")


def test_parquet_and_json_lines_keep_types(tmp_path):
    table = pl.DataFrame({"left": [3, 2], "right": [1, 3], "label": [1, -1]})
    table.write_parquet(tmp_path / "votes.parquet")
    table.write_ndjson(tmp_path / "votes.jsonl")
    for name in ("votes.parquet", "votes.jsonl"):
        votes = hr.read_comparisons(tmp_path / name)
        assert votes.items == (1, 2, 3)
        assert votes.outcome.tolist() == [1, -1]


def test_a_file_name_is_not_a_pattern(tmp_path):
    (tmp_path / "votes[1].csv").write_text("left,right,label\na,b,1\n")
    (tmp_path / "votes1.csv").write_text("left,right,label\nwrong,file,1\n")
    assert hr.read_comparisons(tmp_path / "votes[1].csv").items == ("a", "b")


def test_ties_and_skips_may_stand_among_numbers(write):
    votes = hr.read_comparisons(write("left,right,label\na,b,1\nb,c,skip\nc,a,-1\na,c,tie\n"))
    assert votes.outcome.tolist() == [1, -1, 0]
    assert votes.report.skipped == 1


def test_true_is_left_and_false_is_right(write):
    for source in (
        [("a", "b", True), ("a", "b", False)],
        write("left,right,label\na,b,True\na,b,False\n"),
    ):
        assert hr.read_comparisons(source).outcome.tolist() == [1, -1]


def test_decimals_are_numbers():
    rows = [("a", "b", Decimal("0.5")), ("a", "b", Decimal(-1))]
    assert hr.read_comparisons(rows).outcome.tolist() == [0.5, -1]


def test_times_in_iso_8601_of_every_kind(write):
    times = ["2024-01-01", "2024-01-03T10:00:00Z", "2024-01-03 10:00"]
    rows = "".join(f"a,b,1,{time}\n" for time in times)
    votes = hr.read_comparisons(write("left,right,label,time\n" + rows))
    assert votes.time[1] == votes.time[2] == np.datetime64("2024-01-03T10:00")


def test_old_line_ends_and_leading_blank_lines(write):
    assert len(hr.read_comparisons(write("left,right,label\ra,b,1\rb,a,1\r"))) == 2
    assert len(hr.read_comparisons(write("\n\nleft,right,label\na,b,1\n"))) == 1


def test_separators_in_quoted_headers_are_not_counted(write):
    votes = hr.read_comparisons(write('"left";"right";"label";"a,b,c,d"\nx;y;1;0\n'))
    assert votes.items == ("x", "y")


def test_json_of_records(tmp_path):
    pl.DataFrame({"left": ["a"], "right": ["b"], "label": [1]}).write_json(tmp_path / "votes.json")
    assert hr.read_comparisons(tmp_path / "votes.json").items == ("a", "b")


def test_a_binary_stream_is_csv(write):
    with write("left,right,label\nx,y,1\n").open("rb") as stream:
        assert hr.read_comparisons(stream).items == ("x", "y")
