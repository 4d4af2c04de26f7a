"""Who answers honestly: EM over types of workers.

A worker is honest (answers by Bradley-Terry probabilities of the scores), random (tosses a coin) or
adversarial (answers the opposite). Given scores, each worker's answers say which; given types,
random workers are left out, adversarial ones turned round, and the scores fitted again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import log_expit

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.estimators.likelihood import bradley_terry
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.comparison_graph import ComparisonGraph
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


def worker_types(votes: Comparisons) -> WorkerTypes:
    """EM from the plain ranking; items no trusted answer joins are ranked separately.

    Weights count relative to each other: they are scaled to sum to the effective number of
    answers, so that their unit does not matter.
    """
    if votes.weight is not None:
        scale = votes.total_weight.sum() / (votes.total_weight @ votes.weight)
        votes = replace(votes, weight=votes.weight * scale)
    n_workers = votes.n_workers
    trust = np.ones(n_workers)
    decided = votes.times * np.abs(votes.outcome)  # ties say nothing about honesty
    chance = _per_worker(votes, -decided * np.log(2))
    prior = np.log(list(PRIOR.values()))
    rounds, change = 0, np.inf
    while change > 1e-3 and rounds < MAX_ROUNDS:
        rounds += 1
        graph = ComparisonGraph.from_comparisons(_reweighted(votes, trust))
        ranking = bradley_terry(graph, ridge=RIDGE, components="separate")
        surprise = np.sign(votes.outcome) * _moderated_differences(votes, ranking)
        honest = _per_worker(votes, decided * log_expit(surprise))
        adversarial = _per_worker(votes, decided * log_expit(-surprise))
        evidence = np.column_stack((honest, chance, adversarial)) + prior
        evidence -= evidence.max(axis=1, keepdims=True)
        types = np.exp(evidence)
        types /= types.sum(axis=1, keepdims=True)
        updated = np.where(types[:, 0] < SUSPICION, types[:, 0] - types[:, 2], 1.0)
        change = float(np.abs(updated - trust).max(initial=0.0))
        trust = updated
    honest, random, adversarial = types.T
    return WorkerTypes(honest, random, adversarial, trust, ranking, rounds, change <= 1e-3)


def _per_worker(votes: Comparisons, values: FloatArray) -> FloatArray:
    named = votes.worker != NO_WORKER
    return np.bincount(votes.worker[named], values[named], votes.n_workers).astype(float)


def _reweighted(votes: Comparisons, trust: FloatArray) -> Comparisons:
    """Answers weighed by trust; distrusted workers' answers turned round."""
    of_answer = np.r_[trust, 1.0][votes.worker]  # NO_WORKER is the last
    trusted = np.abs(of_answer) > NO_TRUST
    votes, of_answer = votes.select(trusted), of_answer[trusted]
    weight = np.abs(of_answer) * (1.0 if votes.weight is None else votes.weight)
    return replace(votes, outcome=np.sign(of_answer) * votes.outcome, weight=weight)


def _moderated_differences(votes: Comparisons, ranking: Ranking) -> FloatArray:
    """Score differences, smaller the less they are known (MacKay 1992)."""
    place = np.array([ranking.index(item) for item in votes.items])
    scores, variance = ranking.scores[place], ranking.standard_errors[place] ** 2
    spread = variance[votes.left] + variance[votes.right]
    difference = (scores[votes.left] - scores[votes.right]) / np.sqrt(1 + np.pi / 8 * spread)
    components = ranking.components[place]
    same = components[votes.left] == components[votes.right]
    return np.where(same, difference, 0.0)
