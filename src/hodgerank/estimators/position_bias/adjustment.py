"""Votes adjusted for position bias, so that any estimator can rank them.

Given the fitted position bias, the votes on a pair are replaced by an equivalent number of unbiased
votes: those with the same slope and curvature of the likelihood at the fit.
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
from hodgerank.graph.build import single_votes
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg.bordered_equations import BorderedEquations
from hodgerank.kernels.linalg.newton import Fit
from hodgerank.kernels.links import LIKELIHOODS, LINKS
from hodgerank.types import FloatArray, IntArray, VotesLike

# Precision of position biases around 0. A standard deviation of 3 logits keeps them finite; for
# least squares it is that of one additional unbiased vote, so that few votes show little bias.
BIAS_PRECISION = {"bradley-terry": 1 / 9, "thurstone-mosteller": 1 / 3, "uniform": 1.0}
NARROW = 1e-12


@dataclass(frozen=True, eq=False)
class PositionAdjusted:
    """The adjusted votes, and the fit that was used.

    Attributes
    ----------
    answered
        The votes as given.
    graph
        The votes adjusted for position bias.
    fit
        Scores and position biases.
    group
        The group of each vote, whose position bias applies to it.
    """

    answered: AnsweredGraph
    graph: ComparisonGraph
    position_bias: Position
    link: str
    fit: PositionBiasFit
    group: IntArray

    @property
    def choices(self) -> ComparisonGraph:
        """The graph with mean votes clipped to [-1, 1]: least squares may go beyond."""
        graph = self.graph
        flows = np.clip(graph.flows, -1.0, 1.0)
        return replace(graph, flows=flows, squares=np.clip(graph.squares, 0.0, graph.weights))

    @property
    def n_biases(self) -> int:
        """Number of estimated position biases."""
        return int((self.fit.cells.votes > 0).sum())

    @property
    def equations(self) -> BorderedEquations:
        """The information about the scores, with unknown position biases."""
        return self.fit.equations

    def equations_with(self, dispersion: float) -> BorderedEquations:
        """Return the same for votes with this dispersion."""
        return replace(self.fit, curvatures=self.fit.curvatures / dispersion).equations

    @property
    def as_newton(self) -> Fit:
        """The fit in the form of a fit without position bias."""
        fit = self.fit
        return Fit(fit.scores, fit.value, fit.curvatures, fit.iterations, fit.residual, "bordered")

    def clusters(self, by: Literal["worker", "ballot"]) -> PositionClusters:
        """Return the covariance clustered by worker or ballot."""
        votes, fit = self.answered.votes, self.fit
        shown = votes.display_known
        t = fit.scores[votes.left] - fit.scores[votes.right]
        t = t + np.where(shown, fit.bias[self.group], 0.0)
        likelihood = LIKELIHOODS.get(self.link, least_squares)
        slopes = votes.total_weight * likelihood(t, (1 + votes.outcome) / 2)[1]
        group = np.where(shown, self.group, -1)
        return PositionClusters(self.equations, votes, slopes, by, group)

    @property
    def note(self) -> str:
        """The note for readers of the ranking."""
        return position_bias_note(self.fit.bias[self.fit.cells.votes > 0], self.position_bias)


def position_bias_note(bias: FloatArray, position_bias: Position) -> str:
    """Return the note on the size of position bias."""
    added = f"{bias[0]:+.3g}" if len(bias) else "nothing"
    if position_bias == "worker" and len(bias) > 1:
        added = f"{bias.min():+.3g} to {bias.max():+.3g}, by worker,"
    return f"position bias is in the model: being shown left adds {added} on the scale of the model"


@dataclass(frozen=True)
class PositionClusters(ClusteredCovariance):
    """The clustered sandwich with the position biases eliminated."""

    group: IntArray

    @cached_property
    def _gradients(self) -> FloatArray:
        """Gradients of the scores, after eliminating those of the position biases."""
        assert isinstance(self.equations, BorderedEquations)
        shown = np.flatnonzero(self.group >= 0)
        shape = (len(self.equations.blocks), self.n_clusters)
        place = self.group[shown] * np.int64(shape[1]) + self._cluster[shown]
        biases = np.bincount(place, self.slopes[shown], shape[0] * shape[1]).astype(float)
        return self.equations.without_groups(super()._gradients, biases.reshape(shape))


def remove_position_bias(
    answered: AnsweredGraph,
    position_bias: Position,
    link: str,
    *,
    ridge: float = 0.0,
    dispersion: float = 1.0,
    has_prior: bool = False,
) -> PositionAdjusted:
    """Fit scores and position biases jointly.

    `ridge` is the precision of the scores; `has_prior` says that it connects all components.
    """
    votes = answered.votes
    group, n_groups = _groups(votes, position_bias)
    cells = PositionCells.of(answered, group, n_groups)
    if has_prior:
        cells = replace(cells, components=np.zeros(cells.n_items, np.int64))
    cells = replace(cells, weight=cells.weight / dispersion)
    fit = fit_position_bias(cells, link, PositionBiasPrior(ridge, BIAS_PRECISION[link]))
    graph = _equivalent_unbiased(answered.graph, fit, link, dispersion)
    return PositionAdjusted(answered, graph, position_bias, link, fit, group)


def adjust_for_position(
    votes: VotesLike, position_bias: Position, link: str, *, ridge: float = 0.0
) -> PositionAdjusted:
    """Read any votes that keep single votes, and adjust them for position bias."""
    answers = single_votes(
        votes, f"position_bias={position_bias!r} (--position-bias {position_bias})"
    )
    require_display_order(answers, position_bias)
    require_both_orders(answers)
    return remove_position_bias(AnsweredGraph.of(answers), position_bias, link, ridge=ridge)


def _groups(votes: Comparisons, position_bias: Position) -> tuple[IntArray, int]:
    return worker_groups(votes) if position_bias == "worker" else common_group(votes)


def _equivalent_unbiased(
    graph: ComparisonGraph, fit: PositionBiasFit, link: str, dispersion: float
) -> ComparisonGraph:
    cells = fit.cells
    difference = fit.scores[graph.i] - fit.scores[graph.j]
    slope = dispersion * np.bincount(cells.edge, cells.sign * fit.slopes, graph.n_edges)
    if link == "uniform":
        rest = cells.mean - np.append(fit.bias, 0.0)[cells.group]
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
