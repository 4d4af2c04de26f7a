"""Votes in every layout that is written, and read back."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.data.comparisons import ReadReport
from hodgerank.data.reading.layout_detection import detect_layout
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.sources.frames import Frame
from hodgerank.data.vote_columns import LAYOUTS, ROLES, written_names
from hodgerank.errors import InvalidArgument

ROWS = {
    "left": ["a", "b", "c", "a"],
    "right": ["b", "c", "a", "c"],
    "outcome": [1, -1, 0, 1],
    "worker": ["ann", "bob", None, "ann"],
    "weight": [1.0, 2.0, 0.5, 1.0],
    "time": ["2026-01-01T10:00:00", "2026-01-02T10:00:00", "2026-01-03T10:00:00", None],
    "device": ["phone", "desk", "phone", None],
}
FORMATS = {
    "csv": (pl.DataFrame.write_csv, "v.csv"),
    "parquet": (pl.DataFrame.write_parquet, "v.parquet"),
    "jsonl": (pl.DataFrame.write_ndjson, "v.jsonl"),
    "json": (pl.DataFrame.write_json, "v.json"),
}


def require_same(again, votes):
    assert again.items == votes.items
    assert again.workers == votes.workers
    for name in ("left", "right", "outcome", "worker", "display_known", "weight"):
        np.testing.assert_array_equal(getattr(again, name), getattr(votes, name), name)
    if votes.time is not None:
        np.testing.assert_array_equal(again.time, votes.time)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("layout", ["pairs", "arena"])
def test_votes_come_back_in_every_layout_and_format(tmp_path, layout, form):
    votes = hr.read_comparisons(pl.DataFrame(ROWS))
    write, name = FORMATS[form]
    write(votes.to_frame("polars", layout=layout), tmp_path / name)
    again = hr.read_comparisons(tmp_path / name)
    require_same(again, votes)
    assert again.extra["device"].to_list() == ROWS["device"]
    assert list(again.extra) == ["device"]


def test_winners_come_back_without_a_display_order():
    votes = hr.read_comparisons(pl.DataFrame(ROWS)).select([0, 1, 3])
    again = hr.read_comparisons(votes.to_frame("polars", layout="winners"))
    assert not again.display_known.any()
    assert again.to_frame("polars")["winner"].to_list() == ["a", "c", "a"]
    assert again.extra["device"].to_list() == ["phone", "desk", None]


def test_arena_has_the_columns_of_chatbot_arena():
    frame = hr.read_comparisons(pl.DataFrame(ROWS)).to_frame("polars", layout="arena")
    assert frame.columns == ["model_a", "model_b", "winner", "judge", "weight", "tstamp", "device"]
    assert frame["winner"].to_list() == ["model_a", "model_b", "tie", "model_a"]


@pytest.mark.parametrize(
    ("layout", "outcomes", "lost"),
    [("winners", [1, 0, 0.5, -1], 2), ("arena", [1, 0, 0.5, -1], 1)],
)
def test_votes_that_a_layout_cannot_express_are_refused_or_left_out(layout, outcomes, lost):
    rows = [("a", "b", outcome) for outcome in outcomes]
    votes = hr.read_comparisons(rows)
    message = rf"{lost} of 4 votes are ties or grades .* \(--to pairs\).*lossy=True \(--lossy\)"
    with pytest.raises(InvalidArgument, match=message):
        votes.to_frame(layout=layout)
    assert votes.inexpressible(layout) == lost
    assert len(votes.to_frame(layout=layout, lossy=True)) == 4 - lost
    assert len(votes.to_frame(layout="pairs", lossy=True)) == 4
    assert votes.inexpressible("pairs") == 0


def test_an_unknown_layout_is_refused():
    with pytest.raises(InvalidArgument, match="'arenas' is not one of pairs, winners, arena"):
        hr.read_comparisons([("a", "b", 1)]).to_frame(layout="arenas")


@pytest.mark.parametrize("name", ["tie", "Model_A", "model_b"])
def test_an_item_named_like_an_outcome_is_refused_where_it_would_be_ambiguous(name):
    votes = hr.read_comparisons([(name, "b", 1), ("b", name, -1), ("c", "b", 0)])
    with pytest.raises(InvalidArgument, match="has the name of an outcome"):
        votes.to_frame(layout="arena")
    require_same(hr.read_comparisons(votes.to_frame("polars")), votes)


@pytest.mark.parametrize("outcomes", [[1, 0], [0, 0.5, 1], [0, 0], [1, 1], [-1, 0], [-1, 0.5]])
def test_pairs_come_back_even_without_votes_for_one_side(outcomes):
    votes = hr.read_comparisons([("a", "b", outcome) for outcome in outcomes])
    require_same(hr.read_comparisons(votes.to_frame("polars")), votes)


def test_an_unknown_display_order_comes_back():
    ballots = pl.DataFrame(
        {"ballot": [1, 1, 1, 2, 2], "item": list("abcab"), "position": [1, 1, 2, 2, 1]}
    )
    votes = hr.read_comparisons(ballots)
    frame = votes.to_frame("polars")
    assert frame["is_display_known"].to_list() == [False] * 4
    require_same(hr.read_comparisons(frame), votes)
    text = hr.read_comparisons(BytesIO(frame.write_csv().encode()))
    require_same(text, votes)
    assert hr.read_comparisons(frame, unit="ballot").units == (1, 2)
    assert hr.read_comparisons(frame, display_known=True).display_known.all()
    mixed = hr.Comparisons(
        ("a", "b"), [0, 1, 0], [1, 0, 1], [1, -1, 0], display_known=[True, False, True]
    )
    require_same(hr.read_comparisons(mixed.to_frame("polars", layout="arena")), mixed)


HOSTILE = [
    "left", "right", "outcome", "winner", "loser", "worker", "weight", "time", "asked_by", "judge",
    "model_a", "model_b", "count", "n", "tstamp", "timestamp", "WorkerID", "annotator_no",
    "wins_left", "wins_right", "wins_a", "wins_b", "ties", "option1", "option2", "option3", "best",
    "worst", "image_a", "image_b", "item_1", "item_2", "rank1", "rank2", "rank3", "first", "second",
    "is_display_known", "chosen", "rejected", "left_extra", "ballot", "item", "position", "label",
    "is_A_selected", "multiplicity", "Left", " right ", "track", "device",
    "margin", "margin_unit",
]  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("with_workers", [True, False])
def test_no_extra_column_changes_what_is_read(layout, with_workers):
    rng = np.random.default_rng(1)
    votes = hr.Comparisons(
        ("a", "b", "c"),
        [0, 1, 2, 0],
        [1, 2, 0, 2],
        [1, -1, 1, -1],
        workers=("ann", "bob") if with_workers else (),
        worker=[0, 1, 1, 0] if with_workers else None,
        extra={name: rng.integers(1, 9, 4) for name in HOSTILE},
        report=ReadReport(margin_unit="goals" if layout == "margins" else None),
    )
    again = hr.read_comparisons(votes.to_frame("polars", layout=layout))
    assert (again.n_votes, again.workers, again.weight, again.time) == (
        4,
        votes.workers,
        None,
        None,
    )
    won = [again.items[i if y > 0 else j] for i, j, y in zip(
        again.left, again.right, again.outcome, strict=True
    )]  # fmt: skip
    assert won == ["a", "c", "c", "c"]
    names = written_names(HOSTILE, votes.to_frame("polars", layout=layout, extra=False).columns)
    assert list(again.extra) == list(names.values())
    for name, new in names.items():
        assert again.extra[new].to_list() == votes.extra[name].to_list()
    twice = hr.read_comparisons(again.to_frame("polars", layout=layout))
    assert list(twice.extra) == list(again.extra)  # names change once only


@pytest.mark.parametrize("word", [word for words in ROLES for word in words])
def test_every_word_for_a_role_is_avoided(word):
    own = ["left", "right", "outcome"]
    new = written_names([word], own)[word]
    shape = detect_layout(Frame(pl.DataFrame({name: ["x"] for name in (*own, new)})), ReadOptions())
    assert new not in shape.shape.columns


def test_names_that_mean_nothing_else_stay():
    names = ["device", "session", "prompt", "left_length", "user", "timestamp"]
    own = ["left", "right", "outcome", "worker", "time"]
    assert written_names(names, own) == {name: name for name in names}


def test_extra_columns_can_be_left_out():
    votes = hr.read_comparisons(pl.DataFrame(ROWS))
    assert "device" not in votes.to_frame("polars", extra=False).columns


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_extra_columns_of_every_type_go_to_every_library(backend):
    kinds = {
        "text": ["x", None], "whole": [1, None], "real": [0.5, None], "flag": [True, None],
        "nested": [[{"a": 1}], None], "raw": [b"x", None], "nothing": [None, None],
        "day": pl.Series(["2026-01-01", None]).str.to_date(),
        "kind": pl.Series(["x", None], dtype=pl.Categorical),
    }  # fmt: skip
    table = pl.DataFrame({"left": ["a", "b"], "right": ["b", "a"], "outcome": [1, -1], **kinds})
    again = hr.read_comparisons(hr.read_comparisons(table).to_frame(backend))
    assert list(again.extra) == list(kinds)
    for name in ("text", "whole", "real", "flag", "nested", "raw"):
        assert again.extra[name].to_list() == kinds[name], name


def test_without_a_dataframe_the_result_is_pandas_if_installed_else_polars(monkeypatch, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,outcome\na,b,1\nb,a,-1\n")
    sources = [path, [("a", "b", 1), ("b", "a", -1)]]
    for source in sources:
        votes = hr.read_comparisons(source)
        for result in (votes, hr.rank(votes), hr.find_outliers(votes)):
            assert isinstance(result.to_frame(), pd.DataFrame)
            assert isinstance(result.to_frame("polars"), pl.DataFrame)
    monkeypatch.setattr("hodgerank.data.sources.frames.find_spec", lambda name: None)
    for source in sources:
        assert isinstance(hr.rank(source).to_frame(), pl.DataFrame)
    assert isinstance(hr.read_comparisons(pd.DataFrame(ROWS)).to_frame(), pd.DataFrame)


@pytest.mark.parametrize("layout", ["pairs", "winners", "arena"])
def test_ballots_come_back(tmp_path, layout):
    path = tmp_path / "rankings.csv"
    path.write_text("ranking\na > b > c\nb > a > c\nc > b > a\n")
    votes = hr.read_comparisons(path)
    again = hr.read_comparisons(votes.to_frame("polars", layout=layout))
    assert again.report.ballots == votes.report.ballots == 3
    text = BytesIO(votes.to_frame("polars", layout=layout).write_csv().encode())
    assert hr.read_comparisons(text).report.ballots == 3


def test_a_vote_without_a_ballot_is_a_ballot_by_itself(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("left,right,outcome,ballot\na,b,1,1\nb,c,1,1\na,c,1,\nc,b,1,\n")
    assert hr.read_comparisons(path).report.ballots == 3
