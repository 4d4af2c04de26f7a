"""Evidence: the test statistics of a difference, for any assignment of units to populations.

All statistics take one Newton step from the shared scores, whose gradients do not change when units
are exchanged: a population with gradient b and information L differs by d = (L + ridge)^-1 b, and
separate scores improve the fit by the sum of b^T d.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from hodgerank.estimators.population_comparison.populations import Exchange, Populations
from hodgerank.estimators.population_comparison.shared_scores import LEAST_ACUITY, SharedScores
from hodgerank.kernels.edges import sums_at_ends
from hodgerank.kernels.linalg.laplacian import divergence
from hodgerank.types import BoolArray, FloatArray, IntArray

ENOUGH_REPEATS = 30


def misfit_shares(crowds: Populations, shared: SharedScores) -> FloatArray:
    """Share of the mean residual of each pair that is systematic misfit, not noise.

    m v / (m v + q), where q is the variance of a vote, v the variance of the pairs' misfits, and m
    the number of votes on the pair; v and q are estimated by the method of moments.
    """
    weights = np.bincount(crowds.edge, crowds.weight)
    repeats = len(crowds.edge) - len(weights)
    if repeats < ENOUGH_REPEATS:
        return np.zeros(len(weights))
    squares = float((shared.slopes**2 / crowds.weight).sum())
    between = float((np.bincount(crowds.edge, shared.slopes) ** 2 / weights).sum())
    noise = max((squares - between) / repeats, float(np.finfo(float).tiny))
    freedom = max(len(weights) - crowds.n_items + 1, 0)
    misfit = max(between - freedom * noise, 0.0) / float(weights.sum())
    return np.asarray(weights * misfit / (weights * misfit + noise))


def without_misfit(crowds: Populations, shared: SharedScores, shares: FloatArray) -> FloatArray:
    """Subtract these shares of the pair's mean from the slopes of its votes."""
    means = np.bincount(crowds.edge, shared.slopes) / np.bincount(crowds.edge, crowds.weight)
    return np.asarray(shared.slopes - crowds.weight * (shares * means)[crowds.edge])


def balanced(crowds: Populations, shared: SharedScores, slopes: FloatArray) -> FloatArray:
    """Return slopes with zero total gradient, after a Newton step of the shared scores."""
    acuity = shared.acuity[crowds.population]
    left_over = np.bincount(crowds.edge, acuity * slopes).astype(float)
    gradient = divergence(crowds.i, crowds.j, left_over, crowds.n_items)
    step = shared.information(crowds).solve(gradient)
    moved = (step[crowds.i] - step[crowds.j])[crowds.edge]
    return np.asarray(slopes - acuity * shared.curvatures * moved)


def contrasts(values: FloatArray) -> FloatArray:
    """Subtract the mean of the other populations from each population (first axis)."""
    n = len(values)
    return np.asarray((n * values - values.sum(axis=0)) / (n - 1))


def contrast_variances(variances: FloatArray) -> FloatArray:
    """Variances of `contrasts`, for values that are independent between populations."""
    n = len(variances)
    return np.asarray(variances + (variances.sum(axis=0) - variances) / (n - 1) ** 2)


TINY = float(np.finfo(float).tiny)


class Evidence(NamedTuple):
    """Test statistics of a difference, under one assignment.

    Attributes
    ----------
    statistic
        Improvement of the fit by separate scores.
    scores
        Scores by population and item.
    t
        Contrast of each population with the others, in standard errors, relative to that of most
        items.
    """

    statistic: float
    scores: FloatArray
    t: FloatArray


class Weigh(Protocol):
    """A function from the population of each unit to the evidence."""

    def __call__(self, population: IntArray) -> Evidence:
        """Compute the evidence of one assignment."""


def evidence_for(
    crowds: Populations, shared: SharedScores, pooled: SharedScores, exchange: Exchange
) -> Weigh:
    """Return the evidence function for what is exchanged; `pooled` has one acuity for all."""
    if exchange.by_worker:
        return WorkerEvidence(crowds, shared, exchange)
    return VoteEvidence(crowds, shared, pooled)


FEW_ENTRIES = 0.25  # largest share of nonzeros for which outer products are stored


class UnitSums:
    """Sums over the units of each population, for many assignments.

    The summands are the columns of one sparse matrix, and the outer products g g^T of the columns
    of another. Most workers compared few items: their products are computed once, and summed by a
    sparse product. The dense ones are faster to recompute.
    """

    def __init__(self, matrix: Any, vectors: Any) -> None:
        from scipy import sparse

        is_full = np.diff(vectors.indptr) > FEW_ENTRIES * vectors.shape[0]
        self._full_units = np.flatnonzero(is_full)
        self._full = vectors[:, self._full_units].toarray().T.copy()
        halves = _half_products((vectors * ~is_full).tocsc())
        self._matrix = sparse.vstack((matrix, halves), format="csr")
        self._n_rows, self._n_items = matrix.shape[0], vectors.shape[0]
        self._everything = self._over(np.ones(len(is_full), bool))

    def by_population(
        self, population: IntArray, n_populations: int
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Return both sums by population; the last population gets the remainder."""
        rest, rest_of_products = self._everything
        for g in range(n_populations - 1):
            sums, products = self._over(population == g)
            rest, rest_of_products = rest - sums, rest_of_products - products
            yield sums, products
        yield rest, rest_of_products

    def _over(self, inside: BoolArray) -> tuple[FloatArray, FloatArray]:
        sums = self._matrix @ inside.astype(float)
        full = self._full[inside[self._full_units]]
        half = sums[self._n_rows :].reshape(self._n_items, self._n_items)
        return sums[: self._n_rows], np.asarray(full.T @ full + half + half.T)


def _half_products(vectors: Any) -> Any:
    """Return H with g g^T = H + H^T for every column g; one row per entry."""
    from scipy import sparse

    vectors.eliminate_zeros()
    n_items, n_vectors = vectors.shape
    n_entries = np.diff(vectors.indptr)
    start = np.repeat(vectors.indptr[:-1], n_entries)
    # Multiply every entry by the entries from the start of its column up to itself.
    n_factors = np.arange(vectors.nnz) - start + 1
    one = np.repeat(np.arange(vectors.nnz), n_factors)
    other = np.arange(len(one)) - np.repeat(np.cumsum(n_factors) - n_factors - start, n_factors)
    values = vectors.data[one] * vectors.data[other] * np.where(one == other, 0.5, 1.0)
    rows = vectors.indices[one] * np.int64(n_items) + vectors.indices[other]
    columns = np.repeat(np.arange(n_vectors), n_entries)[one]
    return sparse.coo_array((values, (rows, columns)), shape=(n_items**2, n_vectors))


# Relative rounding error of a difference of sums: workers who agree have no residuals.
ROUNDING = 1e-13


class WorkerEvidence:
    """Evidence if whole workers are exchanged.

    The improvement of the fit grows with the variation in taste between workers. It is divided by
    the value that their variation within populations would produce: otherwise few workers with many
    votes in one population and many with few in the other would look different.
    """

    def __init__(self, crowds: Populations, shared: SharedScores, exchange: Exchange) -> None:
        from scipy import sparse

        self._crowds, self._shared = crowds, shared
        acuity = shared.acuity[crowds.population]
        slopes = without_misfit(crowds, shared, misfit_shares(crowds, shared))
        weighted = acuity * balanced(crowds, shared, slopes)
        i, j, n_units = crowds.i[crowds.edge], crowds.j[crowds.edge], len(exchange.population)
        gradients = sums_at_ends(i, j, weighted, exchange.unit, (crowds.n_items, n_units))
        information = sparse.coo_array(
            (acuity**2 * shared.curvatures, (crowds.edge, exchange.unit)),
            shape=(len(crowds.i), n_units),
        )
        self._sizes = np.asarray(information.sum(axis=0)).ravel()
        summed = sparse.vstack((information, gradients, gradients * self._sizes))
        self._sums = UnitSums(summed, gradients)
        self._dullest = LEAST_ACUITY / shared.acuity - 1

    def __call__(self, population: IntArray) -> Evidence:
        """Compute the evidence of one assignment."""
        c, n_populations = self._shared.scores, len(self._crowds.names)
        ends = np.cumsum((len(self._crowds.i), len(c)))
        n_units = np.bincount(population, minlength=n_populations)
        size = np.bincount(population, self._sizes, n_populations)
        squares = np.bincount(population, self._sizes**2, n_populations)
        steps, variances = np.empty((2, n_populations, len(c)))
        spread, gains, within = np.empty(n_populations), np.empty(n_populations), 0.0
        for g, (sums, products) in enumerate(self._sums.by_population(population, n_populations)):
            information, total, by_size = np.split(sums, ends)
            inverse, about_acuity = self._shared.invert(self._crowds, information)
            around = _around_mean(products, total, by_size / size[g], squares[g] / size[g] ** 2)
            few = n_units[g] / (n_units[g] - 1)
            steps[g], gains[g] = self._shared.step(total, inverse, about_acuity, self._dullest[g])
            variances[g] = np.maximum(np.diag(inverse), TINY)
            spread[g] = few * float(np.vdot(inverse @ around, inverse))
            within += few * float(np.vdot(around, inverse))
        model = contrast_variances(variances)
        inflation = contrast_variances(spread) / model.sum(axis=1)
        errors = np.sqrt(np.maximum(model * inflation[:, None], TINY))
        outstanding = contrasts(self._shared.stand_out(steps, variances, self._dullest))
        return Evidence(float(gains.sum()) / max(within, TINY), c + steps, outstanding / errors)


def _around_mean(
    products: FloatArray, total: FloatArray, weighted: FloatArray, squares: float
) -> FloatArray:
    """Sum of (g - w t) (g - w t)^T over units with gradient g and share w of the information.

    Computed from the sums of g g^T, of g (which is t), of w g and of w^2.
    """
    across = np.outer(weighted - squares / 2 * total, total)
    around = products - across - across.T
    return np.where(np.abs(around) <= ROUNDING * np.abs(products).max(), 0.0, around)


class VoteEvidence:
    """Evidence if votes on the same pair are exchanged.

    Only differences within pairs count: the mean vote on a pair does not depend on the assignment.
    Neither do the design and the information.
    """

    def __init__(self, crowds: Populations, shared: SharedScores, pooled: SharedScores) -> None:
        self._crowds, self._shared, self._pooled = crowds, shared, pooled
        self._within = without_misfit(crowds, shared, np.ones(len(crowds.i)))
        self._inverses_within = [
            shared.invert(crowds, information)
            for information in crowds.sums(shared.curvatures) * crowds.is_shared
        ]
        self._inverses = [
            pooled.invert(crowds, information)[0] for information in crowds.sums(pooled.curvatures)
        ]
        self._variances = np.array(
            [np.maximum(np.diag(inverse), TINY) for inverse, _ in self._inverses_within]
        )
        self._dullest = LEAST_ACUITY - shared.acuity

    def __call__(self, population: IntArray) -> Evidence:
        """Compute the evidence of one assignment."""
        gradients = self._gradients(population, self._within)
        steps, gain = np.empty_like(gradients), 0.0
        for g, gradient in enumerate(gradients):
            steps[g], more = self._shared.step(
                gradient, *self._inverses_within[g], self._dullest[g]
            )
            gain += more
        outstanding = contrasts(self._shared.stand_out(steps, self._variances, self._dullest))
        errors = np.sqrt(contrast_variances(self._variances))
        return Evidence(gain, self._scores(population), outstanding / errors)

    def _scores(self, population: IntArray) -> FloatArray:
        """Return scores from all votes, including pairs that only one population compared."""
        gradients = self._gradients(population, self._pooled.slopes)
        steps = [inverse @ b for inverse, b in zip(self._inverses, gradients, strict=True)]
        return np.asarray(self._pooled.scores + np.array(steps))

    def _gradients(self, population: IntArray, slopes: FloatArray) -> FloatArray:
        """Return the gradient of every population."""
        crowds = self._crowds
        shape = len(crowds.names), len(crowds.i)
        flows = np.bincount(population * shape[1] + crowds.edge, slopes, shape[0] * shape[1])
        return np.array(
            [
                divergence(crowds.i, crowds.j, flow, crowds.n_items)
                for flow in flows.astype(float).reshape(shape)
            ]
        )
