"""Scale separation reliability: the share of the variance in scores that is signal."""

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

LEVEL = 0.975  # the noise is uncertain too: with .95 the bound would hold in 90% of cases
FEWEST_ITEMS = 3


@dataclass(frozen=True)
class Separation:
    """Reliability of the scores, from their variance and standard errors.

    Attributes
    ----------
    reliability
        SSR, (variance of the scores - mean squared standard error) / variance of the scores, by
        Bradley-Terry with Firth's correction. It estimates the squared correlation of these scores
        with the true ones; 0 if the scores vary no more than expected by chance.
    lower
        Lower bound with 95% confidence, for normally distributed true scores; None if pairs were
        chosen adaptively.
    variance, mean_squared_error
        Variance and mean squared standard error of the scores, in squared logits.
    n_items
        Number of compared items.
    clustered_by
        'ballot' or 'unit' if standard errors are clustered.
    adaptive
        Whether pairs were chosen adaptively, which biases the reliability.
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
        """The reliability from `bayes_rank`, whose prior corrects for adaptively chosen pairs.

        Computed on first access.
        """
        return _posterior_reliability(self._fit)

    @property
    def index(self) -> float:
        """Separation index G: the spread of the true scores in units of their standard error."""
        return float(np.sqrt(self.reliability / max(1 - self.reliability, 1e-12)))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        shown = [one.name for one in fields(self) if not one.name.startswith("_")]
        return {name: getattr(self, name) for name in (*shown, "posterior_reliability", "index")}


def separation(votes: Comparisons, fit: BradleyTerryFit) -> Separation | None:
    """Return the separation of fitted votes; None if the scores do not differ or are only two."""
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
    """Return the variances of the scores, from the model or clustered by ballot."""
    if votes.n_ballots > 1:
        chance = fit.scores[votes.left] - fit.scores[votes.right]
        slopes = votes.total_weight * ((1 + votes.outcome) / 2 - 1 / (1 + np.exp(-chance)))
        slopes = slopes * (fit.graph.weights.sum() / votes.total_weight.sum())
        clustered = ClusteredCovariance(fit.equations, votes, slopes, "ballot")
        if clustered.is_positive:
            return clustered.variances, "unit" if votes.units else "ballot"
    return fit.score_variances, None


def _at_least(reliability: float, freedom: int) -> float:
    """Return the lower bound, for known noise and a chi-square distributed score variance."""
    from scipy.special import chdtri

    return max(0.0, 1 - (1 - reliability) * float(chdtri(freedom, 1 - LEVEL)) / freedom)


def _posterior_reliability(fit: BradleyTerryFit) -> float:
    """Return the variance of the posterior means over that of draws from the posterior."""
    posterior = bayes_rank(fit.graph)
    compared = posterior.votes > 0
    scores, errors = posterior.scores[compared], posterior.standard_errors[compared]
    spread = float(np.sum((scores - scores.mean()) ** 2))
    noise = float(errors @ errors)
    return spread / (spread + noise) if spread > 0 else 0.0
