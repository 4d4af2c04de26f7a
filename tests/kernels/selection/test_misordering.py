"""The expected number of misordered pairs, against integrals and dense matrices."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import erf
from scipy.stats import norm

from hodgerank.kernels import posterior
from hodgerank.kernels.selection import misordering as kernel


def random_posterior(n, seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, 2 * n)) / np.sqrt(n)
    covariance = A @ A.T
    return covariance, np.triu(posterior.resistance_of(covariance), 1), rng.normal(size=n)


def dense_relevance(covariance, weights):
    """d^T S Lw S d, pair by pair."""
    laplacian = np.diag(weights.sum(axis=0)) - weights
    B = covariance @ laplacian @ covariance
    n = len(B)
    R = np.zeros((n, n))
    for i, j in combinations(range(n), 2):
        d = np.eye(n)[i] - np.eye(n)[j]
        R[i, j] = d @ B @ d
    return R


@pytest.mark.parametrize(("m", "s2"), [(0.9, 1.7), (-0.4, 0.3), (0.0, 2.0), (3.0, 0.8)])
def test_weights_are_the_mean_derivative_of_the_chance_of_a_wrong_order(m, s2):
    def misordered(variance):
        return quad(
            lambda d: norm.pdf(d, m, np.sqrt(s2)) * norm.cdf(-abs(d) / np.sqrt(variance)),
            -20, 20, points=[0, m], epsabs=1e-13, limit=200,
        )[0]  # fmt: skip

    step = 1e-3 * s2
    slope = (misordered(s2 + step) - misordered(s2 - step)) / (2 * step)
    C, mean = np.array([[0.0, s2], [0.0, 0.0]]), np.array([m, 0.0])
    found = kernel.order_weights(C, mean)
    assert found[0, 1] == pytest.approx(slope, rel=1e-4)
    np.testing.assert_array_equal(found, found.T)
    assert np.diag(found).tolist() == [0, 0]


def test_weights_are_those_of_the_formula_however_far_items_stand_apart():
    n, variance = 400, 0.7
    mean = np.linspace(0, 20, n)
    half = mean / (2 * np.sqrt(variance))
    assert half[-1] > kernel.MOST_PIECES / kernel.PIECES_PER_UNIT
    bell = np.exp(-(half**2))
    wanted = bell * (bell / np.sqrt(np.pi) + half * erf(half)) / (4 * np.sqrt(np.pi) * variance)
    found = kernel.order_weights(np.full((n, n), variance), mean)[0]
    np.testing.assert_allclose(found[1:], wanted[1:], rtol=1e-10)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_relevance_is_that_of_dense_matrices(n):
    covariance, C, mean = random_posterior(n, seed=n)
    wanted = dense_relevance(covariance, kernel.order_weights(C, mean))
    found = kernel.relevance(C, kernel.order_weights(C, mean))
    np.testing.assert_allclose(np.triu(found, 1), wanted, rtol=1e-9)


def test_relevance_follows_an_answer_while_the_weights_stay():
    n = 6
    covariance, C, mean = random_posterior(n, seed=1)
    weights, R = kernel.order_weights(C, mean), kernel.relevance(C, kernel.order_weights(C, mean))
    s, q = np.empty(n), np.empty(n)
    for i, j, a in [(0, 3, 0.2), (1, 5, 0.1), (0, 3, -0.15)]:
        column = covariance[:, i] - covariance[:, j]
        covariance = covariance - a * np.outer(column, column)
        posterior.response(C, i, j, s)
        kernel.follow(R, s, q, i, j, a)
        posterior.shrink(C, s, a)
        wanted = dense_relevance(covariance, weights)
        np.testing.assert_allclose(np.triu(R, 1), wanted, rtol=1e-9)


def test_a_pair_that_goes_out_adds_its_precision_and_takes_it_back():
    n = 5
    covariance, C, mean = random_posterior(n, seed=2)
    weights, R = kernel.order_weights(C, mean), kernel.relevance(C, kernel.order_weights(C, mean))
    before_C, before_R = C.copy(), np.triu(R, 1)
    s, q = np.empty(n), np.empty(n)
    d = np.eye(n)[1] - np.eye(n)[4]
    after = np.linalg.inv(np.linalg.inv(covariance) + 0.6 * np.outer(d, d))
    kernel.expect_order(C, R, s, q, 1, 4, 0.6)
    np.testing.assert_allclose(C, np.triu(posterior.resistance_of(after), 1), rtol=1e-9)
    np.testing.assert_allclose(np.triu(R, 1), dense_relevance(after, weights), rtol=1e-9)
    kernel.expect_order(C, R, s, q, 1, 4, -0.6)
    np.testing.assert_allclose(C, before_C, rtol=1e-9)
    np.testing.assert_allclose(np.triu(R, 1), before_R, rtol=1e-9)


@pytest.mark.parametrize("has_order", [True, False])
def test_pairs_that_go_out_together_add_what_was_expected_before_any_did(has_order):
    n, rho = 5, 0.3
    _, known, mean = random_posterior(n, seed=2)
    R = kernel.relevance(known, kernel.order_weights(known, mean))
    C, C1, R1, s, q = known.copy(), known.copy(), R.copy(), np.empty(n), np.empty(n)
    pairs, times = [(1, 4), (0, 2), (1, 4)], [2, 0, 3]
    for (i, j), before in zip(pairs, times, strict=True):
        precision = posterior.expected_precision(known[i, j], mean[i] - mean[j])
        precision *= posterior.news(rho, before)
        if has_order:
            kernel.expect_order(C1, R1, s, q, i, j, precision)
        else:
            posterior.expect(C1, s, i, j, 1 / precision)
    state = C, R if has_order else C, has_order, known, mean, s, q, *np.array(pairs).T.copy()
    kernel.expect_all(*state, np.array(times), rho, 1)
    np.testing.assert_allclose(C, C1, rtol=1e-12)
    np.testing.assert_allclose(R, R1, rtol=1e-12)
    kernel.expect_all(*state, np.array(times), rho, -1)
    np.testing.assert_allclose(C, known, rtol=1e-9)


def test_the_gain_is_the_first_order_fall_of_the_expected_number():
    """Each weight times the mean fall of its variance, summed over the pairs."""
    n, i, j = 5, 1, 3
    covariance, C, mean = random_posterior(n, seed=3)
    weights = kernel.order_weights(C, mean)
    z = (mean[i] - mean[j]) / np.sqrt(1 + C[i, j])
    a = norm.pdf(z) ** 2 / (norm.cdf(z) * norm.sf(z)) / (1 + C[i, j])
    s = covariance[:, i] - covariance[:, j]
    fall = sum(weights[k, m] * a * (s[k] - s[m]) ** 2 for k, m in combinations(range(n), 2))
    r = kernel.relevance(C, kernel.order_weights(C, mean))[i, j]
    assert kernel.order_gain(C[i, j], r, mean[i] - mean[j]) == pytest.approx(fall, rel=1e-9)


variances, differences = st.floats(1e-4, 50), st.floats(-10, 10)


@given(variances, st.floats(1e-6, 10), differences, st.floats(0.2, 0.999999))
def test_no_gain_that_reaches_the_threshold_is_passed_over(c, r, D, share):
    threshold = kernel.order_gain(c, r, D) * share
    assert kernel.may_exceed(c, r, D, threshold / kernel.MOST_SENSITIVE)


def test_the_bound_is_tight_for_pairs_of_equal_means():
    gain = kernel.order_gain(0.7, 0.2, 0.0)
    assert not kernel.may_exceed(0.7, 0.2, 0.0, gain / kernel.MOST_SENSITIVE * 1.000001)


@given(
    st.lists(st.tuples(variances, st.floats(1e-3, 3), differences), max_size=6), st.floats(1e-3, 3)
)
def test_a_row_may_exceed_if_any_of_its_pairs_may(pairs, least):
    c, r, mean = np.array(pairs, float).reshape(-1, 3).T.copy()
    wanted = any(kernel.may_exceed(c[b], r[b], 0.5 - mean[b], least) for b in range(len(c)))
    assert kernel.row_may_exceed(c, r, 0.5, mean, least) == wanted
