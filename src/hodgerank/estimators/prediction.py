"""Win probabilities from least-squares scores, through one fitted temperature.

Least-squares scores are not on the scale of a choice model. Probabilities are
P(i beats j) = 1 / (1 + exp(-temperature (x_i - x_j))), with the temperature that maximises the
leave-one-out likelihood of the votes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hodgerank.estimators.covariance import Equations
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

UNPREDICTED = 1 - 1e-9  # leverage of a vote that the other votes do not predict
# Log-odds of one pseudo-vote at a typical difference, which keeps the temperature finite.
USUAL = 1.0
CLOSE = 1e-9
MOST_STEPS = 100


@dataclass(frozen=True, eq=False)
class Prediction:
    """The mapping from score differences to probabilities.

    Attributes
    ----------
    scores, equations
        The fit, in the order of the graph's items.
    link
        The link whose scale the scores are on.
    """

    graph: ComparisonGraph
    scores: FloatArray
    equations: Equations
    link: str

    @cached_property
    def temperature(self) -> float:
        """Maximum leave-one-out likelihood estimate; 0 or more."""
        graph, scores = self.graph, self.scores
        difference = scores[graph.i] - scores[graph.j]
        typical = float(np.sqrt(np.mean(difference**2)))
        if not typical:
            return 0.0
        leverage = np.minimum(self._resistances * graph.weights / graph.counts, UNPREDICTED)
        is_predicted = leverage < UNPREDICTED
        # votes on an edge are represented as +-grade, preserving their sum and sum of squares
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
        is_given = weight > 0  # a choice uses only one of its two terms
        return _best_slope(np.concatenate(margins)[is_given], weight[is_given])

    @property
    def _resistances(self) -> FloatArray:
        """Variance of each edge's difference for unit noise, uncorrelated in large graphs."""
        i, j = self.graph.i, self.graph.j
        if self.equations.method == "dense":
            inverse = self.equations.inverse
            variance = np.diag(inverse)
            return np.asarray(variance[i] + variance[j] - 2 * inverse[i, j])
        variance = self.equations.inverse_diagonal.values
        return np.asarray(variance[i] + variance[j])


def _best_slope(margins: FloatArray, weights: FloatArray) -> float:
    """Maximise sum of w ln(1 / (1 + exp(-t margin))) over t >= 0 by bracketed Newton steps."""
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
