"""Dispersion of ties and graded votes relative to choices, as in quasi-likelihood.

A vote with mean m has variance 1 - m^2 if it is +1 or -1, and less if it may lie in between.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hodgerank.estimators.posterior_mode import posterior_mode
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

# Unanimous votes do not prove that there is no noise.
LEAST = 0.02
ROUNDING = 1e-12
CLOSE_ENOUGH = 1e-4  # accuracy of the mode
# Prior variance of the scores before it is estimated from the votes. Three recorded data sets have
# .42 (reading level), .63 (pc-vqa) and 1.64 (pc-iqa) under the probit model.
USUAL_VARIANCE = {"thurstone-mosteller": 0.5, "bradley-terry": 1.4}


def are_choices(graph: ComparisonGraph) -> bool:
    """Whether every vote is a plain choice, neither a tie nor a grade."""
    return float(graph.squares.sum()) >= (1 - ROUNDING) * float(graph.weights.sum())


def dispersion_around(graph: ComparisonGraph, means: FloatArray, parameters: float) -> float:
    """Pearson's estimate: squared residuals over those of choices with these means.

    The degrees of freedom are the votes minus `parameters`. One pseudo-vote with the variance of a
    choice is added. The result is at most 1, the largest dispersion of votes from -1 to 1.
    """
    if are_choices(graph):
        return 1.0
    residuals = graph.squares - (2 * graph.flows - means) * graph.weights * means
    return pearson(residuals, graph.weights, means, parameters, graph.n_votes)


def pearson(
    residuals: FloatArray, weights: FloatArray, means: FloatArray, parameters: float, answers: int
) -> float:
    """Pearson's estimate from weighted squared residuals, summed over any groups of votes."""
    freedom = max(1 - parameters / answers, 0.0)
    expected = freedom * float(np.sum(weights * (1 - means**2)))
    one = float(weights.sum()) / answers
    return float(np.clip((float(residuals.sum()) + one) / (expected + one), LEAST, 1.0))


def dispersion_of(graph: ComparisonGraph, link: str) -> float:
    """The dispersion around scores that the default prior keeps finite."""
    if are_choices(graph):
        return 1.0
    variance = USUAL_VARIANCE[link]
    fit, equations = posterior_mode(graph, link, variance, np.zeros(graph.n_items), CLOSE_ENOUGH)
    # effective number of parameters: each counts by the share of variance that the votes removed
    kept = float(equations.inverse_diagonal.values.sum()) / variance
    return dispersion_around(graph, fitted_means(graph, link, fit.x), graph.n_items - 1 - kept)


def fitted_means(graph: ComparisonGraph, link: str, scores: FloatArray) -> FloatArray:
    """Expected vote on each edge under the scores."""
    return np.asarray(2 * LINKS[link].cdf(scores[graph.i] - scores[graph.j]) - 1)


def in_votes(graph: ComparisonGraph) -> ComparisonGraph:
    """Rescale the weights to sum to the effective number of votes."""
    return tempered(graph, float(graph.weight_squares.sum() / graph.weights.sum()))


def tempered(graph: ComparisonGraph, dispersion: float) -> ComparisonGraph:
    """Divide the weights by the dispersion, so that they count equivalent choices."""
    if dispersion == 1:
        return graph
    return replace(
        graph,
        weights=graph.weights / dispersion,
        weight_squares=graph.weight_squares / dispersion**2,
        squares=graph.squares / dispersion,
    )
