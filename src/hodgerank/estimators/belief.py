"""Where the scores truly are, in view of the answers: what certainty is read off.

A score and its standard error are about the answers that another crowd might have given. What is
probably true also hangs on how far scores spread at all: two items that look apart by chance are
likely tied where all items are nearly tied. So a prior is found from the answers.
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
    """A Gaussian over the true scores, in the order of the graph's items, and its probability."""

    share: float
    mean: FloatArray
    covariance: Covariance


class Belief(Protocol):
    """A mixture of Gaussians over the true scores."""

    @property
    def parts(self) -> tuple[Part, ...]:
        """The Gaussians; their shares sum to 1."""


@dataclass(frozen=True, eq=False)
class GivenBelief:
    """That of scores whose prior was known: themselves."""

    scores: FloatArray
    covariance: Covariance

    @property
    def parts(self) -> tuple[Part, ...]:
        """The one that the fit has found."""
        return (Part(1.0, self.scores, self.covariance),)


@dataclass(frozen=True, eq=False)
class FoundBelief:
    """The posterior under a prior whose variance, and kind, are those the answers speak for.

    Attributes
    ----------
    link
        Bradley-Terry's or Thurstone's.
    clustered, model
        Where answers hang together: the covariance of the scores that allows for it and the one
        that does not. Answers count less by their ratio.
    scope
        Pairs that could be asked; default: those of the graph.
    design_effect
        Where it is known already by how much less they count.
    """

    graph: ComparisonGraph
    link: str
    clustered: Covariance | None = None
    model: Covariance | None = None
    scope: Scope | None = None
    design_effect: float = 1.0

    @cached_property
    def dispersion(self) -> float:
        """Variance of the answers relative to that of independent choices."""
        return max(dispersion_of(self.graph, self.link) * self._inflation, LEAST)

    @property
    def _inflation(self) -> float:
        if self.clustered is None or self.model is None or self.clustered is self.model:
            return self.design_effect
        return float(self.clustered.variances.sum() / self.model.variances.sum())

    @cached_property
    def evidence(self) -> MarginalLikelihood:
        """What the answers say about the prior."""
        from hodgerank.estimators.empirical_bayes import most_evident  # brings the compiler along

        return most_evident(tempered(self.graph, self.dispersion), self.link, self.scope)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """One for each variance that the answers leave possible."""
        evidence = self.evidence
        if evidence.knows_the_variance:
            return (_part(1.0, evidence.best),)
        places, shares = evidence.possible()
        return tuple(
            _part(share, evidence.fit(k)) for k, share in zip(places, shares.tolist(), strict=True)
        )


def _part(share: float, fit: PosteriorFit) -> Part:
    return Part(share, fit.scores, ModelCovariance(fit.equations, 1.0))
