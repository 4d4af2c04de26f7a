"""Mean squares of residuals, item by item and worker by worker, and how surprising they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.estimators.reliability.misfit import Misfit
from hodgerank.estimators.reliability.residuals import Residuals
from hodgerank.kernels.edges.group_ends import sums_at_ends
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.kernels.models.false_discoveries import discoveries
from hodgerank.types import BoolArray, FloatArray, IntArray, Item

FEWEST_ANSWERS = 10  # below which nobody is called misfitting
BLOCK = 256  # groups solved for at once
NO_SPREAD = 1e-9
# Answers that fit do not show that there is no noise: one more pair of equals would vary so much.
ONE_MORE = 0.25
NOTABLE = 1.05  # of the mean infit: with many answers, departures nobody minds are significant
LEAST_FREE = 0.2  # of the variance: an item that fitting explains this far cannot misfit


def item_misfit(residuals: Residuals, rate: float) -> Misfit:
    """Of each item; an answer is one of both its items."""
    votes = residuals.answered.votes
    rows = np.arange(len(votes))
    return _misfit(
        "item",
        votes.items,
        residuals,
        np.r_[rows, rows],
        np.r_[votes.left, votes.right].astype(np.int64),
        rate,
    )


def worker_misfit(residuals: Residuals, rate: float) -> Misfit | None:
    """Of each worker; None where nobody is known."""
    votes = residuals.answered.votes
    rows = np.flatnonzero(votes.worker != NO_WORKER)
    if not len(rows):
        return None
    who = votes.worker[rows].astype(np.int64)
    return _misfit("worker", votes.workers, residuals, rows, who, rate)


def _misfit(
    of: str,
    names: tuple[Item, ...],
    residuals: Residuals,
    rows: IntArray,
    group: IntArray,
    rate: float,
) -> Misfit:
    """Of groups of answers, given by row and group."""
    edge, n = residuals.answered.edge[rows], len(names)
    times = residuals.times[rows]

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(group, times * values, n).astype(float)

    answers = np.bincount(group, times, n).astype(float)
    fit, square = residuals.fit, residuals.residual[rows] ** 2
    usual = fit.dispersion * fit.variances * residuals.kept
    inner, spread = total(usual[edge]), residuals.variance_of_square
    steepness = 2 * residuals.chance - 1
    free, shift = _refitted(residuals, edge, group, times, steepness, n)
    with np.errstate(divide="ignore", invalid="ignore"):
        infit = total(square) / inner
        outfit = total(square / usual[edge]) / answers
        told = np.where(free > LEAST_FREE, free, 0.0)
        infit_q = np.sqrt(told * total(spread[edge])) / inner
        outfit_q = np.sqrt(told * total((spread / usual**2)[edge])) / answers
    p_value = _p_values(residuals, rows, edge, group, steepness, free, shift, total)
    p_value[answers < FEWEST_ANSWERS] = np.nan
    infit, outfit = (np.where(np.isfinite(ms), ms, np.nan) for ms in (infit, outfit))
    return Misfit(
        of=of,
        names=names,
        answers=answers.astype(np.int64),
        infit=infit,
        outfit=outfit,
        infit_z=_wilson_hilferty(infit, infit_q),
        outfit_z=_wilson_hilferty(outfit, outfit_q),
        p_value=p_value,
        misfits=discoveries(p_value, rate) & (infit > NOTABLE * _mean(infit)),
        conventional=_far_above(infit),
        false_discovery_rate=rate,
        backend=residuals.answered.votes.backend,
    )


def _p_values(
    residuals: Residuals,
    rows: IntArray,
    edge: IntArray,
    group: IntArray,
    steepness: FloatArray,
    free: FloatArray,
    shift: FloatArray,
    total: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """Do favourites lose more often than with others, weighted by how clear they are?

    That is the infit as far as it depends on the answers. Its null distribution is that of a sum of
    rare events: a gamma distribution with the mean, variance and skewness that it has.
    """
    n, weight = len(free), steepness[edge]
    lack = total(weight * (residuals.expected[edge] - residuals.outcome[rows])) + shift
    variance = residuals.variance
    # What is expected was found from the answers of the group too.
    n_classes = len(residuals.answers_in_class)
    key = group * n_classes + residuals.classes[edge]
    own = np.bincount(key, residuals.times[rows], n * n_classes).reshape(n, n_classes)
    others = 1 - own / np.maximum(residuals.answers_in_class, 1.0)
    seen = np.maximum(others, 0.0)[group, residuals.classes[edge]]
    squares = total(seen * weight**2 * variance[edge]) * free
    squares = np.where(free > LEAST_FREE, squares + ONE_MORE, 0.0)
    rarity = 2 * residuals.expected - 1
    cubes = total(seen * weight**3 * (variance * np.abs(rarity))[edge]) * free**1.5
    return _upper_tail(lack, squares, cubes)


def _upper_tail(value: FloatArray, variance: FloatArray, third: FloatArray) -> FloatArray:
    """P(X >= value) for a shifted gamma of mean 0 with these moments; NaN without spread."""
    from scipy.special import gammaincc, ndtr

    known = variance > NO_SPREAD
    sd = np.sqrt(np.where(known, variance, 1.0))
    z, skewness = value / sd, third / sd**3
    shape = 4 / np.maximum(skewness, 1e-3) ** 2
    tail = gammaincc(shape, np.maximum(shape + z * np.sqrt(shape), 0.0))
    return np.where(known, np.where(skewness > 1e-3, tail, ndtr(-z)), np.nan)


def _refitted(
    residuals: Residuals,
    edge: IntArray,
    group: IntArray,
    times: FloatArray,
    steepness: FloatArray,
    n: int,
) -> tuple[FloatArray, FloatArray]:
    """What fitting the scores does to the misfit of each group.

    The share of its variance that is left over, and by how much it changes when the scores follow
    what is expected in each class.
    """
    fit = residuals.fit
    graph, information = fit.graph, fit.information
    side = np.where(fit.differences >= 0, 1.0, -1.0)
    pull = times * (steepness * fit.variances * side)[edge]
    ends = graph.i[edge], graph.j[edge]
    gradients = sums_at_ends(*ends, pull, group, (graph.n_items, n))
    whole = np.bincount(group, times * (steepness**2 * fit.variances)[edge], n)
    surplus = graph.weights * (graph.flows - side * (2 * residuals.expected - 1)) / 2
    step = information.solve(divergence(graph.i, graph.j, surplus, graph.n_items))
    taken = np.zeros(n)
    for start in range(0, n, BLOCK):
        block = gradients[:, start : start + BLOCK].toarray()
        if information.method == "dense":
            moved = information.inverse @ block
        else:  # as if each score were found alone
            own = np.bincount(graph.i, information.weights, graph.n_items)
            own = own + np.bincount(graph.j, information.weights, graph.n_items)
            moved = block / np.maximum(own, 1e-300)[:, None]
        taken[start : start + BLOCK] = np.einsum("ik,ik->k", block, moved)
    share = taken / np.where(whole > 0, whole, 1.0)
    return np.clip(1 - share, 0.0, 1.0), gradients.T @ step


def _wilson_hilferty(mean_square: FloatArray, spread: FloatArray) -> FloatArray:
    known = np.isfinite(mean_square) & np.isfinite(spread) & (spread > NO_SPREAD)
    q = np.where(known, spread, 1.0)
    z = (np.cbrt(np.where(known, mean_square, 1.0)) - 1) * 3 / q + q / 3
    return np.where(known, z, np.nan)


def _far_above(infit: FloatArray) -> BoolArray:
    known = infit[np.isfinite(infit)]
    if len(known) < 2:
        return np.zeros(len(infit), bool)
    return np.asarray(np.nan_to_num(infit) > _mean(infit) + 2 * known.std(ddof=1))


def _mean(infit: FloatArray) -> float:
    known = infit[np.isfinite(infit)]
    return float(known.mean()) if len(known) else 1.0
