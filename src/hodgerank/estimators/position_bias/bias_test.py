"""Estimate and test of position bias, per worker or overall.

Position bias is the intercept b of a logistic model beside the scores (`fit`), so that strong
preferences do not leak into it. It is reported as the mean vote on pairs shown in both orders: 0
without bias, +1 for always choosing left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, stdtr, stdtrit

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.position_bias.fit import (
    PositionBiasFit,
    PositionBiasPrior,
    fit_position_bias,
)
from hodgerank.estimators.position_bias.groupings import (
    Groupings,
    common_group,
    crossed,
    worker_groups,
)
from hodgerank.estimators.position_bias.position_cells import PositionCells
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.edges import group_rows
from hodgerank.kernels.linalg.laplacian import divergence, inner_product
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray, IntArray, Item

# Standard deviations: 5 logits for scores, 3 logits for biases, 1/2 around 1 for acuities.
PRIOR = PositionBiasPrior(scores=0.04, bias=1 / 9, acuity=4.0)
# A standard error as large as the prior's means that nothing is known.
MEANINGLESS = 2.0
CLOSE_ENOUGH = 1e-3  # of biases, in logits
LEAST_DISPERSION = 1e-3  # unanimous votes do not prove that there is no noise
TINY = 1e-300


@dataclass(frozen=True)
class PositionBias:
    """Position bias of each group: its mean vote for the left item, all else equal.

    NaN for groups whose votes do not determine it.

    Attributes
    ----------
    bias, stderr
        On the scale of votes: -1 always right, +1 always left.
    lower, upper
        95% confidence interval.
    p_values
        Two-sided p-values of no bias.
    """

    bias: FloatArray
    stderr: FloatArray
    lower: FloatArray
    upper: FloatArray
    p_values: FloatArray


def measure_position_bias(
    answered: AnsweredGraph, of: Literal["workers", "everybody"] = "workers"
) -> PositionBias:
    """Estimate the position bias of each worker, or of all votes together.

    Standard errors are clustered by worker and pair. They are at least the model's, since few
    clusters may agree by chance, and intervals use Student's t. The overall estimate is about these
    workers, not about a population of workers.
    """
    votes = answered.votes
    n = votes.n_workers if of == "workers" else 1
    if not votes.display_known.any():
        unknown = np.full(n, np.nan)
        return PositionBias(unknown, unknown, unknown, unknown, unknown)
    group, n_groups = worker_groups(votes) if of == "workers" else common_group(votes)
    cells = PositionCells.of(answered, [group], [n_groups])
    cells = replace(cells, weight=cells.weight * _unit(votes))
    prior = PRIOR if of == "workers" else replace(PRIOR, acuity=None)
    start = np.clip(2 * answered.scores, -5, 5)  # about the logits of weak preferences
    fit = fit_position_bias(cells, "bradley-terry", prior, start, CLOSE_ENOUGH)
    clustered, n_clusters = _clustered(answered, fit, group)
    inflation = np.maximum(clustered, _dispersion(fit))
    error = np.sqrt(fit.bias_variances * inflation)
    freedom = np.maximum(n_clusters - 1.0, 1.0)
    half = stdtrit(freedom, 0.975) * error
    said = (cells.votes > 0) & (error < MEANINGLESS)
    middle, slope = _mean_votes(fit, fit.bias)
    low, high = (_mean_votes(fit, fit.bias + side * half)[0] for side in (-1, 1))
    p_value = 2 * stdtr(freedom, -np.abs(fit.bias / error))
    parts = (middle, slope * error, low, high, p_value)
    return PositionBias(*(np.where(said, part, np.nan)[:n] for part in parts))


def _unit(votes: Comparisons) -> float:
    """Return the factor that makes weights sum to the effective number of votes."""
    if votes.weight is None:
        return 1.0
    return float(votes.total_weight.sum() / (votes.total_weight * votes.weight).sum())


def _dispersion(fit: PositionBiasFit) -> float:
    """Return the dispersion: squared residuals relative to those of choices."""
    cells = fit.cells
    if np.allclose(cells.square, 1.0):
        return 1.0
    mean = np.tanh(_linear(fit, fit.bias) / 2)
    noise = cells.square - 2 * mean * cells.mean + mean**2
    expected = inner_product(cells.weight, 1 - mean**2)
    return max(inner_product(cells.weight, noise) / max(expected, TINY), LEAST_DISPERSION)


def _clustered(
    answered: AnsweredGraph, fit: PositionBiasFit, group: IntArray
) -> tuple[FloatArray, IntArray]:
    """Return the variance inflation of the biases and the number of clusters, for each group.

    A cluster holds the votes of a worker on a pair, or a unit or ballot if there are any.
    """
    votes, n_groups = answered.votes, fit.cells.n_groups
    shown = np.flatnonzero(votes.display_known)
    group, worker = group[shown], votes.worker[shown].astype(np.int64) + 1
    cluster = answered.edge[shown]
    if votes.ballot is not None:
        cluster = votes.ballot[shown].astype(np.int64)
    elif n_groups == 1:
        cluster = worker * answered.graph.n_edges + cluster
    difference = (fit.scores[votes.left] - fit.scores[votes.right])[shown]
    chance = expit(fit.acuity[group] * difference + fit.bias[group])
    residual = (votes.total_weight[shown] * _unit(votes)) * (
        (1 + votes.outcome[shown]) / 2 - chance
    )

    n_clusters = int(cluster.max()) + 1
    keys, place = group_rows(group * np.int64(n_clusters) + cluster, n_groups * n_clusters)
    squares = np.bincount(place, residual, len(keys)) ** 2
    of_cluster = keys // n_clusters
    several = np.bincount(of_cluster, minlength=n_groups)
    total = np.bincount(of_cluster, squares, n_groups) * several / np.maximum(several - 1, 1)
    information = fit.cells.per_group(fit.curvatures)
    return total / np.where(information > 0, information, np.inf), several


def _linear(fit: PositionBiasFit, bias: FloatArray, *, turned: bool = False) -> FloatArray:
    """Return the logits of the cells, as shown or with sides swapped."""
    cells = fit.cells
    difference = -fit.differences if turned else fit.differences
    return cells.of_groups(fit.acuity, 1.0) * difference + cells.of_groups(bias)


def _mean_votes(fit: PositionBiasFit, bias: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean vote of each group over both display orders, and its derivative."""
    cells = fit.cells
    answers = np.where(cells.votes > 0, cells.votes, 1.0)
    means = [np.tanh(_linear(fit, bias, turned=turned) / 2) for turned in (False, True)]
    middle = cells.per_group(cells.weight * (means[0] + means[1]) / 2) / answers
    slopes = [(1 - mean**2) / 2 for mean in means]
    return middle, cells.per_group(cells.weight * (slopes[0] + slopes[1]) / 2) / answers


LINK = "thurstone-mosteller"
WIDE = 1.959963984540054  # standard errors in half of a 95% interval


class FirstChoiceRate(NamedTuple):
    """Share of choices of the left item, 1/2 without bias, with its 95% interval."""

    share: float
    low: float
    high: float


def first_choice_rate(votes: Comparisons) -> dict[Item, FirstChoiceRate]:
    """Return the rate of each worker between equal items, from the posterior of the biases.

    `measure_position_bias` differs: it is the mean effect on the votes given, which is smaller if
    items differ clearly.
    """
    from hodgerank.estimators.position_bias.posterior import position_bias_posterior

    known = votes.select(votes.display_known & (votes.worker >= 0))
    if not len(known):
        return {}
    mean, variance = position_bias_posterior(AnsweredGraph.of(known), "worker", LINK).biases
    half = WIDE * np.sqrt(variance)
    shares = LINKS[LINK].cdf(np.column_stack((mean, mean - half, mean + half)))
    workers = (known.workers[k] for k in np.unique(known.worker))
    rows = (FirstChoiceRate(*row) for row in shares.tolist())
    return dict(zip(workers, rows, strict=True))


N_PERMUTATIONS = 199
MOST_VOTES = 20_000  # largest number of votes that is permuted within a second


def ranking_chance(answered: AnsweredGraph, position_bias: Groupings) -> float | None:
    """Return the p-value of the ranking for votes that depend on position only.

    Residuals from each group's mean position bias are permuted within the group, and the energies
    of the gradient compared. A group has the same values of all groupings. None if there are too
    many votes.
    """
    votes, graph = answered.votes, answered.graph
    if len(votes) > MOST_VOTES:
        return None
    group, n_groups = crossed(votes, position_bias)
    weight = votes.total_weight
    total = np.maximum(np.bincount(group, weight, n_groups), np.finfo(float).tiny)
    rest = votes.outcome - (np.bincount(group, weight * votes.outcome, n_groups) / total)[group]

    def energy(values: FloatArray) -> float:
        shown = answered.sign * weight * values
        flow = np.bincount(answered.edge, shown, graph.n_edges).astype(float)
        residual = divergence(graph.i, graph.j, flow, graph.n_items)
        return float(residual @ graph.equations.solve(residual))

    rng = np.random.default_rng(0)
    shown, as_much = energy(rest), 0
    for _ in range(N_PERMUTATIONS):
        permuted = np.empty_like(rest)
        permuted[np.argsort(group, kind="stable")] = rest[
            np.lexsort((rng.random(len(rest)), group))
        ]
        as_much += energy(permuted) >= shown
    return (1 + as_much) / (1 + N_PERMUTATIONS)
