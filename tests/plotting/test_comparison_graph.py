"""The graph of comparisons as a picture."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.plotting import graph_chart
from hodgerank.plotting.charts import svg_of
from pictures import notes_of, rows_of, title_of
from results import HOSTILE


def graph_of(n: int, n_votes: int) -> hr.ComparisonGraph:
    return hr.ComparisonGraph.from_comparisons(hr.simulate_comparisons(n, n_votes, rng=1))


def nodes_of(chart):
    return {row["name"]: row for row in rows_of(chart) if "name" in row}


def lines_of(chart):
    return {(row["preferred"], row["other"]): row for row in rows_of(chart) if "preferred" in row}


def test_every_item_is_a_node_at_its_score_in_a_row_of_its_own():
    parts = hr.decompose(hr.simulate_comparisons(12, 200, rng=1))
    nodes = nodes_of(graph_chart(parts))
    assert nodes.keys() == {str(item) for item in parts.graph.items}
    assert len({node["row"] for node in nodes.values()}) == 12
    for item, score in zip(parts.graph.items, parts.scores, strict=True):
        assert nodes[item]["score"] == pytest.approx(score, abs=1e-5)


def test_a_line_goes_from_the_preferred_item_and_knows_its_votes():
    votes = [("a", "b", 1), ("a", "b", 1), ("a", "b", -1), ("c", "b", -1), ("a", "c", 0)]
    graph = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(votes))
    lines = lines_of(graph_chart(graph))
    assert lines["a", "b"]["votes"] == 3
    assert lines["a", "b"]["mean"] == pytest.approx(1 / 3, abs=1e-4)
    assert lines["b", "c"]["mean"] == 1
    assert lines["a", "c"]["kind"] == "neither"


def test_a_graph_and_its_decomposition_look_the_same():
    votes = hr.simulate_comparisons(8, 100, rng=1)
    one = graph_chart(hr.decompose(votes))
    two = graph_chart(hr.ComparisonGraph.from_comparisons(votes))
    assert one.to_dict() == two.to_dict()


def test_the_title_counts_the_pairs_that_contradict_the_ranking():
    votes = [("a", "b", 1)] * 4 + [("b", "c", 1)] * 4 + [("c", "a", 1)]
    parts = hr.decompose(votes)
    assert list(np.argsort(-parts.scores)) == [0, 1, 2]
    chart = graph_chart(parts)
    assert title_of(chart).startswith("1 of 3 pairs contradicts the ranking")
    assert lines_of(chart)["c", "a"]["kind"] == "contradicts the ranking"


def test_a_pure_cycle_has_no_ranking_to_contradict():
    chart = graph_chart(hr.decompose([("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]))
    assert (
        title_of(chart) == "All scores are equal: no pair agrees with a ranking or contradicts it"
    )


@pytest.mark.slow
def test_all_pairs_of_thirty_items_are_drawn_and_of_more_those_with_most_votes():
    assert len(lines_of(graph_chart(graph_of(30, 20_000)))) == 435
    chart = graph_chart(graph_of(50, 20_000))
    assert len(lines_of(chart)) == 435
    assert "The 435 lines with most votes, of 1,225" in notes_of(chart)


def test_many_items_are_drawn_as_groups_of_neighbours():
    graph = graph_of(200, 4_000)
    chart = graph_chart(graph)
    nodes = nodes_of(chart)
    assert next(iter(nodes)) == "ranks 1–10"
    assert len(nodes) == 20
    assert "200 items as 20 groups" in notes_of(chart)
    between = sum(line["votes"] for line in lines_of(chart).values())
    inside = f"{1 - between / graph.n_votes:.0%}"
    assert f"{inside} of votes are within a group" in notes_of(chart)


def test_components_lie_below_each_other():
    votes = [("a", "b", 1), ("b", "c", 1), ("x", "y", 1)]
    chart = graph_chart(hr.decompose(votes))
    nodes = nodes_of(chart)
    rows = {name: node["row"] for name, node in nodes.items()}
    assert max(rows[name] for name in "abc") < min(rows[name] for name in "xy")
    assert "2 disconnected groups" in notes_of(chart)


def test_of_very_many_components_the_largest_is_shown():
    votes = [(f"a{k}", f"b{k}", 1) for k in range(50)] + [("a1", "c", 1)]
    chart = graph_chart(hr.decompose(votes))
    assert nodes_of(chart).keys() == {"a1", "b1", "c"}
    assert "the largest is shown, 3 of 101 items" in notes_of(chart)


def test_a_graph_without_votes_says_so():
    empty = hr.read_comparisons([("a", "b", 1)]).select(np.zeros(1, bool))
    chart = graph_chart(hr.ComparisonGraph.from_comparisons(empty))
    assert title_of(chart) == "No votes yet"
    chart.to_dict()


def test_hostile_names_can_be_drawn():
    graph = hr.ComparisonGraph.from_comparisons(
        hr.read_comparisons([(HOSTILE, "\x1b[31m", 1), ("x" * 500, "\x1b[31m", 1)])
    )
    assert "<b>tea" not in svg_of(graph_chart(graph))
