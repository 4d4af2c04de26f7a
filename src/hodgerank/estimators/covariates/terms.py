"""CovariateTerms: the effects of covariates on the votes, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.display import Displayed, Preview, short
from hodgerank.estimators.covariates.columns import ALIGNED, DESCRIBED, IDENTIFIED
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class CovariateTerms(Displayed):
    """Effect of each covariate: what one unit more adds on the scale of the model.

    All arrays have one entry per covariate. Effects that the votes cannot separate from the scores
    are NaN.

    Attributes
    ----------
    names
        The covariates as they were asked for.
    units
        'doubling' (a value twice as large), or 'standard deviation'.
    sizes
        What one unit is in the numbers of the columns; 1 for doublings.
    values, standard_errors
        The effects, positive if larger values win more at equal score, and their standard errors.
    intervals
        Interval of each effect, one row (lower, upper) each.
    shares
        Share of each covariate that varies between votes on the same items, from 0 to 1. From .3 it
        can be controlled for; from .1 with a warning; below, scores and covariate cannot be
        separated.
    beside_side
        Share of that which the side of the display does not explain.
    correlations
        Correlation of the scores, as written, with the mean of each item.
    control
        The covariates that the scores are controlled for.
    link
        The scale of the effects: that of the scores.
    confidence
        Confidence level of the intervals.
    margin_unit
        Unit of the effects if the votes are margins; else None.

    Examples
    --------
    >>> import hodgerank as hr
    >>> longer = [3, 1, -2, 2, -1, 1]
    >>> votes = hr.read_comparisons([("a", "b", 1), ("b", "a", 1), ("a", "b", -1)] * 2)
    >>> votes = hr.Comparisons(votes.items, votes.left, votes.right, votes.outcome,
    ...                        extra={"words": longer})
    >>> hr.bayes_rank(votes, covariates="words").covariates.names
    ('words',)
    """

    names: tuple[str, ...]
    units: tuple[str, ...]
    sizes: FloatArray
    values: FloatArray
    standard_errors: FloatArray
    intervals: FloatArray
    shares: FloatArray
    beside_side: FloatArray
    correlations: FloatArray
    control: tuple[str, ...]
    link: str
    confidence: float
    margin_unit: str | None
    backend: str

    def __len__(self) -> int:
        """Number of covariates."""
        return len(self.names)

    def __getitem__(self, name: str) -> float:
        """Return the effect of one covariate."""
        return float(self.values[self.names.index(name)])

    @property
    def estimated(self) -> tuple[str, ...]:
        """The covariates whose effect the votes separate from the scores."""
        known = np.isfinite(self.values).tolist()
        return tuple(name for name, is_known in zip(self.names, known, strict=True) if is_known)

    @property
    def win_rates(self) -> FloatArray:
        """Share of the votes for an item with one unit more than another of equal score.

        One row (estimate, lower, upper) each; NaN for margins.
        """
        effects = np.column_stack((self.values, self.intervals))
        if self.margin_unit is not None:
            return np.full_like(effects, np.nan)
        rates = np.full_like(effects, np.nan)
        is_known = np.isfinite(effects)
        rates[is_known] = LINKS[self.link].cdf(effects[is_known])
        return np.clip(rates, 0.0, 1.0)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Statements about each covariate, in words."""
        return tuple(" ".join(self._sentences(k)) for k in range(len(self)))

    def _sentences(self, k: int) -> list[str]:
        name, share = short(self.names[k]), self.shares[k]
        if share < DESCRIBED:
            return [
                f"{name}: each item has nearly the same value in all its votes ({share:.0%} of the "
                "differences vary within items), so a taste for it and better items look the same. "
                f"Scores and {name} correlate {self.correlations[k]:+.2f}; nothing was corrected."
            ]
        said = [self._effect(k)]
        if share < IDENTIFIED:
            said.append(
                f"Only {share:.0%} of the differences in {name} vary within items, so this is "
                "uncertain."
            )
        if self.beside_side[k] < ALIGNED:
            said.append(
                f"The item with more {name} is nearly always shown on the same side, so this may "
                "be position bias."
            )
        return said

    def _effect(self, k: int) -> str:
        name, level = short(self.names[k]), f"{100 * self.confidence:g}%"
        more = f"twice the {name}"
        if self.units[k] != "doubling":
            more = f"one standard deviation ({self.sizes[k]:.3g}) more {name}"
        low, high = self.intervals[k]
        is_clear = low > 0 or high < 0
        if self.margin_unit is not None:
            effect = f"{self.values[k]:+.3g} {self.margin_unit} ({level} CI {low:+.3g} to "
            effect = f"gains {effect}{high:+.3g})"
        else:
            rate, lower, upper = self.win_rates[k]
            effect = f"wins {rate:.0%} of votes ({level} CI {lower:.0%} to {upper:.0%})"
        verdict = "" if is_clear else "; not significant"
        return f"At equal score an item with {more} {effect}{verdict}."

    def columns(self) -> dict[str, Any]:
        """Return the columns of `to_frame`."""
        lower, upper = self.intervals.T
        rates = self.win_rates
        return {
            "covariate": list(self.names),
            "unit": list(self.units),
            "size": self.sizes,
            "effect": self.values,
            "stderr": self.standard_errors,
            "lower": lower,
            "upper": upper,
            "win_rate": rates[:, 0],
            "win_rate_lower": rates[:, 1],
            "win_rate_upper": rates[:, 2],
            "share": self.shares,
            "correlation": self.correlations,
            "controlled": [name in self.control for name in self.names],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per covariate."""
        from hodgerank.data.sources.frames import build_frame

        return build_frame(self.columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; None where there is no estimate."""
        columns = {
            name: [None if value != value else value for value in _plain(values)]
            for name, values in self.columns().items()
        }
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        for row, sentence in zip(rows, self.sentences, strict=True):
            row["sentence"] = sentence
        return {"confidence": self.confidence, "control": list(self.control), "terms": rows}

    def _headline(self) -> str:
        return "; ".join(
            f"{short(name)} {value:+.3g} ± {error:.2g}"
            for name, value, error in zip(
                self.names, self.values, self.standard_errors, strict=True
            )
        )

    def _preview(self) -> Preview:
        columns = self.columns()
        names = ("covariate", "effect", "stderr", "win_rate", "share")
        return Preview(names, zip(*(columns[name] for name in names), strict=True), len(self))


def _plain(values: Any) -> list[Any]:
    return list(values.tolist() if isinstance(values, np.ndarray) else values)
