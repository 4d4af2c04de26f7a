"""Misfit and cycles: said of crowds that have them, not of others."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import CONSISTENT, Crowd
from benchmarks.calibration.cycles import HARD, RING, found_in

import hodgerank as hr
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.consistency import SLIPS, UNANIMOUS, _named, assess_consistency, n_redraws
from pace import at_most

ROUND = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]


def assess(votes):
    return assess_consistency(AnsweredGraph.of(hr.read_comparisons(votes)))


def ranked(n_items, per_pair):
    return [(a, b, 1) for a in range(n_items) for b in range(a + 1, n_items)] * per_pair


def test_answers_that_run_round_are_a_cycle():
    found = assess(ROUND * 20)
    assert found.checkable
    assert found.misfit.p_value < 0.01
    assert found.cycles.p_value < 0.01
    (cycle,) = found.triangles
    assert cycle.items == ("a", "b", "c")
    assert cycle.flows == (1, 1, 1)
    assert cycle.votes == (20, 20, 20)
    assert cycle.strength == pytest.approx(np.sqrt(20))
    assert cycle.p_value < 0.05
    assert found.n_named == 1


def test_crowds_that_are_as_strong_but_for_rounding_count():
    rows = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)] * 6 + [("a", "b", -1)]
    graph = hr.ComparisonGraph.from_comparisons(hr.read_comparisons(rows))
    strength = float(np.sqrt(7) * 5 / 7)  # of the weakest pair
    weaker = np.full(96, 0.5)
    for tied in (strength * (1 - 1e-15), strength, strength * (1 + 1e-15)):
        (cycle,), _ = _named(graph, np.r_[weaker, [tied] * 3])
        assert cycle.p_value == 0.04
        assert _named(graph, np.r_[weaker, [tied] * 5]) == ((), 0)


def test_a_cycle_is_told_in_its_own_direction():
    (cycle,) = assess([(b, a, 1) for a, b, _ in ROUND] * 20).triangles
    assert cycle.items == ("a", "c", "b")
    assert cycle.flows == (1, 1, 1)


def test_a_crowd_that_never_contradicts_itself_is_not_said_to():
    found = assess(ranked(12, 5))
    assert found.misfit.p_value > 0.2
    assert found.cycles.p_value == 1
    assert found.triangles == ()


def test_a_transitive_triangle_is_no_cycle_however_much_it_curls():
    rows = [("a", "b", 1), ("b", "c", 1)] * 50 + [("a", "c", 1), ("a", "c", -1)] * 25
    found = assess(rows)
    assert found.cycles.p_value > 0.05
    assert found.n_named == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "per_pair"),
    [
        ("10 % lapses, spread 3", 20),
        ("20 % coin-tossers, varied acuity", 20),
        ("ties", 2),
        ("grades", 2),
        ("noiseless", 5),
    ],
)
def test_consistent_crowds_are_seldom_called_otherwise(name, per_pair):
    runs = 30
    found = [found_in(replace(CONSISTENT[name], per_pair=per_pair), 500 + k) for k in range(runs)]
    assert sum(one.misfit.p_value < 0.05 for one in found) <= runs // 5
    assert sum(one.cycles.p_value < 0.05 for one in found) <= runs // 5
    assert sum(one.n_named > 0 for one in found) <= runs // 5


def test_unequal_noise_is_misfit_but_no_cycle():
    crowd = Crowd(n_items=16, per_pair=60, item_noise=1.0)
    found = [found_in(crowd, 700 + k) for k in range(10)]
    assert sum(one.misfit.p_value < 0.05 for one in found) >= 7
    assert sum(one.cycles.p_value < 0.05 for one in found) <= 2


@pytest.mark.parametrize(
    "name",
    ["ring, closing pair 0.50", "ring, closing pair 0.60", "up to two places .8, others .5"],
)
def test_crowds_with_one_ranking_but_no_scores_are_seldom_called_cyclic(name):
    found = [found_in(HARD[name], 600 + k) for k in range(25)]
    assert sum(one.cycles.p_value < 0.05 for one in found) <= 4


def test_pairs_with_one_vote_among_others_make_no_cycles():
    crowd = Crowd(n_items=30, design="unbalanced", per_pair=2, acuities=0.5)
    found = [found_in(crowd, 400 + k) for k in range(10)]
    assert sum(one.cycles.p_value < 0.05 for one in found) <= 2


def test_a_graph_whose_majorities_have_an_order_has_no_cycle():
    found = [found_in(replace(RING, faint=0.99), seed) for seed in range(3)]
    assert [one.cycles.p_value for one in found] == [1, 1, 1]


def test_one_strong_cycle_is_found_among_many_items():
    crowd = Crowd(cycles="triangle", clear=0.97, n_items=20, per_pair=20)
    found = [found_in(crowd, 800 + k) for k in range(5)]
    assert sum(one.n_named > 0 for one in found) >= 4


def test_planted_cycles_are_found():
    found = [found_in(Crowd(cycles="rotation", per_pair=20), 900 + k) for k in range(10)]
    assert all(one.misfit.p_value < 0.05 for one in found)
    assert sum(one.cycles.p_value < 0.05 for one in found) >= 9
    assert sum(one.n_named > 0 for one in found) >= 8
    for one in found:
        assert all(min(cycle.flows) > 0 for cycle in one.triangles)


def test_long_loops_are_cycles_without_triangles():
    ring = [(k, (k + 1) % 6, 1) for k in range(6)]
    found = assess(ring * 10)
    assert found.cycles.p_value < 0.05
    assert found.triangles == ()
    turned = [(0, 5, 1) if row == (5, 0, 1) else row for row in ring]
    assert assess(turned * 10).cycles.p_value > 0.05


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([("a", "b", 1)], "the compared pairs form no cycle"),
        ([("a", "b", 1), ("b", "c", 1)] * 9, "the compared pairs form no cycle"),
        ([(a, b, 0) for a, b, _ in ROUND] * 9, "all votes are ties"),
        ([*ROUND[:2], ("c", "a", 0)] * 9, "the compared pairs form no cycle without the ties"),
        (ROUND, "no cycle consists of pairs with more than one independent vote"),
    ],
)
def test_what_cannot_be_checked_is_said_to_be_unknown(rows, reason):
    found = assess(rows)
    assert not found.checkable
    assert found.reason == reason
    assert found.misfit is found.cycles is found.shape is None
    assert found.triangles == ()
    json.dumps(found.to_dict(), allow_nan=False)


def test_no_answers_are_no_cycle():
    assert not assess(hr.Comparisons(("a", "b"), [], [], [])).checkable


def test_grades_count_by_their_sign():
    grades = assess([(a, b, 0.25) for a, b, _ in ROUND] * 20)
    assert grades.cycles == assess(ROUND * 20).cycles


def test_a_row_may_stand_for_many_answers():
    many = hr.Comparisons(("a", "b", "c"), [0, 1, 2], [1, 2, 0], [1, 1, 1], multiplicity=[20] * 3)
    assert assess_consistency(AnsweredGraph.of(many)) == assess(ROUND * 20)
    huge = replace(many, multiplicity=np.array([10**6, 10**6, 10**6]))
    assert assess_consistency(AnsweredGraph.of(huge)).cycles.p_value < 0.01


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_the_unit_of_weights_does_not_matter(unit):
    votes = Crowd(per_pair=5).votes(np.random.default_rng(1))
    found = assess(replace(votes, weight=np.full(len(votes), unit)))
    assert found.misfit.p_value == assess(votes).misfit.p_value
    assert found.misfit.statistic == pytest.approx(assess(votes).misfit.statistic)


def test_weights_of_any_size_can_be_assessed():
    rng = np.random.default_rng(0)
    votes = Crowd(per_pair=5).votes(rng)
    found = assess(replace(votes, weight=10 ** rng.uniform(-6, 6, len(votes))))
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_ballot_has_one_vote_on_a_pair():
    votes = hr.read_comparisons(ROUND * 3)
    fivefold = votes.select(np.repeat(np.arange(len(votes)), 5))
    together = replace(fivefold, ballot=np.repeat(np.arange(len(votes)), 5))
    assert assess(together).cycles == assess(votes).cycles
    assert assess(fivefold).cycles.p_value < assess(votes).cycles.p_value


def test_saying_the_same_again_is_no_news():
    workers = [f"w{k}" for k in range(6)]
    once = [(a, b, y, w) for a, b, y in ROUND for w in workers[:4]]
    once += [(b, a, y, w) for a, b, y in ROUND for w in workers[4:]]
    again = assess(once * 10)
    assert again.repeat_correlation > 0.9
    assert again.cycles.p_value > 0.05
    assert assess([row[:3] for row in once * 10]).cycles.p_value < 0.01


@pytest.mark.parametrize("copies", [2, 4, 10])
def test_a_vote_recorded_several_times_counts_about_once(copies):
    crowd = Crowd(n_items=20, per_pair=8, design="unbalanced", repeats=copies)
    signs = AnsweredGraph.of(crowd.votes(np.random.default_rng(0))).signs
    assert signs.repeats.correlation < 0.7  # a worker met the same pair independently, too
    assert np.all(signs.repeats.share <= 1.1 / copies)
    assert signs.graph.weights.sum() > 0.4 * signs.graph.counts.sum() / copies


def test_repeats_that_are_independent_count_in_full():
    votes = Crowd(per_pair=200, n_workers=5).votes(np.random.default_rng(0))
    answered = AnsweredGraph.of(votes)
    assert answered.signs.repeats.correlation < 0.05
    assert answered.signs.graph.weights.sum() > 0.3 * len(votes)


def test_one_worker_may_repeat():
    found = assess([(a, b, y, "ann") for a, b, y in ROUND * 20])
    assert found.repeat_correlation is None
    assert found.cycles.p_value < 0.01


def test_components_are_assessed_together():
    found = assess(ROUND * 20 + [("d", "e", 1), ("e", "f", 1), ("d", "f", 1)] * 20)
    assert found.n_named == 1
    assert set(found.triangles[0].items) == set("abc")


@pytest.mark.parametrize(
    ("name", "departure"),
    [
        ("10 % lapses, spread 3", SLIPS),
        ("noiseless", UNANIMOUS),
        ("Bradley-Terry", None),
        ("Thurstone", None),
    ],
)
def test_the_shape_of_the_link_is_described(name, departure):
    shape = found_in(replace(CONSISTENT[name], n_items=30, per_pair=40), 1).shape
    assert shape.departure == departure
    if departure == SLIPS:
        assert shape.happened < shape.promised
        assert 0.05 < shape.lapses < 0.15
    if departure == UNANIMOUS:
        assert shape.happened > shape.promised
        assert shape.saturation > 0.9


def test_it_is_the_same_every_time():
    assert assess(ranked(5, 4)) == assess(ranked(5, 4))


def test_more_edges_are_redrawn_less_often():
    assert n_redraws(45) >= 199
    assert n_redraws(20_000) >= 99
    assert n_redraws(1_000_000) < 99


@pytest.mark.slow
def test_two_hundred_items_and_a_million_answers_in_time():
    votes = hr.simulate_comparisons(200, 1_000_000, rng=0)
    answered = AnsweredGraph.of(votes)
    with at_most(seconds=3):
        found = assess_consistency(answered)
    assert found.misfit.p_value > 0.01
    assert found.cycles.p_value > 0.01
