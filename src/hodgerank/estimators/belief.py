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

from hodgerank.estimators.covariance import Covariance, ModelCovariance
from hodgerank.estimators.dispersion import LEAST, dispersion_of, tempered
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import FloatArray

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


def _part(share: float, fit: PosteriorFit) -> Part:
    return Part(share, fit.scores, ModelCovariance(fit.equations, 1.0))
