"""Bradley-Terry scores that are finite whatever the answers, and what residuals lose to fitting.

Firth's correction: every pair gets half of its leverage as a further win for each side. It takes
the first-order bias out of the scores, and undefeated items out of infinity, without a prior.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hodgerank.estimators.dispersion import are_choices, dispersion_around
from hodgerank.estimators.posterior_mode import most_probable
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.laplacian import degrees
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

LINK = "bradley-terry"
CLOSE = 1e-4  # of scores from one round to the next
MOST_ROUNDS = 30
FEW_ROUNDS = 3  # where leverage is expensive


@dataclass(frozen=True, eq=False)
class BradleyTerryFit:
    """Scores of a graph, one per item, and what is known of each edge.

    Attributes
    ----------
    graph
        With weights that add up to the effective number of answers: only their ratios count.
    scores
        They sum to zero in each component.
    leverage
        By how much the answers of each edge determine their own fit, all together.
    """

    graph: ComparisonGraph
    scores: FloatArray
    leverage: FloatArray

    @classmethod
    def of(cls, graph: ComparisonGraph) -> BradleyTerryFit:
        """Fit a graph, each component by itself."""
        evened = graph.weights.sum() / graph.weight_squares.sum()
        graph = replace(
            graph,
            weights=graph.weights * evened,
            weight_squares=graph.weight_squares * evened**2,
            squares=graph.squares * evened,
        )
        fit = cls(graph, np.zeros(graph.n_items), np.zeros(graph.n_edges))
        rounds = MOST_ROUNDS if fit.information.method == "dense" else FEW_ROUNDS
        for _ in range(rounds):
            fit = replace(fit, leverage=fit._leverage())
            scores = most_probable(
                fit._augmented(), LINK, 0.0, graph.components, fit.scores, CLOSE / 10
            )[0].x
            moved = float(np.abs(scores - fit.scores).max(initial=0.0))
            fit = replace(fit, scores=scores)
            if moved < CLOSE:
                break
        return replace(fit, leverage=fit._leverage())

    def _augmented(self) -> ComparisonGraph:
        graph = self.graph
        weights = graph.weights + self.leverage
        return replace(graph, weights=weights, flows=graph.weights * graph.flows / weights)

    def _leverage(self) -> FloatArray:
        """Curvature times effective resistance; of large graphs as if scores were uncorrelated."""
        i, j, information = self.graph.i, self.graph.j, self.information
        variances = information.inverse_diagonal.values
        resistance = variances[i] + variances[j]
        if information.method == "dense":
            resistance = resistance - 2 * information.inverse[i, j]
        return np.asarray(np.clip(information.weights * resistance, 1e-9, 1.0))

    @cached_property
    def differences(self) -> FloatArray:
        """Of the scores of each edge's ends."""
        return np.asarray(self.scores[self.graph.i] - self.scores[self.graph.j])

    @cached_property
    def chances(self) -> FloatArray:
        """P(i beats j) of each edge."""
        return LINKS[LINK].cdf(self.differences)

    @property
    def variances(self) -> FloatArray:
        """Of one answer to each edge, if it is a choice."""
        return self.chances * (1 - self.chances)

    @cached_property
    def information(self) -> NormalEquations:
        """What the answers tell of the scores."""
        graph = self.graph
        return NormalEquations(graph.i, graph.j, graph.weights * self.variances, graph.components)

    @cached_property
    def equations(self) -> NormalEquations:
        """The same with the further wins: a gradient of the answers moves the scores by these."""
        graph, weights = self.graph, self.graph.weights + self.leverage
        return NormalEquations(graph.i, graph.j, weights * self.variances, graph.components)

    @cached_property
    def is_plain(self) -> bool:
        """Whether all answers are choices: no ties, no grades."""
        return are_choices(self.graph)

    @cached_property
    def dispersion(self) -> float:
        """Variance of the answers in units of that of choices; 1 for choices, less with ties."""
        return dispersion_around(self.graph, 2 * self.chances - 1, float(self.leverage.sum()))

    @cached_property
    def score_variances(self) -> FloatArray:
        """Of each score.

        The sandwich of both systems, with the share of the further wins taken as the same for all
        answers of an item.
        """
        graph = self.graph
        given, used = (
            degrees(graph.i, graph.j, system.weights, graph.n_items)
            for system in (self.information, self.equations)
        )
        share = given / np.where(used > 0, used, 1.0)
        return np.asarray(
            self.dispersion * share * np.maximum(self.equations.inverse_diagonal.values, 0.0)
        )
