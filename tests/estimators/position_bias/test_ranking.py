"""Rankings with sides in the model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.calibration.crowds import Crowd
from scipy.optimize import minimize
from scipy.special import log_expit, log_ndtr

import hodgerank as hr
from hodgerank.errors import InvalidArgument
from reference.inverse import centred_inverse

LEANING = Crowd(n_items=6, per_pair=30, lean=0.8, leans=0.5, n_workers=4, display="mostly better")
ESTIMATORS = [hr.hodge_rank, hr.bradley_terry, hr.thurstone_mosteller, hr.bayes_rank]


def scores_of(ranking: hr.Ranking, votes: hr.Comparisons) -> np.ndarray:
    return np.array([ranking[item].score for item in votes.items])


@pytest.mark.parametrize("position", ["common", "worker"])
@pytest.mark.parametrize(
    ("estimator", "log_cdf", "precision"),
    [(hr.bradley_terry, log_expit, 1 / 9), (hr.thurstone_mosteller, log_ndtr, 1 / 3)],
)
def test_scores_are_those_of_the_joint_likelihood(estimator, log_cdf, precision, position):
    votes = LEANING.votes(np.random.default_rng(0))
    group = votes.worker if position == "worker" else np.zeros(len(votes), int)
    n, n_groups = votes.n_items, int(group.max()) + 1

    def loss(parameters):
        x, b = parameters[:n], parameters[n:]
        t = votes.outcome * (x[votes.left] - x[votes.right] + b[group])
        return -log_cdf(t).sum() + precision / 2 * b @ b + x.sum() ** 2

    best = minimize(loss, np.zeros(n + n_groups), options={"gtol": 1e-8}).x
    ranking = estimator(votes, position_bias=position, shrink_position_bias=precision)
    np.testing.assert_allclose(scores_of(ranking, votes), best[:n], atol=1e-4)
    np.testing.assert_allclose(ranking.position_bias.values, best[n:], atol=1e-4)
    assert ranking.converged


def test_least_squares_are_those_of_the_joint_design():
    votes = LEANING.votes(np.random.default_rng(1))
    design = np.zeros((len(votes), votes.n_items + 4))
    rows = np.arange(len(votes))
    design[rows, votes.left], design[rows, votes.right] = 1, -1
    design[rows, votes.n_items + votes.worker] = 1
    one_more = np.zeros((4, votes.n_items + 4))  # answer of each worker, without a lean
    one_more[:, votes.n_items :] = np.eye(4)
    design, outcome = np.vstack((design, one_more)), np.r_[votes.outcome, np.zeros(4)]
    best, *_ = np.linalg.lstsq(design, outcome, rcond=None)
    residual = (outcome - design @ best)[: len(votes)]
    answers = np.bincount(votes.worker)
    freedom = len(votes) - (votes.n_items - 1) - (answers / (answers + 1)).sum()
    covariance = centred_inverse(design.T @ design, n_others=4) * (residual @ residual) / freedom
    ranking = hr.hodge_rank(votes, position_bias="worker", shrink_position_bias=1.0)
    np.testing.assert_allclose(scores_of(ranking, votes), best[:6] - best[:6].mean(), atol=1e-9)
    errors = [ranking[item].stderr for item in votes.items]
    expected = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(errors, expected[:6], rtol=1e-8)
    np.testing.assert_allclose(ranking.position_bias.values, best[6:], atol=1e-9)
    np.testing.assert_allclose(ranking.position_bias.standard_errors, expected[6:], rtol=1e-8)


@pytest.mark.parametrize("covariance", ["model", "worker"])
@pytest.mark.parametrize("estimator", ESTIMATORS[1:3])
def test_intervals_cover_where_plain_ones_do_not(estimator, covariance):
    """The better item mostly stands left, and left pulls: without sides scores are too wide."""
    crowd = Crowd(n_items=6, per_pair=40, lean=1.0, n_workers=30, display="mostly better", spread=1)
    covered = {None: [], "common": []}
    factor = 1.0 if estimator is hr.bradley_terry else 0.6
    for seed in range(25):
        votes = crowd.votes(np.random.default_rng(seed))
        truth = factor * (votes.truth - votes.truth.mean())
        for position, found in covered.items():
            ranking = estimator(votes, position_bias=position, covariance=covariance)
            centre = scores_of(ranking, votes)
            error = np.array([ranking[item].stderr for item in votes.items])
            found.extend(np.abs(centre - truth) < 1.96 * error)
    assert np.mean(covered["common"]) > 0.87
    assert np.mean(covered[None]) < np.mean(covered["common"]) - 0.1


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("position", ["common", "worker"])
def test_the_ranking_is_nearer_to_the_truth(estimator, position):
    """Each item has a side of its own that it mostly stands on."""
    rng = np.random.default_rng(4)
    n, m = 12, 3000
    truth = rng.normal(0, 0.5, n)
    side = rng.random(n)
    a = rng.integers(0, n, m)
    b = (a + rng.integers(1, n, m)) % n
    swap = side[a] + 0.3 * rng.normal(size=m) < side[b]
    left, right = np.where(swap, b, a), np.where(swap, a, b)
    p = 1 / (1 + np.exp(-(truth[left] - truth[right] + 1.0)))
    outcome = np.where(rng.random(m) < p, 1.0, -1.0)
    names = tuple(f"i{k:02d}" for k in range(n))
    votes = hr.Comparisons(names, left, right, outcome, ("x", "y"), np.arange(m) % 2)
    true = dict(zip(names, truth, strict=True))

    def tau(ranking: hr.Ranking) -> float:
        return hr.metrics.kendall_tau(ranking.score_by_item, true)

    assert tau(estimator(votes, position_bias=position)) > tau(estimator(votes)) + 0.1


def test_belief_and_predictions_go_on_working():
    votes = LEANING.votes(np.random.default_rng(2))
    for estimator in ESTIMATORS:
        ranking = estimator(votes, position_bias="worker")
        first, last = ranking.items[0], ranking.items[-1]
        assert 0.5 < ranking.probability(first, last) < 1
        assert 0.9 < ranking.certainty(first, last) <= 1
        assert 0 < hr.expected_tau(ranking) <= 1


def test_sides_need_to_be_known():
    votes = Crowd(display="winner").votes(np.random.default_rng(0))
    with pytest.raises(InvalidArgument, match="winner were always listed first"):
        hr.bradley_terry(votes, position_bias="common")
    fine = LEANING.votes(np.random.default_rng(0))
    with pytest.raises(InvalidArgument, match="single votes"):
        hr.bradley_terry(hr.ComparisonGraph.from_comparisons(fine), position_bias="common")
    with pytest.raises(InvalidArgument, match="uniform link"):
        hr.hodge_rank(fine, link="angular", position_bias="common")
    with pytest.raises(InvalidArgument, match="position"):
        hr.hodge_rank(fine, position_bias="left")


def test_answers_of_unknown_display_count_without_sides():
    votes = LEANING.votes(np.random.default_rng(3))
    half = replace(votes, display_known=np.arange(len(votes)) % 2 == 0)
    for estimator in ESTIMATORS:
        assert len(estimator(half, position_bias="worker")) == 6


@pytest.mark.slow
def test_sides_cost_nothing_where_pairs_were_chosen_by_labels_and_nobody_leans():
    taus = {None: [], "worker": []}
    for seed in range(12):
        rng = np.random.default_rng([seed, 9])
        x = rng.normal(0, 1.5, 50)
        sampler = hr.AutoSampler(50, seed=seed)
        for _ in range(300):
            pair = sampler.ask()
            chance = 1 / (1 + np.exp(x[pair.right] - x[pair.left]))
            sampler.tell(pair, 1 if rng.random() < chance else -1, "ann")
        for position, found in taus.items():
            ranking = hr.bayes_rank(sampler.votes, position_bias=position)
            scores = dict(zip(ranking.items, ranking.scores.tolist(), strict=True))
            found.append(hr.metrics.kendall_tau(scores, dict(enumerate(x.tolist()))))
    assert np.mean(taus["worker"]) > np.mean(taus[None]) - 0.005


def test_the_posterior_with_sides_covers_scores_and_tells_the_lean():
    covered, leans = [], []
    for seed in range(12):
        rng = np.random.default_rng([seed, 4])
        x = rng.normal(0, 0.9, 15)
        left, right = rng.integers(0, 15, (2, 300))
        rows = [
            (int(a), int(b), 1 if x[a] - x[b] + 1.2 + rng.normal() > 0 else -1, "ann")
            for a, b in zip(left, right, strict=True)
            if a != b
        ]
        ranking = hr.bayes_rank(rows, position_bias="common")
        truth = x[list(ranking.items)] - x.mean()
        covered.append((np.abs(truth - ranking.scores) < 1.96 * ranking.standard_errors).mean())
        leans.append(ranking.position_bias["all"])
    assert 0.88 < np.mean(covered) < 0.99
    assert np.mean(leans) == pytest.approx(1.2, abs=0.15)


def test_sides_do_not_pass_for_weights():
    votes = hr.simulate_comparisons(8, 300, workers={"position-biased": 1}, rng=2)
    assert not any("weights" in note for note in hr.bayes_rank(votes, position_bias="common").notes)
