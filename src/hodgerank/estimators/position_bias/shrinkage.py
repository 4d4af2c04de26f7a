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
from hodgerank.estimators.position_bias.fit import PositionBiasFit, fit_position_bias
from hodgerank.kernels.linalg.laplacian import inner_product
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray

# Precision of position biases around 0 to start from. A standard deviation of 3 logits keeps them
# finite; for least squares it is that of one additional unbiased vote.
BIAS_PRECISION = {"bradley-terry": 1 / 9, "thurstone-mosteller": 1 / 3, "uniform": 1.0}
# Largest standard deviation between groups: 3 logits, or all of the scale from -1 to 1.
WIDEST = {"bradley-terry": 3.0, "thurstone-mosteller": 3**0.5, "uniform": 1.0}
STEPS = 100  # of the grid of standard deviations
ROUNDS = 2
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


def with_estimated_shrinkage(
    fit: PositionBiasFit, link: str, n_votes: int, dispersion: float
) -> PositionBiasFit:
    """Return the fit with the precisions that its votes show, one per grouping.

    `dispersion` is what the weights of the cells were divided by.
    """
    for _ in range(ROUNDS):
        precision = estimated_precisions(fit, link, n_votes, dispersion)
        prior = replace(fit.prior, bias=precision)
        fit = fit_position_bias(fit.cells, link, prior, fit.scores, biases=fit.bias)
    return fit


def estimated_precisions(
    fit: PositionBiasFit, link: str, n_votes: int, dispersion: float = 1.0
) -> FloatArray:
    """Return the precision of each bias in the objective."""
    cells = fit.cells
    information, slopes = cells.per_group(fit.curvatures), cells.per_group(fit.slopes)
    has_votes = information > 0
    own = np.where(has_votes, information, 1.0)
    noise = dispersion_of(fit, link, n_votes) / dispersion
    precisions = np.empty(cells.n_groups)
    for place in cells.places:
        here = has_votes[place]
        estimates = (fit.bias[place] + slopes[place] / own[place])[here]
        variance = _between(estimates, noise / own[place][here], WIDEST[link])
        precisions[place] = noise / variance
    return precisions


def _between(estimates: FloatArray, variances: FloatArray, widest: float) -> float:
    """Return the posterior mean of the variance between groups."""
    deviations = widest * np.arange(1, STEPS + 1) / STEPS
    heights = np.empty(STEPS)
    for k, deviation in enumerate(deviations.tolist()):
        total = variances + deviation**2
        heights[k] = -0.5 * float(np.sum(np.log(total)) + np.sum(estimates**2 / total))
    weights = np.exp(heights - heights.max())
    return float(weights @ deviations**2 / weights.sum())


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
