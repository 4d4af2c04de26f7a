"""Joint fit of scores and position biases.

A cell of group g has t = a_g (x_left - x_right) + b_g, where b_g is the position bias and a_g the
acuity: 1, or estimated if groups may differ. Otherwise a worker of low acuity who often sees the
better item on one side would seem biased to the other. With several groupings a cell belongs to a
group of each, the biases add up, and acuities are 1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.estimators.position_bias.position_cells import PositionCells
from hodgerank.estimators.posterior_mode import TOLERANCE
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

    @property
    def bias_variances(self) -> FloatArray:
        """Variance of each bias relative to that of a vote's residual.

        Biases of a grouping that are differences from their mean have no variance in common.
        """
        common = np.zeros(self.cells.n_groups)
        for place, scale in self._levels:
            common[: self.cells.sizes[0]] += 1 / scale
            common[place] += 1 / scale
        stride = 1 if self.prior.acuity is None else 2
        return np.asarray(self.equations.border_variances[::stride] - common)

    @property
    def n_levels(self) -> int:
        """Number of groupings whose biases are differences from their mean."""
        return len(self._levels)

    @cached_property
    def _levels(self) -> list[tuple[slice, float]]:
        """Groupings whose biases would have no level without a prior, and their total weight.

        A constant added to all biases of one grouping, and subtracted from those of another, does
        not change the sums. The first grouping gets the level; the sum of the others, weighted by
        votes, is held at 0.
        """
        if np.any(self.prior.bias):
            return []
        votes = self.cells.votes
        return [(place, float(votes[place].sum())) for place in self.cells.places[1:]]

    def _equations(self, held: BoolArray) -> BorderedEquations:
        """Return the information with the acuities of some groups held fixed."""
        cells, prior = self.cells, self.prior
        steep = self.curvatures
        if prior.acuity is not None:
            steep = steep * cells.of_groups(self.acuity, 1.0) ** 2
        weights = np.bincount(cells.edge, steep, len(cells.i))
        items = NormalEquations(
            cells.i, cells.j, np.maximum(weights, TINY), cells.components, prior.scores
        )
        if prior.acuity is not None:
            return self._with_acuities(items, held)
        size = cells.per_group(self.curvatures) + prior.bias
        size[size == 0] = 1.0  # of groups without votes
        crossing = cells.crossings(self.curvatures)
        if crossing is not None:
            crossing = self._with_levels(crossing, size)
        blocks = size[: cells.sizes[0], None, None]
        return BorderedEquations(items, cells.couplings(self.curvatures), blocks, crossing)

    def _with_levels(self, crossing: Any, size: FloatArray) -> Any:
        """Add the diagonal of the unknowns that cross others, and hold their levels."""
        from scipy import sparse

        own, votes = self.cells.sizes[0], self.cells.votes
        beside = np.diag(size[own:] - crossing[own:].diagonal())
        for place, total in self._levels:
            among = slice(place.start - own, place.stop - own)
            beside[among, among] += np.outer(votes[place], votes[place]) / total
        zeros = sparse.csc_array((own, len(beside)))
        return (crossing + sparse.vstack((zeros, sparse.csc_array(beside)))).tocsc()

    def _with_acuities(self, items: NormalEquations, held: BoolArray) -> BorderedEquations:
        """Return the information about biases and acuities; there is one grouping."""
        cells, prior = self.cells, self.prior
        features = [
            np.ones(len(self.curvatures)),
            self.differences * ~np.append(held, False)[cells.group[0]],
        ]
        blocks = np.empty((cells.n_groups, 2, 2))
        for a, one in enumerate(features):
            for b, other in enumerate(features):
                blocks[:, a, b] = cells.per_group(self.curvatures * one * other)
        blocks[:, 0, 0] += prior.bias
        blocks[:, 1, 1] += 0.0 if prior.acuity is None else prior.acuity
        steep = self.curvatures * cells.of_groups(self.acuity, 1.0)
        return BorderedEquations(
            items, _by_group([cells.couplings(steep * feature) for feature in features]), blocks
        )

    @property
    def step(self) -> tuple[FloatArray, FloatArray]:
        """Newton step of scores and unknowns of each group; acuities stay nonnegative."""
        scores, groups = self.gradient
        held = np.zeros(len(groups), bool)
        if self.prior.acuity is not None:
            held = (self.acuity <= 0) & (groups[:, 1] < 0)
            groups[held, 1] = 0.0
        equations = self._equations(held) if held.any() else self.equations
        step, moves = equations.solve_both(scores, groups.ravel())
        groups = moves.reshape(groups.shape)
        if self.prior.acuity is not None:
            groups[:, 1] = np.maximum(groups[:, 1], -self.acuity)
        return step, groups

    @property
    def gradient(self) -> tuple[FloatArray, FloatArray]:
        """Gradient with respect to the scores, and to the unknowns of each group."""
        cells, prior, n = self.cells, self.prior, self.cells.n_items
        slopes = self.slopes * cells.sign
        if prior.acuity is not None:
            slopes = slopes * cells.of_groups(self.acuity, 1.0)
        flow = np.bincount(cells.edge, slopes, len(cells.i))
        scores = np.bincount(cells.i, flow, n) - np.bincount(cells.j, flow, n)
        groups = [cells.per_group(self.slopes) - prior.bias * self.bias]
        if prior.acuity is not None:
            steeper = cells.per_group(self.slopes * self.differences)
            groups.append(steeper - prior.acuity * (self.acuity - 1))
        return scores - prior.scores * self.scores, np.column_stack(groups)


@dataclass(frozen=True)
class PositionBiasPrior:
    """Precisions of scores and biases around 0, and of acuities around 1 (None: fixed at 1).

    The biases may have a precision each. If these were estimated, `spreads` are the standard
    deviations between the groups of each grouping, and `doubts` what their uncertainty adds to the
    variance of each bias.
    """

    scores: float
    bias: float | FloatArray
    acuity: float | None = None
    spreads: FloatArray | None = None
    doubts: float | FloatArray = 0.0


def fit_position_bias(
    cells: PositionCells,
    link: str,
    prior: PositionBiasPrior,
    start: FloatArray | None = None,
    tolerance: float = TOLERANCE,
    biases: FloatArray | None = None,
) -> PositionBiasFit:
    """Return the posterior mode of scores, biases and, if they may differ, acuities.

    Newton's method; a step that does not increase the objective is halved. `start` and `biases` are
    where it starts.
    """
    likelihood = LIKELIHOODS.get(link, least_squares)
    now = starting_point(cells, link, prior, start, biases)
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
        if likelihood is least_squares:  # whose curvature is the same everywhere
            trial.__dict__["equations"] = now.equations
        now = trial
        size = float(max(np.abs(step).max(), np.abs(groups).max(initial=0.0)))
    found = replace(now, iterations=iterations, residual=size)
    if likelihood is least_squares:
        found.__dict__["equations"] = now.equations
    return found


def starting_point(
    cells: PositionCells,
    link: str,
    prior: PositionBiasPrior,
    scores: FloatArray | None = None,
    biases: FloatArray | None = None,
) -> PositionBiasFit:
    """Return the objective at some scores and biases, by default 0."""
    likelihood = LIKELIHOODS.get(link, least_squares)
    scores = np.zeros(cells.n_items) if scores is None else scores
    biases = np.zeros(cells.n_groups) if biases is None else biases
    return _at(cells, prior, likelihood, scores, biases, np.ones(cells.n_groups))


def _at(
    cells: PositionCells,
    prior: PositionBiasPrior,
    likelihood: Likelihood,
    scores: FloatArray,
    bias: FloatArray,
    acuity: FloatArray,
) -> PositionBiasFit:
    t = _differences(cells, scores)
    if prior.acuity is not None:
        t = t * cells.of_groups(acuity, 1.0)
    t = t + cells.of_groups(bias)
    value, slope, curvature = likelihood(t, (1 + cells.mean) / 2)
    penalty = prior.scores * inner_product(scores, scores)
    penalty += inner_product(prior.bias * bias, bias)
    if prior.acuity is not None:
        penalty += prior.acuity * inner_product(acuity - 1, acuity - 1)
    total = inner_product(cells.weight, value) - penalty / 2
    return PositionBiasFit(
        cells, prior, scores, bias, acuity, total, cells.weight * slope, cells.weight * curvature
    )


def _differences(cells: PositionCells, scores: FloatArray) -> FloatArray:
    return np.asarray(cells.sign * (scores[cells.i] - scores[cells.j])[cells.edge])


def _by_group(parts: list[Any]) -> Any:
    """Return the columns of several unknowns per group side by side, ordered by group."""
    from scipy import sparse

    by_unknown = sparse.hstack(parts, format="csc")
    order = np.arange(by_unknown.shape[1]).reshape(len(parts), -1).T.ravel()
    return by_unknown[:, order]
