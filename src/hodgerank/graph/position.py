"""The position part of the answers, and what display orders dealt at random would give."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.edges.groups import group_rows
from hodgerank.types import FloatArray, IntArray

# Answers dealt in all; more answers need fewer repetitions for the same accuracy.
DEALT = 10_000_000
FEWEST, MOST = 39, 999
UNANIMOUS = 1e-12  # variation of answers that is rounding


class _Groups(NamedTuple):
    """Answers whose display order is known, by worker and pair."""

    row: IntArray
    group: IntArray
    is_first: IntArray  # 1 where the lesser item stands left
    weight: FloatArray
    n: int


class DealtSides(NamedTuple):
    """Energies of the position part with sides dealt at random.

    `n_both_ways` is the number of workers and pairs with answers in both orders: without any,
    position effects cannot be seen in this way.
    """

    energies: FloatArray
    n_both_ways: int


def position_bias_part(votes: Comparisons, edge: IntArray) -> FloatArray:
    """b: what the display order alone explains, within a worker's answers to a pair.

    Where a worker saw a pair in both orders, with total weights r and s and mean outcomes p and q
    of the item shown left: (p+q) s/(r+s) on the r answers and (p+q) r/(r+s) on the s answers.
    Elsewhere 0. Answers without a worker are taken as one worker's.
    """
    bias = np.zeros(len(votes))
    groups = _by_worker_and_pair(votes, edge)
    if not groups.n:
        return bias
    side, n_sides = 2 * groups.group + groups.is_first, 2 * groups.n
    total = np.bincount(side, groups.weight, n_sides)
    outcome = np.bincount(side, groups.weight * votes.outcome[groups.row], n_sides)
    mean = outcome / np.maximum(total, 1e-300)
    sums, means = total.reshape(-1, 2), mean.reshape(-1, 2)
    both = (sums > 0).all(axis=1)
    common = np.where(both, means.sum(axis=1) / sums.sum(axis=1), 0.0)
    bias[groups.row] = (common[:, None] * sums[:, ::-1]).ravel()[side]
    return bias


def deal_sides(answered: AnsweredGraph) -> DealtSides:
    """The same answers, with the sides dealt anew among each worker's answers to a pair.

    Each side is dealt as often as it was shown: that alone is what a design decides. Whatever
    workers prefer, and however often they repeat themselves, is left as it is.
    """
    from hodgerank.kernels.models.side_shuffle import shuffled_energy

    groups = _by_worker_and_pair(answered.votes, answered.edge)
    size = np.bincount(groups.group, minlength=groups.n)
    first = np.bincount(groups.group, groups.is_first, groups.n).astype(np.int64)
    both = (first > 0) & (first < size)
    turned = answered.turned[groups.row]
    total = np.bincount(groups.group, turned, groups.n)
    spread = np.bincount(groups.group, turned**2, groups.n) - total**2 / np.maximum(size, 1)
    contested = both & (spread > UNANIMOUS)  # where all say the same, sides make no difference
    rows = np.flatnonzero(contested[groups.group])
    rows = rows[np.argsort(groups.group[rows], kind="stable")]
    starts = np.r_[0, np.cumsum(size[contested])]
    turned, weight = turned[rows], groups.weight[rows]
    n = int(np.clip(DEALT // max(len(rows), 1), FEWEST, MOST))
    rng = np.random.default_rng(3)
    energies = [
        shuffled_energy(starts, first[contested], turned, weight, rng.random(len(rows)))
        for _ in range(n)
    ]
    return DealtSides(np.array(energies), int(both.sum()))


def _by_worker_and_pair(votes: Comparisons, edge: IntArray) -> _Groups:
    shown = np.flatnonzero(votes.display_known)
    weight = np.ones(len(shown)) if votes.weight is None else votes.weight[shown]
    n_workers = votes.n_workers + 1  # NO_WORKER is -1
    key = edge[shown] * np.int64(n_workers) + votes.worker[shown] + 1
    groups, group = group_rows(key, (int(edge.max(initial=-1)) + 1) * n_workers)
    is_first = (votes.left[shown] < votes.right[shown]).astype(np.int64)
    return _Groups(shown, group, is_first, weight, len(groups))
