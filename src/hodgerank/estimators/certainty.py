"""How right a ranking is to be expected to be, from its own uncertainty."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.special import ndtr, ndtri

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.ranking import Ranking
from hodgerank.kernels.rank_bounds import rank_bounds
from hodgerank.types import FloatArray, IntArray, Item

N_DRAWS = 2000
N_PAIRS = 200_000  # looked at where the pairs are too many


def expected_tau(ranking: Ranking, among: Iterable[Item] | None = None) -> float:
    """Kendall's tau with the true order that is to be expected.

    The mean over all pairs of 2 P(right order) - 1, the order being right with probability
    Phi(|difference| / its standard error). Best read off `bayes_rank`, whose prior keeps it honest
    when answers are few. `among` limits it to some of the items.

    >>> from hodgerank import bayes_rank
    >>> round(expected_tau(bayes_rank([("a", "b", 1)])), 2)
    0.46
    """
    difference, deviation = _differences(ranking, _rows(ranking, among))
    if not len(difference):
        return 1.0
    certain = deviation <= 0
    z = np.abs(difference) / np.where(certain, 1.0, deviation)
    right = np.where(certain, 0.5 + 0.5 * (difference != 0), ndtr(z))
    return float(2 * right.mean() - 1)


def top_k_certainty(ranking: Ranking, k: int, among: Iterable[Item] | None = None) -> float:
    """The probability that the k items ranked best are the k best, in whatever order.

    By drawing scores from their joint distribution; repeatable, with a standard error of at most
    0.011. `among` limits it to some of the items.
    """
    rows = _rows(ranking, among)
    n = len(rows)
    if not 1 <= k <= n:
        raise InvalidArgument(f"k must be between 1 and {n}, not {k}")
    if k == n:
        return 1.0
    draws = _draws(ranking)[:, rows]
    return float((draws[:, :k].min(axis=1) > draws[:, k:].max(axis=1)).mean())


def widest_rank_interval(ranking: Ranking, among: Iterable[Item] | None = None) -> int:
    """Number of ranks that the least certain item may have, among all or among some."""
    bounds = ranking.rank_intervals
    covariance = ranking.covariance
    if among is not None and covariance is not None:
        rows = _rows(ranking, among)
        z = float(ndtri((1 + ranking.confidence) / 2))
        bounds = rank_bounds(ranking.scores[rows], covariance[np.ix_(rows, rows)], z)
    return int((bounds[:, 1] - bounds[:, 0] + 1).max(initial=1))


def _rows(ranking: Ranking, among: Iterable[Item] | None) -> IntArray:
    """Positions of the items to look at, best first."""
    if among is None:
        return np.arange(len(ranking))
    return np.array(sorted(ranking.index(item) for item in among), np.int64)


def _differences(ranking: Ranking, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Differences of scores and their standard errors: of all pairs, or of very many at random."""
    n = len(rows)
    covariance = ranking.covariance
    if covariance is not None or n < 2:
        a, b = (rows[part] for part in np.triu_indices(n, 1))
        matrix = np.zeros((len(ranking), len(ranking))) if covariance is None else covariance
        variances = np.diag(matrix)
        variance = variances[a] + variances[b] - 2 * matrix[a, b]
    else:
        rng = np.random.default_rng(0)
        first = rng.integers(0, n, N_PAIRS)
        a, b = rows[first], rows[(first + rng.integers(1, n, N_PAIRS)) % n]
        variance = ranking.standard_errors[a] ** 2 + ranking.standard_errors[b] ** 2
    return ranking.scores[a] - ranking.scores[b], np.sqrt(np.maximum(variance, 0.0))


def _draws(ranking: Ranking) -> FloatArray:
    """Scores as they may truly be, one row per draw."""
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((N_DRAWS, len(ranking)))
    covariance = ranking.covariance
    if covariance is None:
        return np.asarray(ranking.scores + noise * ranking.standard_errors)
    tiny = 1e-12 * float(np.trace(covariance))
    factor = np.linalg.cholesky(covariance + tiny * np.eye(len(ranking)))
    return np.asarray(ranking.scores + noise @ factor.T)
