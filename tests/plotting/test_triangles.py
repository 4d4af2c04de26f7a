"""Cycles of three as triangles."""

from __future__ import annotations

import pytest

import hodgerank as hr
from hodgerank.plotting import triangles_chart
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.theme import ORANGE
from pictures import notes_of, rows_of, title_of
from results import HOSTILE


def cycle_of(*names: str):
    pairs = zip(names, (*names[1:], names[0]), strict=True)
    return [(a, b, 1) for a, b in pairs] * 30


def ways_of(chart):
    return [row for row in rows_of(chart) if "way" in row]


def test_a_significant_cycle_is_coloured_and_counted():
    report = hr.assess_trust(cycle_of("a", "b", "c"))
    chart = triangles_chart(report)
    assert title_of(chart) == (
        "No single ranking explains the votes: one significant cycle of three items"
    )
    assert {(way["preferred"], way["other"]) for way in ways_of(chart)} == {
        ("a", "b"), ("b", "c"), ("c", "a"),
    }  # fmt: skip
    assert {way["words"] for way in ways_of(chart)} == {"1.00 (30)"}
    assert ORANGE in str(chart.to_dict()["concat"])


@pytest.mark.slow
def test_at_most_six_are_drawn():
    votes = [row for k in range(8) for row in cycle_of(f"a{k}", f"b{k}", f"c{k}")]
    report = hr.assess_trust(votes)
    assert report.consistency.n_named == 8
    chart = triangles_chart(report)
    assert len(chart.to_dict()["concat"]) == 6
    assert "The 6 strongest of 8" in notes_of(chart)
    assert "8 significant cycles of three items" in title_of(chart)


@pytest.fixture(scope="module")
def consistent():
    """A report without a cycle, and its chart."""
    report = hr.assess_trust(hr.simulate_comparisons(6, 200, spread=2, rng=1))
    return report, triangles_chart(report)


def test_where_none_is_significant_nothing_is_coloured_or_claimed(consistent):
    report, chart = consistent
    assert not report.triangles
    assert title_of(chart).startswith("No significant cycles")
    assert "none is a significant cycle" in notes_of(chart)
    assert ORANGE not in str(chart.to_dict()["concat"])


def test_an_arrow_starts_at_the_preferred_item_even_where_the_way_round_is_no_cycle(consistent):
    report, chart = consistent
    graph = report.decomposition.graph
    flows = {
        (graph.items[i], graph.items[j]): flow
        for i, j, flow in zip(graph.i, graph.j, graph.flows, strict=True)
    }
    for way in ways_of(chart):
        a, b = way["preferred"], way["other"]
        assert flows.get((a, b), -flows.get((b, a), 0.0)) >= 0


def test_without_triangles_words_are_all_there_is():
    chart = triangles_chart(hr.assess_trust([("a", "b", 1), ("b", "c", 1)] * 5))
    assert title_of(chart) == "Cycles cannot be checked: the compared pairs form no cycle"
    assert ways_of(chart) == []


def test_hostile_names_can_be_drawn():
    report = hr.assess_trust(cycle_of(HOSTILE, "\x1b[31m", "x" * 500))
    assert "<b>tea" not in svg_of(triangles_chart(report))
