"""Crowd-BT [Chen13]: Bradley-Terry scores and worker reliabilities by online moment matching.

Scores are independent Gaussians N(mu_i, var_i); a worker's answers agree with the Bradley-Terry
crowd with probability eta ~ Beta(alpha, beta) and oppose it otherwise. With p = e^mu_i / (e^mu_i +
e^mu_j) and q = alpha e^mu_i / (alpha e^mu_i + beta e^mu_j), an answer for i moves

    mu_i += var_i (q - p),   var_i *= max(1 + var_i (q (1-q) - p (1-p)), kappa)

and mu_j, var_j likewise with the opposite sign of the first.
"""

from __future__ import annotations

import math

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray

KAPPA = 1e-4


@compiled(inline="always")
def _logistic(t: float) -> float:
    return 1 / (1 + math.exp(-t))


@compiled
def score_update(
    mu_i: float, mu_j: float, var_i: float, var_j: float, alpha: float, beta: float
) -> tuple[float, float, float, float]:
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


@compiled
def agreement(mu_i: float, mu_j: float, var_i: float, var_j: float) -> float:
    """Probability that a reliable worker prefers i, to second order in the variances."""
    p = _logistic(mu_i - mu_j)
    c = p + 0.5 * (var_i + var_j) * p * (1 - p) * (1 - 2 * p)
    return min(max(c, 1e-9), 1 - 1e-9)


@compiled
def worker_update(c: float, alpha: float, beta: float) -> tuple[float, float]:
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


@compiled
def expect_crowd(
    mu: FloatArray, var: FloatArray, i: int, j: int, alpha: float, beta: float
) -> None:
    """A pair goes out: its variances fall to their mean over both answers."""
    c = agreement(mu[i], mu[j], var[i], var[j])
    win = (c * alpha + (1 - c) * beta) / (alpha + beta)
    won = score_update(mu[i], mu[j], var[i], var[j], alpha, beta)
    lost = score_update(mu[j], mu[i], var[j], var[i], alpha, beta)
    var[i] = win * won[2] + (1 - win) * lost[3]
    var[j] = win * won[3] + (1 - win) * lost[2]
