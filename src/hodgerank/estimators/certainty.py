"""How right a ranking is to be expected to be, from its own uncertainty."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy.special import log_ndtr, ndtr

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.ranking import Ranking
from hodgerank.types import FloatArray, IntArray, Item

JOINT_ITEMS = 1000
N_DRAWS = 2000
N_POINTS = 300  # of an integral
FAR = 6.0  # standard errors beyond which nothing happens
N_PAIRS = 200_000  # looked at where the pairs are too many


def expected_tau(ranking: Ranking, among: Iterable[Item] | None = None) -> float:
    """Kendall's tau with the true order that is to be expected.

    The mean over all pairs of 2 P(right order) - 1, the order being right with probability
    Phi(|difference| / its standard error). Best read off `bayes_rank`, whose prior keeps it honest
    when answers are few. Beyond 1,000 items scores are taken as uncorrelated, which they nearly
    are, and 200,000 pairs are looked at. `among` limits it to some of the items.

    >>> from hodgerank import bayes_rank
    >>> round(expected_tau(bayes_rank([("a", "b", 1)])), 2)
    0.46
    """
    rows = _rows(ranking, among)
    if len(rows) < 2:
        return 1.0
    difference, deviation = _differences(ranking, rows)
    certain = deviation <= 0
    z = np.abs(difference) / np.where(certain, 1.0, deviation)
    right = np.where(certain, 0.5 + 0.5 * (difference != 0), ndtr(z))
    return float(2 * right.mean() - 1)


def top_k_certainty(ranking: Ranking, k: int, among: Iterable[Item] | None = None) -> float:
    """The probability that the k items ranked best are the k best, in whatever order.

    By drawing scores from their joint distribution; repeatable, with a standard error of at most
    0.011. Beyond 1,000 items scores are taken as uncorrelated, which they nearly are, and no draws
    are needed. `among` limits it to some of the items.
    """
    rows = _rows(ranking, among)
    n = len(rows)
    if not 1 <= k <= n:
        raise InvalidArgument(f"k must be between 1 and {n}, not {k}")
    if k == n:
        return 1.0
    covariance = _joint_covariance(ranking)
    if covariance is None:
        return _first_apart(ranking.scores[rows], ranking.standard_errors[rows], k)
    draws = _draws(ranking.scores, covariance)[:, rows]
    return float((draws[:, :k].min(axis=1) > draws[:, k:].max(axis=1)).mean())


def widest_rank_interval(ranking: Ranking, among: Iterable[Item] | None = None) -> int:
    """Number of ranks that the least certain item may have, among all or among some."""
    if among is None:
        bounds = ranking.rank_intervals
    else:
        bounds = ranking.rank_intervals_among(_rows(ranking, among))
    return int((bounds[:, 1] - bounds[:, 0] + 1).max(initial=1))


def _rows(ranking: Ranking, among: Iterable[Item] | None) -> IntArray:
    """Positions of the items to look at, best first."""
    if among is None:
        return np.arange(len(ranking))
    return np.array(sorted(ranking.index(item) for item in among), np.int64)


def _joint_covariance(ranking: Ranking) -> FloatArray | None:
    """Covariance of the scores, None where they are so many that it makes no difference."""
    return ranking.covariance if len(ranking) <= JOINT_ITEMS else None


def _differences(ranking: Ranking, rows: IntArray) -> tuple[FloatArray, FloatArray]:
    """Differences of scores and their standard errors: of all pairs, or of very many at random."""
    n = len(rows)
    covariance = _joint_covariance(ranking)
    if covariance is not None:
        a, b = (rows[part] for part in np.triu_indices(n, 1))
        variances = np.diag(covariance)
        variance = variances[a] + variances[b] - 2 * covariance[a, b]
    else:
        rng = np.random.default_rng(0)
        first = rng.integers(0, n, N_PAIRS)
        a, b = rows[first], rows[(first + rng.integers(1, n, N_PAIRS)) % n]
        variance = ranking.standard_errors[a] ** 2 + ranking.standard_errors[b] ** 2
    return ranking.scores[a] - ranking.scores[b], np.sqrt(np.maximum(variance, 0.0))


def _draws(scores: FloatArray, covariance: FloatArray) -> FloatArray:
    """Scores as they may truly be, one row per draw."""
    noise = np.random.default_rng(0).standard_normal((N_DRAWS, len(scores)))
    tiny = 1e-12 * float(np.trace(covariance))
    factor = np.linalg.cholesky(covariance + tiny * np.eye(len(scores)))
    return np.asarray(scores + noise @ factor.T)


def _first_apart(scores: FloatArray, deviations: FloatArray, k: int) -> float:
    """P(the least of the first k exceeds the largest of the others), all independent normal.

    The integral of P(first k > t) over the distribution function of the largest other one, by the
    trapezoidal rule between where the one begins and the other ends.
    """
    deviations = np.maximum(deviations, np.finfo(float).tiny)
    low, high = scores - FAR * deviations, scores + FAR * deviations
    start, end = float(low[k:].max()), float(high[:k].min())
    others = k + np.flatnonzero(high[k:] > start)
    t = np.linspace(start, end, N_POINTS)
    lose = np.exp([_log_below(point, scores[others], deviations[others]) for point in t])
    win = np.exp([_log_below(-point, -scores[:k], deviations[:k]) for point in t])
    return float(np.sum((win[1:] + win[:-1]) / 2 * np.diff(lose)))


def _log_below(t: float, scores: FloatArray, deviations: FloatArray) -> float:
    return float(log_ndtr((t - scores) / deviations).sum())
