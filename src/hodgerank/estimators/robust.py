"""robust_rank: a ranking that resists outlying votes and unreliable workers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.estimators.belief import Belief, FoundBelief, NormalBelief
from hodgerank.estimators.covariance import (
    ClusteredCovariance,
    Covariance,
    CovarianceKind,
    ModelCovariance,
    clustered_or_model,
    covariance_kind,
)
from hodgerank.estimators.dispersion import in_votes, tempered
from hodgerank.estimators.huber import TOLERANCE
from hodgerank.estimators.least_squares import PROBIT
from hodgerank.estimators.likelihood import slopes_of
from hodgerank.estimators.outliers import outliers_among
from hodgerank.estimators.prediction import Prediction
from hodgerank.estimators.ranking import Ranking
from hodgerank.estimators.worker_weights import weighed_by_trust
from hodgerank.estimators.workers.worker_cells import WorkerCells
from hodgerank.estimators.workers.worker_types import FEWEST_VOTES, WorkerTypes, worker_types
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import Components, graph_to_rank
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray, IntArray, Item, VotesLike

LOW = 0.7  # reliability below which a worker is listed as unreliable


@dataclass(frozen=True, eq=False, repr=False)
class RobustRanking(Ranking):
    """A ranking with the reliability of the workers.

    Attributes
    ----------
    workers, reliability
        The workers, and how far their votes follow the common scores: 1 honest, 1/2 random, 0
        adversarial.
    trust
        Weight of the worker's votes: 1 full, 0 left out, negative reversed.
    """

    workers: tuple[Item, ...]
    reliability: FloatArray
    trust: FloatArray
    votes_per_worker: IntArray

    @property
    def unreliable(self) -> tuple[Item, ...]:
        """Workers of low reliability with enough votes, least reliable first."""
        low = (self.reliability < LOW) & (self.votes_per_worker >= FEWEST_VOTES)
        order = np.argsort(self.reliability, kind="stable")
        return tuple(self.workers[k] for k in order if low[k])


def robust_rank(
    votes: VotesLike,
    *,
    components: Components = "connected",
    covariance: CovarianceKind | None = None,
    confidence: float = 0.95,
) -> RobustRanking:
    """Rank items robustly against careless or adversarial workers and outlying votes.

    If workers are known: Bradley-Terry scores by EM over types of workers (honest, random,
    adversarial); votes without a worker are trusted. Otherwise: Huber regression, which bounds the
    influence of each vote, with the penalty of `find_outliers`; it corrects single slips, but not
    an adversarial fifth of the crowd. Margins are always ranked by Huber regression. Intervals
    treat the estimated types as known.

    Parameters
    ----------
    votes
        Comparisons, or anything `read_comparisons` accepts.
    components, covariance, confidence
        As in `hodge_rank`; 'worker' accounts for differences in taste.

    Examples
    --------
    >>> import hodgerank as hr
    >>> crowd = {"honest": 8, "adversarial": 2}
    >>> votes = hr.simulate_comparisons(8, 400, spread=3, workers=crowd, rng=0)
    >>> sorted(robust_rank(votes).unreliable)
    ['adversarial-01', 'adversarial-02']
    """
    answered = AnsweredGraph.of(read_ungrouped(votes))
    graph_to_rank(answered.graph, components)
    kind, _ = covariance_kind(answered.votes, covariance)
    if not answered.votes.n_workers or answered.votes.report.margin_unit is not None:
        return _huber_ranking(answered, kind, covariance, confidence)
    return _ranking_by_trust(answered, components, kind, covariance, confidence)


def _ranking_by_trust(
    answered: AnsweredGraph,
    components: Components,
    kind: CovarianceKind,
    wanted: CovarianceKind | None,
    confidence: float,
) -> RobustRanking:
    """Fit Bradley-Terry scores to the votes of trusted workers, given by `worker_types`."""
    votes = answered.votes
    cells = WorkerCells.of(answered)
    types = worker_types(cells)
    # only ratios of weights matter: they are rescaled to the effective number of votes
    unit = float(cells.weight_squares.sum() / cells.weights.sum())
    trusted = tempered(cells.trusting(types.trust), unit)
    if components == "connected" and types.ranking.n_components > 1:
        trusted.require_connected()
    model = types.ranking._covariance
    assert isinstance(model, ModelCovariance)
    uncertainty: Covariance = model
    if kind != "model":
        clustered = _clustered_by(kind, votes, types, unit, model)
        uncertainty = clustered_or_model(model, clustered, wanted)
    fit, converged = types.ranking, types.converged and types.ranking.converged
    ranking = Ranking.from_scores(
        trusted,
        fit.scores[fit.positions(trusted.items)],
        uncertainty,
        model="maximum a posteriori, robust",
        link=fit.link,
        confidence=confidence,
        ridge=fit.ridge,
        dispersion=fit.dispersion,
        belief=FoundBelief(trusted, fit.link, clustered=uncertainty, model=model),
        iterations=types.iterations,
        residual=fit.residual,
        solver=fit.solver,
        converged=converged,
        undefeated=fit.undefeated,
        winless=fit.winless,
        notes=() if converged else (f"not converged after {types.iterations} rounds",),
    )
    return ranking.counting(answered.graph).extended(
        RobustRanking,
        workers=votes.workers,
        reliability=types.reliability,
        trust=types.trust,
        votes_per_worker=cells.per_worker(cells.votes).astype(np.int64),
    )


def _clustered_by(
    kind: Literal["worker", "ballot"],
    votes: Comparisons,
    types: WorkerTypes,
    unit: float,
    model: ModelCovariance,
) -> ClusteredCovariance:
    """Return the sandwich of votes weighted, and reversed, by trust."""
    answers, trust = weighed_by_trust(votes, types.trust)
    scores = types.ranking.scores[types.ranking.positions(votes.items)]
    slopes = trust / unit * slopes_of(answers, "bradley-terry", scores)
    # the information of the model is that of votes with the dispersion
    return ClusteredCovariance(model.equations, answers, slopes / types.ranking.dispersion, kind)


def _huber_ranking(
    answered: AnsweredGraph,
    kind: CovarianceKind,
    wanted: CovarianceKind | None,
    confidence: float,
) -> RobustRanking:
    """Minimise the Huber loss; the covariance is that of an M-estimator."""
    found = outliers_among(answered)
    votes, graph = answered.votes, answered.graph
    difference = found.scores[votes.left] - found.scores[votes.right]
    clipped = votes.outcome - found.excess - difference
    freedom = max(graph.n_votes - graph.n_items + graph.n_components, 1)
    # share of votes that are not clipped
    kept = max(1 - float(found.flagged @ votes.votes_per_row) / graph.n_votes, 0.1)
    is_margin = votes.report.margin_unit is not None
    # never exactly without noise: one vote has the largest variance of a choice
    one = float(graph.weights.sum()) / graph.n_votes
    squares = float(votes.total_weight @ clipped**2)
    if is_margin:
        one, squares = np.inf, squares or float(graph.squares.sum()) / graph.n_votes or 1.0
    variance = max(squares, 0.0 if is_margin else one) / freedom / kept**2
    model = ModelCovariance(graph.equations, variance, freedom, one)
    uncertainty: Covariance = model
    if kind != "model":
        slopes = votes.total_weight * clipped / kept
        clustered = ClusteredCovariance(graph.equations, votes, slopes, kind)
        uncertainty = clustered_or_model(model, clustered, wanted)
    belief: Belief
    prediction = None
    if is_margin:
        belief = NormalBelief(found.scores, uncertainty, model)
    else:
        seen = replace(votes, outcome=np.clip(votes.outcome - found.excess, -1.0, 1.0))
        seen_graph = in_votes(ComparisonGraph.from_comparisons(seen))
        belief = FoundBelief(seen_graph, PROBIT, clustered=uncertainty, model=model)
        prediction = Prediction(graph, found.scores, graph.equations, "uniform")
    what = "margins are discounted, and workers are not assessed"
    if not is_margin:
        what = "votes are discounted, not workers"
    ranking = Ranking.from_scores(
        graph,
        found.scores,
        uncertainty,
        model="Huber regression",
        link="uniform",
        confidence=confidence,
        residual_sd=float(np.sqrt(variance)) * kept if is_margin else None,
        belief=belief,
        prediction=prediction,
        iterations=found.iterations,
        residual=found.residual,
        solver=found.solver,
        converged=found.residual <= TOLERANCE,
        notes=("workers are not recorded: " * (not is_margin) + f"outlying {what}",),
    )
    return ranking.extended(
        RobustRanking,
        workers=(),
        reliability=np.zeros(0),
        trust=np.zeros(0),
        votes_per_worker=np.zeros(0, np.int64),
    )
