"""How uncertain the scores are: from the model, or from how much the workers differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.graph.build import single_answers, source_of
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
    """A linear system over the scores, alone or with other unknowns eliminated."""

    @property
    def n(self) -> int:
        """Number of scores."""

    @property
    def ridge(self) -> float:
        """Precision of a prior on the scores."""

    @property
    def method(self) -> Method:
        """What the inverse comes from."""

    def solve(self, rhs: FloatArray) -> FloatArray:
        """Scores for one right-hand side, or for each column."""

    @property
    def inverse(self) -> FloatArray:
        """The whole inverse; only asked for where `method` is dense."""

    @property
    def inverse_diagonal(self) -> Diagonal:
        """Its diagonal."""


class Covariance(Protocol):
    """Second moments of the scores, formed densely only where n allows it."""

    @property
    def variances(self) -> FloatArray:
        """Variance of each score."""

    @property
    def matrix(self) -> FloatArray | None:
        """The full covariance, or None where it would not fit."""

    def difference(self, a: int, b: int) -> float:
        """Variance of the difference of two scores."""

    @property
    def freedom(self) -> float | None:
        """Degrees of freedom of the variances; None where they do not hang on residuals."""

    def quantile(self, confidence: float) -> float:
        """Half the width of an interval in standard errors."""

    @property
    def description(self) -> str:
        """How the variances were obtained, with their error if they are estimates."""


@dataclass(frozen=True)
class ModelCovariance:
    """scale times the inverse of the normal equations.

    Attributes
    ----------
    freedom
        Degrees of freedom of the scale, where it was estimated from residuals.
    largest
        What the scale is at most.
    clusters
        What the equations allow for, e.g. 'clustered by unit (30 units)'.
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
        """Scale * L^+ where it is dense anyway."""
        return self.scale * self.equations.inverse if self.equations.method == "dense" else None

    def difference(self, a: int, b: int) -> float:
        """Scale * C_ab, with C the effective resistance: one solve."""
        contrast = np.zeros(self.equations.n)
        contrast[a], contrast[b] = 1.0, -1.0
        return self.scale * float(contrast @ self.equations.solve(contrast))

    def quantile(self, confidence: float) -> float:
        """Student's, but no wider than the normal one with the largest scale."""
        widest = np.sqrt(max(self.largest / self.scale, 1.0)) if self.scale else 1.0
        normal = interval_quantile(confidence, None)
        return min(interval_quantile(confidence, self.freedom), normal * float(widest))

    @property
    def description(self) -> str:
        """Exact, or a stochastic estimate with its error; or what it is clustered by."""
        if self.clusters is not None:
            return self.clusters
        if self.equations.method != "iterative":
            return f"exact ({self.equations.method})"
        error = self.equations.inverse_diagonal.relative_error / 2  # of the root
        return f"stochastic estimate, relative error {error:.1%}"


@dataclass(frozen=True)
class ClusteredCovariance:
    """The clustered sandwich A^-1 (sum over clusters of g g^T) A^-1, g a cluster's gradient.

    A cluster is a worker, a ballot, or a unit that was named. It stays honest when the answers of a
    cluster hang together or the model is wrong; it needs some tens of clusters to be accurate.
    """

    equations: Equations
    votes: Comparisons
    slopes: FloatArray
    """Derivative of the objective in x_left - x_right, one per answer."""
    by: Literal["worker", "ballot"]

    def __post_init__(self) -> None:
        if self.by == "ballot" and self.votes.ballot is None:
            raise InvalidArgument(
                "covariance='ballot' needs rankings of several items, or the column of the unit "
                "(unit=..., --unit)"
            )
        if self.by == "worker" and len(self.votes) and self.votes.worker.min() == NO_WORKER:
            raise InvalidArgument(
                "covariance='worker' needs to know every answer's worker: "
                "name the column (worker=..., --worker), or use covariance='model'"
            )
        if self.n_clusters < 2:
            raise InvalidArgument(f"covariance={self.by!r} needs at least two {self.by}s")

    @cached_property
    def _cluster(self) -> IntArray:
        """The cluster of each answer; clusters without answers do not count."""
        cluster = self.votes.worker if self.by == "worker" else self.votes.ballot
        assert cluster is not None  # see __post_init__
        return np.unique(cluster, return_inverse=True)[1]

    @cached_property
    def freedom(self) -> float:
        """Clusters left over after their mean; unequal ones count as fewer of equal size."""
        sizes = np.bincount(self._cluster, self.votes.votes_per_row)
        return max(float(sizes.sum()) ** 2 / float(sizes @ sizes) - 1, 1.0)

    def quantile(self, confidence: float) -> float:
        """Student's."""
        return interval_quantile(confidence, self.freedom)

    @property
    def n_clusters(self) -> int:
        """Number of workers, or ballots, whose answers these are."""
        return int(self._cluster.max(initial=-1)) + 1

    @cached_property
    def _gradients(self) -> FloatArray:
        """In the scores, one column for each cluster."""
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
        """Sum over clusters of squared influence."""
        if not self.is_positive:
            raise InvalidArgument(
                f"standard errors clustered by {self._word} vanish here, because the "
                f"{self._word}s do not differ or are too few: use covariance='model'"
            )
        return self._sums

    @cached_property
    def _sums(self) -> FloatArray:
        return np.asarray(np.einsum("ia,ia->i", self._influence, self._influence))

    @property
    def is_positive(self) -> bool:
        """Whether every item that was compared has a variance."""
        compared = np.bincount(self.votes.left, minlength=self.votes.n_items) > 0
        compared |= np.bincount(self.votes.right, minlength=self.votes.n_items) > 0
        return bool((self._sums[compared] >= VANISHING).all())

    @property
    def matrix(self) -> FloatArray | None:
        """The full sandwich where it is dense anyway."""
        if self.equations.method != "dense":
            return None
        return self._influence @ self._influence.T

    def difference(self, a: int, b: int) -> float:
        """Sum over clusters of the squared influence on the difference."""
        return float(np.sum((self._influence[a] - self._influence[b]) ** 2))

    @property
    def description(self) -> str:
        """That errors are clustered, and by how many clusters."""
        return f"clustered by {self._word} ({self.n_clusters:,} {self._word}s)"

    @property
    def _word(self) -> str:
        return "unit" if self.by == "ballot" and self.votes.units else self.by


def cluster_unless_vain(
    model: ModelCovariance, clustered: ClusteredCovariance, wanted: CovarianceKind | None
) -> Covariance:
    """The clustered covariance; that of the model where nobody asked for clusters that vanish."""
    if wanted is None and not clustered.is_positive:
        return model
    return clustered


def covariance_kind(
    votes: VotesLike, wanted: CovarianceKind | None
) -> tuple[CovarianceKind, VotesLike]:
    """What standard errors come from, and the votes, read if that is needed to know.

    Unless something else is wanted: the ballots, where answers were taken from several of them.
    """
    if wanted is not None:
        require_one_of(wanted, KINDS, "covariance")
        if wanted == "model":
            return wanted, votes
        return wanted, single_answers(votes, f"covariance={wanted!r}")
    if isinstance(votes, ComparisonGraph):
        return "model", votes
    source = source_of(votes)
    if source.is_lazy:
        return "model", source
    answers = source.distinct_answers()
    return ("ballot" if answers.n_ballots > 1 else "model"), answers
