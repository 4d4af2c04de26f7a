"""Votes as signs: ties left out, dependent votes counted by their effective number."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.edges import group_rows
from hodgerank.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class RepeatedVotes:
    """Correlation of repeated votes of a worker on a pair.

    Attributes
    ----------
    correlation
        rho, with one standard error added for safety; 1 if it cannot be estimated.
    is_estimated
        Whether it could be estimated: some pair has a worker who repeats, and another worker.
    share
        Effective number of votes of each vote: the inverse of the larger of two design effects. If
        its worker has k votes on the pair these are 1 + (k - 1) rho, and the estimated number of
        times that each vote was recorded, at most k.
    """

    correlation: float
    is_estimated: bool
    share: FloatArray


def repeated_votes(
    edge: IntArray, worker: IntArray, sign: FloatArray, count: IntArray
) -> RepeatedVotes | None:
    """Estimate the correlation of repeated votes; None without repeated votes."""
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
    found = _dependence(groups // n_workers, size, total, n_edges)
    correlation, copies = (1.0, 1.0) if found is None else found
    design_effect = np.maximum(1 + (size - 1) * correlation, np.minimum(copies, size))
    share = np.ones(len(edge))
    share[known] = (1 / design_effect)[place]
    return RepeatedVotes(correlation, found is not None, share)


def _dependence(
    edge: IntArray, size: FloatArray, total: FloatArray, n_edges: int
) -> tuple[float, float] | None:
    """Return rho and the number of copies, from sums over each worker's votes on each pair.

    None if not identified. Both explain the excess variance of these sums. If all votes of a worker
    on a pair are equally correlated, the design effect grows with their number; if each vote was
    recorded several times, and a worker meets a pair more than once, it does not.
    """
    answers, sums = np.bincount(edge, size, n_edges), np.bincount(edge, total, n_edges)
    squares = np.bincount(edge, total**2, n_edges)
    within = np.bincount(edge, size * (size - 1), n_edges)  # pairs of votes by one worker
    across = answers**2 - np.bincount(edge, size**2, n_edges)  # and by different workers
    repeated = np.bincount(edge, np.where(size > 1, size, 0.0), n_edges)
    usable = (within > 0) & (across > 0)
    if not usable.any():
        return None
    within, across, squares = within[usable], across[usable], squares[usable]
    mean_square = (sums[usable] ** 2 - squares) / across
    excess = np.asarray(squares - answers[usable] - within * mean_square, np.float64)
    room = np.asarray(within * (1 - mean_square), np.float64)
    if room.sum() <= 0:  # all agree on every pair: repetition and agreement are confounded
        return None
    rho = _cautious_ratio(excess, room)
    more = _cautious_ratio(excess, repeated[usable] * (1 - mean_square))
    return float(np.clip(rho, 0.0, 1.0)), 1 + max(more, 0.0)


def _cautious_ratio(excess: FloatArray, room: FloatArray) -> float:
    """Return the ratio of the sums, with one standard error added."""
    ratio = float(excess.sum() / room.sum())
    return ratio + float(np.sqrt(np.sum((excess - ratio * room) ** 2))) / float(room.sum())


@dataclass(frozen=True, eq=False)
class SignVotes:
    """Votes for one of the items of a pair, one per row; `sign` refers to item i of the edge."""

    edge: IntArray
    sign: FloatArray
    weight: FloatArray
    count: IntArray
    worker: IntArray


@dataclass(frozen=True, eq=False)
class Signs:
    """Signs summed over each pair.

    Attributes
    ----------
    graph
        The pairs that have any, as a graph: `counts` are votes, `weights` effective numbers of
        votes, and `flows` mean signs.
    edge
        The positions of these edges in the graph of all votes.
    repeats
        Correlation of repeated votes, if any.
    """

    graph: ComparisonGraph
    edge: IntArray
    repeats: RepeatedVotes | None


def count_signs(
    votes: Comparisons, graph: ComparisonGraph, edge: IntArray, turned: FloatArray
) -> Signs:
    """Sum the signs of the votes; `edge` and `turned` are those of an `AnsweredGraph`."""
    cast = _cast_votes(votes, edge, turned)
    repeats = None
    if votes.n_workers > 1:
        repeats = repeated_votes(cast.edge, cast.worker, cast.sign, cast.count)
    is_plain = len(cast.edge) == len(votes) and votes.weight is None and votes.ballot is None
    if is_plain and repeats is None and np.array_equal(graph.squares, graph.weights):
        return Signs(graph, np.arange(graph.n_edges), None)
    return _summed(cast, graph, repeats)


def _cast_votes(votes: Comparisons, edge: IntArray, turned: FloatArray) -> SignVotes:
    """Return one sign per vote that is not a tie; a ballot has one on a pair, its majority."""
    weight = np.ones(len(votes)) if votes.weight is None else votes.weight
    count = votes.votes_per_row
    sign = np.sign(turned)
    if votes.ballot is None:
        cast = np.flatnonzero(sign)
        whole = len(cast) == len(sign)
        worker = votes.worker.astype(np.int64)
        if whole:
            return SignVotes(edge, sign, weight, count, worker)
        return SignVotes(edge[cast], sign[cast], weight[cast], count[cast], worker[cast])
    n_ballots = votes.n_ballots
    key = edge * np.int64(n_ballots) + votes.ballot
    distinct, place = group_rows(key, int(edge.max(initial=-1) + 1) * n_ballots)
    total = count * weight
    majority = np.sign(np.bincount(place, total * sign, len(distinct)))
    mean = np.bincount(place, total, len(distinct)) / np.bincount(place, count, len(distinct))
    worker = np.full(len(distinct), NO_WORKER)
    worker[place] = votes.worker
    cast = np.flatnonzero(majority)
    ones = np.ones(len(cast), np.int64)
    return SignVotes(distinct[cast] // n_ballots, majority[cast], mean[cast], ones, worker[cast])


def _summed(cast: SignVotes, graph: ComparisonGraph, repeats: RepeatedVotes | None) -> Signs:
    """Sum the signs of each pair, with repeated votes discounted."""
    m = graph.n_edges
    total = cast.count * cast.weight
    kept = total if repeats is None else total * repeats.share
    weights = np.bincount(cast.edge, total, m)
    squares = np.bincount(cast.edge, total * cast.weight, m)
    discounted = np.bincount(cast.edge, kept, m)
    edges = np.flatnonzero(weights)
    effective = weights[edges] / squares[edges] * discounted[edges]
    counts = np.bincount(cast.edge, cast.count, m)[edges].astype(np.int64)
    flows = np.bincount(cast.edge, kept * cast.sign, m)[edges] / discounted[edges]
    signs = replace(
        graph,
        i=graph.i[edges],
        j=graph.j[edges],
        counts=counts,
        weights=effective,
        weight_squares=effective.copy(),
        flows=np.clip(flows, -1.0, 1.0),
        squares=effective.copy(),
    )
    return Signs(signs, edges, repeats)
