"""Separate scores of every population, and how uncertain they and their differences are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hodgerank.estimators.belief import FoundBelief
from hodgerank.estimators.comparing.contrasts import contrasts
from hodgerank.estimators.comparing.populations import Populations
from hodgerank.estimators.comparing.shared_scores import RIDGE, SharedScores, acuities
from hodgerank.estimators.comparing.spread import AnswerSpread, Spread, WorkerSpread
from hodgerank.estimators.covariance import ModelCovariance
from hodgerank.estimators.most_probable import most_probable
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.newton import Fit
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.models.links import logistic_likelihood
from hodgerank.types import FloatArray

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
