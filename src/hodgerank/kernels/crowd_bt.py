"""Crowd-BT [Chen13]: Bradley-Terry scores and worker reliabilities by online moment matching.

Scores are independent Gaussians N(mu_i, var_i); a worker's answers agree with the Bradley-Terry
crowd with probability eta ~ Beta(alpha, beta) and oppose it otherwise. With p = e^mu_i / (e^mu_i +
e^mu_j) and q = alpha e^mu_i / (alpha e^mu_i + beta e^mu_j), an answer for i moves

    mu_i += var_i (q - p),   var_i *= max(1 + var_i (q (1-q) - p (1-p)), kappa)

and mu_j, var_j likewise with the opposite sign of the first.
"""

import math

import numba
import numpy as np

from hodgerank.kernels.choice import consider, item_keys, none_yet

KAPPA = 1e-4


@numba.njit(cache=True, inline="always")
def _logistic(t):  # type: ignore[no-untyped-def]
    return 1 / (1 + math.exp(-t))


@numba.njit(cache=True)
def score_update(mu_i, mu_j, var_i, var_j, alpha, beta):  # type: ignore[no-untyped-def]
    """Means and variances of winner and loser after an answer for i."""
    p = _logistic(mu_i - mu_j)
    q = _logistic(mu_i - mu_j + math.log(alpha / beta))
    step, curve = q - p, q * (1 - q) - p * (1 - p)
    return (
        mu_i + var_i * step,
        mu_j - var_j * step,
        var_i * max(1 + var_i * curve, KAPPA),
        var_j * max(1 + var_j * curve, KAPPA),
    )


@numba.njit(cache=True)
def agreement(mu_i, mu_j, var_i, var_j):  # type: ignore[no-untyped-def]
    """Probability that a reliable worker prefers i, to second order in the variances."""
    p = _logistic(mu_i - mu_j)
    c = p + 0.5 * (var_i + var_j) * p * (1 - p) * (1 - 2 * p)
    return min(max(c, 1e-9), 1 - 1e-9)


@numba.njit(cache=True)
def worker_update(c, alpha, beta):  # type: ignore[no-untyped-def]
    """Beta parameters that match eta after an answer of probability c by a reliable worker."""
    total = alpha + beta
    probability = (c * alpha + (1 - c) * beta) / total
    first = (c * (alpha + 1) * alpha + (1 - c) * alpha * beta) / (probability * (total + 1) * total)
    second = (c * (alpha + 2) * (alpha + 1) * alpha + (1 - c) * (alpha + 1) * alpha * beta) / (
        probability * (total + 2) * (total + 1) * total
    )
    spread = max(second - first * first, 1e-12)
    size = (first - second) / spread
    return max(size * first, 1e-3), max(size * (1 - first), 1e-3)


@numba.njit(cache=True, inline="always")
def _gaussian_divergence(mu_new, mu, var_new, var):  # type: ignore[no-untyped-def]
    ratio = var_new / var
    return 0.5 * ((mu_new - mu) ** 2 / var + ratio - 1 - math.log(ratio))


@numba.njit(cache=True)
def _digamma(x):  # type: ignore[no-untyped-def]
    total = 0.0
    while x < 8:
        total -= 1 / x
        x += 1
    u = 1 / (x * x)
    return total + math.log(x) - 0.5 / x - u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u / 240)))


@numba.njit(cache=True)
def _beta_divergence(a_new, b_new, a, b):  # type: ignore[no-untyped-def]
    log_ratio = (
        math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        - math.lgamma(a_new) - math.lgamma(b_new) + math.lgamma(a_new + b_new)
    )  # fmt: skip
    sum_digamma = _digamma(a_new + b_new)
    return (
        log_ratio
        + (a_new - a) * (_digamma(a_new) - sum_digamma)
        + (b_new - b) * (_digamma(b_new) - sum_digamma)
    )


@numba.njit(cache=True)
def crowd_gain(mu_i, mu_j, var_i, var_j, alpha, beta, exploration):  # type: ignore[no-untyped-def]
    """Expected divergence of the posterior from the prior, over both answers.

    `exploration` weighs what is learned about the worker against what is learned about the items.
    """
    c = agreement(mu_i, mu_j, var_i, var_j)
    win = (c * alpha + (1 - c) * beta) / (alpha + beta)
    total = 0.0
    for answer in range(2):
        if answer == 0:
            probability, mu_a, mu_b, var_a, var_b, c_a = win, mu_i, mu_j, var_i, var_j, c
        else:
            probability, mu_a, mu_b, var_a, var_b, c_a = 1 - win, mu_j, mu_i, var_j, var_i, 1 - c
        new_a, new_b, new_var_a, new_var_b = score_update(mu_a, mu_b, var_a, var_b, alpha, beta)
        gain = _gaussian_divergence(new_a, mu_a, new_var_a, var_a)
        gain += _gaussian_divergence(new_b, mu_b, new_var_b, var_b)
        if exploration > 0:
            a_new, b_new = worker_update(c_a, alpha, beta)
            gain += exploration * _beta_divergence(a_new, b_new, alpha, beta)
        total += probability * gain
    return max(total, 0.0)


@numba.njit(cache=True)
def crowd_gain_of_pairs(mu, var, i, j, alpha, beta, exploration):  # type: ignore[no-untyped-def]
    """Gain of each listed pair."""
    gains = np.empty(len(i))
    for k in range(len(i)):
        a, b = i[k], j[k]
        gains[k] = crowd_gain(mu[a], mu[b], var[a], var[b], alpha, beta, exploration)
    return gains


@numba.njit(cache=True)
def best_crowd_pair(mu, var, alpha, beta, exploration, blocked, has_blocked, key):  # type: ignore[no-untyped-def]
    """The pair i < j of largest gain."""
    n = len(mu)
    keys = item_keys(key, n)
    best = none_yet()
    for a in range(n - 1):
        for b in range(a + 1, n):
            if not (has_blocked and blocked[a, b]):
                gain = crowd_gain(mu[a], mu[b], var[a], var[b], alpha, beta, exploration)
                best = consider(best, a, b, gain, keys[a] ^ keys[b])
    return best[2], best[3]


@numba.njit(cache=True)
def expect_crowd(mu, var, i, j, alpha, beta):  # type: ignore[no-untyped-def]
    """A pair goes out: its variances fall to their mean over both answers."""
    c = agreement(mu[i], mu[j], var[i], var[j])
    win = (c * alpha + (1 - c) * beta) / (alpha + beta)
    won = score_update(mu[i], mu[j], var[i], var[j], alpha, beta)
    lost = score_update(mu[j], mu[i], var[j], var[i], alpha, beta)
    var[i] = win * won[2] + (1 - win) * lost[3]
    var[j] = win * won[3] + (1 - win) * lost[2]
