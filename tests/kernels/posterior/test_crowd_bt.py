"""The online update of Crowd-BT, against derivatives and moments taken numerically."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from hodgerank.kernels import crowd_bt as kernel

scores, variances = st.floats(-2, 2), st.floats(0.05, 1.5)
parameters = st.floats(0.5, 30)


def log_likelihood(difference, alpha, beta):
    """Of an answer for i by a worker of mean reliability alpha / (alpha + beta)."""
    eta = alpha / (alpha + beta)
    return np.log(eta * expit(difference) + (1 - eta) * expit(-difference))


@given(scores, scores, variances, variances, parameters, parameters)
def test_scores_move_by_the_derivatives_of_the_likelihood(mu_i, mu_j, var_i, var_j, alpha, beta):
    D, h = mu_i - mu_j, 1e-4
    low, here, high = (log_likelihood(t, alpha, beta) for t in (D - h, D, D + h))
    slope, curvature = (high - low) / (2 * h), (high - 2 * here + low) / h**2
    wanted = (
        mu_i + var_i * slope,
        mu_j - var_j * slope,
        var_i * max(1 + var_i * curvature, kernel.KAPPA),
        var_j * max(1 + var_j * curvature, kernel.KAPPA),
    )
    found = kernel.score_update(mu_i, mu_j, var_i, var_j, alpha, beta)
    assert found == pytest.approx(wanted, abs=1e-6)


def test_a_variance_is_never_used_up():
    found = kernel.score_update(0.0, 0.0, 1000.0, 1.0, 1e6, 1.0)
    assert found[2] == pytest.approx(1000 * kernel.KAPPA)


@given(scores, scores, st.floats(0.001, 0.1), st.floats(0.001, 0.1))
def test_agreement_is_the_mean_probability_to_second_order(mu_i, mu_j, var_i, var_j):
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    draws = mu_i - mu_j + np.sqrt(var_i + var_j) * nodes
    mean = weights @ expit(draws) / weights.sum()
    found = kernel.agreement(mu_i, mu_j, var_i, var_j)
    assert found == pytest.approx(mean, abs=0.1 * (var_i + var_j) ** 2 + 1e-9)


def test_agreement_stays_between_zero_and_one():
    assert kernel.agreement(40.0, 0.0, 0.1, 0.1) == 1 - 1e-9
    assert kernel.agreement(-40.0, 0.0, 0.1, 0.1) == 1e-9
    assert kernel.agreement(1.0, 0.0, 500.0, 500.0) == 1e-9


@given(st.floats(0.01, 0.99), st.floats(1.5, 30), st.floats(1.5, 30))
def test_reliability_has_the_moments_of_the_exact_posterior(c, alpha, beta):
    """A mixture of two Beta distributions."""
    eta = (np.arange(20_000) + 0.5) / 20_000
    log_prior = (alpha - 1) * np.log(eta) + (beta - 1) * np.log1p(-eta)
    density = (c * eta + (1 - c) * (1 - eta)) * np.exp(log_prior - log_prior.max())
    density /= density.sum()
    mean = density @ eta
    spread = density @ (eta - mean) ** 2
    a, b = kernel.worker_update(c, alpha, beta)
    assert a / (a + b) == pytest.approx(mean, rel=1e-4)
    assert a * b / (a + b) ** 2 / (a + b + 1) == pytest.approx(spread, rel=1e-3)


def test_a_worker_who_agrees_gains_reliability():
    for c, is_higher in ((0.9, True), (0.1, False)):
        alpha, beta = kernel.worker_update(c, 6.0, 3.0)
        assert (alpha / (alpha + beta) > 6 / 9) == is_higher


def test_a_pair_that_goes_out_has_the_mean_variances_of_both_answers():
    mu, var = np.array([0.3, -0.5, 1.0]), np.array([0.9, 0.4, 2.0])
    alpha, beta = 8.0, 2.0
    c = kernel.agreement(mu[2], mu[0], var[2], var[0])
    win = (c * alpha + (1 - c) * beta) / (alpha + beta)
    _, _, won_2, won_0 = kernel.score_update(mu[2], mu[0], var[2], var[0], alpha, beta)
    _, _, lost_0, lost_2 = kernel.score_update(mu[0], mu[2], var[0], var[2], alpha, beta)
    before = mu.copy()
    kernel.expect_crowd(mu, var, 2, 0, alpha, beta)
    wanted = [win * won_0 + (1 - win) * lost_0, 0.4, win * won_2 + (1 - win) * lost_2]
    np.testing.assert_allclose(var, wanted)
    np.testing.assert_array_equal(mu, before)
