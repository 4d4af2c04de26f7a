"""robust_rank: the ranking that resists bad answers and bad workers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hodgerank.data.reading.source import read_comparisons
from hodgerank.estimators.covariance import ModelCovariance
from hodgerank.estimators.outliers import TOLERANCE, outliers_among
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.estimators.workers.honesty import FEWEST_ANSWERS, NO_TRUST, worker_types
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.building import Components, graph_to_rank
from hodgerank.types import FloatArray, IntArray, Item, VotesLike

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
    votes: VotesLike, *, components: Components = "joined", confidence: float = 0.95
) -> RobustRanking:
    """A ranking that careless or hostile workers, or single wild answers, pull less.

    Where workers are known: Bradley-Terry scores by EM over types of workers (honest, random,
    adversarial); answers without a worker are trusted. Where none are known: Huber's regression,
    which bounds the pull of each answer, with the penalty of `find_outliers`; it repairs single
    slips, not a hostile fifth of the crowd. Intervals take the types that were found as certain.

    Examples
    --------
    >>> import hodgerank as hr
    >>> crowd = {"honest": 8, "adversarial": 2}
    >>> votes = hr.simulate_comparisons(8, 400, spread=3, workers=crowd, rng=0)
    >>> sorted(robust_rank(votes).unreliable)
    ['adversarial-01', 'adversarial-02']
    """
    answered = AnsweredGraph.of(read_comparisons(votes))
    graph_to_rank(answered.graph, components)
    votes = answered.votes
    if not votes.n_workers:
        return _huber_ranking(answered, confidence)
    cells = WorkerCells.of(answered)
    types = worker_types(cells)
    if components == "joined" and types.ranking.n_components > 1:
        cells.trusting(types.trust, NO_TRUST).require_connected()
    ranking = replace(
        types.ranking,
        model="maximum a posteriori, robust",
        confidence=confidence,
        iterations=types.iterations,
        converged=types.converged and types.ranking.converged,
    )
    return ranking.extended(
        RobustRanking,
        workers=votes.workers,
        reliability=types.reliability,
        trust=types.trust,
        answers_per_worker=cells.per_worker(cells.answers).astype(np.int64),
    )


def _huber_ranking(answered: AnsweredGraph, confidence: float) -> RobustRanking:
    """Scores of least Huber loss; their covariance is that of an M-estimator."""
    found = outliers_among(answered)
    votes, graph = answered.votes, answered.graph
    difference = found.scores[votes.left] - found.scores[votes.right]
    clipped = votes.outcome - found.excess - difference
    freedom = max(len(votes) - graph.n_items + graph.n_components, 1)
    # never quite without noise, and larger by what the clipped answers no longer tell
    scale = max(float(np.sum(clipped**2)), 1.0) / freedom / max(1 - found.share, 0.1) ** 2
    ranking = Ranking.from_scores(
        graph,
        found.scores,
        ModelCovariance(graph.equations, scale),
        model="Huber regression",
        link="uniform",
        confidence=confidence,
        iterations=found.iterations,
        residual=found.residual,
        solver=found.solver,
        converged=found.residual <= TOLERANCE,
        notes=("workers are not known: single answers are discounted, not workers",),
    )
    return ranking.extended(
        RobustRanking,
        workers=(),
        reliability=np.zeros(0),
        trust=np.zeros(0),
        answers_per_worker=np.zeros(0, np.int64),
    )
