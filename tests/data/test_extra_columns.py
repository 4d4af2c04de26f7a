"""Columns that ranking does not use stay with the votes."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hodgerank as hr
from hodgerank.data.extra_columns import ExtraColumns
from hodgerank.data.subsets import join_comparisons
from hodgerank.errors import InvalidArgument, InvalidComparisons

TABLE = {
    "left": ["a", "b", "c", "a", "b", "d"],
    "right": ["b", "c", "a", "c", "a", "a"],
    "outcome": [1, -1, 1, 1, -1, 1],
    "worker": ["ann", "bob", "ann", "bob", "ann", "bob"],
    "device": ["phone", "desk", "phone", None, "desk", "phone"],
    "seconds": [4, 2, 9, 1, 3, 5],
}


@pytest.fixture
def votes():
    return hr.read_comparisons(pl.DataFrame(TABLE))


def seconds(votes):
    return votes.extra["seconds"].to_list()


def write(table, path):
    frame = pl.DataFrame(table)
    writers = {
        ".csv": frame.write_csv,
        ".parquet": frame.write_parquet,
        ".jsonl": frame.write_ndjson,
        ".json": frame.write_json,
    }
    writers[path.suffix](path)
    return path


def test_columns_that_are_not_used_are_kept_in_order(votes):
    assert list(votes.extra) == ["device", "seconds"] == list(votes.report.unused)
    assert votes.extra["device"].to_list() == TABLE["device"]
    assert repr(votes.extra) == "ExtraColumns(device, seconds)"
    assert "worker" not in votes.extra
    assert votes.extra.get("worker") is None


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".jsonl", ".json"])
def test_files_of_every_format_have_them(tmp_path, suffix):
    votes = hr.read_comparisons(write(TABLE, tmp_path / f"votes{suffix}"))
    assert votes.extra["device"].to_list() == TABLE["device"]
    assert [int(value) for value in seconds(votes)] == TABLE["seconds"]


@pytest.mark.parametrize("library", [pd.DataFrame, pa.table, pl.DataFrame])
def test_dataframes_of_every_library_have_them(library):
    assert seconds(hr.read_comparisons(library(TABLE))) == TABLE["seconds"]


def test_columns_in_a_condition_are_kept_and_follow_the_rows():
    found = hr.read_comparisons(pl.DataFrame(TABLE), where="seconds > 2")
    assert seconds(found) == [4, 9, 3, 5]
    assert found.rows.tolist() == [1, 3, 5, 6]


def test_invalid_rows_take_their_columns_with_them():
    table = pl.DataFrame({**TABLE, "right": ["b", "b", "a", "c", "a", "a"]})
    assert seconds(hr.read_comparisons(table, skip_invalid=True)) == [4, 9, 1, 3, 5]


def test_every_subset_keeps_them(votes):
    assert seconds(votes.select([2, 0])) == [9, 4]
    assert seconds(votes.select(votes.outcome < 0).compacted()) == [2, 3]
    assert seconds(votes.select([])) == []
    assert seconds(hr.exclude_workers(votes, ["bob"])) == [4, 9, 3]
    assert seconds(hr.keep_items_with(votes, 2)) == [4, 2, 9, 1, 3]
    doubled = replace(votes, multiplicity=np.array([1, 2, 1, 1, 1, 1]))
    assert seconds(doubled.repeated()) == [4, 2, 2, 9, 1, 3, 5]
    apart = hr.read_comparisons([*pl.DataFrame(TABLE).to_dicts(), {
        "left": "x", "right": "y", "outcome": 1, "worker": "ann", "device": "tv", "seconds": 7
    }])  # fmt: skip
    assert seconds(hr.largest_component(apart)) == TABLE["seconds"]


def test_joined_votes_have_the_columns_of_all_parts(votes):
    other = hr.read_comparisons([{"left": "a", "right": "z", "outcome": 1, "country": "fr"}])
    both = join_comparisons([votes, other, votes.select([1])])
    assert list(both.extra) == ["device", "seconds", "country"]
    assert seconds(both) == [*TABLE["seconds"], None, 2]
    assert both.extra["country"].to_list() == [None] * 6 + ["fr", None]
    assert seconds(both.select([7, 0])) == [2, 4]


def test_columns_of_different_types_are_joined_as_text_where_necessary(votes):
    other = hr.read_comparisons([{"left": "a", "right": "z", "outcome": 1, "seconds": [1, 2]}])
    assert seconds(join_comparisons([votes, other])) == ["4", "2", "9", "1", "3", "5", "[1, 2]"]


def test_groups_keep_them_alone_and_together():
    groups = hr.read_comparisons(pl.DataFrame(TABLE), group="device")
    assert {name: seconds(part) for name, part in groups.items()} == {
        "desk": [2, 3],
        "phone": [4, 9, 5],
    }
    assert groups.together().extra["device"].to_list() == ["desk"] * 2 + ["phone"] * 3


def test_groups_are_the_same_before_and_after_reading(tmp_path):
    path = write(TABLE, tmp_path / "votes.csv")
    before = hr.read_comparisons(path, group="device")
    after = hr.read_comparisons(hr.read_comparisons(path), group="device")
    assert list(after) == list(before)
    assert after.report.missing == before.report.missing == 1
    assert after.report.unused == before.report.unused == ("seconds",)
    for name in before:
        assert after[name].to_frame("polars").equals(before[name].to_frame("polars"))


def test_units_are_the_same_before_and_after_reading(tmp_path):
    path = write(TABLE, tmp_path / "votes.csv")
    before = hr.read_comparisons(path, unit="device")
    after = hr.read_comparisons(hr.read_comparisons(path), unit="device")
    assert after.units == before.units == ("desk", "phone")
    assert after.ballot.tolist() == before.ballot.tolist()
    assert after.report.units == before.report.units == 3
    assert hr.rank(after).scores.tolist() == hr.rank(before).scores.tolist()
    both = hr.read_comparisons(hr.read_comparisons(path), group="seconds", unit="device")
    assert both[9].units == ("phone",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": "devise"}, r"no extra column 'devise' \(did you mean device\?\): there are dev"),
        ({"unit": "worker"}, "no extra column 'worker'"),
        ({"left": "device"}, "only group=..., unit=... and signs_only"),
        ({"group": "nested"}, "no extra column"),
    ],
)
def test_other_options_and_columns_are_refused_after_reading(votes, options, message):
    with pytest.raises(InvalidArgument, match=message):
        hr.read_comparisons(votes, **options)


def test_an_empty_or_nested_column_is_no_group():
    table = pl.DataFrame({**TABLE, "empty": [None] * 6, "nested": [[1]] * 6})
    votes = hr.read_comparisons(table)
    with pytest.raises(InvalidComparisons, match="'empty' is empty"):
        hr.read_comparisons(votes, group="empty")
    with pytest.raises(InvalidComparisons, match="'empty' is empty"):
        hr.read_comparisons(votes, unit="empty")
    with pytest.raises(InvalidComparisons, match="'nested' has type List"):
        hr.read_comparisons(votes, group="nested")


def test_votes_of_other_shapes_have_the_columns_of_their_source_row():
    wide = pl.DataFrame(
        {"rank1": ["a", "b"], "rank2": ["b", "c"], "rank3": ["c", None], "day": [1, 2]}
    )
    assert hr.read_comparisons(wide).extra["day"].to_list() == [1, 1, 1, 2]
    tallies = pl.DataFrame(
        {
            "left": ["a", "b"],
            "right": ["b", "c"],
            "wins_left": [2, 0],
            "wins_right": [1, 1],
            "day": [1, 2],
        }
    )
    assert hr.read_comparisons(tallies).extra["day"].to_list() == [1, 1, 1, 2]
    long = pl.DataFrame(
        {
            "ballot": [7, 7, 8, 8],
            "item": list("abba"),
            "position": [1, 2, 1, 2],
            "day": [1, 1, 2, 2],
        }
    )
    found = hr.read_comparisons(long).extra
    assert {name: found[name].to_list() for name in found} == {"day": [1, 2]}
    best = pl.DataFrame(
        {
            "best": ["a"],
            "worst": ["c"],
            "option1": ["a"],
            "option2": ["b"],
            "option3": ["c"],
            "day": [4],
        }
    )
    assert hr.read_comparisons(best).extra["day"].to_list() == [4, 4, 4]


def test_a_square_matrix_has_none():
    matrix = pl.DataFrame({"item": ["a", "b"], "a": [0, 2], "b": [1, 0]})
    assert not hr.read_comparisons(matrix).extra


def test_a_lazy_source_has_only_what_was_asked_for():
    lazy = pl.LazyFrame(TABLE)
    assert not hr.read_comparisons(lazy).extra
    assert list(hr.read_comparisons(lazy, unit="device").extra) == ["device"]
    with pytest.raises(InvalidArgument, match="they have none; name it when reading the file"):
        hr.read_comparisons(hr.read_comparisons(lazy), group="device")


def test_columns_of_a_parquet_file_are_read_on_first_use(tmp_path, monkeypatch):
    from hodgerank.data.sources.frames import Frame

    read = []
    rows = Frame.rows
    monkeypatch.setattr(Frame, "rows", lambda self, names: read.append(names) or rows(self, names))
    path = write({**TABLE, "conversation": [[{"text": "long"}]] * 6}, tmp_path / "votes.parquet")
    votes = hr.read_comparisons(path)
    assert not any("conversation" in names for names in read)
    assert votes.select([3]).extra["conversation"].to_list() == [[{"text": "long"}]]
    assert read[-1] == ["conversation"]
    assert len(votes.extra["conversation"]) == 6
    assert read.count(["conversation"]) == 1


def test_a_file_that_was_removed_or_changed_meanwhile_is_an_error(tmp_path):
    path = write(TABLE, tmp_path / "votes.parquet")
    votes = hr.read_comparisons(path)
    assert seconds(votes) == TABLE["seconds"]
    write({**TABLE, "device": ["other and longer"] * 6}, path)
    with pytest.raises(
        InvalidComparisons, match=r"'device' .* changed or removed\): read the votes"
    ):
        votes.extra["device"]
    path.unlink()
    with pytest.raises(InvalidComparisons, match="changed or removed"):
        votes.to_frame()
    assert seconds(votes) == TABLE["seconds"]  # what was read stays
    assert hr.rank(votes).items


def test_later_changes_of_a_dataframe_do_not_matter():
    frame = pd.DataFrame(TABLE)
    votes = hr.read_comparisons(frame)
    frame.loc[0, "seconds"] = 99
    del frame["device"]
    assert seconds(votes) == TABLE["seconds"]
    columns = pl.DataFrame(TABLE)
    votes = hr.read_comparisons(columns)
    columns[0, "seconds"] = 99
    assert seconds(votes) == TABLE["seconds"]


def test_a_pickle_holds_the_columns(tmp_path):
    path = write(TABLE, tmp_path / "votes.parquet")
    content = pickle.dumps(hr.read_comparisons(path, where="seconds > 2"))
    path.unlink()
    again = pickle.loads(content)
    assert seconds(again) == [4, 9, 3, 5]
    assert again.extra["device"].to_list() == ["phone", "phone", "desk", "phone"]
    text = hr.read_comparisons(write(TABLE, tmp_path / "votes.csv"))
    groups = hr.read_comparisons(pickle.loads(pickle.dumps(text)), group="seconds")
    assert list(groups) == [1, 2, 3, 4, 5, 9]  # still numbers in a text file


def test_of_two_columns_of_one_name_neither_is_kept(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,outcome,note,note,day\na,b,1,x,y,3\nb,a,-1,y,x,4\n")
    assert list(hr.read_comparisons(path).extra) == ["day"]


def test_columns_can_be_given_as_arrays():
    votes = hr.Comparisons(("a", "b"), [0, 1], [1, 0], [1, -1], extra={"day": np.array([3, 4])})
    assert votes.select([1]).extra["day"].to_list() == [4]
    assert votes.to_frame("polars")["day"].to_list() == [3, 4]


@pytest.mark.parametrize(
    ("extra", "error", "message"),
    [
        ({"day": [1]}, InvalidComparisons, "extra columns have 1 rows, but there are 2 votes"),
        ({"day": [1, 2], "hour": [1]}, InvalidArgument, "different lengths"),
        ({1: [1, 2]}, InvalidArgument, "must be text, not 1"),
        ({"day": [1, "x"]}, InvalidArgument, "'day' needs values of one type"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(extra, error, message):
    with pytest.raises(error, match=message):
        hr.Comparisons(("a", "b"), [0, 1], [1, 0], [1, -1], extra=extra)


def test_columns_of_mixed_types_are_text():
    frame = pd.DataFrame({**TABLE, "seconds": [1, "two", None, 4.5, b"x", "six"]})
    assert seconds(hr.read_comparisons(frame)) == ["1", "two", None, "4.5", "b'x'", "six"]
    things = pl.DataFrame(TABLE).with_columns(pl.Series("seconds", [{1}] * 6, dtype=pl.Object))
    assert seconds(hr.read_comparisons(things)) == ["{1}"] * 6


def test_equal_columns_are_equal(votes):
    assert votes.extra == ExtraColumns.of({name: TABLE[name] for name in votes.extra})
    assert votes.extra != ExtraColumns.of({"device": TABLE["device"]})
    assert votes.extra != votes.select([0, 0, 2, 3, 4, 5]).extra
    assert ExtraColumns() == ExtraColumns() != {}


def test_columns_with_hostile_names_are_kept(tmp_path):
    names = ["*", "^.*$", "", " left ", "a,b", 'quo"te', "=1+1", "tab\tbed", "ünïcode", "__row__"]
    path = write(
        {**TABLE, **{name: [str(k)] * 6 for k, name in enumerate(names)}}, tmp_path / "v.csv"
    )
    votes = hr.read_comparisons(path, left="left", right="right", outcome="outcome")
    assert [votes.select([5]).extra[name].to_list() for name in names] == [
        [str(k)] for k in range(10)
    ]
    again = hr.read_comparisons(votes.to_frame("polars"))
    assert again.outcome.tolist() == votes.outcome.tolist()
    assert len(again.extra) == len(votes.extra)
