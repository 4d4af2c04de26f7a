"""The obvious dense form of HodgeRank, one row per answer."""

from __future__ import annotations

import numpy as np

from hodgerank.data.comparisons import Comparisons
from reference.inverse import centred_inverse


def design_matrix(votes: Comparisons) -> np.ndarray:
    rows = np.arange(len(votes))
    matrix = np.zeros((len(votes), votes.n_items))
    matrix[rows, votes.left] += 1
    matrix[rows, votes.right] -= 1
    return matrix


def dense_hodge_rank(votes: Comparisons, ridge: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Scores and covariance by the textbook formulas; the graph must be connected."""
    d = design_matrix(votes)
    w = np.ones(len(votes)) if votes.weight is None else votes.weight
    laplacian = d.T @ (w[:, None] * d)
    inverse = centred_inverse(laplacian + ridge * np.eye(votes.n_items))
    scores = inverse @ d.T @ (w * votes.outcome)
    residual = votes.outcome - d @ scores
    freedom = len(votes) - votes.n_items + 1
    variance = w @ residual**2 / freedom if freedom > 0 else np.nan
    return scores, variance * inverse


def dense_clustered_covariance(votes: Comparisons) -> np.ndarray:
    """Sandwich clustered by worker, one worker at a time."""
    d = design_matrix(votes)
    w = np.ones(len(votes)) if votes.weight is None else votes.weight
    scores, _ = dense_hodge_rank(votes)
    inverse = centred_inverse(d.T @ (w[:, None] * d))
    residual = w * (votes.outcome - d @ scores)
    middle = np.zeros_like(inverse)
    for worker in range(votes.n_workers):
        mine = votes.worker == worker
        gradient = d[mine].T @ residual[mine]
        middle += np.outer(gradient, gradient)
    k = len(np.unique(votes.worker))
    return k / (k - 1) * inverse @ middle @ inverse
