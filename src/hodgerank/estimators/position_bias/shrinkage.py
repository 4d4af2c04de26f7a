"""Shrinkage of position biases towards 0, by the variance that the votes show between groups.

Given the scores, the votes of group g estimate its bias by z_g with variance phi / N_g, where N_g
is their information and phi their dispersion. If biases are normal with variance tau^2, then z_g
has variance tau^2 + phi / N_g. The precision of the prior is phi over the posterior mean of tau^2,
with tau uniform between 0 and `WIDEST`: few groups are shrunk little, since they say little about
tau.
"""

from __future__ import annotations

from dataclasses import replace

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

# Precision of position biases around 0 to start from: a standard deviation of 3 logits, or one
# additional unbiased vote.
BIAS_PRECISION = {"bradley-terry": 1 / 9, "thurstone-mosteller": 1 / 3, "uniform": 1.0}
# Largest standard deviation between groups: 3 logits, or all of the scale from -1 to 1.
WIDEST = {"bradley-terry": 3.0, "thurstone-mosteller": 3**0.5, "uniform": 1.0}
STEPS = 60  # of the grid of standard deviations
CELLS = 100_000  # of the grid that are computed at once
ROUNDS = 4
SETTLED = 0.2  # change of the logarithm of a precision that is negligible
LEAST_DISPERSION = 1e-3  # unanimous votes do not prove that there is no noise
TINY = 1e-300

Shrinkage = bool | float


def require_shrinkage(shrink: Shrinkage) -> Shrinkage:
    """Return the strength of shrinkage, or raise InvalidArgument."""
    if isinstance(shrink, bool | np.bool_):
        return bool(shrink)
    if not isinstance(shrink, int | float):
        raise InvalidArgument(
            "shrink_position_bias is True, False, or the precision of the prior on the biases"
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
    cells: PositionCells, link: str, ridge: float, n_votes: int, dispersion: float
) -> PositionBiasFit:
    """Fit with the precisions that the votes show, one per grouping.

    They are estimated at scores and biases of 0, and again at the fit until they are settled.
    `dispersion` is what the weights of the cells were divided by.
    """
    prior = PositionBiasPrior(ridge, np.full(cells.n_groups, BIAS_PRECISION[link]))
    fit = starting_point(cells, link, prior)
    precisions = _precisions(fit, link, n_votes, dispersion)
    for _ in range(ROUNDS):
        prior = replace(prior, bias=precisions)
        fit = fit_position_bias(cells, link, prior, fit.scores, biases=fit.bias)
        before, precisions = precisions, _precisions(fit, link, n_votes, dispersion)
        if np.abs(np.log(precisions / before)).max() < SETTLED:
            break
    return fit


def _precisions(fit: PositionBiasFit, link: str, n_votes: int, dispersion: float) -> FloatArray:
    """Return the precision of each bias in the objective."""
    cells = fit.cells
    information, slopes = cells.per_group(fit.curvatures), cells.per_group(fit.slopes)
    has_votes = information > 0
    own = np.where(has_votes, information, 1.0)
    noise = dispersion_of(fit, link, n_votes) / dispersion
    precisions = np.ones(cells.n_groups)
    for place in cells.places:
        here = has_votes[place]
        estimates = (fit.bias[place] + slopes[place] / own[place])[here]
        if len(estimates):
            variances = noise / own[place][here]
            precisions[place] = noise / _between(estimates, variances, WIDEST[link])
    return precisions


def _between(estimates: FloatArray, variances: FloatArray, widest: float) -> float:
    """Return the posterior mean of the variance between groups."""
    squares = (widest * np.arange(1, STEPS + 1) / STEPS) ** 2
    heights = np.empty(STEPS)
    rows = max(1, CELLS // len(estimates))
    for k in range(0, STEPS, rows):
        total = variances + squares[k : k + rows, None]
        heights[k : k + rows] = -0.5 * (np.log(total) + estimates**2 / total).sum(axis=1)
    weights = np.exp(heights - heights.max())
    return float(weights @ squares / weights.sum())


def dispersion_of(fit: PositionBiasFit, link: str, n_votes: int) -> float:
    """Return the variance of the votes relative to that of the objective.

    That is the residual variance of least squares; for choices under a likelihood it is 1.
    """
    cells = fit.cells
    towards = fit.differences + cells.of_groups(fit.bias)
    mean = towards if link == "uniform" else 2 * LINKS[link].cdf(towards) - 1
    squares = inner_product(cells.weight, cells.square - (2 * cells.mean - mean) * mean)
    if link == "uniform":
        parameters = cells.n_items - 1 - int(cells.components.max()) + n_effective(fit)
        return max(squares / max(n_votes - parameters, 1.0), LEAST_DISPERSION)
    if np.allclose(cells.square, 1.0):
        return 1.0
    expected = inner_product(cells.weight, 1 - mean**2)
    return max(squares / max(expected, TINY), LEAST_DISPERSION)


def n_effective(fit: PositionBiasFit) -> float:
    """Return the effective number of biases: those of groups with many votes count in full."""
    information = fit.cells.per_group(fit.curvatures)
    prior = np.broadcast_to(fit.prior.bias, information.shape)
    has_votes = information > 0
    share = information[has_votes] / (information + prior)[has_votes]
    return float(share.sum()) - fit.n_levels
