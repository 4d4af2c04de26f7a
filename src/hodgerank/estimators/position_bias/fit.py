"""Joint fit of scores and position biases.

A cell of group g has t = a_g (x_left - x_right) + b_g, where b_g is the position bias and a_g the
acuity: 1, or estimated if groups may differ. Otherwise a worker of low acuity who often sees the
better item on one side would seem biased to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.estimators.position_bias.position_cells import PositionCells
from hodgerank.estimators.posterior_mode import TOLERANCE
from hodgerank.kernels.edges import sums_at_ends
from hodgerank.kernels.linalg.bordered_equations import BorderedEquations
from hodgerank.kernels.linalg.laplacian import inner_product
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.links import LIKELIHOODS, Likelihood
from hodgerank.types import BoolArray, FloatArray

MAX_ITERATIONS = 60
SHORTEST = 1e-6
ROUNDING = 1e-12
TINY = 1e-300


def least_squares(t: FloatArray, p: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return minus half the squared residual of the vote 2p - 1, and its derivatives."""
    rest = 2 * p - 1 - t
    return -(rest**2) / 2, rest, np.ones_like(t)


@dataclass(frozen=True, eq=False)
class PositionBiasFit:
    """Scores and position biases at one point of the iteration.

    Attributes
    ----------
    scores, bias, acuity
        x, and b and a of each group.
    value, slopes, curvatures
        The objective, and its derivatives with respect to t, one per cell.
    """

    cells: PositionCells
    prior: PositionBiasPrior
    scores: FloatArray
    bias: FloatArray
    acuity: FloatArray
    value: float
    slopes: FloatArray
    curvatures: FloatArray
    iterations: int = 0
    residual: float = np.inf

    @cached_property
    def differences(self) -> FloatArray:
        """x_left - x_right of each cell."""
        return _differences(self.cells, self.scores)

    @cached_property
    def equations(self) -> BorderedEquations:
        """The information about scores and groups; the bias is the first unknown of a group."""
        return self._equations(np.zeros(self.cells.n_groups, bool))

    def _equations(self, held: BoolArray) -> BorderedEquations:
        """Return the information with the acuities of some groups held fixed."""
        cells, prior = self.cells, self.prior
        acuity = np.append(self.acuity, 1.0)[cells.group]
        weights = np.bincount(cells.edge, self.curvatures * acuity**2, len(cells.i))
        features = [np.ones(len(acuity))]
        if prior.acuity is not None:
            features.append(self.differences * ~np.append(held, False)[cells.group])
        blocks = np.empty((cells.n_groups, len(features), len(features)))
        for a, one in enumerate(features):
            for b, other in enumerate(features):
                blocks[:, a, b] = cells.per_group(self.curvatures * one * other)
        blocks[:, 0, 0] += prior.bias
        if prior.acuity is not None:
            blocks[:, 1, 1] += prior.acuity
        couplings = [self.curvatures * acuity * cells.sign * feature for feature in features]
        return BorderedEquations(
            NormalEquations(
                cells.i, cells.j, np.maximum(weights, TINY), cells.components, prior.scores
            ),
            _border(cells, couplings),
            blocks,
        )

    @property
    def step(self) -> tuple[FloatArray, FloatArray]:
        """Newton step of scores and unknowns of each group; acuities stay nonnegative."""
        scores, groups = self.gradient
        held = np.zeros(len(groups), bool)
        if self.prior.acuity is not None:
            held = (self.acuity <= 0) & (groups[:, 1] < 0)
            groups[held, 1] = 0.0
        step, groups = (self._equations(held) if held.any() else self.equations).solve_both(
            scores, groups
        )
        if self.prior.acuity is not None:
            groups[:, 1] = np.maximum(groups[:, 1], -self.acuity)
        return step, groups

    @property
    def gradient(self) -> tuple[FloatArray, FloatArray]:
        """Gradient with respect to the scores, and to the unknowns of each group."""
        cells, prior, n = self.cells, self.prior, self.cells.n_items
        slopes = self.slopes * cells.sign * np.append(self.acuity, 1.0)[cells.group]
        flow = np.bincount(cells.edge, slopes, len(cells.i))
        scores = np.bincount(cells.i, flow, n) - np.bincount(cells.j, flow, n)
        groups = [cells.per_group(self.slopes) - prior.bias * self.bias]
        if prior.acuity is not None:
            steeper = cells.per_group(self.slopes * self.differences)
            groups.append(steeper - prior.acuity * (self.acuity - 1))
        return scores - prior.scores * self.scores, np.column_stack(groups)


@dataclass(frozen=True)
class PositionBiasPrior:
    """Precisions of scores and biases around 0, and of acuities around 1 (None: fixed at 1)."""

    scores: float
    bias: float
    acuity: float | None = None


def fit_position_bias(
    cells: PositionCells,
    link: str,
    prior: PositionBiasPrior,
    start: FloatArray | None = None,
    tolerance: float = TOLERANCE,
) -> PositionBiasFit:
    """Return the posterior mode of scores, biases and, if they may differ, acuities.

    Newton's method; a step that does not increase the objective is halved.
    """
    likelihood = LIKELIHOODS.get(link, least_squares)
    n_groups = cells.n_groups
    first = np.zeros(cells.n_items) if start is None else start
    now = _at(cells, prior, likelihood, first, np.zeros(n_groups), np.ones(n_groups))
    iterations, size = 0, np.inf
    while size > tolerance and iterations < MAX_ITERATIONS:
        iterations += 1
        step, groups = now.step
        sharper = groups[:, 1] if prior.acuity is not None else 0.0
        length = 1.0
        while True:
            trial = _at(
                cells,
                prior,
                likelihood,
                now.scores + length * step,
                now.bias + length * groups[:, 0],
                now.acuity + length * sharper,
            )
            if trial.value >= now.value - ROUNDING * abs(now.value) or length < SHORTEST:
                break
            length /= 2
        now = trial
        size = float(max(np.abs(step).max(), np.abs(groups).max(initial=0.0)))
    return replace(now, iterations=iterations, residual=size)


def _at(
    cells: PositionCells,
    prior: PositionBiasPrior,
    likelihood: Likelihood,
    scores: FloatArray,
    bias: FloatArray,
    acuity: FloatArray,
) -> PositionBiasFit:
    t = np.append(acuity, 1.0)[cells.group] * _differences(cells, scores)
    t += np.append(bias, 0.0)[cells.group]
    value, slope, curvature = likelihood(t, (1 + cells.mean) / 2)
    penalty = prior.scores * inner_product(scores, scores) + prior.bias * inner_product(bias, bias)
    if prior.acuity is not None:
        penalty += prior.acuity * inner_product(acuity - 1, acuity - 1)
    total = inner_product(cells.weight, value) - penalty / 2
    return PositionBiasFit(
        cells, prior, scores, bias, acuity, total, cells.weight * slope, cells.weight * curvature
    )


def _differences(cells: PositionCells, scores: FloatArray) -> FloatArray:
    return np.asarray(cells.sign * (scores[cells.i] - scores[cells.j])[cells.edge])


def _border(cells: PositionCells, couplings: list[FloatArray]) -> Any:
    """Return C, which couples each group's unknowns to items; columns by group and unknown."""
    from scipy import sparse

    shown = np.flatnonzero(cells.group >= 0)
    edge, group = cells.edge[shown], cells.group[shown]
    i, j, shape = cells.i[edge], cells.j[edge], (cells.n_items, cells.n_groups)
    parts = [sums_at_ends(i, j, slopes[shown], group, shape) for slopes in couplings]
    by_unknown = sparse.hstack(parts, format="csc")
    order = np.arange(by_unknown.shape[1]).reshape(len(couplings), -1).T.ravel()
    return by_unknown[:, order]
