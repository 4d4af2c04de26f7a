"""Repeated votes of a worker on a pair: a test of their correlation, and ways to discount them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.data.extra_columns import ExtraColumns
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.edges import group_rows
from hodgerank.types import BoolArray, FloatArray, IntArray

# Largest mean effective share of a vote at which repetitions matter.
MANY = 0.7
SURE, N_PERMUTATIONS = 0.01, 199
MOST_PERMUTED = 5_000  # votes: enough power, and 199 permutations within a fifth of a second
MOST_OF_ONE = MOST_PERMUTED // 10  # votes of one worker on one pair
N_CLEAR = 5  # largest number of classes of similarly clear pairs


def repeat_themselves(answered: AnsweredGraph) -> bool:
    """Whether repeated votes of a worker on a pair are strongly correlated.

    True if repetitions greatly reduce the effective number of votes, and a worker's votes on a pair
    agree more than expected by chance (p <= .01) under two null hypotheses: votes are exchangeable
    between the workers on a pair, and between similarly clear pairs of a worker. With few workers
    the estimate alone is often wrong. The first test is wrong if workers differ, the second if
    pairs differ in strength.
    """
    repeats = answered.signs.repeats if len(answered.votes) else None
    if repeats is None or not repeats.is_estimated or float(repeats.share.mean()) >= MANY:
        return False
    return max(_p_values(answered)) <= SURE


def _p_values(answered: AnsweredGraph) -> tuple[float, float]:
    """Return p-values of the agreement between votes of one worker on one pair.

    Votes are permuted between the workers on a pair, and between similarly clear pairs of a worker.
    The statistic is the sum over workers and pairs of the squared sum of signs. Large data are
    tested on a random subset.
    """
    edge, worker, sign, count = _signs_of_workers(answered)
    n_edges, n_workers = answered.graph.n_edges, answered.votes.n_workers
    keys, group = group_rows(edge * np.int64(n_workers) + worker, n_edges * n_workers)
    size = np.bincount(group, count, len(keys)).astype(float)
    pair = keys // n_workers
    answers, squares = np.bincount(pair, size, n_edges), np.bincount(pair, size**2, n_edges)
    differ = np.abs(np.bincount(edge, count * sign, n_edges)) < answers
    # The worker can matter only if votes differ and one of several workers repeats.
    matters = differ & (answers < squares) & (squares < answers**2)
    rng = np.random.default_rng(0)
    rows = np.flatnonzero(_drawn(pair, size, matters, rng)[group])
    times = rng.binomial(count[rows], np.minimum(1, MOST_OF_ONE / size[group[rows]]))
    rows = np.repeat(rows, times)
    if not len(rows):
        return 1.0, 1.0
    rows = rows[np.argsort(group[rows], kind="stable")]
    first = np.flatnonzero(np.diff(group[rows], prepend=-1))
    difference = answered.scores[answered.graph.i] - answered.scores[answered.graph.j]
    towards = sign[rows] * np.where(difference[edge[rows]] < 0, -1.0, 1.0)
    alike = worker[rows] * N_CLEAR + _clearness(np.abs(difference), edge[rows])
    between_workers = _permutation_p_value(sign[rows], edge[rows], first, rng)
    return between_workers, _permutation_p_value(towards, alike, first, rng)


def _clearness(strength: FloatArray, edge: IntArray) -> IntArray:
    """Return the class of each pair, from 0 (closest) up, with at least four pairs per class."""
    pairs = np.unique(edge)
    n_classes = min(N_CLEAR, max(1, len(pairs) // 4))
    limits = np.quantile(strength[pairs], np.arange(1, n_classes) / n_classes)
    return np.searchsorted(limits, strength[edge], side="right")


def _permutation_p_value(
    sign: FloatArray, among: IntArray, first: IntArray, rng: np.random.Generator
) -> float:
    """Return the p-value of agreement within groups when signs are permuted among `among`.

    0 if nothing can be permuted: a worker with only one pair cannot confuse it with others.
    """
    place = np.argsort(among, kind="stable")
    group = np.cumsum(np.isin(np.arange(len(sign)), first)) - 1
    several = np.bincount(np.unique(np.stack((among, group)), axis=1)[0]) > 1
    if not several.any():
        return 0.0
    permuted = np.empty((N_PERMUTATIONS, len(sign)))
    permuted[:, place] = sign[np.argsort(among + rng.random((N_PERMUTATIONS, len(sign))), axis=1)]
    observed = _agreement(sign, first)
    return float(1 + np.sum(_agreement(permuted, first) >= observed)) / (1 + N_PERMUTATIONS)


def _drawn(
    pair: IntArray, size: FloatArray, matters: BoolArray, rng: np.random.Generator
) -> BoolArray:
    """Select workers on informative pairs, pair by pair at random, up to the limit of votes."""
    order = np.lexsort((rng.random(len(pair)), rng.random(len(matters))[pair]))
    order = order[matters[pair[order]]]
    order = order[np.cumsum(np.minimum(size[order], MOST_OF_ONE)) <= MOST_PERMUTED]
    is_drawn = np.zeros(len(pair), np.bool_)
    is_drawn[order] = True
    return is_drawn


def _agreement(sign: FloatArray, first: IntArray) -> FloatArray:
    return np.asarray((np.add.reduceat(sign, first, axis=-1) ** 2).sum(axis=-1))


def _signs_of_workers(
    answered: AnsweredGraph,
) -> tuple[IntArray, IntArray, FloatArray, IntArray]:
    """Return edge, worker, sign and number of votes without ties; one per ballot and pair."""
    votes, edge, turned = answered.votes, answered.edge, np.sign(answered.turned)
    worker, count = votes.worker.astype(np.int64), votes.votes_per_row
    if votes.ballot is not None:
        n = votes.n_ballots
        keys, place = group_rows(edge * np.int64(n) + votes.ballot, answered.graph.n_edges * n)
        turned = np.sign(np.bincount(place, votes.total_weight * turned, len(keys)))
        edge, count = keys // n, np.ones(len(keys), np.int64)
        worker = np.full(len(keys), NO_WORKER, np.int64)
        worker[place] = votes.worker
    kept = np.flatnonzero((turned != 0) & (worker != NO_WORKER))
    return edge[kept], worker[kept], turned[kept], count[kept]


def counted_once(answered: AnsweredGraph) -> AnsweredGraph:
    """Average a worker's votes on a pair into one, without display order."""
    votes = answered.votes
    worker = votes.worker.astype(np.int64)
    alone = worker == NO_WORKER
    who = np.where(alone, votes.n_workers + np.cumsum(alone) - 1, worker)
    n_who = int(who.max()) + 1
    keys, group = group_rows(answered.edge * np.int64(n_who) + who, answered.graph.n_edges * n_who)
    weight, n = votes.total_weight, len(keys)
    total = np.bincount(group, weight, n)
    edge, who = np.divmod(keys, n_who)
    mean = np.bincount(group, weight * answered.turned, n) / total
    once = replace(
        votes,
        left=answered.graph.i[edge],
        right=answered.graph.j[edge],
        outcome=np.clip(mean, -1.0, 1.0),
        worker=np.where(who < votes.n_workers, who, NO_WORKER),
        display_known=np.asarray(False),
        weight=None if votes.weight is None else total / np.bincount(group, minlength=n),
        time=None,
        multiplicity=None,
        ballot=None,
        units=(),
        row=None,
        extra=ExtraColumns(),
    )
    return AnsweredGraph.of(once)


def news_share(graph: ComparisonGraph, rho: float) -> FloatArray:
    """Return the effective share of each of an edge's m votes, for correlation rho."""
    return np.asarray(1 / (1 + (graph.counts - 1) * rho))
