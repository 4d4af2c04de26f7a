"""Votes with the pull of sides taken out of them, so that any estimator can rank by what is left.

Given what sides add, the answers to a pair count like others that were given without sides: as
many, and as much for either item, as have the same slope and curvature at the fit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from hodgerank.errors import require_one_of
from hodgerank.estimators.position.cells import (
    SidedCells,
    common_group,
    require_display,
    worker_groups,
)
from hodgerank.estimators.position.fit import SidedFit, SidedPrior, fit_sides
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.models.links import LINKS
from hodgerank.types import FloatArray

Position = Literal["common", "worker"]
POSITIONS = ("common", "worker")
# Precision of leans around 0: standard deviation 3 in logits, so that nobody's is infinite. Least
# squares needs none, and no more than a trace for workers who were never seen to lean.
LEAN = {"bradley-terry": 1 / 9, "thurstone-mosteller": 1 / 3, "uniform": 1e-9}
NARROW = 1e-12


@dataclass(frozen=True, eq=False)
class WithoutSides:
    """What remains to be ranked, and what was taken out.

    Attributes
    ----------
    graph
        The votes as if they had been given without sides.
    fit
        Scores and leans.
    """

    graph: ComparisonGraph
    fit: SidedFit

    @property
    def lean(self) -> FloatArray:
        """The pull of the left side on each worker, or on everybody, on the scale of the scores."""
        return self.fit.lean

    @property
    def n_leans(self) -> int:
        """How many leans were estimated."""
        return int((self.fit.cells.answers > 0).sum())


def take_out_sides(
    answered: AnsweredGraph, position: Position, link: str, ridge: float = 0.0
) -> WithoutSides:
    """Fit scores and leans together; `ridge` is the precision of the scores."""
    require_one_of(position, POSITIONS, "position")
    votes = answered.votes
    require_display(votes)
    groups = worker_groups(votes) if position == "worker" else common_group(votes)
    cells = SidedCells.of(answered, *groups)
    fit = fit_sides(cells, link, SidedPrior(ridge, LEAN[link]))
    return WithoutSides(_as_if_without(answered.graph, fit, link), fit)


def _as_if_without(graph: ComparisonGraph, fit: SidedFit, link: str) -> ComparisonGraph:
    cells = fit.cells
    difference = fit.scores[graph.i] - fit.scores[graph.j]
    slope = np.bincount(cells.edge, cells.sign * fit.slopes, graph.n_edges)
    if link == "uniform":
        rest = cells.mean - np.append(fit.lean, 0.0)[cells.group]
        noise = cells.square - cells.mean**2 + rest**2
        return replace(
            graph,
            flows=difference + slope / graph.weights,
            squares=np.bincount(cells.edge, cells.weight * noise, graph.n_edges).astype(float),
        )
    curvature = np.bincount(cells.edge, fit.curvatures, graph.n_edges)
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
