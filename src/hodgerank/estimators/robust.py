"""robust_rank: the ranking that resists bad answers and bad workers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.read import read_comparisons
from hodgerank.estimators.covariance import ModelCovariance
from hodgerank.estimators.outliers import TOLERANCE, find_outliers
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.reliability import FEWEST_ANSWERS, NO_TRUST, worker_types
from hodgerank.estimators.votes import Components, graph_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, IntArray, Item

LOW = 0.7  # reliability below which a worker is worth a look


@dataclass(frozen=True, eq=False, repr=False)
class RobustRanking(Ranking):
    """A ranking with what was found about the workers.

    Attributes
    ----------
    workers, reliability
        Each worker and how far the answers follow the common scores: 1 honest, 1/2 random, 0 the
        opposite.
    trust
        Weight of the worker's answers: 1 as they are, 0 left out, negative turned round.
    """

    workers: tuple[Item, ...]
    reliability: FloatArray
    trust: FloatArray
    answers_per_worker: IntArray

    @property
    def unreliable(self) -> tuple[Item, ...]:
        """Workers of low reliability who answered often enough, least reliable first."""
        low = (self.reliability < LOW) & (self.answers_per_worker >= FEWEST_ANSWERS)
        order = np.argsort(self.reliability, kind="stable")
        return tuple(self.workers[k] for k in order if low[k])


def robust_rank(
    votes: Any, *, components: Components = "joined", confidence: float = 0.95
) -> RobustRanking:
    """A ranking that careless or hostile workers, or single wild answers, pull less.

    Where workers are known: Bradley-Terry scores by EM over types of workers (honest, random,
    adversarial); answers without a worker are trusted. Where none are known: Huber's regression,
    which bounds the pull of each answer, with the penalty of `find_outliers`; it mends single
    slips, not a hostile fifth of the crowd. Intervals take the types that were found as certain.

    Examples
    --------
    >>> import hodgerank as hr
    >>> crowd = {"honest": 8, "adversarial": 2}
    >>> votes = hr.simulate_comparisons(8, 400, spread=3, workers=crowd, rng=0)
    >>> sorted(robust_rank(votes).unreliable)
    ['adversarial-01', 'adversarial-02']
    """
    votes = read_comparisons(votes)
    graph = graph_of(votes, components)
    if votes.n_workers:
        types = worker_types(votes)
        if components == "joined" and types.ranking.n_components > 1:
            trusted = np.r_[np.abs(types.trust) > NO_TRUST, True][votes.worker]
            ComparisonGraph.from_comparisons(votes.select(trusted)).require_connected()
        found = {part.name: getattr(types.ranking, part.name) for part in fields(Ranking)}
        found |= {
            "model": "maximum a posteriori, robust",
            "confidence": confidence,
            "iterations": types.iterations,
            "converged": types.converged and types.ranking.converged,
        }
        return RobustRanking(
            **found,
            workers=votes.workers,
            reliability=types.reliability,
            trust=types.trust,
            answers_per_worker=np.bincount(votes.worker + 1, minlength=votes.n_workers + 1)[1:],
        )
    return _huber_ranking(votes, graph, confidence)


def _huber_ranking(votes: Comparisons, graph: ComparisonGraph, confidence: float) -> RobustRanking:
    """Scores of least Huber loss; their covariance is that of an M-estimator."""
    found = find_outliers(votes)
    difference = found.scores[votes.left] - found.scores[votes.right]
    clipped = votes.outcome - found.excess - difference
    freedom = max(len(votes) - graph.n_items + graph.n_components, 1)
    # never quite without noise, and larger by what the clipped answers no longer tell
    scale = max(float(np.sum(clipped**2)), 1.0) / freedom / max(1 - found.share, 0.1) ** 2
    return RobustRanking.from_scores(
        graph,
        found.scores,
        ModelCovariance(graph.equations, scale),
        model="Huber regression",
        link="uniform",
        confidence=confidence,
        ridge=0.0,
        iterations=found.iterations,
        residual=found.residual,
        solver=found.solver,
        converged=found.residual <= TOLERANCE,
        undefeated=(),
        winless=(),
        notes=("workers are not known: single answers are discounted, not workers",),
        workers=(),
        reliability=np.zeros(0),
        trust=np.zeros(0),
        answers_per_worker=np.zeros(0, np.int64),
    )
