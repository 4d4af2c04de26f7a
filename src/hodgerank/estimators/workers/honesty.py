"""Who answers honestly: EM over types of workers.

A worker is honest (answers by Bradley-Terry probabilities of the scores), random (tosses a coin) or
adversarial (answers the opposite). Given scores, each worker's answers say which; given types,
random workers are left out, adversarial ones turned round, and the scores fitted again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_expit

from hodgerank.estimators.likelihood import bradley_terry
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.types import FloatArray

PRIOR = {"honest": 0.90, "random": 0.07, "adversarial": 0.03}
RIDGE = 0.1  # a prior of standard deviation 3 on the scores
# A worker is trusted fully until honesty is this improbable: on weak signals everybody looks a
# little random, and discounting honest workers costs more than it gains.
SUSPICION = 0.3
MAX_ROUNDS = 30
NO_TRUST = 0.01  # answers trusted less than this are left out
FEWEST_ANSWERS = 8  # below this a worker cannot be told from any other


@dataclass(frozen=True, eq=False)
class WorkerTypes:
    """Probability of each type, one row per worker, and the ranking that takes them into account.

    Attributes
    ----------
    trust
        Weight of the worker's answers in the ranking: 1 as they are, 0 not at all, negative
        turned round.
    """

    honest: FloatArray
    random: FloatArray
    adversarial: FloatArray
    trust: FloatArray
    ranking: Ranking
    iterations: int
    converged: bool

    @property
    def reliability(self) -> FloatArray:
        """How much of a worker's answers follow the scores: 1 honest, 1/2 random, 0 adversarial."""
        return self.honest + self.random / 2


def worker_types(cells: WorkerCells) -> WorkerTypes:
    """EM from the plain ranking; items no trusted answer joins are ranked separately.

    Weights count relative to each other: they are scaled to sum to the effective number of
    answers, so that their unit does not matter.
    """
    scale = cells.weights.sum() / cells.weight_squares.sum()
    cells = replace(
        cells,
        weights=scale * cells.weights,
        weight_squares=scale**2 * cells.weight_squares,
        sums=scale * cells.sums,
        squares=scale * cells.squares,
    )
    trust = np.ones(cells.n_workers)
    # ties say nothing about honesty, and grades as much as they are large
    chance = -np.log(2) * cells.per_worker(cells.won + cells.lost)
    prior = np.log(list(PRIOR.values()))
    rounds, change = 0, np.inf
    while change > 1e-3 and rounds < MAX_ROUNDS:
        rounds += 1
        graph = cells.trusting(trust, NO_TRUST)
        ranking = bradley_terry(graph, ridge=RIDGE, components="separate")
        difference = _moderated_differences(cells, ranking)
        for_lesser, for_greater = (log_expit(d)[cells.edge] for d in (difference, -difference))
        honest = cells.per_worker(cells.won * for_lesser + cells.lost * for_greater)
        adversarial = cells.per_worker(cells.won * for_greater + cells.lost * for_lesser)
        evidence = np.column_stack((honest, chance, adversarial)) + prior
        evidence -= evidence.max(axis=1, keepdims=True)
        types = np.exp(evidence)
        types /= types.sum(axis=1, keepdims=True)
        updated = np.where(types[:, 0] < SUSPICION, types[:, 0] - types[:, 2], 1.0)
        change = float(np.abs(updated - trust).max(initial=0.0))
        trust = updated
    honest, random, adversarial = types.T
    return WorkerTypes(honest, random, adversarial, trust, ranking, rounds, change <= 1e-3)


def _moderated_differences(cells: WorkerCells, ranking: Ranking) -> FloatArray:
    """Score differences of all edges, smaller the less they are known [MacKay92]."""
    graph = cells.graph
    place = ranking.positions(graph.items)
    scores, variance = ranking.scores[place], ranking.standard_errors[place] ** 2
    spread = variance[graph.i] + variance[graph.j]
    difference = (scores[graph.i] - scores[graph.j]) / np.sqrt(1 + np.pi / 8 * spread)
    components = ranking.components[place]
    return np.where(components[graph.i] == components[graph.j], difference, 0.0)
