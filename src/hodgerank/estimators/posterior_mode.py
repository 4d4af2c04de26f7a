"""Maximum-likelihood scores, or the posterior mode under a Gaussian prior."""

from __future__ import annotations

import numpy as np

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.newton import Fit, maximise
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import LIKELIHOODS, likelihood_of
from hodgerank.types import FloatArray, IntArray

TOLERANCE = 1e-9
MAX_ITERATIONS = 100


def most_probable(
    graph: ComparisonGraph,
    link: str,
    ridge: float,
    components: IntArray,
    start: FloatArray,
    tolerance: float = TOLERANCE,
) -> tuple[Fit, NormalEquations]:
    """Return the scores, which sum to zero in each component, and the information matrix."""

    def equations(curvature: FloatArray) -> NormalEquations:
        return NormalEquations(graph.i, graph.j, curvature, components, ridge)

    fit = maximise(
        graph.i,
        graph.j,
        likelihood_of(LIKELIHOODS[link], graph.weights, (1 + graph.flows) / 2),
        lambda curvature, gradient, accuracy: equations(curvature).solution(
            gradient, tolerance=accuracy
        ),
        start=start,
        ridge=ridge,
        tolerance=tolerance,
        max_iterations=MAX_ITERATIONS,
    )
    return fit, equations(fit.curvature)


def posterior_mode(
    graph: ComparisonGraph,
    link: str,
    variance: float,
    start: FloatArray,
    tolerance: float = TOLERANCE,
) -> tuple[Fit, NormalEquations]:
    """Return the posterior mode under the prior N(0, variance), and the information matrix."""
    together = np.zeros(graph.n_items, np.int64)  # the prior connects all components
    return most_probable(graph, link, 1 / variance, together, start, tolerance)


def not_converged(fit: Fit) -> str:
    """Return the note on a fit that reached its iteration limit."""
    return f"not converged after {fit.iterations} steps (next step {fit.residual:.1e})"
