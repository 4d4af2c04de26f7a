"""Intervals, certainties and predictions are true, also of crowds that follow no model."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd
from benchmarks.calibration.uncertainty import (
    ESTIMATORS,
    certainties_of,
    coverage,
    few_answers,
    leaders,
)

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.certainty import certainties

TRIANGLE = [("a", "b"), ("b", "c"), ("a", "c")]
COINS = Crowd(n_items=3, per_pair=2, spread=0.0)


def answers(counts: dict[tuple[str, str], tuple[int, int]]) -> list[tuple[str, str, int]]:
    outcomes = {pair: [1] * won + [-1] * lost for pair, (won, lost) in counts.items()}
    return [(a, b, y) for (a, b), given in outcomes.items() for y in given]


# --- least squares


@pytest.mark.parametrize("weighting", ["counts", "variance"])
def test_the_angular_link_has_the_variance_that_it_stabilises(weighting):
    counts = {("a", "b"): (40, 0), ("a", "c"): (28, 12), ("c", "b"): (30, 10)}
    ranking = hr.hodge_rank(answers(counts), link="angular", weighting=weighting)
    assert (ranking.standard_errors > 0.13).all()
    assert (ranking.standard_errors < 0.2).all()


def test_angular_intervals_cover():
    from benchmarks.calibration.uncertainty import LINKED

    name = "hodge_rank, angular link"
    row = coverage(name, LINKED[name], "BT", Crowd(per_pair=20, spread=1.0), 40, 3)
    assert 0.90 < row.measured < 0.985


def test_few_answers_per_pair_are_noted_where_smoothing_shrinks():
    strong = Crowd(spread=2.5, per_pair=3).votes(np.random.default_rng(0))
    for link, better in (("bradley-terry", "bradley_terry"), ("thurstone-mosteller", "thurstone_")):
        (note,) = hr.hodge_rank(strong, link=link).notes
        assert "unanimous (3 votes per pair)" in note
        assert f"use {better}" in note
    (note,) = hr.hodge_rank(strong, link="angular").notes
    assert "3 votes (median)" in note
    assert hr.hodge_rank(strong).notes == ()
    weak = Crowd(spread=0.5, per_pair=20).votes(np.random.default_rng(0))
    for link in ("bradley-terry", "thurstone-mosteller", "angular"):
        assert hr.hodge_rank(weak, link=link).notes == ()


@pytest.mark.slow
def test_estimated_noise_widens_intervals_enough():
    certain, settled = leaders("hodge_rank", hr.hodge_rank, COINS, 150, 1)
    assert certain.measured < 0.08
    assert settled.measured < 0.15


def test_a_single_degree_of_freedom_does_not_widen_intervals_without_bounds():
    once = hr.hodge_rank([(a, b, 1) for a, b in TRIANGLE])
    assert once.freedom == 1
    half = np.diff(once.intervals)[:, 0] / 2
    # no answer varies by more than 1, so that one degree of freedom is no reason for t = 12.7
    np.testing.assert_allclose(half, 1.95996 * np.sqrt(2 / 9), rtol=1e-4)


# --- dispersion


def test_the_dispersion_of_choices_is_one_and_that_of_grades_less():
    choices = Crowd(per_pair=4).votes(np.random.default_rng(1))
    grades = Crowd(per_pair=4, answer="grade").votes(np.random.default_rng(1))
    for fit in (hr.bradley_terry, hr.thurstone_mosteller, hr.bayes_rank, hr.robust_rank):
        assert fit(choices).dispersion == 1
        ranking = fit(grades)
        assert 0.3 < ranking.dispersion < 0.8
        assert ranking.to_dict()["dispersion"] == ranking.dispersion


def test_the_dispersion_scales_the_covariance_and_leaves_the_scores_alone():
    grades = Crowd(answer="grade").votes(np.random.default_rng(2))
    doubled = grades.select(np.tile(np.arange(len(grades)), 2))
    one, two = hr.bradley_terry(grades), hr.bradley_terry(doubled)
    np.testing.assert_allclose(one.scores, two.scores, atol=1e-8)
    fixed = one.standard_errors**2 / one.dispersion
    np.testing.assert_allclose(fixed, 2 * two.standard_errors**2 / two.dispersion, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("bradley_terry", "tie"),
        ("bayes_rank", "grade"),
        pytest.param("bradley_terry", "grade", marks=pytest.mark.slow),
        pytest.param("bayes_rank", "tie", marks=pytest.mark.slow),
    ],
)
def test_intervals_of_ties_and_grades_cover(name, answer):
    row = coverage(name, ESTIMATORS[name], answer, Crowd(answer=answer, per_pair=8), 40, 5)
    assert 0.91 < row.measured < 0.985


def test_agreement_does_not_make_noise_vanish():
    for grade in (0.0, 0.5):
        for fit in (hr.bradley_terry, hr.bayes_rank):
            ranking = fit([(a, b, grade) for a, b in TRIANGLE] * 200)
            assert 0.02 <= ranking.dispersion < 0.1
            assert (ranking.standard_errors > 0.001).all()


def test_stopping_rules_know_that_grades_say_more():
    rng = np.random.default_rng(0)
    votes = Crowd(n_items=12, per_pair=3, answer="grade").votes(rng)
    sampler = hr.AutoSampler(votes.items, seed=1)
    sampler.tell_many(votes)
    graph = hr.ComparisonGraph.from_comparisons(votes)
    as_choices = hr.bayes_rank(replace(graph, squares=graph.weights.copy()))
    assert hr.expected_tau(sampler.ranking()) > hr.expected_tau(as_choices) + 0.02


# --- certainty


FIRST = ("hodge_rank", "bayes_rank")
SOME_FIRST = [
    *FIRST,
    *(pytest.param(name, marks=pytest.mark.slow) for name in ESTIMATORS if name not in FIRST),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME_FIRST)
def test_certainty_is_the_share_of_pairs_that_it_is_right_about(name):
    rng = np.random.default_rng(4)
    said, right = [], []
    for run in range(18):
        votes = few_answers(16, 4, "dense", (0.3, 1.0, 3.0)[run % 3], rng)
        certainties, are_right = certainties_of(ESTIMATORS[name](votes), votes)
        said.append(certainties)
        right.append(are_right)
    said, right = np.concatenate(said), np.concatenate(right)
    assert said.mean() == pytest.approx(right.mean(), abs=0.07)
    sure = said > 0.9
    if sure.any():
        assert right[sure].mean() > 0.88


@pytest.mark.slow
@pytest.mark.parametrize("name", SOME_FIRST)
def test_leaders_of_coins_are_not_certain(name):
    certain, _ = leaders(name, ESTIMATORS[name], COINS, 40, 2)
    assert certain.measured <= 0.05


def test_a_given_prior_is_the_belief():
    votes = Crowd().votes(np.random.default_rng(3))
    ranking = hr.bradley_terry(votes, ridge=0.5)
    (belief,) = ranking.posterior_parts
    np.testing.assert_array_equal(belief.scores, ranking.scores)
    np.testing.assert_allclose(belief.variances, ranking.standard_errors**2)


def test_dependent_answers_make_less_certain():
    crowd = Crowd(n_items=6, per_pair=40, tastes=1.5, n_workers=10, spread=0.5)
    votes = crowd.votes(np.random.default_rng(5))
    for fit in (hr.hodge_rank, hr.bradley_terry, hr.robust_rank):
        plain, clustered = fit(votes), fit(votes, covariance="worker")
        assert hr.expected_tau(clustered) < hr.expected_tau(plain) - 0.01


def test_certainty_does_not_mind_the_unit_of_weights():
    votes = Crowd(n_items=5, per_pair=2).votes(np.random.default_rng(1))
    for fit in (hr.hodge_rank, hr.robust_rank):
        plain = fit(votes).certainty("i000", "i001")
        for unit in (1e-6, 1e6):
            weighted = replace(votes, weight=np.full(len(votes), unit))
            assert fit(weighted).certainty("i000", "i001") == pytest.approx(plain, abs=1e-6)


def test_items_that_cannot_be_compared_do_not_count():
    rows = [("a", "b", 1)] * 30 + [("c", "d", 1)] * 30
    ranking = hr.hodge_rank(rows, components="separate")
    assert hr.expected_tau(ranking) > 0.9
    with pytest.raises(InvalidArgument, match="among="):
        hr.top_k_certainty(ranking, 1)
    assert hr.top_k_certainty(ranking, 1, ("a", "b")) > 0.9
    assert hr.expected_tau(ranking, ("a", "c")) == 1.0


# --- predictions


def brier(probabilities: np.ndarray, votes: hr.Comparisons) -> float:
    return float(np.mean((probabilities - (1 + votes.outcome) / 2) ** 2))


@pytest.mark.parametrize("name", ["pc-vqa", "pc-iqa", "reading-level"])
@pytest.mark.parametrize("share", [0.2, 0.8])
def test_predictions_beat_those_of_the_uniform_link(data_folder, monkeypatch, name, share):
    monkeypatch.setenv("HODGERANK_DATA", str(data_folder))
    options = {} if name == "reading-level" else {"reference": 7}
    votes = hr.load_dataset(name, **options)
    known = np.random.default_rng(1).random(len(votes)) < share
    ranking = hr.hodge_rank(votes.select(known), components="separate")
    place = ranking.positions(votes.items)
    new = votes.select(~known)
    left, right = place[new.left], place[new.right]
    difference = ranking.scores[left] - ranking.scores[right]
    comparable = ranking.components[left] == ranking.components[right]
    ours = 1 / (1 + np.exp(-ranking.temperature * difference[comparable]))
    theirs = np.clip((1 + difference[comparable]) / 2, 0, 1)
    new = new.select(comparable)
    assert brier(ours, new) < brier(theirs, new)


def test_no_prediction_is_certain():
    unanimous = [(a, b, 1) for a, b in TRIANGLE] * 1000
    chain = [(k, k + 1, 1) for k in range(60)] * 20
    for rows in (unanimous, chain):
        for fit in (hr.hodge_rank, hr.bradley_terry, hr.thurstone_mosteller, hr.robust_rank):
            ranking = fit(rows)
            first, last = ranking.items[0], ranking.items[-1]
            assert 0 < ranking.probability(last, first) < 0.01
            assert 0.99 < ranking.probability(first, last) < 1


def test_the_temperature_of_coins_is_low_and_that_of_strong_opinions_high():
    coins = Crowd(spread=0.0).votes(np.random.default_rng(0))
    strong = Crowd(spread=3.0).votes(np.random.default_rng(0))
    assert hr.hodge_rank(coins).temperature < 1
    assert hr.hodge_rank(strong).temperature > 3
    assert hr.bradley_terry(strong).temperature is None
    assert json.loads(json.dumps(hr.hodge_rank(strong).to_dict()))["temperature"] > 3


def test_many_items_are_predicted_nearly_as_by_exact_leverages(monkeypatch):
    votes = hr.simulate_comparisons(60, 3000, spread=1, rng=0)
    exact = hr.hodge_rank(votes).temperature
    from hodgerank.kernels.linalg import normal_equations

    monkeypatch.setattr(normal_equations, "DENSE_ITEMS", 0)
    assert hr.hodge_rank(votes).temperature == pytest.approx(exact, rel=0.02)


# --- weights


def test_huber_regression_weighs_its_residuals():
    votes = Crowd(n_items=6).votes(np.random.default_rng(0))
    unknown = replace(votes, workers=(), worker=np.full(len(votes), -1))
    plain = hr.robust_rank(unknown)
    for unit in (1e-3, 1e3):
        weighted = hr.robust_rank(replace(unknown, weight=np.full(len(votes), unit)))
        np.testing.assert_allclose(weighted.standard_errors, plain.standard_errors, rtol=1e-6)


@pytest.mark.parametrize("link", ["bradley-terry", "thurstone-mosteller", "angular"])
def test_smoothing_does_not_mind_the_unit_of_weights(link):
    votes = Crowd(n_items=5, per_pair=4).votes(np.random.default_rng(0))
    plain = hr.hodge_rank(votes, link=link)
    weighted = hr.hodge_rank(replace(votes, weight=np.full(len(votes), 0.01)), link=link)
    np.testing.assert_allclose(weighted.scores, plain.scores, atol=1e-9)
    np.testing.assert_allclose(weighted.standard_errors, plain.standard_errors, rtol=1e-9)


@pytest.mark.parametrize("fit", [hr.bradley_terry, hr.thurstone_mosteller, hr.bayes_rank])
def test_weights_that_are_hardly_numbers_of_answers_are_noted(fit):
    votes = Crowd(n_items=5).votes(np.random.default_rng(0))
    assert fit(votes).notes == ()
    (note,) = fit(replace(votes, weight=np.full(len(votes), 0.01))).notes
    assert "their mean is 0.01" in note
    assert "scale them to mean 1" in note


@pytest.mark.parametrize("weights", [(1e6, 1e-6, 1e-6), (1e-6, 1e6, 1e-6), (1e8, 1, 1e-8)])
def test_weights_may_be_wide_apart(weights):
    for outcomes in ((1, 1, 1), (1, -1, 1), (1, 1, -1), (0, 0, 0)):
        votes = hr.Comparisons(
            items=("a", "b", "c"), left=[0, 1, 0], right=[1, 2, 2], outcome=outcomes,
            weight=weights,
        )  # fmt: skip
        for fit in (hr.hodge_rank, hr.bradley_terry, hr.bayes_rank, hr.robust_rank):
            ranking = fit(votes)
            assert np.isfinite(ranking.standard_errors).all()
            assert 0 <= ranking.certainty("a", "b") <= 1
        hr.find_outliers(votes)


# --- clusters


@pytest.mark.slow
def test_robust_intervals_cover_where_tastes_differ():
    crowd = Crowd(tastes=0.7, per_pair=20)
    by_worker = "robust_rank by worker"
    from benchmarks.calibration.uncertainty import CLUSTERED

    row = coverage(by_worker, CLUSTERED[by_worker], "tastes", crowd, 30, 1)
    assert 0.91 < row.measured < 0.985


def test_clustered_robust_errors_of_independent_answers_are_the_usual_ones():
    votes = hr.simulate_comparisons(6, 6000, workers={"honest": 60, "adversarial": 6}, rng=0)
    plain = hr.robust_rank(votes)
    clustered = hr.robust_rank(votes, covariance="worker")
    assert "clustered by worker" in clustered.uncertainty
    np.testing.assert_array_equal(plain.scores, clustered.scores)
    ratio = clustered.standard_errors / plain.standard_errors
    assert ratio.mean() == pytest.approx(1, abs=0.25)


def test_robust_clusters_need_workers():
    with pytest.raises(InvalidArgument, match="the worker of every vote"):
        hr.robust_rank([("a", "b", 1), ("a", "b", -1)], covariance="worker")


def test_unequal_weights_of_mean_one_have_a_note():
    votes = hr.simulate_comparisons(8, 400, rng=0)
    weight = np.exp(np.random.default_rng(1).normal(0, 2, 400))
    notes = hr.bradley_terry(replace(votes, weight=weight / weight.mean())).notes
    assert any("are unequal" in note for note in notes)
    assert not hr.bradley_terry(replace(votes, weight=np.full(400, 1.0))).notes


def test_unequal_clusters_count_as_fewer():
    votes = hr.simulate_comparisons(6, 400, workers={"honest": 10}, rng=0)
    assert 7 < hr.bradley_terry(votes, covariance="worker").freedom <= 9
    lopsided = replace(votes, worker=np.where(np.arange(400) < 300, 0, votes.worker))
    assert hr.bradley_terry(lopsided, covariance="worker").freedom < 2


def test_an_item_named_twice_counts_once():
    ranking = hr.hodge_rank(hr.simulate_comparisons(6, 200, rng=0))
    first, second = ranking.items[:2]
    assert hr.expected_tau(ranking, [first, first, second]) == hr.expected_tau(
        ranking, [first, second]
    )


def test_probabilities_are_those_of_single_pairs():
    votes = [("a", "b", 1), ("b", "c", 1), ("c", "a", 0), ("x", "y", 1)] * 3
    for estimate in (hr.hodge_rank, hr.bradley_terry):
        options = {"ridge": 1.0} if estimate is hr.bradley_terry else {}
        ranking = estimate(votes, components="separate", **options)
        matrix = ranking.probabilities()
        for a, row in zip(ranking.items, matrix, strict=True):
            for b, value in zip(ranking.items, row, strict=True):
                if ({a, b} & set("xy")) and ({a, b} & set("abc")):
                    assert np.isnan(value)
                else:
                    assert value == ranking.probability(a, b)
        np.testing.assert_array_equal(ranking.probabilities(["y", "x"]), matrix[[4, 3]][:, [4, 3]])


def test_certainties_are_those_of_single_pairs():
    ranking = hr.hodge_rank(hr.simulate_comparisons(6, 60, rng=1))
    a, b = np.triu_indices(6, 1)
    items = ranking.items
    single = [ranking.certainty(items[i], items[j]) for i, j in zip(a, b, strict=True)]
    np.testing.assert_allclose(certainties(ranking, a, b), single, atol=1e-9)
