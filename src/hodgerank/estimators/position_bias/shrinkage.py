"""Shrinkage of position biases towards 0, by the variance that the votes show between groups.

Given the scores, the votes of group g estimate its bias by z_g with variance v_g = phi / N_g, where
N_g is their information and phi their dispersion. If biases are normal with variance tau^2, then
z_g has variance tau^2 + v_g, and the best estimate is (1 - B_g) z_g with B_g = v_g / (tau^2 + v_g).
B_g is averaged over the posterior of tau, where tau^2 is uniform up to `WIDEST`^2 a priori
[Morris83]: few groups are shrunk little, since they say little about tau. The variance of B_g adds
that of B_g z_g to the variance of the estimate.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hodgerank.errors import InvalidArgument, require_positive
from hodgerank.estimators.position_bias.fit import (
    PositionBiasFit,
    PositionBiasPrior,
    fit_position_bias,
    starting_point,
)
from hodgerank.estimators.position_bias.position_cells import PositionCells
from hodgerank.kernels.linalg.laplacian import inner_product
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

# Precision of position biases around 0: a standard deviation of 3 logits, which keeps them finite,
# or one additional unbiased vote.
BIAS_PRECISION = {"bradley-terry": 1 / 9, "thurstone-mosteller": 1 / 3, "uniform": 1.0}
# Largest standard deviation between groups: 3 logits, or all of the scale from -1 to 1.
WIDEST = {"bradley-terry": 3.0, "thurstone-mosteller": 3**0.5, "uniform": 1.0}
STEPS = 60  # of the grid of standard deviations
CELLS = 100_000  # of the grid that are computed at once
ROUNDS = 4
SETTLED = 0.1  # relative change of a standard deviation between groups that is negligible
FEW = 0.1  # share of the votes that must not be the only ones of their group
NEGLIGIBLE = 1e-6  # probability of a standard deviation
LEAST_DISPERSION = 1e-3  # unanimous votes do not prove that there is no noise
TINY = 1e-300

Shrinkage = bool | float | None


def require_shrinkage(shrink: Shrinkage) -> Shrinkage:
    """Return the strength of shrinkage, or raise InvalidArgument."""
    if shrink is None or isinstance(shrink, bool):
        return shrink
    if not isinstance(shrink, int | float):
        raise InvalidArgument(
            "shrink_position_bias is True, False, None, or the precision of the prior on the biases"
        )
    return require_positive(shrink, "shrink_position_bias")


def require_prior(shrink: Shrinkage, model: str) -> Shrinkage:
    """Return the strength of shrinkage of a model whose biases may have no finite estimate."""
    if require_shrinkage(shrink) is False:
        raise InvalidArgument(
            f"shrink_position_bias=False (--no-shrink-position-bias) is for hodge_rank (--model "
            f"hodgerank), not {model}: a group that always chooses the same side would have no "
            "finite estimate"
        )
    return shrink


def fit_with_shrinkage(
    cells: PositionCells,
    link: str,
    ridge: float,
    n_votes: int,
    dispersion: float,
    *,
    are_margins: bool = False,
) -> PositionBiasFit:
    """Fit with the shrinkage that the votes show.

    It is estimated at scores and biases of 0, and again at the fit until it is settled.
    `dispersion` is what the weights of the cells were divided by.
    """
    widest = WIDEST[link]
    if are_margins:  # the unit of margins is arbitrary
        widest *= float(np.sqrt(cells.square.max(initial=TINY)))
    first = PositionBiasPrior(ridge, np.full(cells.n_groups, BIAS_PRECISION[link]))
    fit = starting_point(cells, link, first)
    prior, spreads = _estimated(fit, link, n_votes, dispersion, widest)
    for _ in range(ROUNDS):
        fit = fit_position_bias(cells, link, prior, fit.scores, biases=fit.bias)
        before = spreads
        prior, spreads = _estimated(fit, link, n_votes, dispersion, widest)
        if np.abs(np.log(spreads / before)).max() < SETTLED:
            break
    return replace(fit, prior=replace(fit.prior, doubts=prior.doubts, spreads=spreads))


def _estimated(
    fit: PositionBiasFit, link: str, n_votes: int, dispersion: float, widest: float
) -> tuple[PositionBiasPrior, FloatArray]:
    """Return the prior, and the standard deviation between the groups of each grouping."""
    cells = fit.cells
    information, slopes = cells.per_group(fit.curvatures), cells.per_group(fit.slopes)
    noise = _noise(fit, link, n_votes) / dispersion
    precisions, doubts = np.ones(cells.n_groups), np.zeros(cells.n_groups)
    spreads = np.full(len(cells.sizes), widest)
    for k, place in enumerate(cells.places):
        rows = place.start + np.flatnonzero(information[place])
        if len(rows):
            own = information[rows]
            found = _shrinkage(fit.bias[rows] + slopes[rows] / own, noise / own, widest)
            precisions[rows] = own * found.share / (1 - found.share)
            doubts[rows], spreads[k] = found.doubt, found.spread
    return replace(fit.prior, bias=precisions, doubts=doubts), spreads


class _Shrinkage(NamedTuple):
    """Mean of each B_g, the variance of B_g z_g, and the root mean square of tau."""

    share: FloatArray
    doubt: FloatArray
    spread: float


def _shrinkage(estimates: FloatArray, variances: FloatArray, widest: float) -> _Shrinkage:
    squares = (widest * np.arange(1, STEPS + 1) / STEPS) ** 2
    heights, rows = np.empty(STEPS), max(1, CELLS // len(estimates))
    for k in range(0, STEPS, rows):
        total = variances + squares[k : k + rows, None]
        heights[k : k + rows] = -0.5 * (np.log(total) + estimates**2 / total).sum(axis=1)
    weights = np.sqrt(squares) * np.exp(heights - heights.max())
    weights /= weights.sum()
    mean, square = np.zeros(len(estimates)), np.zeros(len(estimates))
    for k in np.flatnonzero(weights > NEGLIGIBLE).tolist():
        share = variances / (variances + squares[k])
        mean += weights[k] * share
        square += weights[k] * share**2
    doubt = np.maximum(square - mean**2, 0.0) * estimates**2
    return _Shrinkage(mean, doubt, float(np.sqrt(weights @ squares)))


def _noise(fit: PositionBiasFit, link: str, n_votes: int) -> float:
    """Return the variance of the votes around their groups, relative to that of the objective.

    For choices under a likelihood it is 1. Least squares has it from the votes of the same group,
    whose residuals from their mean do not depend on how far the mean was shrunk.
    """
    cells = fit.cells
    towards = fit.differences + cells.of_groups(fit.bias)
    mean = towards if link == "uniform" else 2 * LINKS[link].cdf(towards) - 1
    squares = inner_product(cells.weight, cells.square - (2 * cells.mean - mean) * mean)
    if link == "uniform":
        information, slopes = cells.per_group(fit.curvatures), cells.per_group(fit.slopes)
        has_votes = information > 0
        between = slopes[has_votes] ** 2 / information[has_votes]
        freedom = n_votes - cells.n_items + 1 + int(cells.components.max())
        within = freedom - int(has_votes.sum())
        mean_square = inner_product(cells.weight, cells.square) / max(n_votes, 1)
        least = LEAST_DISPERSION * mean_square or LEAST_DISPERSION
        if within > FEW * freedom:
            return max((squares - float(between.sum())) / within, least)
        return max(squares / max(freedom, 1), least)
    if np.allclose(cells.square, 1.0):
        return 1.0
    expected = inner_product(cells.weight, 1 - mean**2)
    return max(squares / max(expected, TINY), LEAST_DISPERSION)
