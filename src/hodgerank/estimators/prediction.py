"""Predictions of scores that are not on the scale of a model: through one fitted temperature.

Least-squares scores say which item is better and by how much, but a difference of 1 is not a
certainty: P(i beats j) = 1 / (1 + exp(-temperature (x_i - x_j))), with the temperature that would
have predicted each answer best from all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hodgerank.estimators.covariance import Equations
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

UNPREDICTED = 1 - 1e-9  # leverage of an answer that nothing else foretells
# What one pseudo-answer at a typical difference speaks for, so that no temperature is infinite.
USUAL = 1.0
CLOSE = 1e-9
MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class Prediction:
    """How to get from score differences to probabilities.

    Attributes
    ----------
    scores, equations
        The fit, by the order of the graph's items.
    link
        In whose scale the scores are.
    """

    graph: ComparisonGraph
    scores: FloatArray
    equations: Equations
    link: str

    @cached_property
    def temperature(self) -> float:
        """Of largest likelihood, each answer being predicted from the others; 0 or more."""
        graph, scores = self.graph, self.scores
        difference = scores[graph.i] - scores[graph.j]
        typical = float(np.sqrt(np.mean(difference**2)))
        if not typical:
            return 0.0
        leverage = np.minimum(self._resistances * graph.weights / graph.counts, UNPREDICTED)
        is_predicted = leverage < UNPREDICTED
        # answers of an edge count as +-grade, with the grade and their shares such that sum and
        # sum of squares are right
        grade = np.sqrt(graph.squares / graph.weights)
        lean = np.divide(graph.flows, grade, out=np.zeros_like(grade), where=grade > 0)
        usual = float(LINKS["bradley-terry"].cdf(np.asarray(USUAL * typical)))
        margins, weights = [np.array([typical, -typical])], [np.array([usual, 1 - usual])]
        for sign in (1.0, -1.0):
            flow = LINKS[self.link].quantile((1 + sign * np.minimum(grade, 1.0)) / 2)
            by_others = (difference - leverage * flow) / (1 - leverage) * is_predicted
            answers = graph.effective_counts * (1 + sign * lean) / 2
            margins += [by_others, -by_others]
            weights += [answers * (1 + sign * grade) / 2, answers * (1 - sign * grade) / 2]
        weight = np.concatenate(weights)
        is_given = weight > 0  # which of two answers, choices are never both
        return _best_slope(np.concatenate(margins)[is_given], weight[is_given])

    @property
    def _resistances(self) -> FloatArray:
        """Variance of each edge's difference if an answer's is 1; very many count as unrelated."""
        i, j = self.graph.i, self.graph.j
        if self.equations.method == "dense":
            inverse = self.equations.inverse
            variance = np.diag(inverse)
            return np.asarray(variance[i] + variance[j] - 2 * inverse[i, j])
        variance = self.equations.inverse_diagonal.values
        return np.asarray(variance[i] + variance[j])


def _best_slope(margins: FloatArray, weights: FloatArray) -> float:
    """The t >= 0 that makes sum of w ln(1 / (1 + exp(-t margin))) largest, by safe Newton steps."""
    from scipy.special import expit

    def slope_and_bend(t: float) -> tuple[float, float]:
        miss = expit(-t * margins)
        return (
            float(np.sum(weights * margins * miss)),
            float(np.sum(weights * margins**2 * miss * (1 - miss))),
        )

    slope, bend = slope_and_bend(0.0)
    if slope <= 0:
        return 0.0
    low, high, t = 0.0, np.inf, slope / bend
    for _ in range(MOST_STEPS):
        slope, bend = slope_and_bend(t)
        low, high = (t, high) if slope > 0 else (low, t)
        step = t + slope / bend if bend > 0 else np.inf
        new = step if low < step < high else (2 * t if high == np.inf else (low + high) / 2)
        if abs(new - t) <= CLOSE * t:
            break
        t = new
    return t
