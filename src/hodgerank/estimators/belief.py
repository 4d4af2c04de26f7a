"""The posterior distribution of the true scores, from which certainty is computed.

A standard error describes how scores vary between samples of votes. The probability that one item
is truly better also depends on how far the scores are spread: two items that differ by chance are
probably tied if all items are nearly tied. The prior is therefore estimated from the votes
(empirical Bayes).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from hodgerank.estimators.covariance import Covariance, GivenCovariance, ModelCovariance
from hodgerank.estimators.dispersion import LEAST, dispersion_of, tempered
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from hodgerank.estimators.empirical_bayes import MarginalLikelihood, PosteriorFit
    from hodgerank.estimators.priors import Scope


class Part(NamedTuple):
    """One Gaussian component, in the order of the graph's items, with its probability."""

    share: float
    mean: FloatArray
    covariance: Covariance


class Belief(Protocol):
    """A mixture of Gaussians over the true scores."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The Gaussian components; their shares sum to 1."""


@dataclass(frozen=True, eq=False)
class GivenBelief:
    """The posterior of scores that were estimated under a known prior."""

    scores: FloatArray
    covariance: Covariance

    @property
    def parts(self) -> tuple[Part, ...]:
        """The single Gaussian of the fit."""
        return (Part(1.0, self.scores, self.covariance),)


@dataclass(frozen=True, eq=False)
class FoundBelief:
    """The posterior under a prior whose kind and variance are estimated from the votes.

    Attributes
    ----------
    link
        'bradley-terry' or 'thurstone-mosteller'.
    clustered, model
        Where votes are correlated: the clustered covariance of the scores and the model's. Their
        ratio reduces the effective number of votes.
    scope
        Pairs that could be asked. Default: the pairs of the graph.
    design_effect
        The reduction of the effective number of votes, if it is known.
    """

    graph: ComparisonGraph
    link: str
    clustered: Covariance | None = None
    model: Covariance | None = None
    scope: Scope | None = None
    design_effect: float = 1.0

    @cached_property
    def dispersion(self) -> float:
        """Variance of the votes relative to that of choices."""
        return dispersion_of(self.graph, self.link)

    @cached_property
    def tempered(self) -> ComparisonGraph:
        """The graph with weights that count equivalent independent choices."""
        return tempered(self.graph, max(self.dispersion * self._inflation, LEAST))

    @property
    def _inflation(self) -> float:
        if self.clustered is None or self.model is None or self.clustered is self.model:
            return self.design_effect
        return float(self.clustered.variances.sum() / self.model.variances.sum())

    @cached_property
    def evidence(self) -> MarginalLikelihood:
        """Marginal likelihood of the prior."""
        from hodgerank.estimators.empirical_bayes import best_supported  # imports Numba

        return best_supported(self.tempered, self.link, self.scope)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """One Gaussian for each plausible prior variance."""
        evidence = self.evidence
        if evidence.knows_the_variance:
            return (_part(1.0, evidence.best),)
        places, shares = evidence.possible()
        return tuple(
            _part(share, evidence.fit(k)) for k, share in zip(places, shares.tolist(), strict=True)
        )


WIDEST, NARROWEST = 24, -4  # prior variances in factors of two of the mean squared error
IMPOSSIBLE = 5.0  # nats below the peak
NULL = 1e-9  # relative size of the variance of directions that no comparison measures
FEWEST_FREEDOM = 3.0


@dataclass(frozen=True, eq=False)
class NormalBelief:
    """The posterior of least-squares scores of margins under a normal prior.

    The scores are normal around the true ones, which are normal around 0 with a variance v. In the
    eigenvectors of the covariance V = U diag(d) U^T of the scores, the coordinates z have the
    marginal distribution N(0, v + d), which gives the likelihood of v; the posterior under v has
    mean v z / (v + d) and variance v d / (v + d). The posterior is a mixture over a grid of v in
    factors of two, with equal prior weights. In large graphs scores are nearly uncorrelated, and
    treated so.

    Attributes
    ----------
    clustered, model
        The covariance of the scores, and the model's where votes are correlated: only the ratio of
        their traces is used, since a clustered covariance may have a low rank.
    """

    scores: FloatArray
    clustered: Covariance
    model: Covariance

    @cached_property
    def _inflation(self) -> float:
        """Ratio of the variances to the model's, for correlated votes and for Student's t."""
        ratio = 1.0
        if self.clustered is not self.model:
            ratio = float(self.clustered.variances.sum() / self.model.variances.sum())
        freedom = self.clustered.freedom
        if freedom is None:
            return ratio
        freedom = max(freedom, FEWEST_FREEDOM)
        return ratio * freedom / (freedom - 2)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """One Gaussian for each plausible prior variance."""
        matrix = self.model.matrix
        if matrix is None:
            axes, errors, z = None, self._inflation * self.model.variances, self.scores
        else:
            spectrum, axes = np.linalg.eigh(matrix)
            errors, z = self._inflation * spectrum, axes.T @ self.scores
        is_measured = errors > NULL * errors.max(initial=0.0)
        d, z = errors[is_measured], z[is_measured]
        axes = None if axes is None else axes[:, is_measured]
        if not len(d):
            return GivenBelief(self.scores, self.clustered).parts
        priors = float(d.mean()) * 2.0 ** np.arange(NARROWEST, WIDEST)
        total = priors[:, None] + d
        evidence = -0.5 * (np.log(total) + z**2 / total).sum(axis=1)
        shares = np.where(evidence > evidence.max() - IMPOSSIBLE, evidence, -np.inf)
        shares = np.exp(shares - shares.max())
        shares /= shares.sum()
        return tuple(
            self._part(float(share), v / (v + d), d, z, axes, is_measured)
            for v, share in zip(priors, shares, strict=True)
            if share
        )

    def _part(
        self,
        share: float,
        kept: FloatArray,
        d: FloatArray,
        z: FloatArray,
        axes: FloatArray | None,
        is_measured: BoolArray,
    ) -> Part:
        """Return the posterior that keeps a part of each coordinate."""
        if axes is None:
            mean, variances = np.zeros((2, len(is_measured)))
            mean[is_measured], variances[is_measured] = kept * z, kept * d
            return Part(share, mean, GivenCovariance(variances, None))
        matrix = (axes * (kept * d)) @ axes.T
        return Part(share, axes @ (kept * z), GivenCovariance(np.diag(matrix).copy(), matrix))


def _part(share: float, fit: PosteriorFit) -> Part:
    return Part(share, fit.scores, ModelCovariance(fit.equations, 1.0))
