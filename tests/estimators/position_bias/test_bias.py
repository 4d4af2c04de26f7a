"""Leans to a side: found where they are, and not where they are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd, fresh_rng
from scipy.special import expit

import hodgerank as hr
from hodgerank.estimators.position_bias.assess import assess_position_bias
from hodgerank.estimators.position_bias.bias_test import PRIOR, measure_position_bias
from hodgerank.estimators.position_bias.fit import fit_position_bias
from hodgerank.estimators.position_bias.groupings import worker_groups
from hodgerank.estimators.position_bias.position_cells import PositionCells
from hodgerank.graph.answered_graph import AnsweredGraph

RUNS = 30


def answered(crowd: Crowd, seed: int) -> AnsweredGraph:
    votes = crowd.votes(fresh_rng(seed, repr(crowd)))
    return AnsweredGraph.of(replace(votes, display_known=np.asarray(True)))


FAIR = [
    Crowd(per_pair=10, tossers=0.2, acuities=0.5, display="mostly better"),
    Crowd(per_pair=10, answer="tie"),
    Crowd(per_pair=20, repeats=4),
]
MORE = [
    Crowd(per_pair=10),
    Crowd(per_pair=20, design="sparse"),
    Crowd(per_pair=10, lapses=0.1, spread=3),
    Crowd(per_pair=10, tastes=0.7),
    Crowd(per_pair=10, answer="grade"),
    Crowd(per_pair=10, link="noiseless"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "crowd", [*FAIR, *(pytest.param(crowd, marks=pytest.mark.slow) for crowd in MORE)], ids=str
)
def test_fair_crowds_lean_to_no_side(crowd):
    single, together = [], 0
    for seed in range(RUNS):
        crowd_answers = answered(crowd, seed)
        single.extend(measure_position_bias(crowd_answers).p_values)
        together += bool(measure_position_bias(crowd_answers, "everybody").p_values[0] < 0.01)
    said = np.array(single)[np.isfinite(single)]
    assert (said < 0.05).sum() <= 0.08 * max(len(said), 100)
    assert together <= 3  # of 30 at 1 %: six standard deviations


def test_a_panel_of_two_judges_has_the_biases_it_has():
    rng = np.random.default_rng(5)
    n, m = 59, 4000
    truth = rng.normal(0, 1, n)
    left = rng.integers(0, n, m)
    right = (left + rng.integers(1, n, m)) % n
    judge = np.arange(m) % 2
    lean = np.array([0.9, -0.22])[judge]
    outcome = np.where(rng.random(m) < expit(truth[left] - truth[right] + lean), 1.0, -1.0)
    names = tuple(f"m{k}" for k in range(n))
    votes = hr.Comparisons(names, left, right, outcome, ("first", "second"), judge)
    found = hr.assess_workers(votes)
    # as told: the mean answer to pairs shown both ways round
    gap = (truth[left] - truth[right])[:, None]
    levels = np.array([0.9, -0.22])
    true = (expit(gap + levels) + expit(-gap + levels) - 1).mean(axis=0)
    np.testing.assert_allclose(found.position_bias, true, atol=0.06)
    assert (found.position_bias_p_value < 0.01).all()
    assert np.all(np.abs(found.position_bias - true) < 3 * found.position_bias_stderr)
    assert assess_position_bias(AnsweredGraph.of(votes)).estimate.p_value < 0.01


def test_intervals_of_leans_cover():
    inside, n = 0, 0
    for seed in range(20):
        crowd = Crowd(n_items=8, per_pair=60, n_workers=6, leans=0.6, spread=1)
        crowd_answers = answered(crowd, seed)
        rng = fresh_rng(seed, repr(crowd))
        truth = rng.normal(0, 1, 8)
        rng.normal(0, 0, (6, 8)), rng.normal(0, 0, 6)
        lean = rng.normal(0, 0.6, 6)
        np.testing.assert_array_equal(truth, crowd_answers.votes.truth)
        votes, found = crowd_answers.votes, measure_position_bias(crowd_answers)
        gap = truth[votes.left] - truth[votes.right]
        for worker in range(6):
            mine = gap[votes.worker == worker]
            true = np.mean(expit(mine + lean[worker]) + expit(-mine + lean[worker]) - 1)
            inside += bool(found.lower[worker] < true < found.upper[worker])
            n += 1
    assert inside >= 0.87 * n  # 95 % of 120, less four standard deviations


def test_strong_preferences_do_not_leak_into_the_lean():
    """Where the better item stands mostly left, left is chosen mostly, and rightly so."""
    crowd = Crowd(n_items=12, per_pair=20, spread=3, display="mostly better")
    sides = assess_position_bias(answered(crowd, 1))
    assert sides.left_rate > 0.6
    assert abs(sides.estimate.value) < 0.1
    assert sides.estimate.lower < 0 < sides.estimate.upper


def test_where_nothing_is_known_nothing_is_said():
    unknown = hr.read_comparisons([("a", "b", 1, "x"), ("b", "c", 1, "y")], display_known=False)
    found = measure_position_bias(AnsweredGraph.of(unknown))
    assert np.isnan(found.bias).all()
    sides = assess_position_bias(AnsweredGraph.of(unknown))
    assert sides.estimate is None
    assert sides.moves is None
    once = hr.read_comparisons([("a", "b", 1, "x")])
    assert np.isnan(measure_position_bias(AnsweredGraph.of(once)).bias).all()


def test_the_unit_of_weights_does_not_matter():
    votes = Crowd(per_pair=10, lean=0.5).votes(np.random.default_rng(2))
    weight = np.random.default_rng(3).uniform(0.5, 2, len(votes))
    found = [
        measure_position_bias(AnsweredGraph.of(replace(votes, weight=unit * weight)))
        for unit in (1.0, 1e-4, 1e4)
    ]
    for other in found[1:]:
        np.testing.assert_allclose(found[0].bias, other.bias, atol=1e-6)
        np.testing.assert_allclose(found[0].p_values, other.p_values, atol=1e-6)


def test_workers_of_no_acuity_do_not_keep_the_fit_from_coming_to_rest():
    votes = hr.simulate_comparisons(20, 3_000, workers={"honest": 12, "adversarial": 3}, rng=1)
    given = AnsweredGraph.of(votes)
    group, n_groups = worker_groups(votes)
    cells = PositionCells.of(given, [group], [n_groups])
    fit = fit_position_bias(cells, "bradley-terry", PRIOR, tolerance=1e-3)
    assert fit.acuity.min() == 0
    assert fit.residual <= 1e-3
    assert fit.iterations < 15
