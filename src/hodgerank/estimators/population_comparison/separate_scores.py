"""Separate scores of every population, with standard errors of scores and differences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.estimators.belief import FoundBelief
from hodgerank.estimators.covariance import ModelCovariance
from hodgerank.estimators.population_comparison.evidence import contrast_variances, contrasts
from hodgerank.estimators.population_comparison.populations import Populations
from hodgerank.estimators.population_comparison.shared_scores import RIDGE, SharedScores, acuities
from hodgerank.estimators.posterior_mode import most_probable
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.edges import sums_at_ends
from hodgerank.kernels.linalg.newton import Fit
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import logistic_likelihood
from hodgerank.types import BoolArray, FloatArray


class Spread(Protocol):
    """Variances of the scores, given the information about them.

    Slopes are derivatives of each vote's log-likelihood at the fitted scores.
    """

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """Return the variance of scores fitted to some votes, relative to the model's."""

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """Return the variances of each population's contrast with the others, by item."""


class VoteSpread:
    """Independent votes.

    A plain choice has binomial variance. With ties and grades the variance is smaller; it is
    estimated from the residuals.
    """

    def __init__(self, crowds: Populations, slopes: FloatArray, curvatures: FloatArray) -> None:
        freedom = len(slopes) - len(crowds.names) * (crowds.n_items - 1)
        self._inflation = 1.0
        if freedom > 0 and not (np.abs(crowds.outcome) == 1).all():
            found = float((slopes**2 / crowds.weight).sum() / curvatures.sum())
            self._inflation = found * len(slopes) / freedom

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """Return the dispersion, which is the same for all populations."""
        return self._inflation

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """Return variances of contrasts between independent populations."""
        variances = np.array([np.diag(inverse) for inverse in inverses])
        return self._inflation * contrast_variances(variances)


class WorkerSpread:
    """Votes that are correlated within each worker.

    Uses the trace of the clustered sandwich relative to that of the inverse information, which is
    stable with a handful of workers; single variances of the sandwich would need tens. The
    inflation is at least that of independent votes, since workers may agree by chance.
    """

    def __init__(self, crowds: Populations, answers: VoteSpread) -> None:
        self._answers = answers
        unknown = crowds.worker == NO_WORKER
        alone = crowds.worker.max() + np.cumsum(unknown)  # one worker for each such vote
        _, self._worker = np.unique(np.where(unknown, alone, crowds.worker), return_inverse=True)
        self._crowds = crowds

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """Return the inflation, averaged over the items."""
        influence = self._influence(slopes, rows, inverse)
        found = float(np.einsum("wi,wi->", influence, influence) / np.trace(inverse))
        return max(found, self._answers.inflation(slopes, rows, inverse))

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """Return variances of contrasts; workers in several populations partly cancel in them."""
        influences = [
            self._influence(slopes, self._crowds.population == g, inverse)
            for g, inverse in enumerate(inverses)
        ]
        of_contrasts = contrasts(np.array(influences))
        model = contrast_variances(np.array([np.diag(inverse) for inverse in inverses]))
        spread = np.einsum("gwi,gwi->g", of_contrasts, of_contrasts)
        found = model * (spread / model.sum(axis=1))[:, None]
        return np.asarray(np.maximum(found, self._answers.contrast_variances(slopes, inverses)))

    def _influence(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> FloatArray:
        """Return the influence of each worker on the scores, corrected for degrees of freedom."""
        worker, edge = self._worker[rows], self._crowds.edge[rows]
        shape = self._crowds.n_items, int(self._worker.max()) + 1
        i, j = self._crowds.i[edge], self._crowds.j[edge]
        gradients = sums_at_ends(i, j, slopes[rows], worker, shape)
        n_workers, freedom = len(np.unique(worker)), self._crowds.n_items - 1
        taken_out = n_workers / (n_workers - 1) * len(edge) / max(len(edge) - freedom, 1)
        return np.asarray(gradients.T @ (inverse * np.sqrt(taken_out)))


LINK = "bradley-terry"
TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class SeparateScores:
    """Rankings, and the contrast of each population with the others beyond acuity.

    Attributes
    ----------
    rankings
        Ranking by population.
    scores
        Scores by population and item, in the item order of `Populations`.
    acuity
        s_g, for which s_g c is closest to most scores of population g.
    common
        The common ranking.
    differences, errors
        Contrasts and their standard errors, shaped as `scores`.
    """

    rankings: tuple[Ranking, ...]
    scores: FloatArray
    acuity: FloatArray
    common: Ranking
    differences: FloatArray
    errors: FloatArray


def fit_apart(crowds: Populations) -> list[tuple[Fit, NormalEquations]]:
    """Fit each population separately; return scores and information."""
    labels, start = np.zeros(crowds.n_items, np.int64), np.zeros(crowds.n_items)
    return [most_probable(graph, LINK, RIDGE, labels, start, TOLERANCE) for graph in crowds.graphs]


def separate_scores(
    crowds: Populations,
    apart: list[tuple[Fit, NormalEquations]],
    shared: SharedScores,
    *,
    by_worker: bool,
    confidence: float,
) -> SeparateScores:
    """Assemble the fits of `fit_apart`; variances are the model's times the inflation."""
    fits, systems = zip(*apart, strict=True)
    scores = np.array([fit.x for fit in fits])
    slopes, curvatures = _derivatives(crowds, scores)
    answers = VoteSpread(crowds, slopes, curvatures)
    spread: Spread = WorkerSpread(crowds, answers) if by_worker else answers
    rankings = []
    for g, graph in enumerate(crowds.graphs):
        inflation = spread.inflation(slopes, crowds.population == g, systems[g].inverse)
        rankings.append(_ranking(graph, fits[g], systems[g], inflation, confidence))
    about_shared = shared.information(crowds)
    everybody = np.ones(len(crowds.edge), bool)
    weighted = shared.acuity[crowds.population] * shared.slopes
    inflation = spread.inflation(weighted, everybody, about_shared.inverse)
    information = crowds.sums(curvatures)
    acuity = acuities(shared.scores, apart) if shared.own_acuity else np.ones(len(scores))
    inverses = [shared.invert(crowds, part)[0] for part in information]
    return SeparateScores(
        rankings=tuple(rankings),
        scores=scores,
        acuity=acuity,
        common=_ranking(crowds.pooled, shared.fit, about_shared, inflation, confidence),
        differences=contrasts(scores - acuity[:, None] * shared.scores),
        errors=np.sqrt(spread.contrast_variances(slopes, inverses)),
    )


def _derivatives(crowds: Populations, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slope and curvature of each vote's log-likelihood at its population's scores."""
    i, j = crowds.i[crowds.edge], crowds.j[crowds.edge]
    difference = scores[crowds.population, i] - scores[crowds.population, j]
    _, slope, curvature = logistic_likelihood(difference, (1 + crowds.outcome) / 2)
    return crowds.weight * slope, crowds.weight * curvature


def _ranking(
    graph: ComparisonGraph,
    fit: Fit,
    information: NormalEquations,
    inflation: float,
    confidence: float,
) -> Ranking:
    covariance, model = (ModelCovariance(information, scale) for scale in (inflation, 1.0))
    return Ranking.from_scores(
        graph,
        fit.x,
        covariance,
        belief=FoundBelief(graph, LINK, clustered=covariance, model=model),
        model="maximum a posteriori",
        link=LINK,
        confidence=confidence,
        ridge=RIDGE,
        iterations=fit.iterations,
        residual=fit.residual,
        solver=fit.solver,
        converged=fit.residual <= TOLERANCE,
        notes=(f"standard errors are {np.sqrt(inflation):.2f} times those of the model",),
    )
