"""The gain of Crowd-BT, against divergences from their definitions."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma
from scipy.stats import beta as beta_distribution

from hodgerank.kernels import crowd_bt as kernel
from hodgerank.kernels import crowd_bt as posterior
from hodgerank.kernels.selection.tie_breaking import TIE, item_keys, stream
from reference.information import divergence

parameters = st.floats(0.5, 30)


def beta_divergence(new, old):
    """By quadrature in the quantiles of the new distribution."""
    new, old = beta_distribution(*new), beta_distribution(*old)
    eta = new.ppf((np.arange(5_000) + 0.5) / 5_000)
    return np.mean(new.logpdf(eta) - old.logpdf(eta))


def slow_gain(mu, var, alpha, beta, exploration):
    c = posterior.agreement(*mu, *var)
    win = (c * alpha + (1 - c) * beta) / (alpha + beta)
    total = 0.0
    for probability, agreed, order in ((win, c, [0, 1]), (1 - win, 1 - c, [1, 0])):
        m, v = mu[order], var[order]
        found = posterior.score_update(*m, *v, alpha, beta)
        gain = divergence(np.array(found[:2]), np.diag(found[2:]), m, np.diag(v))
        worker = posterior.worker_update(agreed, alpha, beta)
        total += probability * (gain + exploration * beta_divergence(worker, (alpha, beta)))
    return total


@pytest.mark.parametrize("x", [0.05, 0.7, 3.0, 7.999, 8.0, 40.0])
def test_digamma_is_that_of_scipy(x):
    assert kernel._digamma(x) == pytest.approx(digamma(x), rel=1e-8)


@given(st.floats(1, 30), st.floats(1, 30), st.floats(1, 30), st.floats(1, 30))
def test_the_divergence_of_reliabilities_is_its_integral(a_new, b_new, a, b):
    wanted = beta_divergence((a_new, b_new), (a, b))
    assert kernel._beta_divergence(a_new, b_new, a, b) == pytest.approx(wanted, rel=5e-3, abs=5e-3)


@pytest.mark.parametrize("exploration", [0.0, 2.0])
def test_the_gain_is_the_expected_divergence(exploration):
    rng = np.random.default_rng(1)
    for _ in range(12):
        mu, var = rng.normal(size=2), rng.uniform(0.1, 2, 2)
        alpha, beta = rng.uniform(1, 20, 2)
        found = kernel.crowd_gain(*mu, *var, alpha, beta, exploration)
        assert found == pytest.approx(slow_gain(mu, var, alpha, beta, exploration), rel=5e-3)


@given(st.floats(-3, 3), st.floats(0.1, 2), st.floats(0.1, 2), parameters, parameters)
def test_a_pair_is_worth_the_same_either_way_round(D, var_i, var_j, alpha, beta):
    one = kernel.crowd_gain(D, 0.0, var_i, var_j, alpha, beta, 1.0)
    other = kernel.crowd_gain(0.0, D, var_j, var_i, alpha, beta, 1.0)
    assert one == pytest.approx(other, rel=1e-6, abs=1e-12)


def test_a_worker_of_whom_nothing_is_known_tells_nothing():
    assert kernel.crowd_gain(0.7, -0.2, 1.0, 0.5, 3.0, 3.0, 0.0) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("share_blocked", [0.0, 0.4, 1.0])
def test_the_best_pair_is_the_one_brute_force_finds(share_blocked):
    rng = np.random.default_rng(2)
    for step in range(30):
        n, key = int(rng.integers(2, 8)), stream(5, step)
        mu, var = rng.integers(0, 2, n) * 0.5, rng.integers(1, 3, n) * 0.7  # with many ties
        blocked = rng.random((n, n)) < share_blocked
        worker = (9.0, 2.0, float(step % 2))
        pairs = [pair for pair in combinations(range(n), 2) if not blocked[pair]]
        i, j = np.array(pairs, np.int64).reshape(-1, 2).T.copy()
        gains = kernel.crowd_gain_of_pairs(mu, var, i, j, *worker)
        for k, (a, b) in enumerate(pairs):
            assert gains[k] == kernel.crowd_gain(mu[a], mu[b], var[a], var[b], *worker)
        keys = item_keys(key, n)
        tied = np.flatnonzero(gains >= gains.max(initial=0.0) * (1 - TIE))
        wanted = max(
            (pairs[k] for k in tied),
            key=lambda pair, keys=keys: int(keys[pair[0]] ^ keys[pair[1]]),
            default=(-1, -1),
        )
        found = kernel.best_crowd_pair(mu, var, *worker, blocked, share_blocked > 0, key)
        assert found == wanted
