"""Least squares with position biases by the dense pseudo-inverse, one row per vote."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from hodgerank.data.comparisons import Comparisons
from reference.least_squares import design_matrix


class DenseFit(NamedTuple):
    scores: np.ndarray
    biases: list[np.ndarray]
    score_errors: np.ndarray
    bias_errors: list[np.ndarray]
    variance: float


def dense_position_bias(votes: Comparisons, groups: list[np.ndarray]) -> DenseFit:
    """Minimise |y - C b - D0 x|^2 over x and b, without shrinkage.

    `groups` are the codes of each vote, -1 without one. The level is that of the grouping with most
    groups; the biases of the others have a mean of 0, weighted by votes.
    """
    weight = votes.total_weight.astype(float)
    d = design_matrix(votes)
    d[np.arange(len(votes))] *= 1.0
    blocks = [np.equal.outer(code, np.arange(code.max() + 1)).astype(float) for code in groups]
    c = np.hstack(blocks)
    design = np.hstack((d, c))
    root = np.sqrt(weight)[:, None]
    inverse = np.linalg.pinv((root * design).T @ (root * design), rcond=1e-11, hermitian=True)
    estimate = inverse @ design.T @ (weight * votes.outcome)
    # the map to scores and biases with the stated level, which the votes determine
    n, ends = votes.n_items, np.cumsum([0, *(block.shape[1] for block in blocks)])
    level = int(np.argmax([block.shape[1] for block in blocks]))
    to = np.eye(design.shape[1])
    to[:n, :n] -= 1 / n
    for k, block in enumerate(blocks):
        if k == level:
            continue
        own = slice(n + ends[k], n + ends[k + 1])
        total = weight @ block
        mean = np.zeros(design.shape[1])
        mean[own] = total / total.sum()
        to[own] -= mean
        to[n + ends[level] : n + ends[level + 1]] += mean
    estimate, covariance = to @ estimate, to @ inverse @ to.T
    residual = votes.outcome - design @ estimate
    freedom = votes.n_votes - np.linalg.matrix_rank(design, tol=1e-8)
    variance = float(weight @ residual**2 / freedom)
    errors = np.sqrt(variance * np.diag(covariance))
    parts = [slice(n + a, n + b) for a, b in itertools.pairwise(ends)]
    return DenseFit(
        estimate[:n],
        [estimate[part] for part in parts],
        errors[:n],
        [errors[part] for part in parts],
        variance,
    )
