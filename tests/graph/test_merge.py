"""Edges are sums: graphs can be added, and kept on disk."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hodgerank as hr
from equality import assert_same_graph
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.graph.edge_file import EdgeFile, edge_file

NAMES = st.sampled_from("abcdef")
ROWS = st.lists(
    st.tuples(NAMES, NAMES, st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])).filter(
        lambda row: row[0] != row[1]
    ),
    min_size=1,
    max_size=25,
)


def graph(rows):
    return hr.ComparisonGraph.from_comparisons(hr.read_comparisons(rows))


@given(ROWS, ROWS, ROWS)
def test_merged_graphs_are_the_graph_of_all_votes(first, second, third):
    together = graph(first).merge(graph(second), graph(third))
    assert_same_graph(together, graph(first + second + third))


def test_items_are_matched_by_name_whatever_their_order():
    one = hr.simulate_comparisons(["z", "a", "m"], 50, rng=1)
    two = hr.simulate_comparisons(["m", "z", "b"], 50, rng=2)
    graphs = [hr.ComparisonGraph.from_comparisons(votes) for votes in (one, two)]
    together = graphs[0].merge(graphs[1])
    assert together.items == ("a", "b", "m", "z")
    assert together.n_votes == 100
    surplus = dict(zip(together.items, together.surplus.tolist(), strict=True))
    for item in "zam":
        parts = [dict(zip(g.items, g.surplus.tolist(), strict=True)).get(item, 0.0) for g in graphs]
        assert surplus[item] == pytest.approx(sum(parts))


def test_weights_are_added():
    rows = {"left": ["a", "b"], "right": ["b", "a"], "label": [1, 1], "weight": [2.0, 3.0]}
    frame = pl.DataFrame(rows)
    halves = [hr.ComparisonGraph.from_comparisons(hr.read_comparisons(frame[k])) for k in (0, 1)]
    whole = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(frame))
    assert_same_graph(halves[0].merge(halves[1]), whole)


def test_integers_and_strings_are_not_mixed():
    with pytest.raises(InvalidComparisons, match="one type"):
        graph([("a", "b", 1)]).merge(graph([(1, 2, 1)]))


@pytest.mark.parametrize("names", [("a", "b", "c"), (1, 2, 30)])
def test_statistics_come_back_from_disk(tmp_path, names):
    a, b, c = names
    votes = hr.read_comparisons([(a, b, 1), (b, c, 0.5), (c, a, -1), (b, a, 1)])
    edge_file(votes).write(tmp_path / "state.parquet")
    back = EdgeFile.read(tmp_path / "state.parquet")
    assert_same_graph(back.graph, hr.ComparisonGraph.from_comparisons(votes))
    more = hr.read_comparisons([(a, c, 1)])
    np.testing.assert_allclose(
        sorted(hr.hodge_rank(back.add(more).graph).scores),
        sorted(
            hr.hodge_rank(
                hr.ComparisonGraph.from_comparisons(votes).merge(
                    hr.ComparisonGraph.from_comparisons(more)
                )
            ).scores
        ),
    )


def test_the_same_votes_are_not_added_twice_by_mistake():
    votes = hr.read_comparisons([("a", "b", 1)])
    state = edge_file(votes)
    with pytest.raises(InvalidArgument, match="added before"):
        state.add(votes)
    assert state.add(votes, again=True).graph.n_votes == 2


def test_another_file_is_not_taken_for_statistics(tmp_path):
    pl.DataFrame({"left": ["a"], "right": ["b"]}).write_parquet(tmp_path / "votes.parquet")
    with pytest.raises(InvalidComparisons, match="not written by --state"):
        EdgeFile.read(tmp_path / "votes.parquet")
    (tmp_path / "broken.parquet").write_text("no")
    with pytest.raises(InvalidComparisons, match="cannot be read"):
        EdgeFile.read(tmp_path / "broken.parquet")


@pytest.mark.parametrize(
    "change",
    [
        {"weight": [2.0]},
        {"right": ["c"]},
        {"left": [None]},
        {"answers": ["1"]},
        {"mean_outcome": [float("nan")]},
        {"more": [1]},
    ],
)
def test_an_altered_state_is_refused(tmp_path, change):
    path = tmp_path / "state.parquet"
    edge_file(hr.read_comparisons([("a", "b", 1)])).write(path)
    noted = {"hodgerank": pl.read_parquet_metadata(path)["hodgerank"]}
    table = pl.read_parquet(path)
    table.write_parquet(path, metadata=noted, compression="uncompressed")
    assert EdgeFile.read(path).graph.n_votes == 1  # only packed in another way
    table.with_columns(**{name: pl.Series(v) for name, v in change.items()}).write_parquet(
        path, metadata=noted
    )
    with pytest.raises(InvalidComparisons, match="changed since hodgerank wrote it"):
        EdgeFile.read(path)


@pytest.mark.parametrize("noted", ["[]", '{"sources": []}', "7", "{"])
def test_altered_sources_are_refused(tmp_path, noted):
    path = tmp_path / "state.parquet"
    edge_file(hr.read_comparisons([("a", "b", 1)])).write(path)
    pl.read_parquet(path).write_parquet(path, metadata={"hodgerank": noted})
    with pytest.raises(InvalidComparisons, match=r"changed since|cannot be read"):
        EdgeFile.read(path)


def test_brackets_in_a_name_are_no_pattern(tmp_path):
    one, two = (hr.read_comparisons([("a", "b", 1)] * k) for k in (1, 2))
    edge_file(one).write(tmp_path / "s[1].parquet")
    edge_file(two).write(tmp_path / "s1.parquet")
    assert EdgeFile.read(tmp_path / "s[1].parquet").graph.n_votes == 1
