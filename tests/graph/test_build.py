"""Votes piece by piece are the votes all at once."""

from __future__ import annotations

import duckdb
import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from equality import assert_same_graph
from hodgerank.data.reading import table_votes
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.errors import InvalidComparisons
from hodgerank.graph import build
from hodgerank.graph.build import build_graph, graph_of_pieces


def simulated(kind, rng):
    """A table of votes on items, some of which occur late."""
    votes = hr.simulate_comparisons(40, 3000, spread=1, rng=rng)
    label = votes.outcome.copy()
    if kind == "ties":
        label[1500:] = np.where(np.arange(1500) % 7 == 0, 0.0, label[1500:])
    if kind == "grades":
        label *= np.random.default_rng(1).choice([0.25, 0.5, 1.0], 3000)
    table = pl.DataFrame({"left": votes.left + 7, "right": votes.right + 7, "label": label})
    return table.sort(pl.max_horizontal("left", "right"))


@pytest.mark.parametrize("kind", ["plain", "ties", "grades"])
def test_pieces_add_up_to_the_whole(kind):
    table = simulated(kind, rng=3)
    parts = [hr.read_comparisons(table[k : k + 250]) for k in range(0, 3000, 250)]
    whole = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(table))
    assert_same_graph(graph_of_pieces(parts, "votes"), whole)


def test_more_items_than_a_table_holds_are_merged(monkeypatch):
    monkeypatch.setattr(build, "MOST_ITEMS", 12)
    table = simulated("plain", rng=4)
    parts = [hr.read_comparisons(table[k : k + 250]) for k in range(0, 3000, 250)]
    whole = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(table))
    assert_same_graph(graph_of_pieces(parts, "votes"), whole)


def test_files_are_read_in_pieces_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(table_votes, "BATCH", 400)
    monkeypatch.setattr(table_votes, "MANY_DISTINCT", 0)
    table = simulated("plain", rng=5)
    for k in range(3):
        table[1000 * k : 1000 * k + 1000].write_parquet(tmp_path / f"{k}.parquet")
    ranking = hr.hodge_rank(tmp_path / "*.parquet")
    wanted = hr.hodge_rank(table)
    assert ranking.items == wanted.items
    np.testing.assert_allclose(ranking.scores, wanted.scores, atol=1e-10)


def test_reduced_pieces_count_every_answer(tmp_path):
    table = simulated("plain", rng=6)
    for k in range(3):
        table[1000 * k : 1000 * k + 1000].write_parquet(tmp_path / f"{k}.parquet")
    reduced = VoteSource(tmp_path / "*.parquet")
    assert [piece.multiplicity is not None for piece in reduced.pieces()] == [True]
    whole = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(table))
    assert_same_graph(build_graph(reduced), whole)


@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_answers_that_hardly_repeat_come_in_batches(library, monkeypatch):
    """Of 2,000 items most pairs are asked once: counting them elsewhere would not help."""
    monkeypatch.setattr(table_votes, "BATCH", 2048)
    monkeypatch.setattr(table_votes, "SAMPLE", 4096)
    monkeypatch.setattr(table_votes, "MANY_DISTINCT", 30_000)
    votes = hr.simulate_comparisons(2000, 9000, rng=1)
    table = votes.to_frame("polars")
    lazy = table.lazy() if library == "polars" else duckdb.from_arrow(table.to_arrow())
    build = list(VoteSource(lazy).pieces())
    assert len(build) > 2
    assert all(piece.multiplicity is None for piece in build)
    assert_same_graph(build_graph(lazy), build_graph(table))


def test_an_empty_lazy_table_is_refused():
    empty = pl.LazyFrame({"left": [], "right": [], "outcome": []})
    with pytest.raises(InvalidComparisons, match="no rows"):
        hr.hodge_rank(empty)


def test_a_bad_row_is_named_with_the_piece_it_is_in(tmp_path, monkeypatch):
    monkeypatch.setattr(table_votes, "BATCH", 4)
    rows = {"left": ["a"] * 9, "right": ["b"] * 8 + ["a"], "label": [1] * 9}
    pl.DataFrame(rows).write_parquet(tmp_path / "0.parquet")
    with pytest.raises(InvalidComparisons, match="row 9"):
        hr.hodge_rank(tmp_path / "*.parquet")


def test_integers_and_strings_in_different_files_are_an_error(tmp_path):
    pl.DataFrame({"left": [1], "right": [2], "label": [1]}).write_parquet(tmp_path / "0.parquet")
    pl.DataFrame({"left": ["a"], "right": ["b"], "label": [1]}).write_parquet(
        tmp_path / "1.parquet"
    )
    with pytest.raises(InvalidComparisons):
        hr.hodge_rank(tmp_path / "*.parquet")


def test_integer_labels_of_any_size_keep_their_order():
    for values in ([5, -3, 9], [2**40, -(2**40), 0], [10**6, 10**6 + 1, 3]):
        a, b, c = values
        rows = {"left": [a, b, None], "right": [b, c, a], "label": [1, 1, 1]}
        votes = hr.read_comparisons(pl.DataFrame(rows), skip_invalid=True)
        assert votes.items == tuple(sorted(values))
        assert [votes.items[k] for k in votes.left] == [a, b]
