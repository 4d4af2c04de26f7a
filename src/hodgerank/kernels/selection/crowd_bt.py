"""The pair whose answer is expected to tell most under Crowd-BT [Chen13]."""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.posterior.crowd_bt import agreement, score_update, worker_update
from hodgerank.kernels.selection.ties import consider, item_keys, none_yet
from hodgerank.types import BoolArray, FloatArray, IntArray


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
    """The expected gain of each listed pair."""
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
    """The pair i < j of largest expected gain, -1 twice if none is allowed."""
    n = len(mu)
    keys = item_keys(key, n)
    best = none_yet()
    for a in range(n - 1):
        for b in range(a + 1, n):
            if not (has_blocked and blocked[a, b]):
                gain = crowd_gain(mu[a], mu[b], var[a], var[b], alpha, beta, exploration)
                best = consider(best, a, b, gain, keys[a] ^ keys[b])
    return best[2], best[3]
