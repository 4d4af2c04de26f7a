"""Scale separation reliability: how much of the spread of the scores is not noise."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.bayes import bayes_rank
from hodgerank.estimators.covariance import ClusteredCovariance
from hodgerank.estimators.reliability.bradley_terry_fit import BradleyTerryFit
from hodgerank.types import FloatArray

LEVEL = 0.975  # the noise is not quite known either: by 0.95, what is said holds in 90 % of cases
FEWEST_ITEMS = 3


@dataclass(frozen=True)
class Separation:
    """What the spread of the scores says of their precision.

    Attributes
    ----------
    reliability
        SSR, (variance of the scores - mean squared standard error) / variance of the scores, by
        Bradley-Terry with Firth's correction. It estimates the squared correlation of these scores
        with the true ones; 0 where the scores spread no more than noise does.
    lower
        What it is at least with 95 % confidence, if the true scores are like draws from a normal
        distribution; None where pairs were chosen by labels.
    variance, mean_squared_error
        Of the scores; both in squared logits.
    n_items
        Items that were compared.
    clustered_by
        'ballot' or 'unit' where standard errors allow for answers that hang together.
    adaptive
        Whether pairs were chosen in the light of earlier answers, which inflates the reliability.
    """

    reliability: float
    lower: float | None
    variance: float
    mean_squared_error: float
    n_items: int
    clustered_by: str | None
    adaptive: bool
    _fit: BradleyTerryFit = field(repr=False, compare=False)

    @cached_property
    def posterior_reliability(self) -> float:
        """The same from `bayes_rank`, whose prior allows for pairs that were chosen by labels.

        Computed when first looked at.
        """
        return _posterior_reliability(self._fit)

    @property
    def index(self) -> float:
        """G, the spread of the true scores in units of their standard error."""
        return float(np.sqrt(self.reliability / max(1 - self.reliability, 1e-12)))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        shown = [one.name for one in fields(self) if not one.name.startswith("_")]
        return {name: getattr(self, name) for name in (*shown, "posterior_reliability", "index")}


def separation(votes: Comparisons, fit: BradleyTerryFit) -> Separation | None:
    """Of the votes whose fit is known; None where the scores do not differ, or are two only."""
    compared = fit.graph.votes_per_item > 0
    components = fit.graph.components[compared]
    freedom = int(compared.sum()) - len(np.unique(components))
    spread = float(fit.scores @ fit.scores)
    if freedom < FEWEST_ITEMS - 1 or not spread > 1e-12:
        return None
    variances, clustered_by = _variances(votes, fit)
    noise = float(variances[compared].sum())
    reliability = max(0.0, 1 - noise / spread)
    return Separation(
        reliability=reliability,
        lower=None if votes.report.adaptive else _at_least(1 - noise / spread, freedom),
        variance=spread / freedom,
        mean_squared_error=noise / freedom,
        n_items=int(compared.sum()),
        clustered_by=clustered_by,
        adaptive=votes.report.adaptive,
        _fit=fit,
    )


def _variances(votes: Comparisons, fit: BradleyTerryFit) -> tuple[FloatArray, str | None]:
    """Of the scores, by the model or by ballots whose answers hang together."""
    if votes.n_ballots > 1:
        chance = fit.scores[votes.left] - fit.scores[votes.right]
        slopes = votes.total_weight * ((1 + votes.outcome) / 2 - 1 / (1 + np.exp(-chance)))
        slopes = slopes * (fit.graph.weights.sum() / votes.total_weight.sum())
        clustered = ClusteredCovariance(fit.equations, votes, slopes, "ballot")
        if clustered.is_positive:
            return clustered.variances, "unit" if votes.units else "ballot"
    return fit.score_variances, None


def _at_least(reliability: float, freedom: int) -> float:
    """The noise is taken as known; the spread of normal scores is a chi-square."""
    from scipy.special import chdtri

    return max(0.0, 1 - (1 - reliability) * float(chdtri(freedom, 1 - LEVEL)) / freedom)


def _posterior_reliability(fit: BradleyTerryFit) -> float:
    """Spread of the most probable scores over that of scores drawn from the posterior."""
    posterior = bayes_rank(fit.graph)
    compared = posterior.votes > 0
    scores, errors = posterior.scores[compared], posterior.standard_errors[compared]
    spread = float(np.sum((scores - scores.mean()) ** 2))
    noise = float(errors @ errors)
    return spread / (spread + noise) if spread > 0 else 0.0
