"""Assumed-density filtering, against numerical integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from hodgerank.kernels import posterior
from hodgerank.kernels import posterior as kernel

Z = [-40.0, -9.0, -8.001, -8.0, -7.999, -2.0, 0.0, 1.5, 7.0, 9.0]
NO_SIDE = (0, np.zeros(2))


def random_posterior(n, seed):
    """Of centred scores: the common level is in no variance of a difference."""
    rng = np.random.default_rng(seed)
    centring = np.eye(n) - 1 / n
    A = centring @ rng.normal(size=(n, n))
    covariance = A @ A.T
    mean = rng.normal(size=n)
    return covariance, np.triu(posterior.resistance_of(covariance), 1), mean - mean.mean()


def integrated(covariance, mean, i, j, outcome, noise):
    """Evidence, mean and covariance after an answer: the difference by quadrature, then the rest.

    Given the difference the other scores are as they were.
    """
    s = covariance[:, i] - covariance[:, j]
    c = s[i] - s[j]
    D = mean[i] - mean[j]

    def moment(k):
        return quad(
            lambda t: t**k * norm.pdf(t, D, np.sqrt(c)) * norm.cdf(outcome * t / np.sqrt(noise)),
            D - 12 * np.sqrt(c), D + 12 * np.sqrt(c), points=[0, D], epsabs=1e-13, limit=200,
        )[0]  # fmt: skip

    total, first, second = (moment(k) for k in range(3))
    m = first / total
    shrunk = (c - (second / total - m * m)) / c**2
    return np.log(total), mean + s * (m - D) / c, covariance - shrunk * np.outer(s, s), shrunk


@pytest.mark.parametrize("z", Z)
def test_tails_are_those_of_scipy(z):
    assert kernel.log_cdf(z) == pytest.approx(norm.logcdf(z), rel=1e-9, abs=1e-15)
    hazard = np.exp(norm.logpdf(z) - norm.logcdf(z))
    assert kernel.hazard(z) == pytest.approx(hazard, rel=1e-9)


@pytest.mark.parametrize("z", Z)
def test_sensitivity_is_the_information_of_an_answer(z):
    exact = np.exp(2 * norm.logpdf(z) - norm.logcdf(z) - norm.logsf(z))
    assert kernel.sensitivity(z) == pytest.approx(exact, rel=1e-9)
    won, lost = kernel.hazard(z), kernel.hazard(-z)
    mean = norm.cdf(z) * won * (won + z) + norm.sf(z) * lost * (lost - z)
    assert kernel.sensitivity(z) == pytest.approx(mean, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("noise", [0.25, 1.0, 3.0])
@pytest.mark.parametrize("outcome", [1.0, -1.0])
@pytest.mark.parametrize(("i", "j"), [(0, 1), (1, 3), (0, 4)])
def test_one_answer_gives_the_exact_moments(i, j, outcome, noise):
    n = 5
    covariance, C, mean = random_posterior(n, seed=3)
    evidence, new_mean, new_covariance, a = integrated(covariance, mean, i, j, outcome, noise)
    s = np.empty(n)
    found = kernel.assimilate(C, mean, s, i, j, outcome, noise, *NO_SIDE)
    assert found == pytest.approx((evidence, a), rel=1e-6)
    np.testing.assert_allclose(mean, new_mean, atol=1e-6)
    np.testing.assert_allclose(
        C, np.triu(posterior.resistance_of(new_covariance), 1), rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(s, covariance[:, i] - covariance[:, j], atol=1e-9)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("outcome", [1.0, -1.0])
def test_a_lean_is_filtered_as_one_more_score(outcome, side):
    """Three independent scores: x_0 - x_1 + side b is a difference of difference and lean."""
    C, mean, s = np.array([[0.0, 1.4], [0.0, 0.0]]), np.array([0.3, -0.2]), np.empty(2)
    lean = np.array([0.6, 0.5])
    evidence, a = kernel.assimilate(C, mean, s, 0, 1, outcome, 1.0, side, lean)
    z = outcome * (0.5 + side * 0.6) / np.sqrt(1 + 1.4 + 0.5)
    h = norm.pdf(z) / norm.cdf(z)
    assert evidence == pytest.approx(norm.logcdf(z))
    assert a == pytest.approx(h * (h + z) / (1 + 1.4 + 0.5))
    assert lean[0] == pytest.approx(0.6 + side * outcome * 0.5 * h / np.sqrt(2.9))
    assert lean[1] == pytest.approx(0.5 - 0.5**2 * a)
    assert mean[0] - mean[1] == pytest.approx(0.5 + outcome * 1.4 * h / np.sqrt(2.9))
    assert C[0, 1] == pytest.approx(1.4 - 1.4**2 * a)


@pytest.mark.parametrize("outcome", [-1.0, -0.4, 0.0, 0.7, 1.0])
def test_a_graded_answer_counts_in_parts(outcome):
    n, share = 4, (1 + outcome) / 2
    results = {}
    for y in (1.0, -1.0, outcome):
        _, C, mean = random_posterior(n, seed=4)
        s = np.empty(n)
        evidence, a = kernel.assimilate(C, mean, s, 0, 2, y, 1.0, *NO_SIDE)
        results[y] = np.r_[evidence, a, mean, C[np.triu_indices(n, 1)]]
    mixed = share * results[1.0] + (1 - share) * results[-1.0]
    np.testing.assert_allclose(results[outcome], mixed, rtol=1e-9, atol=1e-12)


def test_many_answers_are_filtered_in_turn_into_every_posterior():
    rng = np.random.default_rng(5)
    n, m, k = 5, 20, 3
    C = np.array([random_posterior(n, seed=seed)[1] for seed in range(k)])
    mean = np.array([random_posterior(n, seed=seed)[2] for seed in range(k)])
    i, j = np.sort([rng.choice(n, 2, replace=False) for _ in range(m)], axis=1).T.copy()
    outcomes, weights = rng.uniform(-1, 1, m), rng.uniform(0.5, 2, m)
    times, last = rng.integers(0, 3, m), rng.choice([-1.0, 0.0, 1.0], m)
    sides, who = rng.choice([-1, 0, 1], m), rng.integers(0, 2, m)
    columns = (i, j, outcomes, weights, times, last, sides, who)
    leans = np.tile((0.3, 0.5), (k, 2, 1))
    at_once, in_turn, apart = (
        (C.copy(), mean.copy(), np.empty((k, n)), leans.copy(), np.zeros((k, 3)), np.zeros(k))
        for _ in range(3)
    )
    kernel.assimilate_all(*at_once[:3], *columns, *at_once[3:])
    a = np.empty(k)
    for row in zip(*columns, strict=True):
        kernel.assimilate_into_bank(*in_turn[:3], *row, *in_turn[3:], a)
        for place in range(k):
            parts = [part[place] for part in apart[:5]]
            evidence, alone = kernel.assimilate_repeated(
                *parts[:3], *row[:-1], parts[3][row[-1]], parts[4]
            )
            apart[5][place] += evidence
            assert alone == a[place]
    for one, other, third in zip(at_once, in_turn, apart, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one, third)


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.98])
def test_news_add_up_to_the_answers_that_correlated_ones_are_worth(rho):
    total = sum(kernel.news(rho, times) for times in range(7))
    assert total == pytest.approx(7 / (1 + 6 * rho))


def test_a_judge_who_always_says_the_same_is_found_out_and_one_who_does_not_is_not():
    rng = np.random.default_rng(0)
    found = {}
    for kind in ("repeats", "does not"):
        C, mean = np.full((40, 40), 2.0), np.zeros(40)
        tally, s, said = np.zeros(3), np.empty(40), {}
        times = dict.fromkeys([(k, k + 1) for k in range(0, 40, 2)], 0)
        for _ in range(6):
            for pair in times:
                fresh = float(rng.choice([-1.0, 1.0]))
                last = said.get(pair, 0.0)
                answer = last if kind == "repeats" and times[pair] else fresh
                row = (*pair, answer, 1.0, times[pair], last, *NO_SIDE)
                kernel.assimilate_repeated(C, mean, s, *row, tally)
                said[pair] = answer
                times[pair] += 1
        found[kind] = kernel.repetition(tally)
    assert found["repeats"] > 0.5
    assert found["does not"] < 0.1


@pytest.mark.parametrize("D", [-1.5, 0.0, 0.4])
@pytest.mark.parametrize("c", [0.1, 2.0])
def test_expected_precision_is_what_an_answer_adds_on_average(c, D):
    win = norm.cdf(D / np.sqrt(1 + c))
    after = 0.0
    for y, probability in ((1.0, win), (-1.0, 1 - win)):
        C, mean = np.array([[0.0, c], [0.0, 0.0]]), np.array([D, 0.0])
        kernel.assimilate(C, mean, np.empty(2), 0, 1, y, 1.0, *NO_SIDE)
        after += probability * C[0, 1]
    assert kernel.expected_precision(c, D) == pytest.approx(1 / after - 1 / c, rel=1e-9)
