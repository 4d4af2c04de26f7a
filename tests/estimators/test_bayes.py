"""bayes_rank and what is read off it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from hodgerank.estimators import certainty, priors
from hodgerank.estimators.certainty import widest_rank_interval


def tau(ranking, votes):
    scores = dict(zip(ranking.items, ranking.scores, strict=True))
    return hr.metrics.kendall_tau(scores, dict(zip(votes.items, votes.truth, strict=True)))


def test_with_many_answers_a_given_prior_is_thurstone_mosteller_with_a_ridge():
    votes = hr.simulate_comparisons(8, 30_000, rng=1)
    ours = hr.bayes_rank(votes, ridge=0.5)
    theirs = hr.thurstone_mosteller(votes, ridge=0.5)
    assert ours.items == theirs.items
    np.testing.assert_allclose(ours.scores, theirs.scores, atol=1e-3)
    np.testing.assert_allclose(ours.standard_errors, theirs.standard_errors, rtol=1e-2)


def test_a_single_answer_is_believed_as_far_as_it_goes():
    """By hand: E(a - b) = 2v sqrt(2/pi) / sqrt(1 + 2v) with v = 1/2."""
    ranking = hr.bayes_rank([("a", "b", 1)], ridge=2.0)
    assert ranking.scores[0] - ranking.scores[1] == pytest.approx(np.sqrt(1 / np.pi), abs=1e-4)


def test_unanimous_and_contradictory_weights_of_any_size_are_ranked():
    for weight in (1e-6, 1.0, 1e6):
        rows = {"left": ["a", "b", "a"], "right": ["b", "c", "c"], "winner": ["left"] * 3}
        votes = pl.DataFrame({**rows, "weight": [weight] * 3})
        ranking = hr.bayes_rank(hr.read_comparisons(votes, weight="weight"))
        assert ranking.items == ("a", "b", "c")
        assert np.isfinite(ranking.standard_errors).all()


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_the_prior_is_found_from_many_answers(spread):
    votes = hr.simulate_comparisons(200, 12_000, spread=spread, link="thurstone-mosteller", rng=2)
    assert 1 / hr.bayes_rank(votes).ridge == pytest.approx(np.var(votes.truth), rel=0.25)


@pytest.mark.parametrize("spread", [0.5, pytest.param(2.0, marks=pytest.mark.slow)])
def test_the_prior_is_found_among_many_items(spread):
    votes = hr.simulate_comparisons(4_000, 80_000, spread=spread, link="thurstone-mosteller", rng=2)
    assert 1 / hr.bayes_rank(votes).ridge == pytest.approx(np.var(votes.truth), rel=0.1)


def test_messages_choose_the_prior_that_matrices_do(monkeypatch):
    votes = hr.simulate_comparisons(150, 750, rng=3)
    exact = hr.bayes_rank(votes)
    monkeypatch.setattr(priors, "DENSE_ITEMS", 10)
    sent = hr.bayes_rank(votes)
    assert sent.ridge == pytest.approx(exact.ridge, rel=0.05)
    assert hr.expected_tau(sent) == pytest.approx(hr.expected_tau(exact), abs=0.01)
    np.testing.assert_allclose(sent.scores[sent.positions(exact.items)], exact.scores, atol=0.03)


def test_few_answers_are_shrunk_and_still_rank_all_items():
    votes = hr.read_comparisons([("a", "b", 1), ("c", "d", 1)])
    ranking = hr.bayes_rank(votes)
    assert ranking.n_components == 1
    assert np.abs(ranking.scores).max() < 1
    with pytest.raises(InvalidArgument, match="ridge"):
        hr.bayes_rank(votes, ridge=0)


def test_the_expected_tau_is_about_right():
    """On average over crowds of different strength, early and late."""
    for spread, n_votes in ((0.5, 200), (1.0, 60), (1.0, 400), (2.0, 100)):
        expected, actual = [], []
        for seed in range(15):
            votes = hr.simulate_comparisons(20, n_votes, spread=spread, pairs="rounds", rng=seed)
            ranking = hr.bayes_rank(votes)
            expected.append(hr.expected_tau(ranking))
            actual.append(tau(ranking, votes))
        assert np.mean(expected) == pytest.approx(np.mean(actual), abs=0.08)


def test_the_certainty_of_the_top_is_about_right():
    certainty, right = [], []
    for seed in range(60):
        votes = hr.simulate_comparisons(10, 250, spread=1.5, rng=seed)
        ranking = hr.bayes_rank(votes)
        certainty.append(hr.top_k_certainty(ranking, 3))
        best = {votes.items[k] for k in np.argsort(-votes.truth)[:3]}
        right.append(set(ranking.top(3)) == best)
    assert np.mean(certainty) == pytest.approx(np.mean(right), abs=0.15)


def test_more_answers_make_it_more_certain():
    found = []
    for n_votes in (50, 500, 5000):
        ranking = hr.bayes_rank(hr.simulate_comparisons(12, n_votes, spread=2, rng=1))
        found.append(
            (
                hr.expected_tau(ranking),
                hr.top_k_certainty(ranking, 2),
                -widest_rank_interval(ranking),
            )
        )
    assert found == sorted(found)
    assert hr.top_k_certainty(ranking, 12) == 1
    with pytest.raises(InvalidArgument):
        hr.top_k_certainty(ranking, 13)


def test_thousands_of_items_are_ranked_too():
    votes = hr.simulate_comparisons(4000, 60_000, spread=2, rng=1)
    ranking = hr.bayes_rank(votes)
    assert tau(ranking, votes) > 0.7
    assert hr.expected_tau(ranking) == pytest.approx(tau(ranking, votes), abs=0.06)
    assert 0 <= hr.top_k_certainty(ranking, 5) <= 1


@pytest.mark.parametrize(("k", "deviation"), [(1, 0.3), (5, 0.1), (5, 0.3), (150, 0.002)])
def test_the_certainty_of_independent_scores_is_that_of_draws(k, deviation):
    rng = np.random.default_rng(0)
    scores = -np.sort(-rng.normal(size=200))
    deviations = deviation * rng.uniform(0.5, 1.5, 200)
    draws = scores + deviations * rng.standard_normal((20_000, 200))
    share = (draws[:, :k].min(axis=1) > draws[:, k:].max(axis=1)).mean()
    assert certainty._first_apart(scores, deviations, k) == pytest.approx(share, abs=0.012)


@pytest.mark.slow
def test_the_widest_interval_among_some_of_very_many_items():
    votes = hr.simulate_comparisons(3_500, 20_000, rng=1)
    ranking = hr.bayes_rank(votes)
    assert ranking.covariance is None
    assert widest_rank_interval(ranking) > 1000
    assert widest_rank_interval(ranking, ranking.items[:3]) <= 3


def test_scores_of_many_items_are_nearly_uncorrelated(monkeypatch):
    ranking = hr.bayes_rank(hr.simulate_comparisons(600, 4_000, spread=2, rng=1))
    exact = hr.expected_tau(ranking)
    monkeypatch.setattr(certainty, "JOINT_ITEMS", 100)
    assert hr.expected_tau(ranking) == pytest.approx(exact, abs=0.004)


@pytest.mark.parametrize("ridge", [1e-4, 1e-2, 1e4])
@pytest.mark.parametrize("n_items", [3, 250])
def test_priors_as_wide_as_they_may_be_leave_numbers(ridge, n_items):
    votes = [(k, (k + 1) % n_items, 1) for k in range(n_items)] * 2
    ranking = hr.bayes_rank([*votes, (0, 1, 1)], ridge=ridge)
    assert np.isfinite(ranking.scores).all()
    assert np.isfinite(ranking.standard_errors).all()
    for wrong in (1e-5, 1e5):
        with pytest.raises(InvalidArgument, match="ridge"):
            hr.bayes_rank(votes, ridge=wrong)


@pytest.mark.parametrize("n_items", [12, 300])
def test_a_fit_that_used_up_its_sweeps_says_so(monkeypatch, n_items):
    votes = hr.simulate_comparisons(n_items, 20 * n_items, spread=3, rng=1)
    assert hr.bayes_rank(votes).converged
    monkeypatch.setattr(priors, "MOST_SWEEPS", 1)
    monkeypatch.setattr(priors, "MOST_MESSAGE_SWEEPS", 1)
    ranking = hr.bayes_rank(votes, ridge=0.1)
    assert not ranking.converged
    assert "not converged after 1 sweeps" in ranking.notes[0]


CARELESS = {"honest": 8, "random": 4, "adversarial": 2}


@pytest.mark.slow
@pytest.mark.parametrize("position", [None, "worker"])
def test_weights_repair_what_bad_workers_do(position):
    plain, robust = [], []
    for seed in range(5):
        votes = hr.simulate_comparisons(12, 700, spread=1.5, workers=CARELESS, rng=seed)
        plain.append(tau(hr.bayes_rank(votes, position_bias=position, worker_weights=False), votes))
        robust.append(tau(hr.bayes_rank(votes, position_bias=position), votes))
    assert np.mean(robust) > np.mean(plain) + 0.05


@pytest.mark.parametrize("rank", [hr.bayes_rank, hr.robust_rank])
def test_comparisons_are_all_answers_whatever_they_weigh(rank):
    votes = hr.simulate_comparisons(12, 700, spread=3, workers=CARELESS, rng=1)
    ranking, plain = rank(votes), hr.bayes_rank(votes, worker_weights=False)
    assert ranking.votes.sum() == 2 * votes.n_votes
    assert {row.item: row.votes for row in ranking} == {row.item: row.votes for row in plain}


def test_where_no_worker_is_known_all_votes_count():
    votes = [("a", "b", 1), ("b", "c", 1), ("a", "c", 1)] * 3
    ours, plain = hr.bayes_rank(votes), hr.bayes_rank(votes, worker_weights=False)
    assert ours.score_by_item == plain.score_by_item


def test_a_graph_has_no_workers_to_weigh():
    votes = hr.simulate_comparisons(12, 700, spread=3, workers=CARELESS, rng=1)
    graph = hr.ComparisonGraph.from_comparisons(votes)
    plain = hr.bayes_rank(votes, worker_weights=False, covariance="model")
    ranking = hr.bayes_rank(graph)
    assert ranking.score_by_item == plain.score_by_item
    assert ranking.worker_weights == plain.worker_weights == {}


def test_sides_that_only_the_untrusted_have_seen_are_left_out():
    votes = hr.simulate_comparisons(8, 900, spread=3, workers={"honest": 6, "random": 1}, rng=3)
    is_random = np.array([str(name).startswith("random") for name in votes.workers])[votes.worker]
    votes = replace(votes, display_known=is_random)
    ranking = hr.bayes_rank(votes, position_bias="common")
    assert ranking.score_by_item == hr.bayes_rank(votes).score_by_item
