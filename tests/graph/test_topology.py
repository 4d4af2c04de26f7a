"""Betti numbers and persistence intervals, against gudhi."""

from __future__ import annotations

import random

import gudhi
import numpy as np
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.kernels import homology
from pace import at_most


def gudhi_intervals(n: int, pairs: list[tuple[int, int]]) -> list[tuple]:
    tree = gudhi.SimplexTree()
    for item in range(n):
        tree.insert([item], 0.0)
    for when, pair in enumerate(pairs, start=1):
        tree.insert(list(pair), float(when))
    tree.expansion(2)
    found = tree.persistence(homology_coeff_field=2, min_persistence=0, persistence_dim_max=True)
    return sorted((d, b, e) for d, (b, e) in found if d < 2 and e > b)


def random_pairs(rng: random.Random, n: int) -> list[tuple[int, int]]:
    pairs = [(a, b) for a in range(n) for b in range(a)]
    rng.shuffle(pairs)
    return pairs[: rng.randint(0, len(pairs))]


@pytest.mark.parametrize("as_bits", [True, False])
def test_intervals_equal_those_of_gudhi_on_a_thousand_graphs(monkeypatch, as_bits):
    if not as_bits:
        monkeypatch.setattr(homology, "MAX_ITEMS_FOR_BITS", 0)
    rng = random.Random(0)
    for _ in range(1000):
        n = rng.randint(2, 13)
        pairs = random_pairs(rng, n)
        tracker = hr.TopologyTracker(n)
        for pair in pairs:
            tracker.add(*pair)
        expected = gudhi_intervals(n, pairs)
        assert sorted(tuple(interval) for interval in tracker.intervals) == expected
        assert tracker.beta_0 == sum(d == 0 and e == np.inf for d, _, e in expected)
        assert tracker.beta_1 == sum(d == 1 and e == np.inf for d, _, e in expected)


def test_the_effect_of_a_pair_is_what_happens_when_it_is_added():
    rng = random.Random(1)
    for _ in range(200):
        n = rng.randint(3, 12)
        tracker = hr.TopologyTracker(n)
        for pair in random_pairs(rng, n):
            before = tracker.beta_0, tracker.beta_1
            effect = tracker.effect(*pair)
            tracker.add(*pair)
            assert tracker.beta_0 == before[0] - effect.joins_components
            assert tracker.beta_1 == before[1] + effect.opens_loop - effect.fills_loops


def test_a_square_and_its_diagonal():
    tracker = hr.TopologyTracker(4)
    for pair in [(0, 1), (1, 2), (2, 3)]:
        tracker.add(*pair)
    assert tracker.effect(3, 0).opens_loop
    tracker.add(3, 0)
    assert (tracker.beta_0, tracker.beta_1) == (1, 1)
    assert tracker.effect(0, 2).fills_loops == 1
    tracker.add(0, 2)
    tracker.add(2, 0)
    assert (tracker.beta_1, tracker.n_edges) == (0, 5)


def test_a_graph_at_once_equals_the_same_graph_edge_by_edge():
    votes = hr.simulate_comparisons(60, 250, rng=3)
    graph = hr.ComparisonGraph.from_comparisons(votes)
    tracker = hr.TopologyTracker(60)
    for pair in zip(graph.i, graph.j, strict=True):
        tracker.add(*pair)
    assert hr.betti_numbers(votes) == (tracker.beta_0, tracker.beta_1)
    euler = graph.n_items - graph.n_edges + len(tracker.filling_triangles)
    assert euler == tracker.beta_0 - tracker.beta_1


@pytest.mark.parametrize(("n", "edges", "seconds"), [(100, 4950, 1), (1000, 20_000, 10)])
def test_growing_graphs_are_tracked_in_time(n, edges, seconds):
    rng = random.Random(0)
    pairs = [(a, b) for a in range(n) for b in range(a)]
    rng.shuffle(pairs)
    with at_most(seconds):
        tracker = hr.TopologyTracker(n)
        for pair in pairs[:edges]:
            tracker.add(*pair)
    if edges == n * (n - 1) // 2:
        assert (tracker.beta_0, tracker.beta_1) == (1, 0)


def test_pairs_that_are_none_are_refused():
    tracker = hr.TopologyTracker(3)
    for pair in [(0, 0), (0, 3), (-1, 1)]:
        with pytest.raises(InvalidArgument):
            tracker.add(*pair)


def votes_of(pairs: list[tuple[int, int]], n: int, **columns) -> hr.Comparisons:
    left, right = np.array(pairs, int).reshape(-1, 2).T
    return hr.Comparisons(tuple(range(n)), left, right, np.ones(len(left)), **columns)


def test_the_tracker_of_votes_adds_their_pairs_in_the_order_asked():
    rng = random.Random(1)
    for _ in range(50):
        n = rng.randint(2, 12)
        pairs = [tuple(rng.sample(range(n), 2)) for _ in range(rng.randint(0, 60))]
        tracker = hr.TopologyTracker(n)
        for pair in pairs:
            tracker.add(*pair)
        assert hr.TopologyTracker.of(votes_of(pairs, n)).intervals == tracker.intervals


def test_votes_with_times_are_followed_by_their_times():
    square = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    late_first = hr.TopologyTracker.of(votes_of(square, 4, time=np.array([5.0, 4, 3, 2, 1])))
    assert late_first.intervals == hr.TopologyTracker.of(votes_of(square[::-1], 4)).intervals
    unknown_last = hr.TopologyTracker.of(votes_of(square, 4, time=np.array([np.nan, 4, 3, 2, 1])))
    assert unknown_last.intervals == late_first.intervals


def test_the_first_pairs_of_votes_can_be_followed_alone():
    votes = votes_of([(0, 1), (1, 0), (1, 2), (2, 3), (3, 0)], 4)
    assert hr.TopologyTracker.of(votes, n_pairs=2).n_edges == 2
    assert hr.TopologyTracker.of(votes, n_pairs=99).beta_1 == 1
    with pytest.raises(InvalidArgument, match="n_pairs -1"):
        hr.TopologyTracker.of(votes, n_pairs=-1)


def test_what_would_take_too_long_is_refused_with_a_remedy():
    n, rng = 700, np.random.default_rng(0)
    left = rng.integers(0, n, 12_000)
    pairs = np.c_[left, (left + rng.integers(1, n, 12_000)) % n]
    votes = votes_of(pairs, n)
    with pytest.raises(InvalidArgument, match="n_pairs=10186 for the first") as error:
        hr.TopologyTracker.of(votes)
    assert "betti_numbers" in str(error.value)
    assert hr.TopologyTracker.of(votes, n_pairs=1000).n_edges == 1000
    sparse = votes_of(pairs[:5000], n)
    tracker = hr.TopologyTracker.of(sparse)
    assert (tracker.beta_0, tracker.beta_1) == hr.betti_numbers(sparse)


def test_a_graph_has_no_order():
    graph = hr.ComparisonGraph.from_comparisons(votes_of([(0, 1)], 2))
    with pytest.raises(InvalidArgument, match="single votes"):
        hr.TopologyTracker.of(graph)


def gudhi_intervals_of_entries(n: int, pairs: list[tuple[int, int]]) -> list[tuple]:
    tree = gudhi.SimplexTree()
    for when, pair in enumerate(pairs, start=1):
        for item in pair:
            tree.insert([item], float(when))  # keeps the earlier time of a known item
        tree.insert(list(pair), float(when))
    tree.expansion(2)
    found = tree.persistence(homology_coeff_field=2, min_persistence=0, persistence_dim_max=True)
    return sorted((d, b, e) for d, (b, e) in found if d < 2 and e > b)


def test_intervals_of_items_that_enter_with_their_first_comparison_equal_those_of_gudhi():
    rng = random.Random(3)
    for _ in range(300):
        n = rng.randint(2, 12)
        pairs = random_pairs(rng, n)
        votes = [(f"i{a:02d}", f"i{b:02d}", 1) for a, b in pairs]
        if not votes:
            continue
        tracker = hr.TopologyTracker.of(votes, entering=True)
        found = sorted(tuple(interval) for interval in tracker.intervals)
        assert found == gudhi_intervals_of_entries(n, pairs)


def test_an_added_item_is_a_component_until_it_is_connected_to_an_older_one():
    tracker = hr.TopologyTracker(1)
    new = [tracker.add_item(), tracker.add_item()]
    assert (new, tracker.n_items, tracker.beta_0) == ([1, 2], 3, 3)
    tracker.add(0, 1)
    late = tracker.add_item()
    tracker.add(late, 2)  # both are younger than item 0; the later one ends
    assert (0, 1, 2) in [tuple(interval) for interval in tracker.intervals]
    assert tracker.beta_0 == 2
    with pytest.raises(InvalidArgument, match="from 0 to 3"):
        tracker.add(0, 4)


def test_a_tracker_that_grows_beyond_the_size_for_bits_goes_on_alike(monkeypatch):
    def grown() -> hr.TopologyTracker:
        rng, tracker = random.Random(5), hr.TopologyTracker(3)
        for n in range(4, 12):
            tracker.add_item()
            for pair in random_pairs(rng, n)[:6]:
                tracker.add(*pair)
        return tracker

    expected = grown().intervals
    monkeypatch.setattr(homology, "MAX_ITEMS_FOR_BITS", 7)
    assert grown().intervals == expected
