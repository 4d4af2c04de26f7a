"""Expected accuracy of a ranking, from the posterior of the scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from scipy.special import log_ndtr, ndtr

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.ranking import PosteriorPart, Ranking
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray, IntArray, Item

JOINT_ITEMS = 1000
N_DRAWS = 2000
N_POINTS = 300  # of an integral
FAR = 6.0  # standard errors beyond which probabilities are 0 or 1
N_PAIRS = 200_000  # sampled if there are more


def expected_tau(ranking: Ranking, among: Iterable[Item] | None = None) -> float:
    """Return the expected Kendall's tau between the ranking and the true order.

    The mean of 2 P(right order) - 1 over all pairs that can be compared, by `Ranking.certainty`.
    Beyond 1,000 items scores are treated as uncorrelated, which they nearly are, and 200,000 pairs
    are sampled. `among` restricts it to some of the items.

    >>> from hodgerank import bayes_rank
    >>> round(expected_tau(bayes_rank([("a", "b", 1)])), 2)
    0.49
    """
    a, b = _pairs(ranking, _rows(ranking, among))
    if not len(a):
        return 1.0
    beliefs = _posterior_of(ranking)
    tau = sum(belief.share * float(_taus(belief, a, b).mean()) for belief in beliefs)
    return float(np.clip(tau, -1.0, 1.0))


def top_k_certainty(ranking: Ranking, k: int, among: Iterable[Item] | None = None) -> float:
    """Return the probability that the k items ranked best are the k best, in any order.

    Computed by draws from the posterior of the scores; repeatable, with a standard error of at most
    .011. Beyond 1,000 items scores are treated as uncorrelated, which they nearly are, and no draws
    are needed. `among` restricts it to some of the items, which is required if components were
    ranked separately.
    """
    return top_certainties(ranking, (k,), among)[0]


def top_certainties(
    ranking: Ranking, ks: Sequence[int], among: Iterable[Item] | None = None
) -> list[float]:
    """Return `top_k_certainty` for several k, from one set of draws."""
    rows = _rows(ranking, among)
    n = len(rows)
    for k in ks:
        if not 1 <= k <= n:
            raise InvalidArgument(f"k must be between 1 and {n}, not {k}")
    if len(np.unique(ranking.components[rows])) > 1:
        raise InvalidArgument(
            "items of different components have no common order: pass the items of one of them as "
            "among=..., or rank all together with bayes_rank"
        )
    uncertain = [k for k in ks if k < n]
    if not uncertain:
        return [1.0 for _ in ks]
    total = np.zeros(len(uncertain))
    for part in _posterior_of(ranking):
        total += part.share * np.array(_tops_apart(part, rows, uncertain))
    found = dict(zip(uncertain, np.minimum(total, 1.0).tolist(), strict=True))
    return [found.get(k, 1.0) for k in ks]


def leader_is_certain(ranking: Ranking) -> bool:
    """Whether the first item is the best, at the confidence level of the ranking.

    Each other item must be worse with this confidence, and so must all of them together.

    >>> from hodgerank import hodge_rank
    >>> leader_is_certain(hodge_rank([("a", "b", 1)] * 3))
    False
    >>> leader_is_certain(hodge_rank([("a", "b", 1)] * 9))
    True
    """
    first = np.flatnonzero(ranking.components == 0)
    among = [ranking.items[k] for k in first]
    return (
        len(possible_leaders(ranking)) == 1
        and top_k_certainty(ranking, 1, among) >= ranking.confidence
    )


def certainty_over_next(ranking: Ranking) -> FloatArray:
    """Return the certainty that each item is better than the next of its component, else NaN."""
    a = np.arange(len(ranking) - 1)
    sure = np.full(len(ranking), np.nan)
    if len(a):
        sure[:-1] = certainties(ranking, a, a + 1)
        sure[:-1][np.diff(ranking.components) != 0] = np.nan
    return sure


def possible_leaders(ranking: Ranking) -> tuple[Item, ...]:
    """Return the leader, and every item that may be as good.

    An item is worse than the leader if both the rank intervals and `Ranking.certainty` say so at
    the confidence level of the ranking: with few votes that fit by chance, the former are
    overconfident. With several components, the largest is examined.

    >>> from hodgerank import hodge_rank
    >>> possible_leaders(hodge_rank([("a", "b", 1), ("b", "a", -1), ("b", "c", 1)] * 9))
    ('a',)
    """
    rows = np.flatnonzero(ranking.components == 0)
    first, others = rows[:1], rows[1:]
    sure = certainties(ranking, np.repeat(first, len(others)), others)
    may_lead = (ranking.rank_intervals[others, 0] == 1) | (sure < ranking.confidence)
    return tuple(ranking.items[k] for k in (*first, *others[may_lead]))


def certainties(ranking: Ranking, a: IntArray, b: IntArray) -> FloatArray:
    """Return `Ranking.certainty` of many pairs, by positions in the ranking.

    Beyond 1,000 items scores are treated as uncorrelated, which they nearly are.
    """
    beliefs = _posterior_of(ranking)
    return sum((part.share * (1 + _taus(part, a, b)) / 2 for part in beliefs), np.zeros(len(a)))


def widest_rank_interval(ranking: Ranking, among: Iterable[Item] | None = None) -> int:
    """Return the number of possible ranks of the least certain item, among all or some."""
    if among is None:
        bounds = ranking.rank_intervals
    else:
        bounds = ranking.rank_intervals_among(_rows(ranking, among))
    return int((bounds[:, 1] - bounds[:, 0] + 1).max(initial=1))


def _rows(ranking: Ranking, among: Iterable[Item] | None) -> IntArray:
    """Return the positions of the items, best first."""
    if among is None:
        return np.arange(len(ranking))
    return np.array(sorted({ranking.index(item) for item in among}), np.int64)


def _posterior_of(ranking: Ranking) -> tuple[PosteriorPart, ...]:
    """Return the posterior, without covariances if there are many items."""
    if len(ranking) <= JOINT_ITEMS:
        return ranking.posterior_parts
    return tuple(belief._replace(covariance=None) for belief in ranking.posterior_parts)


def _pairs(ranking: Ranking, rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return the better and worse item of all comparable pairs, or of a random sample."""
    n = len(rows)
    if n < 2 or len(ranking) <= JOINT_ITEMS:
        a, b = (rows[part] for part in np.triu_indices(n, 1))
    else:
        rng = np.random.default_rng(0)
        first = rng.integers(0, n, N_PAIRS)
        one, other = rows[first], rows[(first + rng.integers(1, n, N_PAIRS)) % n]
        a, b = np.minimum(one, other), np.maximum(one, other)
    comparable = ranking.components[a] == ranking.components[b]
    return a[comparable], b[comparable]


def _taus(belief: PosteriorPart, a: IntArray, b: IntArray) -> FloatArray:
    """Return 2 P(a is better than b) - 1 of each pair."""
    _, scores, variances, covariance = belief
    variance = variances[a] + variances[b]
    if covariance is not None:
        variance = variance - 2 * covariance[a, b]
    difference, deviation = scores[a] - scores[b], np.sqrt(np.maximum(variance, 0.0))
    certain = deviation <= 0
    tau = 2 * ndtr(difference / np.where(certain, 1.0, deviation)) - 1
    return np.where(certain, np.sign(difference), tau)


def _tops_apart(belief: PosteriorPart, rows: IntArray, ks: Sequence[int]) -> list[float]:
    """Return P(the first k of some rows are all better than the others), for several k."""
    if belief.covariance is None:
        deviations = np.sqrt(belief.variances[rows])
        return [_first_apart(belief.scores[rows], deviations, k) for k in ks]
    draws = _draws(belief.scores, belief.covariance)[:, rows]
    return [float((draws[:, :k].min(axis=1) > draws[:, k:].max(axis=1)).mean()) for k in ks]


def _draws(scores: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return draws of the scores from the posterior, one row per draw."""
    noise = _noise(len(scores))
    tiny = 1e-12 * float(np.trace(covariance))
    with few_threads(N_DRAWS):
        factor = np.linalg.cholesky(covariance + tiny * np.eye(len(scores)))
        return np.asarray(scores + noise @ factor.T)


@lru_cache(maxsize=1)  # reports and forecasts use the same items repeatedly
def _noise(n: int) -> FloatArray:
    """Return standard normal draws, the same for all rankings of n items."""
    return np.random.default_rng(0).standard_normal((N_DRAWS, n))


def _first_apart(scores: FloatArray, deviations: FloatArray, k: int) -> float:
    """Return P(the smallest of the first k exceeds the largest of the others), independent normal.

    The integral of P(first k > t) over the distribution function of the largest other one, by the
    trapezoidal rule over the range where both vary.
    """
    deviations = np.maximum(deviations, np.finfo(float).tiny)
    low, high = scores - FAR * deviations, scores + FAR * deviations
    start, end = float(low[k:].max()), float(high[:k].min())
    if start >= end:
        return 0.0
    others = k + np.flatnonzero(high[k:] > start)
    t = np.linspace(start, end, N_POINTS)
    lose = np.exp([_log_below(point, scores[others], deviations[others]) for point in t])
    win = np.exp([_log_below(-point, -scores[:k], deviations[:k]) for point in t])
    return float(np.sum((win[1:] + win[:-1]) / 2 * np.diff(lose)))


def _log_below(t: float, scores: FloatArray, deviations: FloatArray) -> float:
    return float(log_ndtr((t - scores) / deviations).sum())
