"""Covariance of the scores: from the model, or clustered by worker or ballot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.graph.build import single_votes, source_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.edges import sums_at_ends
from hodgerank.kernels.hypothesis_tests import interval_quantile
from hodgerank.kernels.linalg.normal_equations import Diagonal, Method
from hodgerank.types import FloatArray, IntArray, VotesLike

CovarianceKind = Literal["model", "worker", "ballot"]
KINDS = ("model", "worker", "ballot")

BLOCK = 256  # workers solved for at once
VANISHING = 1e-20


class Equations(Protocol):
    """A linear system for the scores, possibly with other unknowns eliminated."""

    @property
    def n(self) -> int:
        """Number of scores."""

    @property
    def ridge(self) -> float:
        """Precision of the prior on the scores."""

    @property
    def method(self) -> Method:
        """How the inverse is computed."""

    def solve(self, rhs: FloatArray) -> FloatArray:
        """Solve for one right-hand side, or for each column."""

    @property
    def inverse(self) -> FloatArray:
        """The full inverse; used only where `method` is dense."""

    @property
    def inverse_diagonal(self) -> Diagonal:
        """Diagonal of the inverse."""


class Covariance(Protocol):
    """Covariance of the scores, formed as a dense matrix only for few items."""

    @property
    def variances(self) -> FloatArray:
        """Variance of each score."""

    @property
    def matrix(self) -> FloatArray | None:
        """The full covariance matrix, or None if it would be too large."""

    def difference(self, a: int, b: int) -> float:
        """Variance of the difference of two scores."""

    def differences(self, b: int) -> FloatArray:
        """Variance of the difference of every score from one of them."""

    @property
    def freedom(self) -> float | None:
        """Degrees of freedom of the variances; None if they are not estimated from residuals."""

    def quantile(self, confidence: float) -> float:
        """Half the width of an interval, in standard errors."""

    @property
    def description(self) -> str:
        """How the variances were obtained, with their error if they are estimates."""


class ResidualVariance(NamedTuple):
    """Variance per unit of weight, and how well it is known."""

    variance: float
    freedom: float | None
    largest: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class ModelCovariance:
    """A scale times the inverse of the normal equations.

    Attributes
    ----------
    freedom
        Degrees of freedom of the scale, if it was estimated from residuals.
    largest
        Upper bound of the scale.
    clusters
        Clusters that the equations account for, e.g. 'clustered by unit (30 units)'.
    """

    equations: Equations
    scale: float
    freedom: float | None = None
    largest: float = np.inf
    clusters: str | None = None

    @cached_property
    def variances(self) -> FloatArray:
        """The diagonal, scale * diag(L^+)."""
        return self.scale * np.maximum(self.equations.inverse_diagonal.values, 0.0)

    @property
    def matrix(self) -> FloatArray | None:
        """Scale * L^+, if the equations are dense."""
        return self.scale * self.equations.inverse if self.equations.method == "dense" else None

    def difference(self, a: int, b: int) -> float:
        """Scale * C_ab, where C is the effective resistance; takes one solve."""
        contrast = np.zeros(self.equations.n)
        contrast[a], contrast[b] = 1.0, -1.0
        return self.scale * float(contrast @ self.equations.solve(contrast))

    def differences(self, b: int) -> FloatArray:
        """Scale * C_ib for every i; takes one solve unless the inverse is known."""
        equations, variances = self.equations, self.variances
        if equations.method == "dense":
            column = equations.inverse[:, b]
        else:
            unit = np.zeros(equations.n)
            unit[b] = 1.0
            if not equations.ridge:  # L^+ e_b: the solver needs a sum of zero
                unit -= 1 / equations.n
            column = equations.solve(unit)
        found = np.maximum(variances + variances[b] - 2 * self.scale * column, 0.0)
        found[b] = 0.0
        return np.asarray(found)

    def quantile(self, confidence: float) -> float:
        """Quantile of Student's t, at most the normal quantile with the largest scale."""
        widest = np.sqrt(max(self.largest / self.scale, 1.0)) if self.scale else 1.0
        normal = interval_quantile(confidence, None)
        return min(interval_quantile(confidence, self.freedom), normal * float(widest))

    @property
    def description(self) -> str:
        """Exact, a stochastic estimate with its relative error, or clustered."""
        if self.clusters is not None:
            return self.clusters
        if self.equations.method != "iterative":
            return f"exact ({self.equations.method})"
        error = self.equations.inverse_diagonal.relative_error / 2  # halved by the square root
        return f"stochastic estimate, relative error {error:.1%}"


@dataclass(frozen=True)
class ClusteredCovariance:
    """The clustered sandwich estimator A^-1 (sum over clusters of g g^T) A^-1.

    g is the gradient of one cluster: a worker, a ballot, or a unit. The estimator stays valid when
    votes within a cluster are correlated or the model is wrong; it is accurate from some tens of
    clusters on.
    """

    equations: Equations
    votes: Comparisons
    slopes: FloatArray
    """Derivative of the objective with respect to x_left - x_right, one per vote."""
    by: Literal["worker", "ballot"]

    def __post_init__(self) -> None:
        if self.by == "ballot" and self.votes.ballot is None:
            raise InvalidArgument(
                "covariance='ballot' needs rankings of several items, or the column of the unit "
                "(unit=..., --unit)"
            )
        if self.by == "worker" and len(self.votes) and self.votes.worker.min() == NO_WORKER:
            raise InvalidArgument(
                "covariance='worker' needs the worker of every vote: "
                "name the column (worker=..., --worker), or use covariance='model'"
            )
        if self.n_clusters < 2:
            raise InvalidArgument(f"covariance={self.by!r} needs at least two {self.by}s")

    @cached_property
    def _cluster(self) -> IntArray:
        """The cluster of each vote; clusters without votes are not counted."""
        cluster = self.votes.worker if self.by == "worker" else self.votes.ballot
        assert cluster is not None  # see __post_init__
        return np.unique(cluster, return_inverse=True)[1]

    @cached_property
    def freedom(self) -> float:
        """Effective number of clusters, allowing for unequal sizes, minus 1."""
        sizes = np.bincount(self._cluster, self.votes.votes_per_row)
        return max(float(sizes.sum()) ** 2 / float(sizes @ sizes) - 1, 1.0)

    def quantile(self, confidence: float) -> float:
        """Quantile of Student's t."""
        return interval_quantile(confidence, self.freedom)

    @property
    def n_clusters(self) -> int:
        """Number of workers or ballots with votes."""
        return int(self._cluster.max(initial=-1)) + 1

    @cached_property
    def _gradients(self) -> FloatArray:
        """Gradients with respect to the scores, one column per cluster."""
        votes = self.votes
        shape = (votes.n_items, self.n_clusters)
        sums = sums_at_ends(votes.left, votes.right, self.slopes, self._cluster, shape)
        return np.asarray(sums.toarray())

    @cached_property
    def _influence(self) -> FloatArray:
        """A^-1 g of each cluster, one column each."""
        w = self.n_clusters
        parts = [
            self.equations.solve(self._gradients[:, k : k + BLOCK]) for k in range(0, w, BLOCK)
        ]
        return np.asarray(np.hstack(parts) * np.sqrt(w / (w - 1)))

    @cached_property
    def variances(self) -> FloatArray:
        """Sum over clusters of the squared influence."""
        if not self.is_positive:
            raise InvalidArgument(
                f"standard errors clustered by {self._word} are zero here, because the "
                f"{self._word}s do not differ or are too few: use covariance='model'"
            )
        return self._sums

    @cached_property
    def _sums(self) -> FloatArray:
        return np.asarray(np.einsum("ia,ia->i", self._influence, self._influence))

    @property
    def is_positive(self) -> bool:
        """Whether every compared item has a positive variance."""
        compared = np.bincount(self.votes.left, minlength=self.votes.n_items) > 0
        compared |= np.bincount(self.votes.right, minlength=self.votes.n_items) > 0
        return bool((self._sums[compared] >= VANISHING).all())

    @property
    def matrix(self) -> FloatArray | None:
        """The full sandwich, if the equations are dense."""
        if self.equations.method != "dense":
            return None
        return self._influence @ self._influence.T

    def difference(self, a: int, b: int) -> float:
        """Sum over clusters of the squared influence on the difference."""
        return float(np.sum((self._influence[a] - self._influence[b]) ** 2))

    def differences(self, b: int) -> FloatArray:
        """Sum over clusters of the squared influence on every difference."""
        return np.asarray(np.sum((self._influence - self._influence[b]) ** 2, axis=1))

    @property
    def description(self) -> str:
        """The kind and number of clusters."""
        return f"clustered by {self._word} ({self.n_clusters:,} {self._word}s)"

    @property
    def _word(self) -> str:
        return "unit" if self.by == "ballot" and self.votes.units else self.by


@dataclass(frozen=True)
class GivenCovariance:
    """A covariance by its matrix, or by variances alone if there are too many items for one."""

    variances: FloatArray
    matrix: FloatArray | None
    freedom: float | None = None

    def difference(self, a: int, b: int) -> float:
        """Variance of the difference of two scores."""
        return float(self.differences(b)[a])

    def differences(self, b: int) -> FloatArray:
        """Variance of the difference of every score from one of them."""
        found = self.variances + self.variances[b]
        if self.matrix is not None:
            found = np.maximum(found - 2 * self.matrix[:, b], 0.0)
        found[b] = 0.0
        return np.asarray(found)

    def quantile(self, confidence: float) -> float:
        """Quantile of Student's t, or of the normal distribution."""
        return interval_quantile(confidence, self.freedom)

    @property
    def description(self) -> str:
        """How the variances were obtained."""
        return "exact (given)"


def clustered_or_model(
    model: ModelCovariance, clustered: ClusteredCovariance, wanted: CovarianceKind | None
) -> Covariance:
    """Return the clustered covariance; the model's if clustering is a default that gives zero."""
    if wanted is None and not clustered.is_positive:
        return model
    return clustered


def covariance_kind(
    votes: VotesLike, wanted: CovarianceKind | None
) -> tuple[CovarianceKind, VotesLike]:
    """Return the kind of covariance, and the votes, which are read if that is needed to decide.

    The default is 'ballot' if the votes come from several ballots, else 'model'.
    """
    if wanted is not None:
        require_one_of(wanted, KINDS, "covariance")
        if wanted == "model":
            return wanted, votes
        return wanted, single_votes(votes, f"covariance={wanted!r}")
    if isinstance(votes, ComparisonGraph):
        return "model", votes
    source = source_of(votes)
    if source.is_lazy:
        return "model", source
    answers = source.distinct_answers()
    return ("ballot" if answers.n_ballots > 1 else "model"), answers
