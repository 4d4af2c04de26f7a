"""Whether a ranking shows in answers that lean to a side."""

from __future__ import annotations

import numpy as np

from hodgerank.estimators.position.cells import Position, common_group, worker_groups
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.types import FloatArray

N_DEALT = 199
MOST_ANSWERS = 20_000  # that are dealt anew in a second


def ranking_chance(answered: AnsweredGraph, position: Position) -> float | None:
    """How often answers that lean as these, but to no item, show as much of a ranking.

    What is left of the answers without the mean lean of each group is dealt anew within the group,
    and the energy of the gradient compared. None where there are too many answers to do so.
    """
    votes, graph = answered.votes, answered.graph
    if len(votes) > MOST_ANSWERS:
        return None
    group, n_groups = worker_groups(votes) if position == "worker" else common_group(votes)
    weight = votes.total_weight
    total = np.maximum(np.bincount(group, weight, n_groups), np.finfo(float).tiny)
    rest = votes.outcome - (np.bincount(group, weight * votes.outcome, n_groups) / total)[group]

    def energy(values: FloatArray) -> float:
        shown = answered.sign * weight * values
        flow = np.bincount(answered.edge, shown, graph.n_edges).astype(float)
        pull = divergence(graph.i, graph.j, flow, graph.n_items)
        return float(pull @ graph.equations.solve(pull))

    rng = np.random.default_rng(0)
    shown, as_much = energy(rest), 0
    for _ in range(N_DEALT):
        dealt = np.empty_like(rest)
        dealt[np.argsort(group, kind="stable")] = rest[np.lexsort((rng.random(len(rest)), group))]
        as_much += energy(dealt) >= shown
    return (1 + as_much) / (1 + N_DEALT)
