"""Crowd-BT: the online update, and the estimator."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma, expit

import hodgerank as hr
from hodgerank.kernels import crowd_bt as kernel
from hodgerank.kernels import crowd_bt as selection


def test_a_win_moves_both_items_by_the_published_formulas():
    mu_i, mu_j, var_i, var_j, alpha, beta = 0.4, -0.2, 0.8, 0.5, 8.0, 2.0
    e_i, e_j = np.exp(mu_i), np.exp(mu_j)
    step = alpha * e_i / (alpha * e_i + beta * e_j) - e_i / (e_i + e_j)
    curve = (
        alpha * e_i * beta * e_j / (alpha * e_i + beta * e_j) ** 2 - e_i * e_j / (e_i + e_j) ** 2
    )
    found = kernel.score_update(mu_i, mu_j, var_i, var_j, alpha, beta)
    expected = (
        mu_i + var_i * step, mu_j - var_j * step,
        var_i * max(1 + var_i * curve, 1e-4), var_j * max(1 + var_j * curve, 1e-4),
    )  # fmt: skip
    assert found == pytest.approx(expected)


def test_a_worker_who_agrees_gains_reliability():
    for c, higher in ((0.9, True), (0.1, False)):
        alpha, beta = kernel.worker_update(c, 6.0, 3.0)
        assert (alpha / (alpha + beta) > 6 / 9) == higher
    # moments of the exact posterior of eta, a mixture of two Beta distributions
    alpha, beta = kernel.worker_update(0.7, 6.0, 3.0)
    grid = np.linspace(0, 1, 200_001)[1:-1]
    density = (0.7 * grid + 0.3 * (1 - grid)) * grid**5 * (1 - grid) ** 2
    density /= density.sum()
    mean = (density * grid).sum()
    assert alpha / (alpha + beta) == pytest.approx(mean, rel=1e-6)
    spread = (density * grid**2).sum() - mean**2
    assert alpha * beta / (alpha + beta) ** 2 / (alpha + beta + 1) == pytest.approx(
        spread, rel=1e-5
    )


def test_special_functions():
    for x in (0.05, 0.7, 3.0, 40.0):
        assert selection._digamma(x) == pytest.approx(digamma(x), rel=1e-8)
    assert selection._beta_divergence(3.0, 2.0, 3.0, 2.0) == pytest.approx(0)
    assert selection._beta_divergence(5.0, 2.0, 3.0, 2.0) > 0


def test_exploration_values_what_is_learned_about_the_worker():
    plain = selection.crowd_gain(0.0, 0.1, 1.0, 1.0, 10.0, 1.0, 0.0)
    assert selection.crowd_gain(0.0, 0.1, 1.0, 1.0, 10.0, 1.0, 5.0) > plain


def test_the_sampler_learns_who_is_reliable():
    rng = np.random.default_rng(0)
    truth = rng.normal(0, 2, 12)
    sampler = hr.CrowdBTSampler(12, seed=1)
    for t in range(400):
        worker = ("good", "bad")[t % 4 == 3]
        a, b = sampler.ask()
        wins = rng.random() < expit(truth[a] - truth[b])
        outcome = 1 if wins else -1
        sampler.tell((a, b), outcome if worker == "good" else -outcome, worker)
    assert sampler.reliability("good") > sampler.reliability("bad") + 0.05
    scores = dict(zip(sampler.ranking().items, sampler.ranking().scores, strict=True))
    assert hr.metrics.kendall_tau(scores, dict(enumerate(truth))) > 0.7


def test_the_estimator_turns_an_adversary_round():
    crowd = {"honest": 6, "random": 2, "adversarial": 3}
    votes = hr.simulate_comparisons(15, 1500, spread=2, workers=crowd, rng=4)
    truth = dict(zip(votes.items, votes.truth, strict=True))

    def tau(ranking):
        return hr.metrics.kendall_tau(dict(zip(ranking.items, ranking.scores, strict=True)), truth)

    found = hr.crowd_bt(votes)
    assert found.converged
    assert tau(found) > tau(hr.bradley_terry(votes)) + 0.05
    by_kind = dict(zip(found.workers, found.reliability, strict=True))
    assert by_kind["honest-01"] > 0.85
    assert 0.3 < by_kind["random-01"] < 0.7
    assert by_kind["adversarial-01"] < 0.3
    assert repr(found).startswith("CrowdBTRanking(Crowd-BT, 15 items")


def test_the_estimator_ranks_without_workers():
    ranking = hr.crowd_bt([("a", "b", 1), ("a", "b", 1), ("b", "c", 1)])
    assert ranking.items == ("a", "b", "c")
