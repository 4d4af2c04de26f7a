"""Separate scores of every population, and how uncertain they and their differences are."""

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
    """From the information about scores to their variances.

    Slopes are those of each answer's log-likelihood at the scores, as fitted.
    """

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """Variance of scores fitted to some answers, over what the information says."""

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """Of each population's contrast with the others, by item."""


class AnswerSpread:
    """Each answer varies by itself.

    A plain choice has the variance that its probability gives it; where there are ties and grades,
    the residuals say by how much less they vary.
    """

    def __init__(self, crowds: Populations, slopes: FloatArray, curvatures: FloatArray) -> None:
        freedom = len(slopes) - len(crowds.names) * (crowds.n_items - 1)
        self._inflation = 1.0
        if freedom > 0 and not (np.abs(crowds.outcome) == 1).all():
            found = float((slopes**2 / crowds.weight).sum() / curvatures.sum())
            self._inflation = found * len(slopes) / freedom

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """The same for all."""
        return self._inflation

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """As of independent populations."""
        variances = np.array([np.diag(inverse) for inverse in inverses])
        return self._inflation * contrast_variances(variances)


class WorkerSpread:
    """Each worker with all of his answers varies around the scores.

    The trace of the clustered sandwich over that of the inverse information, which a handful of
    workers tells already; the single variances of the sandwich would need tens of them. Workers who
    happen to agree vary no less than their answers do.
    """

    def __init__(self, crowds: Populations, answers: AnswerSpread) -> None:
        self._answers = answers
        unknown = crowds.worker == NO_WORKER
        alone = crowds.worker.max() + np.cumsum(unknown)  # a worker for each such answer
        _, self._worker = np.unique(np.where(unknown, alone, crowds.worker), return_inverse=True)
        self._crowds = crowds

    def inflation(self, slopes: FloatArray, rows: BoolArray, inverse: FloatArray) -> float:
        """On average over the items."""
        influence = self._influence(slopes, rows, inverse)
        found = float(np.einsum("wi,wi->", influence, influence) / np.trace(inverse))
        return max(found, self._answers.inflation(slopes, rows, inverse))

    def contrast_variances(self, slopes: FloatArray, inverses: list[FloatArray]) -> FloatArray:
        """Workers who are in several populations take part of their taste out of the contrast."""
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
        """What each worker adds to the scores, larger by what fitting them took out of it."""
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
    """Rankings, and each population's contrast with the others beyond acuity.

    Attributes
    ----------
    rankings
        By population.
    scores
        By population and item, the items as in `Populations`.
    acuity
        s_g, where s_g c is what comes nearest to most scores of population g.
    common
        The ranking that all share.
    differences, errors
        As `scores`.
    """

    rankings: tuple[Ranking, ...]
    scores: FloatArray
    acuity: FloatArray
    common: Ranking
    differences: FloatArray
    errors: FloatArray


def fit_apart(crowds: Populations) -> list[tuple[Fit, NormalEquations]]:
    """Scores of each population by itself, and the information about them."""
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
    """From the fits of `fit_apart`; variances are the model's, times how much answers spread."""
    fits, systems = zip(*apart, strict=True)
    scores = np.array([fit.x for fit in fits])
    slopes, curvatures = _derivatives(crowds, scores)
    answers = AnswerSpread(crowds, slopes, curvatures)
    spread: Spread = WorkerSpread(crowds, answers) if by_worker else answers
    rankings = []
    for g, graph in enumerate(crowds.graphs):
        inflation = spread.inflation(slopes, crowds.population == g, systems[g].inverse)
        rankings.append(_ranking(graph, fits[g], systems[g], inflation, confidence))
    about_shared = shared.information(crowds)
    everybody = np.ones(len(crowds.edge), bool)
    pull = shared.acuity[crowds.population] * shared.slopes
    inflation = spread.inflation(pull, everybody, about_shared.inverse)
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
    """Slope and curvature of each answer's log-likelihood at its population's scores."""
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
