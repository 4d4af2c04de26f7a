"""Crowd-BT [Chen13]: online updates of scores and reliabilities, and the best next pair."""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.selection.tie_breaking import consider, item_keys, none_yet
from hodgerank.types import BoolArray, FloatArray, IntArray

KAPPA = 1e-4


@compiled(inline="always")
def _logistic(t: float) -> float:
    return 1 / (1 + math.exp(-t))


@compiled
def score_update(
    mu_i: float, mu_j: float, var_i: float, var_j: float, alpha: float, beta: float
) -> tuple[float, float, float, float]:
    """Return means and variances of winner and loser after a vote for i."""
    p = _logistic(mu_i - mu_j)
    q = _logistic(mu_i - mu_j + math.log(alpha / beta))
    step, curve = q - p, q * (1 - q) - p * (1 - p)
    return (
        mu_i + var_i * step,
        mu_j - var_j * step,
        var_i * max(1 + var_i * curve, KAPPA),
        var_j * max(1 + var_j * curve, KAPPA),
    )


@compiled
def agreement(mu_i: float, mu_j: float, var_i: float, var_j: float) -> float:
    """Return the probability that a reliable worker prefers i, to second order in the variances."""
    p = _logistic(mu_i - mu_j)
    c = p + 0.5 * (var_i + var_j) * p * (1 - p) * (1 - 2 * p)
    return min(max(c, 1e-9), 1 - 1e-9)


@compiled
def worker_update(c: float, alpha: float, beta: float) -> tuple[float, float]:
    """Return Beta parameters that match eta after a vote of probability c by a reliable worker."""
    total = alpha + beta
    probability = (c * alpha + (1 - c) * beta) / total
    first = (c * (alpha + 1) * alpha + (1 - c) * alpha * beta) / (probability * (total + 1) * total)
    second = (c * (alpha + 2) * (alpha + 1) * alpha + (1 - c) * (alpha + 1) * alpha * beta) / (
        probability * (total + 2) * (total + 1) * total
    )
    spread = max(second - first * first, 1e-12)
    size = (first - second) / spread
    return max(size * first, 1e-3), max(size * (1 - first), 1e-3)


@compiled
def expect_crowd(
    mu: FloatArray, var: FloatArray, i: int, j: int, alpha: float, beta: float
) -> None:
    """Reduce the variances of a pending pair to their mean over both outcomes."""
    c = agreement(mu[i], mu[j], var[i], var[j])
    win = (c * alpha + (1 - c) * beta) / (alpha + beta)
    won = score_update(mu[i], mu[j], var[i], var[j], alpha, beta)
    lost = score_update(mu[j], mu[i], var[j], var[i], alpha, beta)
    var[i] = win * won[2] + (1 - win) * lost[3]
    var[j] = win * won[3] + (1 - win) * lost[2]


@compiled(inline="always")
def _gaussian_divergence(mu_new: float, mu: float, var_new: float, var: float) -> float:
    ratio = var_new / var
    return 0.5 * ((mu_new - mu) ** 2 / var + ratio - 1 - math.log(ratio))


@compiled
def _digamma(x: float) -> float:
    total = 0.0
    while x < 8:
        total -= 1 / x
        x += 1
    u = 1 / (x * x)
    return total + math.log(x) - 0.5 / x - u * (1 / 12 - u * (1 / 120 - u * (1 / 252 - u / 240)))


@compiled
def _beta_divergence(a_new: float, b_new: float, a: float, b: float) -> float:
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


@compiled
def crowd_gain(
    mu_i: float,
    mu_j: float,
    var_i: float,
    var_j: float,
    alpha: float,
    beta: float,
    exploration: float,
) -> float:
    """Return the expected divergence of the posterior from the prior, over both outcomes.

    `exploration` weights information about the worker against information about the items.
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


@compiled
def crowd_gain_of_pairs(
    mu: FloatArray,
    var: FloatArray,
    i: IntArray,
    j: IntArray,
    alpha: float,
    beta: float,
    exploration: float,
) -> FloatArray:
    """Return the expected gain of each listed pair."""
    gains = np.empty(len(i))
    for k in range(len(i)):
        a, b = i[k], j[k]
        gains[k] = crowd_gain(mu[a], mu[b], var[a], var[b], alpha, beta, exploration)
    return gains


@compiled
def best_crowd_pair(
    mu: FloatArray,
    var: FloatArray,
    alpha: float,
    beta: float,
    exploration: float,
    blocked: BoolArray,
    has_blocked: bool,
    key: int,
) -> tuple[int, int]:
    """Return the pair i < j of largest expected gain, -1 twice if none is allowed."""
    n = len(mu)
    keys = item_keys(key, n)
    best = none_yet()
    for a in range(n - 1):
        for b in range(a + 1, n):
            if not (has_blocked and blocked[a, b]):
                gain = crowd_gain(mu[a], mu[b], var[a], var[b], alpha, beta, exploration)
                best = consider(best, a, b, gain, keys[a] ^ keys[b])
    return best[2], best[3]
