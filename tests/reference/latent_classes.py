"""Latent classes, cell by cell in NumPy."""

from __future__ import annotations

import numpy as np


def logistic(t):
    return 1 / (1 + np.exp(-t))


def log_posterior(theta, d, side, won, weight):
    """Log likelihood and log prior of (acuity, bias) of one worker in one class."""
    a, b = theta
    t = a * d + b * side
    prior = -0.5 * ((a - 1) ** 2 + b**2)
    return prior + (won * t - weight * np.logaddexp(0, t)).sum()


def information_of(theta, d, side, weight):
    """Precision matrix of (acuity, bias)."""
    p = logistic(theta[0] * d + theta[1] * side)
    design = np.column_stack((d, side))
    return np.eye(2) + design.T @ ((weight * p * (1 - p))[:, None] * design)


def score_equations(i, j, side, won, weight, d, a, b, variance, covariance, share, n):
    """Information and gradient of the scores of one class; parameters are given cell by cell.

    `variance` is that of the acuity, `covariance` that of acuity and bias.
    """
    incidence = np.zeros((len(i), n))
    incidence[np.arange(len(i)), i], incidence[np.arange(len(i)), j] = 1, -1
    p = logistic(a * d + b * side)
    curve = share * weight * p * (1 - p)
    miss = share * a * (won - weight * p) - curve * (variance * d + covariance * side)
    information = incidence.T @ ((curve * (a**2 + variance))[:, None] * incidence)
    return information, incidence.T @ miss


def gradients(worker, i, j, miss, n_workers, n):
    """Gradient of the scores, one row per worker."""
    found = np.zeros((n_workers, n))
    np.add.at(found, (worker, i), miss)
    np.add.at(found, (worker, j), -miss)
    return found
