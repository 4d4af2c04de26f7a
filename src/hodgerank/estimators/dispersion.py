"""How much less ties and grades vary than choices: the dispersion of quasi-likelihood.

An answer of mean m varies by 1 - m^2 if it is +1 or -1, and by less if it may lie between.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hodgerank.estimators.posterior_mode import posterior_mode
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

# Answers that all agree do not show that there is no noise.
LEAST = 0.02
ROUNDING = 1e-12
CLOSE_ENOUGH = 1e-4  # of scores to their mode
# Variance of the scores that is believed in until the answers have said more.
USUAL_VARIANCE = {"thurstone-mosteller": 0.5, "bradley-terry": 1.4}


def are_choices(graph: ComparisonGraph) -> bool:
    """Whether every answer is a plain choice, neither a tie nor a grade."""
    return float(graph.squares.sum()) >= (1 - ROUNDING) * float(graph.weights.sum())


def dispersion_around(graph: ComparisonGraph, means: FloatArray, parameters: float) -> float:
    """Pearson's estimate: squared residuals over those of choices with these means.

    With as many degrees of freedom as answers leave over after fitting `parameters`, and one
    pseudo-answer that varies as a choice does. Never above 1, which no answer from -1 to 1 exceeds.
    """
    if are_choices(graph):
        return 1.0
    residuals = graph.squares - (2 * graph.flows - means) * graph.weights * means
    return pearson(residuals, graph.weights, means, parameters, graph.n_votes)


def pearson(
    residuals: FloatArray, weights: FloatArray, means: FloatArray, parameters: float, answers: int
) -> float:
    """The same from weighted squared residuals of answers that are summed up in whatever way."""
    freedom = max(1 - parameters / answers, 0.0)
    expected = freedom * float(np.sum(weights * (1 - means**2)))
    one = float(weights.sum()) / answers
    return float(np.clip((float(residuals.sum()) + one) / (expected + one), LEAST, 1.0))


def dispersion_of(graph: ComparisonGraph, link: str) -> float:
    """The dispersion around scores that the usual prior keeps finite."""
    if are_choices(graph):
        return 1.0
    variance = USUAL_VARIANCE[link]
    fit, equations = posterior_mode(graph, link, variance, np.zeros(graph.n_items), CLOSE_ENOUGH)
    # each parameter counts by the share of its variance that the answers removed
    kept = float(equations.inverse_diagonal.values.sum()) / variance
    return dispersion_around(graph, fitted_means(graph, link, fit.x), graph.n_items - 1 - kept)


def fitted_means(graph: ComparisonGraph, link: str, scores: FloatArray) -> FloatArray:
    """Mean answer to each edge by the scores."""
    return np.asarray(2 * LINKS[link].cdf(scores[graph.i] - scores[graph.j]) - 1)


def in_answers(graph: ComparisonGraph) -> ComparisonGraph:
    """The graph with weights in a unit in which they sum to the effective number of answers."""
    return tempered(graph, float(graph.weight_squares.sum() / graph.weights.sum()))


def tempered(graph: ComparisonGraph, dispersion: float) -> ComparisonGraph:
    """The graph whose answers count as many choices as they are worth."""
    if dispersion == 1:
        return graph
    return replace(
        graph,
        weights=graph.weights / dispersion,
        weight_squares=graph.weight_squares / dispersion**2,
        squares=graph.squares / dispersion,
    )
