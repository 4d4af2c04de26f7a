"""Who says the same again: whether that is so, and answers counted by what is news in them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.edges.groups import group_rows

# Votes count for so much fewer independent ones that it makes a difference.
MANY = 0.7


def repeat_themselves(answered: AnsweredGraph) -> bool:
    """Whether answers to a pair that a worker had answered before are hardly news."""
    repeats = answered.signs.repeats if len(answered.votes) else None
    return repeats is not None and repeats.is_estimated and float(repeats.share.mean()) < MANY


def counted_once(answered: AnsweredGraph) -> AnsweredGraph:
    """One answer of a worker to a pair, the mean of those given; of unknown display order."""
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
    )
    return AnsweredGraph.of(once)


def counted_as_correlated(graph: ComparisonGraph, rho: float) -> ComparisonGraph:
    """The graph in which m answers to a pair, of correlation rho, count m / (1 + (m-1) rho)."""
    share = 1 / (1 + (graph.counts - 1) * rho)
    return replace(
        graph,
        weights=graph.weights * share,
        weight_squares=graph.weight_squares * share**2,
        squares=graph.squares * share,
    )
