"""The null model: a consistent crowd of the same size.

Its votes follow Bradley-Terry probabilities, the simplest consistent model, fitted to the votes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.linalg.newton import maximise
from hodgerank.kernels.linalg.normal_equations import NormalEquations, effective_resistances
from hodgerank.kernels.links import likelihood_of, logistic_likelihood
from hodgerank.types import FloatArray

STEPS = 12


def matched_at(surplus: Callable[[float], float], widest: float) -> float:
    """Find the root of an increasing function between 0 and `widest`, by bisection.

    Accurate to a 4,000th of `widest`. Importing SciPy's root finders takes longer than it saves.
    """
    if surplus(0.0) >= 0:
        return 0.0
    low, high = 0.0, widest
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if surplus(middle) > 0 else (middle, high)
    return (low + high) / 2


ENOUGH_REPEATS = 30
PRIOR = 0.05  # precision of the scores, which keeps those of undefeated items finite


@dataclass(frozen=True, eq=False)
class NullModel:
    """Votes of a consistent crowd, one value per edge of the graph.

    Attributes
    ----------
    means, variances
        Mean and variance of a vote on the edge.
    size
        Votes are +-size, where size^2 is the mean squared outcome: 1 for plain choices, less with
        ties and grades.
    """

    means: FloatArray
    variances: FloatArray
    size: float


LEAST_SHARE = 1e-6
WIDEST = 2.0  # largest factor applied to fitted scores


def fit_null_model(graph: ComparisonGraph) -> NullModel:
    """Fit the null model to the votes.

    Noise makes fitted scores spread more than true ones. They are shrunk until the expected
    gradient energy equals that of the votes.
    """
    size = float(np.sqrt(graph.squares.sum() / graph.weights.sum())) or 1.0
    win_rates = (1 + np.clip(graph.flows / size, -1, 1)) / 2

    def equations(curvature: FloatArray) -> NormalEquations:
        return NormalEquations(graph.i, graph.j, curvature, graph.components, PRIOR)

    fit = maximise(
        graph.i,
        graph.j,
        likelihood_of(logistic_likelihood, graph.effective_counts, win_rates),
        lambda curvature, gradient, accuracy: equations(curvature).solution(
            gradient, tolerance=accuracy
        ),
        start=np.zeros(graph.n_items),
        ridge=PRIOR,
        tolerance=1e-4,
    )
    difference = fit.x[graph.i] - fit.x[graph.j]
    means = size * np.tanh(_matched_scale(graph, difference, size) * difference / 2)
    return NullModel(means, _variances(graph, means, size), size)


def _matched_scale(graph: ComparisonGraph, difference: FloatArray, size: float) -> float:
    """Return the shrinkage factor for which the expected gradient energy equals the observed.

    A vote adds noise to the gradient in proportion to the leverage of its edge.
    """
    n, equations = graph.n_items, graph.equations
    levers = graph.weights * effective_resistances(equations)

    def energy(flows: FloatArray) -> float:
        rhs = divergence(graph.i, graph.j, graph.weights * flows, n)
        return float(rhs @ equations.solve(rhs, tolerance=1e-6))

    observed = energy(graph.flows)

    def surplus(scale: float) -> float:
        means = size * np.tanh(scale * difference / 2)
        noise = graph.weights / graph.effective_counts * _variances(graph, means, size)
        return energy(means) + float(levers @ noise) - observed

    return matched_at(surplus, WIDEST)


def _variances(graph: ComparisonGraph, means: FloatArray, size: float) -> FloatArray:
    """Variance of a vote on each edge.

    That of a choice between +-size. Grades may vary less; with enough repeated votes, the variance
    within pairs shows by how much.
    """
    variances = size**2 - means**2
    is_plain = np.allclose(graph.squares, graph.weights)
    repeats = graph.effective_counts - 1
    if is_plain or repeats.sum() < ENOUGH_REPEATS:
        return variances
    within = graph.squares / graph.weights - graph.flows**2
    expected = repeats / graph.effective_counts * variances
    share = float(graph.counts @ within) / max(float(graph.counts @ expected), 1e-300)
    # Unanimous votes do not prove that there is no noise.
    return variances * min(max(share, LEAST_SHARE), 1.0)
