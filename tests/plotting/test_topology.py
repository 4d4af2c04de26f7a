"""Betti curves and persistence."""

from __future__ import annotations

import numpy as np
import pytest

import hodgerank as hr
from hodgerank.plotting import topology_chart
from hodgerank.plotting.charts import svg_of
from hodgerank.plotting.topology import MOST_BARS, MOST_STEPS
from pictures import notes_of, rows_of, title_of


def tracker_of(n: int, n_votes: int) -> hr.TopologyTracker:
    return hr.TopologyTracker.of(hr.simulate_comparisons(n, n_votes, rng=1))


def curve_of(chart, kind):
    return {row["pairs"]: row["number"] for row in rows_of(chart) if row.get("kind") == kind}


def bars_of(chart):
    return [row for row in rows_of(chart) if "opened" in row]


def test_curves_are_the_betti_numbers_after_each_pair():
    votes = hr.simulate_comparisons(12, 60, rng=1)
    chart = topology_chart(hr.TopologyTracker.of(votes))
    components, loops = curve_of(chart, "components"), curve_of(chart, "unfilled loops")
    for pairs in components:
        tracker = hr.TopologyTracker.of(votes, n_pairs=pairs)
        assert (components[pairs], loops[pairs]) == (tracker.beta_0, tracker.beta_1)


def test_a_square_opens_a_loop_and_its_diagonal_fills_it():
    tracker = hr.TopologyTracker(4)
    for pair in [(0, 1), (1, 2), (2, 3), (3, 0)]:
        tracker.add(*pair)
    chart = topology_chart(tracker)
    assert (
        title_of(chart) == "After 4 distinct pairs all 4 items are connected, with 1 unfilled loop"
    )
    assert [(bar["opened"], bar["fate"], bar["open"]) for bar in bars_of(chart)] == [
        (4, "still unfilled", True)
    ]
    tracker.add(0, 2)
    chart = topology_chart(tracker)
    assert title_of(chart).endswith("all 4 items are connected, with no unfilled loops")
    assert "Connected from pair 3 on; at most 1 unfilled loop, at pair 4" in notes_of(chart)
    assert [bar["fate"] for bar in bars_of(chart)] == ["filled by pair 5"]


def test_bars_are_those_of_the_longest_lived_loops_and_the_others_are_counted():
    tracker = tracker_of(40, 400)
    chart = topology_chart(tracker)
    loops = [i for i in tracker.intervals if i.dimension == 1]
    assert len(loops) > MOST_BARS
    assert f"The {MOST_BARS} longest-lived of {len(loops)} loops" in notes_of(chart)
    lengths = [bar["end"] - bar["opened"] for bar in bars_of(chart)]
    assert len(lengths) == MOST_BARS
    assert lengths == sorted(lengths, reverse=True)
    filled = sorted((i.death - i.birth for i in loops if np.isfinite(i.death)), reverse=True)
    shown = [bar["end"] - bar["opened"] for bar in bars_of(chart) if not bar["open"]]
    assert shown == filled[: len(shown)]


def test_long_histories_are_drawn_with_few_points():
    tracker = tracker_of(120, 4000)
    assert tracker.n_edges > MOST_STEPS
    curve = curve_of(topology_chart(tracker), "unfilled loops")
    assert len(curve) <= MOST_STEPS
    assert curve[tracker.n_edges] == tracker.beta_1


@pytest.mark.parametrize(
    ("tracker", "words"),
    [
        (hr.TopologyTracker(0), "No pair of the 0 items has been compared"),
        (hr.TopologyTracker(5), "No pair of the 5 items has been compared"),
        (hr.TopologyTracker.of([("a", "b", 1)]), "After 1 distinct pair all 2 items are connected"),
        (hr.TopologyTracker.of([("a", "b", 1), ("c", "d", 1)]), "2 groups are disconnected"),
    ],
)
def test_graphs_without_loops_say_so(tracker, words):
    chart = topology_chart(tracker)
    assert words in title_of(chart)
    assert "o loop was ever unfilled" in notes_of(chart)
    assert bars_of(chart) == []


def test_it_is_drawn():
    assert "distinct pairs compared" in svg_of(tracker_of(12, 40).plot())


def test_components_are_bars_if_items_enter_over_time():
    votes = [("a", "b", 1), ("c", "d", 1), ("b", "c", 1), ("a", "d", 1)]
    chart = topology_chart(hr.TopologyTracker.of(votes, entering=True))
    components = curve_of(chart, "components")
    assert components == {0: 0, 1: 1, 2: 2, 3: 1, 4: 1}
    assert [(bar["opened"], bar["fate"]) for bar in bars_of(chart)] == [
        (1, "still not connected to an older one"),
        (2, "connected to an older one by pair 3"),
        (4, "still unfilled"),
    ]
    assert "Connected from pair 3 on" in notes_of(chart)
    svg_of(chart)
