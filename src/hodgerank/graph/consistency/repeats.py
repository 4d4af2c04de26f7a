"""Answers of one worker to the same pair: how far they are news, and how many they count for.

Two answers s, t of +-1 of different workers have E[s t] = m^2, m the mean of the pair; two of one
worker m^2 + rho (1 - m^2), where rho > 0 if the worker has a taste, or simply says the same again.
So rho is known from pairs that several workers answered, some of them repeatedly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hodgerank.kernels.edges.groups import group_rows
from hodgerank.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Repeats:
    """How repeated answers of a worker to a pair hang together.

    Attributes
    ----------
    correlation
        rho, with one standard error added for safety; 1 where it cannot be estimated.
    is_estimated
        Whether it could be: some pair has a worker who repeats, and another worker.
    share
        For each vote, how many independent ones it counts for: 1 / (1 + (k - 1) rho) where its
        worker has k votes on the pair.
    """

    correlation: float
    is_estimated: bool
    share: FloatArray


def repeated_answers(
    edge: IntArray, worker: IntArray, sign: FloatArray, count: IntArray
) -> Repeats | None:
    """What repeated answers say; None where nobody was asked the same twice."""
    known = np.flatnonzero(worker >= 0)
    if not len(known):
        return None
    n_workers = int(worker.max()) + 1
    n_edges = int(edge.max()) + 1
    key = edge[known] * np.int64(n_workers) + worker[known]
    groups, place = group_rows(key, n_edges * n_workers)
    size = np.bincount(place, count[known], len(groups)).astype(float)
    if size.max() <= 1:
        return None
    total = np.bincount(place, count[known] * sign[known], len(groups)).astype(float)
    correlation = _correlation(groups // n_workers, size, total, n_edges)
    rho = 1.0 if correlation is None else correlation
    share = np.ones(len(edge))
    share[known] = (1 / (1 + (size - 1) * rho))[place]
    return Repeats(rho, correlation is not None, share)


def _correlation(edge: IntArray, size: FloatArray, total: FloatArray, n_edges: int) -> float | None:
    """Rho from sums over the answers of each worker to each pair; None if nothing is known."""
    answers, sums = np.bincount(edge, size, n_edges), np.bincount(edge, total, n_edges)
    squares = np.bincount(edge, total**2, n_edges)
    within = np.bincount(edge, size * (size - 1), n_edges)  # pairs of answers of one worker
    across = answers**2 - np.bincount(edge, size**2, n_edges)  # and of different ones
    usable = (within > 0) & (across > 0)
    if not usable.any():
        return None
    within, across, squares = within[usable], across[usable], squares[usable]
    mean_square = (sums[usable] ** 2 - squares) / across
    excess = squares - answers[usable] - within * mean_square
    room = within * (1 - mean_square)
    if room.sum() <= 0:  # all agree on every pair: nothing tells repeats from agreement
        return None
    rho = float(excess.sum() / room.sum())
    error = float(np.sqrt(np.sum((excess - rho * room) ** 2))) / float(room.sum())
    return float(np.clip(rho + error, 0.0, 1.0))
