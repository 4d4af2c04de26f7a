"""Evidence: how far scores spread, by what the answers make probable."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hodgerank.estimators.dispersion import CLOSE_ENOUGH, USUAL_VARIANCE, dispersion_of, tempered
from hodgerank.estimators.most_probable import posterior_mode
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.log_determinant import log_determinant
from hodgerank.kernels.linalg.newton import Fit
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.types import FloatArray

SPREAD_OF_VARIANCE = 1.5  # standard deviation of what is believed of its logarithm beforehand
LAPLACE_ERROR = 0.5  # factors of two by which the most evident variance is easily off
NARROW = 1.0  # factors of two
KNOWN = 0.7  # width in factors of two below which the variance is as good as known
IMPOSSIBLE = 5.0  # nats below the peak
FARTHEST = 12  # factors of two from the usual one
EXACT_ITEMS = 500  # up to which determinants are exact


class Evidence:
    """How probable the answers are for each prior variance, in factors of two of the usual one."""

    def __init__(self, graph: ComparisonGraph, link: str) -> None:
        self.graph, self.link = graph, link
        self._fits: dict[int, tuple[float, Fit]] = {}

    def __getitem__(self, k: int) -> float:
        """Log evidence plus log prior of the usual variance times 2^k."""
        if k not in self._fits:
            nearest = min(self._fits, key=lambda other: abs(other - k), default=None)
            start = np.zeros(self.graph.n_items) if nearest is None else self.mode(nearest)
            fit, _ = posterior_mode(self.graph, self.link, self.variance(k), start, CLOSE_ENOUGH)
            belief = -0.5 * (k * np.log(2) / SPREAD_OF_VARIANCE) ** 2
            self._fits[k] = _log_evidence(self.graph, fit, self.variance(k)) + belief, fit
        return self._fits[k][0]

    def mode(self, k: int) -> FloatArray:
        """The most probable scores there."""
        return self._fits[k][1].x

    def equations(self, k: int) -> NormalEquations:
        """The information there."""
        graph, together = self.graph, np.zeros(self.graph.n_items, np.int64)
        curvature = self._fits[k][1].curvature
        return NormalEquations(graph.i, graph.j, curvature, together, 1 / self.variance(k))

    def variance(self, k: float) -> float:
        """The variance at a place of the list."""
        return float(USUAL_VARIANCE[self.link] * 2.0**k)

    @cached_property
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
        return k + float(np.clip(0.5 * (above - below) / bend, -1, 1)), float(bend**-0.5)

    @cached_property
    def best(self) -> tuple[Fit, NormalEquations]:
        """The fit at the peak."""
        peak, _ = self.peak
        start = self.mode(round(peak))
        return posterior_mode(self.graph, self.link, self.variance(peak), start)

    @property
    def knows_the_variance(self) -> bool:
        """Whether it makes no difference that the variance is not quite certain."""
        return self.graph.n_items > EXACT_ITEMS or self.peak[1] < KNOWN

    def possible(self) -> tuple[list[int], FloatArray]:
        """Places that the answers leave possible, and their probabilities."""
        low = high = round(self.peak[0])
        least = self[low] - IMPOSSIBLE
        while low > -FARTHEST and self[low - 1] > least:
            low -= 1
        while high < FARTHEST and self[high + 1] > least:
            high += 1
        places = list(range(low, high + 1))
        return places, _shares(np.array([self[k] for k in places]))


def variance_beliefs(graph: ComparisonGraph, link: str) -> tuple[FloatArray, FloatArray]:
    """Prior variances that the answers leave possible, and their probabilities."""
    evidence = Evidence(tempered(graph, dispersion_of(graph, link)), link)
    peak, width = evidence.peak
    width = float(np.hypot(width, LAPLACE_ERROR))
    heights: FloatArray
    if width < NARROW:  # it is a normal distribution then
        steps = np.arange(-2.0, 3.0)
        places = (peak + width * steps).tolist()
        heights = -0.5 * steps**2
    else:
        places = list(range(round(peak) - 3, round(peak) + 4))
        heights = np.array([evidence[k] for k in places])
    return np.array([evidence.variance(k) for k in places]), _shares(heights)


def _shares(heights: FloatArray) -> FloatArray:
    weights = np.exp(heights - heights.max())
    return np.asarray(weights / weights.sum())


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
