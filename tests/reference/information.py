"""The offline form of Bayesian sampling: everything from scratch for every candidate pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.stats import norm

PREDICTIVE = {
    "uniform": lambda d: np.clip((1 + d) / 2, 0, 1),
    "thurstone-mosteller": norm.cdf,
    "angular": lambda d: (1 + np.sin(np.clip(d, -np.pi / 2, np.pi / 2))) / 2,
}


def posterior(n, answers, g):
    """Mean and covariance from the definition; answers are (i, j, outcome, weight)."""
    precision, force = g * np.eye(n), np.zeros(n)
    for i, j, y, w in answers:
        d = np.zeros(n)
        d[i], d[j] = 1, -1
        precision += w * np.outer(d, d)
        force += w * y * d
    covariance = np.linalg.inv(precision)
    return covariance @ force, covariance


def divergence(mean_new, cov_new, mean, cov):
    """Kullback-Leibler divergence of the new Gaussian from the old."""
    n = len(mean)
    inverse = np.linalg.inv(cov)
    shift = mean_new - mean
    logdet = np.linalg.slogdet(cov)[1] - np.linalg.slogdet(cov_new)[1]
    return 0.5 * (np.trace(inverse @ cov_new) - n + shift @ inverse @ shift + logdet)


def expected_information(n, answers, i, j, g, link="uniform"):
    """E over the two answers of the divergence, under the link's predictive: the paper's gain."""
    mean, cov = posterior(n, answers, g)
    p = PREDICTIVE[link](mean[i] - mean[j])
    total = 0.0
    for y, probability in ((1.0, p), (-1.0, 1 - p)):
        total += probability * divergence(*posterior(n, [*answers, (i, j, y, 1.0)], g), mean, cov)
    return total


def all_pairs(n):
    return list(combinations(range(n), 2))
