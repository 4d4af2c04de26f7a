"""JointModel: one linear predictor per vote, of scores, position biases and covariates.

    t = x_left - x_right + sum of the position biases of its groups + z . beta

Every vote has the same number of nonzero coefficients, stored as two arrays of one row per vote.
The information of all unknowns is a dense matrix, so estimators, their standard errors and
expectation propagation share one inverse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.covariates.columns import Covariate
from hodgerank.estimators.position_bias.fit import least_squares
from hodgerank.kernels.linalg.cholesky import factor_and_inverse
from hodgerank.kernels.linalg.laplacian import Solution
from hodgerank.kernels.linalg.normal_equations import DENSE_ITEMS, Diagonal, Method
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.links import LIKELIHOODS
from hodgerank.types import FloatArray, IntArray

TOLERANCE, MAX_ITERATIONS, SHORTEST = 1e-9, 100, 1e-8
ROUNDING = 1e-12
# Standard deviation of the prior on an effect per unit: 2 logits. A tighter one shrinks strong
# effects of length that judges are known to have.
EFFECT_SD = {"bradley-terry": 2.0, "thurstone-mosteller": 1.2}


@dataclass(frozen=True, eq=False)
class JointModel:
    """The coefficients of all votes.

    Attributes
    ----------
    n_items, n_biases, n_effects
        Numbers of unknowns, in this order.
    columns, coefficients
        Which unknowns each vote depends on, and by how much: one row per vote.
    weights, outcomes
        Weight and outcome of each vote.
    """

    n_items: int
    n_biases: int
    n_effects: int
    columns: IntArray
    coefficients: FloatArray
    weights: FloatArray
    outcomes: FloatArray

    @classmethod
    def of(
        cls,
        votes: Comparisons,
        covariates: Sequence[Covariate],
        groups: Sequence[IntArray] = (),
        n_biases: int = 0,
        dispersion: float = 1.0,
    ) -> JointModel:
        """Build the model; `groups` are the position biases of each vote."""
        n, m = votes.n_items, len(votes)
        size = n + n_biases + len(covariates)
        if size > DENSE_ITEMS:
            raise InvalidArgument(
                f"covariates with {n:,} items and {n_biases:,} position biases are too large to "
                f"solve exactly (at most {DENSE_ITEMS:,} together): use "
                "position_bias='common', or fewer items"
            )
        shown = votes.display_known
        parts: list[tuple[IntArray, FloatArray]] = [
            (votes.left.astype(np.int64), np.ones(m)),
            (votes.right.astype(np.int64), -np.ones(m)),
        ]
        parts += [(n + np.where(shown, group, 0), shown.astype(float)) for group in groups]
        parts += [
            (np.full(m, n + n_biases + k, np.int64), covariate.values)
            for k, covariate in enumerate(covariates)
        ]
        columns, coefficients = (np.column_stack(each) for each in zip(*parts, strict=True))
        weights = votes.total_weight / dispersion
        return cls(n, n_biases, len(covariates), columns, coefficients, weights, votes.outcome)

    @property
    def size(self) -> int:
        """Number of unknowns."""
        return self.n_items + self.n_biases + self.n_effects

    @property
    def biases(self) -> slice:
        """Positions of the position biases among the unknowns."""
        return slice(self.n_items, self.n_items + self.n_biases)

    @property
    def effects(self) -> slice:
        """Positions of the effects of covariates among the unknowns."""
        return slice(self.n_items + self.n_biases, self.size)

    def predict(self, unknowns: FloatArray) -> FloatArray:
        """Return t of each vote."""
        return np.asarray((unknowns[self.columns] * self.coefficients).sum(axis=1))

    def gather(self, values: FloatArray) -> FloatArray:
        """Return A^T values: the sum over votes of each unknown."""
        spread = self.coefficients * values[:, None]
        return np.bincount(self.columns.ravel(), spread.ravel(), self.size).astype(float)

    def information(self, weights: FloatArray) -> FloatArray:
        """Return A^T diag(weights) A."""
        total, d = np.zeros(self.size**2), self.size
        width = self.columns.shape[1]
        for a in range(width):
            for b in range(width):
                values = weights * self.coefficients[:, a] * self.coefficients[:, b]
                total += np.bincount(self.columns[:, a] * d + self.columns[:, b], values, d * d)
        return total.reshape(d, d)

    def variances(self, covariance: FloatArray) -> FloatArray:
        """Return the variance of t of each vote."""
        total, width = np.zeros(len(self.columns)), self.columns.shape[1]
        for a in range(width):
            for b in range(a, width):
                twice = 1.0 if a == b else 2.0
                joint = covariance[self.columns[:, a], self.columns[:, b]]
                total += twice * self.coefficients[:, a] * self.coefficients[:, b] * joint
        return np.maximum(total, np.finfo(float).tiny)

    def written(self, covariates: Sequence[Covariate], control: Sequence[str]) -> FloatArray:
        """Return the matrix that turns unknowns into scores of items, as written or controlled.

        The effect of a covariate on the mean of each item is part of its score, unless it is
        controlled for.
        """
        matrix = np.zeros((self.n_items, self.size))
        matrix[:, : self.n_items] = np.eye(self.n_items)
        for place, covariate in zip(range(self.effects.start, self.size), covariates, strict=True):
            if covariate.name not in control:
                matrix[:, place] = covariate.means
        return matrix


@dataclass(frozen=True, eq=False)
class JointFit:
    """A fit of the joint model.

    Attributes
    ----------
    unknowns
        Scores, position biases, effects.
    covariance
        Inverse of the information, before it is multiplied by a residual variance.
    slopes
        Derivative of the objective in t, one per vote.
    """

    model: JointModel
    link: str
    unknowns: FloatArray
    covariance: FloatArray
    slopes: FloatArray
    iterations: int
    residual: float

    def clustered(self, cluster: IntArray) -> tuple[FloatArray, float]:
        """Return the sandwich covariance by cluster, and its degrees of freedom."""
        model, label = self.model, np.unique(cluster, return_inverse=True)[1]
        n = int(label.max()) + 1
        spread = (model.coefficients * self.slopes[:, None]).ravel()
        cells = model.columns * n + label[:, None]
        gradients = np.bincount(cells.ravel(), spread, model.size * n).reshape(model.size, n)
        influence = self.covariance @ gradients * np.sqrt(n / max(n - 1, 1))
        sizes = np.bincount(label)
        freedom = max(float(sizes.sum()) ** 2 / float(sizes @ sizes) - 1, 1.0)
        return influence @ influence.T, freedom

    @cached_property
    def predicted(self) -> FloatArray:
        """Value of t of each vote."""
        return self.model.predict(self.unknowns)


def fit_mode(model: JointModel, link: str, precision: FloatArray) -> JointFit:
    """Return the most probable unknowns under a Gaussian prior: Newton's method, halving steps."""
    likelihood = LIKELIHOODS.get(link, least_squares)
    p = (1 + model.outcomes) / 2

    def objective(at: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        value, slope, bend = likelihood(model.predict(at), p)
        total = float(model.weights @ value) - 0.5 * float(at @ precision @ at)
        return total, model.weights * slope, model.weights * bend

    u = np.zeros(model.size)
    value, slopes, bends = objective(u)
    iterations, size = 0, np.inf
    while size > TOLERANCE and iterations < MAX_ITERATIONS:
        iterations += 1
        gradient = model.gather(slopes) - precision @ u
        step = inverse_of(model.information(bends) + precision) @ gradient
        length = 1.0
        while True:
            trial = u + length * step
            found = objective(trial)
            if found[0] >= value - ROUNDING * abs(value) or length < SHORTEST:
                break
            length /= 2
        u, (value, slopes, bends) = trial, found
        size = float(np.abs(step).max())
    covariance = inverse_of(model.information(bends) + precision)
    return JointFit(model, link, u, covariance, slopes, iterations, size)


def inverse_of(matrix: FloatArray) -> FloatArray:
    """Return the inverse of a positive definite matrix."""
    with few_threads(len(matrix)):
        return np.asarray(factor_and_inverse(matrix)[1])


def free_scores(model: JointModel, components: IntArray, ridge: float) -> FloatArray:
    """Return a precision without prior on the scores, except that they sum to 0 per component."""
    precision = np.zeros((model.size, model.size))
    n = model.n_items
    same = components[:, None] == components
    typical = max(2 * float(model.weights.sum()) / n, ROUNDING)
    precision[:n, :n] = typical * same / same.sum(axis=0) + ridge * np.eye(n)
    return precision


class GivenInverse:
    """A system for scores by its inverse."""

    def __init__(self, inverse: FloatArray, ridge: float) -> None:
        self.inverse, self.ridge = inverse, ridge

    @property
    def n(self) -> int:
        """Number of scores."""
        return len(self.inverse)

    @property
    def method(self) -> Method:
        """How the inverse is computed."""
        return "dense"

    def solve(self, rhs: FloatArray) -> FloatArray:
        """Return scores for one right-hand side, or for each column."""
        return np.asarray(self.inverse @ rhs)

    def solution(self, rhs: FloatArray) -> Solution:
        """Return scores, and how they were computed."""
        return Solution(self.solve(rhs), 1, np.nan, "dense Cholesky")

    @property
    def inverse_diagonal(self) -> Diagonal:
        """Diagonal of the inverse."""
        return Diagonal(np.diag(self.inverse).copy(), 0.0)
