"""Links between score differences and win probabilities: four models and a flexible mixture."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hodgerank.kernels.linalg.laplacian import inner_product
from hodgerank.types import FloatArray

SQRT_2PI = np.sqrt(2 * np.pi)
BLOCK = 1 << 15  # edges processed together, so that intermediate results stay in the cache


class Link(NamedTuple):
    """A symmetric distribution function, its inverse and its density."""

    cdf: Callable[[FloatArray], FloatArray]
    quantile: Callable[[FloatArray], FloatArray]
    density: Callable[[FloatArray], FloatArray]


def _uniform_cdf(t: FloatArray) -> FloatArray:
    return np.clip((1 + t) / 2, 0.0, 1.0)


def _uniform_quantile(p: FloatArray) -> FloatArray:
    return 2 * p - 1


def _uniform_density(t: FloatArray) -> FloatArray:
    return np.full_like(t, 0.5)


def _logistic_cdf(t: FloatArray) -> FloatArray:
    from scipy.special import expit

    return np.asarray(expit(t))


def _logistic_quantile(p: FloatArray) -> FloatArray:
    from scipy.special import logit

    return np.asarray(logit(p))


def _logistic_density(t: FloatArray) -> FloatArray:
    p = _logistic_cdf(t)
    return p * (1 - p)


def _normal_cdf(t: FloatArray) -> FloatArray:
    from scipy.special import ndtr

    return np.asarray(ndtr(t))


def _normal_quantile(p: FloatArray) -> FloatArray:
    from scipy.special import ndtri

    return np.asarray(ndtri(p))


def _normal_density(t: FloatArray) -> FloatArray:
    return np.asarray(np.exp(-(t**2) / 2) / SQRT_2PI)


def _angular_cdf(t: FloatArray) -> FloatArray:
    return (1 + np.sin(np.clip(t, -np.pi / 2, np.pi / 2))) / 2


def _angular_quantile(p: FloatArray) -> FloatArray:
    return np.arcsin(2 * p - 1)


def _angular_density(t: FloatArray) -> FloatArray:
    return np.cos(np.clip(t, -np.pi / 2, np.pi / 2)) / 2


LINKS = {
    "uniform": Link(_uniform_cdf, _uniform_quantile, _uniform_density),
    "bradley-terry": Link(_logistic_cdf, _logistic_quantile, _logistic_density),
    "thurstone-mosteller": Link(_normal_cdf, _normal_quantile, _normal_density),
    "angular": Link(_angular_cdf, _angular_quantile, _angular_density),
}


def logistic_likelihood(t: FloatArray, p: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return p ln Phi(t) + (1-p) ln Phi(-t), its first and minus its second derivative in t."""
    small = np.exp(-np.abs(t))
    large = 1 / (1 + small)
    win = np.exp(np.minimum(t, 0.0)) * large  # 1 or small; choosing by the sign takes longer
    value = p * t - np.maximum(t, 0.0) - np.log(1 + small)
    return value, p - win, small * large**2


def normal_likelihood(t: FloatArray, p: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the same for the normal distribution function, accurate far into both tails."""
    from scipy.special import log_ndtr

    log_win, log_loss = log_ndtr(t), log_ndtr(-t)
    log_density = -(t**2) / 2 - np.log(SQRT_2PI)
    win, loss = np.exp(log_density - log_win), np.exp(log_density - log_loss)
    value = p * log_win + (1 - p) * log_loss
    curvature = p * win * (t + win) + (1 - p) * loss * (loss - t)
    return value, p * win - (1 - p) * loss, curvature


LIKELIHOODS = {"bradley-terry": logistic_likelihood, "thurstone-mosteller": normal_likelihood}

Likelihood = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray, FloatArray]]


def likelihood_of(
    likelihood: Likelihood, weights: FloatArray, win_rates: FloatArray
) -> Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]:
    """Return the log-likelihood of edges with weights and win rates, for `newton.maximise`."""

    def objective(t: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        total, slopes, curvatures = 0.0, np.empty_like(t), np.empty_like(t)
        for start in range(0, len(t), BLOCK):
            part = slice(start, start + BLOCK)
            value, slope, curvature = likelihood(t[part], win_rates[part])
            total += inner_product(weights[part], value)
            np.multiply(weights[part], slope, out=slopes[part])
            np.multiply(weights[part], curvature, out=curvatures[part])
        return total, slopes, curvatures

    return objective


STRENGTHS = np.array([0.0, 1 / 3, 1.0, 3.0, 10.0, 40.0])
# Pseudo-votes from each strength, which keep all weights positive; the one at 1 fixes the unit of
# the scores.
PSEUDO_COUNTS = np.array([0.05, 0.05, 1.0, 0.05, 0.05, 0.05])
START = np.array([0.02, 0.02, 0.94, 0.01, 0.005, 0.005])


class Information(NamedTuple):
    """First derivatives and Fisher information of differences d and weights w.

    Attributes
    ----------
    difference_slope, curvature
        Slope and information of the difference of each edge.
    weight_slope, weight_information
        Slope and information of the weights.
    mixed
        Information between each difference and each weight.
    """

    difference_slope: FloatArray
    curvature: FloatArray
    weight_slope: FloatArray
    weight_information: FloatArray
    mixed: FloatArray


def shares(d: FloatArray) -> FloatArray:
    """Return Phi(a_k d), one row for every difference d."""
    from scipy.special import ndtr

    return np.asarray(ndtr(np.multiply.outer(d, STRENGTHS)))


def slope(d: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the derivative of P with respect to d."""
    t = np.multiply.outer(d, STRENGTHS)
    return np.asarray(np.exp(-(t**2) / 2) @ (weights * STRENGTHS) / SQRT_2PI)


def log_likelihood(q: FloatArray, weights: FloatArray, n: FloatArray, wins: FloatArray) -> float:
    """Return the log posterior of n votes on each edge, given `shares` q."""
    p = q @ weights
    total = np.sum(wins * np.log(p) + (n - wins) * np.log1p(-p))
    return float(total + PSEUDO_COUNTS @ np.log(weights))


def information(
    d: FloatArray, q: FloatArray, weights: FloatArray, n: FloatArray, wins: FloatArray
) -> Information:
    """Return slopes and Fisher information of the log posterior."""
    p, steep = q @ weights, slope(d, weights)
    precision = n / (p * (1 - p))
    surprise = precision * (wins / n - p)
    return Information(
        difference_slope=steep * surprise,
        curvature=precision * steep**2,
        weight_slope=q.T @ surprise + PSEUDO_COUNTS / weights,
        weight_information=q.T @ (precision[:, None] * q) + np.diag(PSEUDO_COUNTS / weights**2),
        mixed=(precision * steep)[:, None] * q,
    )
