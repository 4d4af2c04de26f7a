"""Bradley-Terry scores with Firth's correction, and the leverage of the votes.

Every pair gets half of its leverage as an additional win for each side. This removes the
first-order bias of the scores and keeps those of undefeated items finite, without a prior.
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
CLOSE = 1e-4  # change of the scores between rounds
MOST_ROUNDS = 30
FEW_ROUNDS = 3  # for large graphs, where leverage is expensive


@dataclass(frozen=True, eq=False)
class BradleyTerryFit:
    """Scores of the items of a graph, and fit statistics of its edges.

    Attributes
    ----------
    graph
        The graph, with weights rescaled to sum to the effective number of votes.
    scores
        Scores that sum to zero in each component.
    leverage
        Total leverage of the votes on each edge.
    """

    graph: ComparisonGraph
    scores: FloatArray
    leverage: FloatArray

    @classmethod
    def of(cls, graph: ComparisonGraph) -> BradleyTerryFit:
        """Fit a graph, each component separately."""
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
        """Return curvature times effective resistance, with uncorrelated scores in large graphs."""
        i, j, information = self.graph.i, self.graph.j, self.information
        variances = information.inverse_diagonal.values
        resistance = variances[i] + variances[j]
        if information.method == "dense":
            resistance = resistance - 2 * information.inverse[i, j]
        return np.asarray(np.clip(information.weights * resistance, 1e-9, 1.0))

    @cached_property
    def differences(self) -> FloatArray:
        """Score difference of each edge."""
        return np.asarray(self.scores[self.graph.i] - self.scores[self.graph.j])

    @cached_property
    def chances(self) -> FloatArray:
        """P(i beats j) of each edge."""
        return LINKS[LINK].cdf(self.differences)

    @property
    def variances(self) -> FloatArray:
        """Variance of one choice on each edge."""
        return self.chances * (1 - self.chances)

    @cached_property
    def information(self) -> NormalEquations:
        """Information of the votes about the scores."""
        graph = self.graph
        return NormalEquations(graph.i, graph.j, graph.weights * self.variances, graph.components)

    @cached_property
    def equations(self) -> NormalEquations:
        """Information including the additional wins: the Hessian of the corrected likelihood."""
        graph, weights = self.graph, self.graph.weights + self.leverage
        return NormalEquations(graph.i, graph.j, weights * self.variances, graph.components)

    @cached_property
    def is_plain(self) -> bool:
        """Whether all votes are choices: no ties, no grades."""
        return are_choices(self.graph)

    @cached_property
    def dispersion(self) -> float:
        """Variance of the votes relative to choices: 1 for choices, less with ties."""
        return dispersion_around(self.graph, 2 * self.chances - 1, float(self.leverage.sum()))

    @cached_property
    def score_variances(self) -> FloatArray:
        """Variance of each score.

        A sandwich of both information matrices, with the share of additional wins taken as equal
        for all votes on an item.
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
