"""bayes_rank: scores with a prior that the answers choose, so that few answers are enough."""

from __future__ import annotations

import numpy as np

from hodgerank.errors import InvalidComparisons, require_positive
from hodgerank.estimators.covariance import ModelCovariance
from hodgerank.estimators.likelihood import TOLERANCE, most_probable, not_converged
from hodgerank.estimators.ranking import Ranking
from hodgerank.graph.building import build_graph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.log_determinant import log_determinant
from hodgerank.kernels.linalg.newton import Fit
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray, VotesLike

LINK = "thurstone-mosteller"
# What is believed of the variance of scores beforehand, and how widely: as a lognormal.
USUAL_VARIANCE = 0.5
SPREAD_OF_VARIANCE = 1.5
LAPLACE_ERROR = 0.5  # factors of two by which the most evident variance is easily off
NARROW = 1.0  # factors of two
FARTHEST = 12  # factors of two from the usual one
CLOSE_ENOUGH = 1e-4  # of scores to their mode, where the evidence hardly changes any more
EXACT_ITEMS = 500  # up to which determinants are exact


def bayes_rank(
    votes: VotesLike, *, ridge: float | None = None, confidence: float = 0.95
) -> Ranking:
    """Scores under the probit model with a Gaussian prior, for few answers or many.

    P(i beats j) is the standard normal distribution function of x_i - x_j, and the scores have
    prior N(0, v). Finds their most probable values and, around them, the Gaussian of the same
    curvature. v is the one the answers make most probable (Laplace's approximation of the
    evidence), so weak opinions are shrunk much and strong ones little. Thanks to the prior all
    items are ranked together, also those that no chain of comparisons joins yet: their uncertainty
    says so.

    Parameters
    ----------
    votes
        Comparisons, a ComparisonGraph, or anything `read_comparisons` takes. Items without any
        answer are ranked too.
    ridge
        1/v, the precision of the scores, if it is known.
    confidence
        Level of the intervals.

    Examples
    --------
    >>> ranking = bayes_rank([("a", "b", 1), ("a", "b", 1), ("c", "d", 1)])
    >>> ranking.items, ranking.n_components
    (('a', 'c', 'd', 'b'), 1)
    """
    if ridge is not None:
        require_positive(ridge, "ridge")
    graph = build_graph(votes)
    if not graph.n_items:
        raise InvalidComparisons("there are no items to rank")
    if ridge is not None:
        fit, equations = posterior_mode(graph, LINK, 1 / ridge, np.zeros(graph.n_items))
    else:
        evidence = Evidence(graph)
        peak, _ = evidence.peak()
        start = evidence.mode(round(peak))
        fit, equations = posterior_mode(graph, LINK, evidence.variance(peak), start)
    converged = fit.residual <= TOLERANCE
    return Ranking.from_scores(
        graph,
        fit.x,
        ModelCovariance(equations, 1.0),
        joined=True,
        model="maximum a posteriori",
        link=LINK,
        confidence=confidence,
        ridge=equations.ridge,
        iterations=fit.iterations,
        residual=fit.residual,
        solver=fit.solver,
        converged=converged,
        notes=() if converged else (not_converged(fit),),
    )


class Evidence:
    """How probable the answers are for each prior variance, in factors of two of the usual one."""

    def __init__(self, graph: ComparisonGraph) -> None:
        self.graph = graph
        self._fits: dict[int, tuple[float, Fit]] = {}

    def __getitem__(self, k: int) -> float:
        """Log evidence plus log prior of the variance `USUAL_VARIANCE` 2^k."""
        if k not in self._fits:
            nearest = min(self._fits, key=lambda other: abs(other - k), default=None)
            start = np.zeros(self.graph.n_items) if nearest is None else self.mode(nearest)
            fit, _ = posterior_mode(self.graph, LINK, self.variance(k), start, CLOSE_ENOUGH)
            belief = -0.5 * (k * np.log(2) / SPREAD_OF_VARIANCE) ** 2
            self._fits[k] = _log_evidence(self.graph, fit, self.variance(k)) + belief, fit
        return self._fits[k][0]

    def mode(self, k: int) -> FloatArray:
        """The most probable scores there."""
        return self._fits[k][1].x

    @staticmethod
    def variance(k: float) -> float:
        """The variance at a place of the list."""
        return float(USUAL_VARIANCE * 2.0**k)

    def peak(self) -> tuple[float, float]:
        """Where it is highest, between places, and its width as that of a normal density.

        Climbing from the usual place; at the top of the parabola through the three highest.
        """
        k = 0
        while abs(k) < FARTHEST:
            better = max((k - 1, k + 1), key=self.__getitem__)
            if self[better] <= self[k]:
                break
            k = better
        below, at, above = (self[place] for place in (k - 1, k, k + 1))
        bend = max(2 * at - above - below, 1e-12)
        return k + float(np.clip(0.5 * (above - below) / bend, -1, 1)), bend**-0.5


def variance_beliefs(graph: ComparisonGraph) -> tuple[FloatArray, FloatArray]:
    """Prior variances that the answers leave possible, and their probabilities."""
    evidence = Evidence(graph)
    peak, width = evidence.peak()
    width = float(np.hypot(width, LAPLACE_ERROR))
    if width < NARROW:  # it is a normal distribution then
        steps = np.arange(-2, 3)
        places = (peak + width * steps).tolist()
        heights = -0.5 * steps**2
    else:
        places = list(range(round(peak) - 3, round(peak) + 4))
        heights = np.array([evidence[k] for k in places])
    weights = np.exp(heights - heights.max())
    return np.array([evidence.variance(k) for k in places]), weights / weights.sum()


def _log_evidence(graph: ComparisonGraph, fit: Fit, variance: float) -> float:
    """Laplace: ln P(answers | x) - |x|^2 / 2v - 1/2 ln det (I + v H) at the mode."""
    n, curvature = graph.n_items, variance * fit.curvature
    if n <= EXACT_ITEMS:
        matrix = np.zeros((n, n))
        matrix[graph.i, graph.j] = -curvature
        matrix += matrix.T
        matrix[np.diag_indices(n)] = 1 - matrix.sum(axis=0)
        with few_threads(n):
            log_det = 2 * float(np.log(np.diag(np.linalg.cholesky(matrix))).sum())
    else:
        log_det = log_determinant(graph.i, graph.j, curvature, n, 1.0)
    return fit.value - log_det / 2


def posterior_mode(
    graph: ComparisonGraph,
    link: str,
    variance: float,
    start: FloatArray,
    tolerance: float = TOLERANCE,
) -> tuple[Fit, NormalEquations]:
    """The most probable scores under prior N(0, variance), and the information there."""
    together = np.zeros(graph.n_items, np.int64)  # the prior joins all components
    return most_probable(graph, link, 1 / variance, together, start, tolerance)
