"""Variances of differences kept up to date, against a fresh inverse."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels import posterior as kernel
from reference.information import posterior


@st.composite
def logs(draw):
    n = draw(st.integers(2, 7))
    pairs = st.sampled_from(list(combinations(range(n), 2)))
    row = st.tuples(pairs, st.floats(-1, 1), st.sampled_from([0.25, 1.0, 3.0]))
    return n, [(i, j, y, w) for (i, j), y, w in draw(st.lists(row, max_size=12))]


def learned(n, log, g):
    C, mean, s = np.full((n, n), 2 / g), np.zeros(n), np.empty(n)
    for i, j, outcome, weight in log:
        kernel.learn(C, mean, s, i, j, outcome, 1 / weight)
    return C, mean


def assert_resistance(C, covariance):
    upper = np.triu_indices(len(C), 1)
    np.testing.assert_allclose(C[upper], kernel.resistance_of(covariance)[upper], rtol=1e-9)


@given(logs(), st.sampled_from([0.2, 1.0]))
def test_answers_one_by_one_give_the_posterior_of_all_of_them(case, g):
    n, log = case
    C, mean = learned(n, log, g)
    wanted, covariance = posterior(n, log, g)
    assert_resistance(C, covariance)
    np.testing.assert_allclose(mean - mean.mean(), wanted - wanted.mean(), atol=1e-9)


@given(logs(), st.sampled_from([0.5, 1.0, 4.0]))
def test_an_expected_answer_narrows_variances_as_if_it_had_come(case, noise):
    n, log = case
    C, _ = learned(n, log, 1.0)
    kernel.expect(C, np.empty(n), 0, n - 1, noise)
    assert_resistance(C, posterior(n, [*log, (0, n - 1, 0.0, 1 / noise)], 1.0)[1])


@given(logs())
def test_many_answers_at_once_are_learned_and_expected_as_one_by_one(case):
    n, log = case
    log = [(0, n - 1, 1.0, 1.0), *log]
    C, mean, s = np.full((n, n), 2.0), np.zeros(n), np.empty(n)
    i, j, outcome, weight = (np.array(column) for column in zip(*log, strict=True))
    kernel.learn_many(C, mean, s, i, j, outcome, 1 / weight)
    one_by_one = learned(n, log, 1.0)
    np.testing.assert_array_equal(C, one_by_one[0])
    np.testing.assert_array_equal(mean, one_by_one[1])
    kernel.expect_many(C, s, i, j, 2.0)
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        kernel.expect(one_by_one[0], s, a, b, 2.0)
    np.testing.assert_array_equal(C, one_by_one[0])


@given(logs(), st.sampled_from([0.5, 1.0, 4.0]))
def test_an_answer_that_will_not_come_is_taken_out_again(case, noise):
    n, log = case
    C, s = learned(n, log, 1.0)[0], np.empty(n)
    kernel.expect(C, s, 0, n - 1, noise)
    kernel.expect(C, s, 0, 1, 2.0)
    kernel.withdraw(C, s, 0, n - 1, noise)
    assert_resistance(C, posterior(n, [*log, (0, 1, 0.0, 0.5)], 1.0)[1])


def test_the_response_is_the_centred_column_of_the_covariance():
    n = 6
    A = np.random.default_rng(0).normal(size=(n, n))
    covariance = A @ A.T
    C = np.triu(kernel.resistance_of(covariance), 1)
    C += np.tril(np.full((n, n), np.nan), -1)  # the lower triangle is never read
    s = np.empty(n)
    for i, j in combinations(range(n), 2):
        column = covariance[:, i] - covariance[:, j]
        assert kernel.response(C, i, j, s) == pytest.approx(column[i] - column[j])
        np.testing.assert_allclose(s, column - column.mean(), atol=1e-12)


def test_covariances_of_centred_scores_go_and_return():
    n = 5
    A = np.random.default_rng(1).normal(size=(n, n))
    centring = np.eye(n) - 1 / n
    covariance = centring @ A @ A.T @ centring
    C = kernel.resistance_of(covariance)
    np.testing.assert_allclose(kernel.covariance_of(C), covariance, atol=1e-12)
    np.testing.assert_allclose(kernel.covariance_of(np.triu(C, 1)), covariance, atol=1e-12)
