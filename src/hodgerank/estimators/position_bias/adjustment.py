"""Votes with the pull of sides taken out of them, so that any estimator can rank by what is left.

Given what sides add, the answers to a pair count like others that were given without sides: as
many, and as much for either item, as have the same slope and curvature at the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.covariance import ClusteredCovariance
from hodgerank.estimators.position_bias.fit import (
    PositionBiasFit,
    PositionBiasPrior,
    fit_position_bias,
    least_squares,
)
from hodgerank.estimators.position_bias.position_cells import (
    Position,
    PositionCells,
    common_group,
    require_both_orders,
    require_display_order,
    worker_groups,
)
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.build import single_answers
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.bordered_equations import BorderedEquations
from hodgerank.kernels.linalg.newton import Fit
from hodgerank.kernels.links import LIKELIHOODS, LINKS
from hodgerank.types import FloatArray, IntArray, VotesLike

# Precision of leans around 0: standard deviation 3 in logits, so that nobody's is infinite; of
# least squares that of one more answer without a lean, so that few answers show little of one.
LEAN = {"bradley-terry": 1 / 9, "thurstone-mosteller": 1 / 3, "uniform": 1.0}
NARROW = 1e-12


@dataclass(frozen=True, eq=False)
class PositionAdjusted:
    """What remains to be ranked, and what was taken out.

    Attributes
    ----------
    answered
        The votes with sides.
    graph
        The votes as if they had been given without sides.
    fit
        Scores and leans.
    group
        Whose lean is in each answer.
    """

    answered: AnsweredGraph
    graph: ComparisonGraph
    position_bias: Position
    link: str
    fit: PositionBiasFit
    group: IntArray

    @property
    def choices(self) -> ComparisonGraph:
        """The graph with mean answers that choices can have: least squares may go beyond."""
        graph = self.graph
        flows = np.clip(graph.flows, -1.0, 1.0)
        return replace(graph, flows=flows, squares=np.clip(graph.squares, 0.0, graph.weights))

    @property
    def n_leans(self) -> int:
        """How many leans were estimated."""
        return int((self.fit.cells.answers > 0).sum())

    @property
    def equations(self) -> BorderedEquations:
        """The information on the scores, the leans being unknown."""
        return self.fit.equations

    def equations_with(self, dispersion: float) -> BorderedEquations:
        """The same of answers that vary less than choices."""
        return replace(self.fit, curvatures=self.fit.curvatures / dispersion).equations

    @property
    def as_newton(self) -> Fit:
        """The fit of the scores, as one without sides."""
        fit = self.fit
        return Fit(fit.scores, fit.value, fit.curvatures, fit.iterations, fit.residual, "bordered")

    def clusters(self, by: Literal["worker", "ballot"]) -> PositionClusters:
        """Errors from how much clusters differ."""
        votes, fit = self.answered.votes, self.fit
        shown = votes.display_known
        t = fit.scores[votes.left] - fit.scores[votes.right]
        t = t + np.where(shown, fit.lean[self.group], 0.0)
        likelihood = LIKELIHOODS.get(self.link, least_squares)
        slopes = votes.total_weight * likelihood(t, (1 + votes.outcome) / 2)[1]
        group = np.where(shown, self.group, -1)
        return PositionClusters(self.equations, votes, slopes, by, group)

    @property
    def note(self) -> str:
        """What a reader should know."""
        return position_bias_note(self.fit.lean[self.fit.cells.answers > 0], self.position_bias)


def position_bias_note(lean: FloatArray, position_bias: Position) -> str:
    """How far those who answered lean."""
    added = f"{lean[0]:+.3g}" if len(lean) else "nothing"
    if position_bias == "worker" and len(lean) > 1:
        added = f"{lean.min():+.3g} to {lean.max():+.3g}, by worker,"
    return (
        f"position bias is in the model: being shown left adds {added} on the scale of the scores"
    )


@dataclass(frozen=True)
class PositionClusters(ClusteredCovariance):
    """The clustered sandwich, less what leans take up of each cluster's gradient."""

    group: IntArray

    @cached_property
    def _gradients(self) -> FloatArray:
        """As without sides, and for the leans of each cluster's groups."""
        assert isinstance(self.equations, BorderedEquations)
        shown = np.flatnonzero(self.group >= 0)
        shape = (len(self.equations.blocks), self.n_clusters)
        place = self.group[shown] * np.int64(shape[1]) + self._cluster[shown]
        leans = np.bincount(place, self.slopes[shown], shape[0] * shape[1]).astype(float)
        return self.equations.without_groups(super()._gradients, leans.reshape(shape))


def remove_position_bias(
    answered: AnsweredGraph,
    position_bias: Position,
    link: str,
    *,
    ridge: float = 0.0,
    dispersion: float = 1.0,
    joined: bool = False,
) -> PositionAdjusted:
    """Fit scores and leans together.

    `ridge` is the precision of the scores; where it has `joined` them, components do not matter.
    """
    votes = answered.votes
    group, n_groups = _groups(votes, position_bias)
    cells = PositionCells.of(answered, group, n_groups)
    if joined:
        cells = replace(cells, components=np.zeros(cells.n_items, np.int64))
    cells = replace(cells, weight=cells.weight / dispersion)
    fit = fit_position_bias(cells, link, PositionBiasPrior(ridge, LEAN[link]))
    graph = _as_if_without(answered.graph, fit, link, dispersion)
    return PositionAdjusted(answered, graph, position_bias, link, fit, group)


def adjust_for_position(
    votes: VotesLike, position_bias: Position, link: str, *, ridge: float = 0.0
) -> PositionAdjusted:
    """The same of votes in whatever form, as long as it tells the answers."""
    answers = single_answers(
        votes, f"position_bias={position_bias!r} (--position-bias {position_bias})"
    )
    require_display_order(answers, position_bias)
    require_both_orders(answers)
    return remove_position_bias(AnsweredGraph.of(answers), position_bias, link, ridge=ridge)


def _groups(votes: Comparisons, position_bias: Position) -> tuple[IntArray, int]:
    return worker_groups(votes) if position_bias == "worker" else common_group(votes)


def _as_if_without(
    graph: ComparisonGraph, fit: PositionBiasFit, link: str, dispersion: float
) -> ComparisonGraph:
    cells = fit.cells
    difference = fit.scores[graph.i] - fit.scores[graph.j]
    slope = dispersion * np.bincount(cells.edge, cells.sign * fit.slopes, graph.n_edges)
    if link == "uniform":
        rest = cells.mean - np.append(fit.lean, 0.0)[cells.group]
        noise = cells.square - cells.mean**2 + rest**2
        return replace(
            graph,
            flows=difference + slope / graph.weights,
            squares=np.bincount(cells.edge, cells.weight * noise, graph.n_edges).astype(float),
        )
    curvature = dispersion * np.bincount(cells.edge, fit.curvatures, graph.n_edges)
    p = LINKS[link].cdf(difference)
    varies = np.maximum(p * (1 - p), NARROW)
    density = LINKS[link].density(difference)
    weights = np.maximum(curvature * varies / np.maximum(density**2, NARROW**2), NARROW)
    wins = np.clip(p + slope * varies / (weights * np.maximum(density, NARROW)), 0.0, 1.0)
    share = weights / graph.weights
    return replace(
        graph,
        weights=weights,
        weight_squares=graph.weight_squares * share**2,
        flows=2 * wins - 1,
        squares=graph.squares * share,
    )
