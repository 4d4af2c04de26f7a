"""Dataframes of every library in, and the same library out."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument, InvalidComparisons

COLUMNS = {
    "left": ["x", "y", "x", "z", "x"],
    "right": ["y", "z", "z", "x", "y"],
    "label": [1, 1, -1, 0, 1],
}


def as_duckdb(columns):
    return duckdb.from_arrow(pa.table(columns))


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "duckdb": as_duckdb,
    "polars lazy": pl.LazyFrame,
}
EXPECTED = {"pandas": pd.DataFrame, "pyarrow": pa.Table}


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_gives_the_same_ranking_and_gets_its_own_frame_back(library):
    frame = FRAMES[library](COLUMNS)
    reference = hr.hodge_rank(list(zip(*COLUMNS.values(), strict=True)))
    votes = hr.read_comparisons(frame)
    assert votes.items == ("x", "y", "z")
    for ranking in (hr.hodge_rank(votes), hr.hodge_rank(frame)):
        assert ranking.items == reference.items
        np.testing.assert_allclose(ranking.scores, reference.scores, atol=1e-12)
        np.testing.assert_allclose(ranking.standard_errors, reference.standard_errors, atol=1e-12)
        assert isinstance(ranking.to_frame(), EXPECTED.get(library, pl.DataFrame))


@pytest.mark.parametrize("library", FRAMES)
def test_reduction_at_the_source_gives_the_same_graph(library):
    weighted = {**COLUMNS, "weight": [1.0, 2.0, 1.0, 0.5, 3.0]}
    near = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(pl.DataFrame(weighted)))
    far = hr.ComparisonGraph.from_frame(FRAMES[library](weighted))
    assert far.items == near.items
    for name in ("i", "j", "counts", "weights", "flows", "squares"):
        np.testing.assert_allclose(getattr(far, name), getattr(near, name), atol=1e-12)


def test_reduction_reports_what_it_left_out():
    columns = {
        "model_a": ["x", "x", "x", "y"],
        "model_b": ["y", "y", "y", "y"],
        "winner": ["model_a", "tie (bothbad)", "tie (bothbad)", "tie"],
    }
    frame = pl.LazyFrame(columns)
    with pytest.raises(InvalidComparisons, match="compared with itself"):
        hr.ComparisonGraph.from_frame(frame)
    graph = hr.ComparisonGraph.from_frame(frame, skip_invalid=True)
    assert (graph.n_votes, graph.report.both_bad_ties, graph.report.rejected) == (3, 2, 1)
    graph = hr.ComparisonGraph.from_frame(frame, skip_invalid=True, both_bad="drop")
    assert (graph.n_votes, graph.report.both_bad, graph.report.rejected) == (1, 2, 1)


def test_missing_integers_in_pandas_are_still_integers():
    frame = pd.DataFrame({"left": [1, 2, None], "right": [2, 3, 1], "label": [1, 1, 1]})
    votes = hr.read_comparisons(frame, skip_invalid=True)
    assert votes.items == (1, 2, 3)
    assert votes.report.rejected == 1


def test_categories_are_read_as_their_labels():
    frame = pd.DataFrame(COLUMNS).astype({"left": "category", "right": "category"})
    assert hr.read_comparisons(frame).items == ("x", "y", "z")
    enum = pl.DataFrame(COLUMNS).with_columns(pl.col("left").cast(pl.Enum(["z", "y", "x"])))
    assert hr.read_comparisons(enum).items == ("x", "y", "z")


def test_wide_integers_are_items():
    votes = hr.read_comparisons(pl.DataFrame({"left": [10**15], "right": [-5], "label": [1]}))
    assert votes.items == (-5, 10**15)


def test_items_of_two_types_are_refused():
    frame = pl.DataFrame({"left": [1], "right": ["1"], "label": [1]})
    with pytest.raises(InvalidComparisons, match="mix integers and strings"):
        hr.read_comparisons(frame)


def test_votes_survive_a_round_trip():
    votes = hr.simulate_comparisons(6, 80, workers={"honest": 3, "tie-happy": 2}, rng=3)
    again = hr.read_comparisons(votes.to_frame("pandas"))
    assert isinstance(votes.to_frame("pandas"), pd.DataFrame)
    for name in ("left", "right", "outcome", "worker"):
        np.testing.assert_array_equal(getattr(again, name), getattr(votes, name))


def test_votes_without_display_order_go_out_as_winner_and_loser():
    votes = hr.read_comparisons([("a", "b", 1), ("c", "b", -1)], display_known=False)
    frame = votes.to_frame("polars")
    assert frame.columns == ["winner", "loser"]
    assert not hr.read_comparisons(frame).display_known.any()


def test_two_columns_of_one_name_are_an_error():
    frame = pd.DataFrame([["a", "b", 1, 2, 3]], columns=["left", "right", "outcome", "x", "x"])
    with pytest.raises(InvalidComparisons, match="unique column names, got: - 'x' 2 times"):
        hr.read_comparisons(frame)


def test_an_unreadable_column_that_is_not_used_does_not_matter():
    frame = pd.DataFrame({**COLUMNS, "mixed": [1, "x", None, 2.5, b"y"]})
    assert hr.read_comparisons(frame).n_votes == len(COLUMNS["left"])


def test_an_unknown_library_is_refused():
    ranking = hr.hodge_rank([("a", "b", 1)])
    with pytest.raises(InvalidArgument, match="not one of polars"):
        ranking.to_frame("excel")
