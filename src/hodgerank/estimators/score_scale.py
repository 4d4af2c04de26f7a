"""Score scales: the scores of any model in Elo points, JOD, log odds or win probabilities.

Elo, JOD and log odds are multiples of the model's scores. Their unit is fixed where the model
predicts that 75% prefer the better item: that difference is 1 JOD, ln 3 log odds and 400 log10(3) =
191 Elo points. For a logistic model this is the usual definition at every difference; for other
models it is exact at 50% and 75%, and close between. Win rates and win probabilities are not
multiples of the scores, so that their intervals are not symmetric.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import floor, log, log10
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from hodgerank.display import short
from hodgerank.errors import InvalidArgument, UnknownItem, require_one_of
from hodgerank.kernels.links import LINKS
from hodgerank.types import FloatArray, Item

ScaleName = Literal["model", "elo", "jod", "logit", "win-rate", "win-probability"]
SCALES: tuple[ScaleName, ...] = get_args(ScaleName)
UNITS: dict[str, float] = {"elo": 400 * log10(3), "jod": 1.0, "logit": log(3)}
"""Difference on each linear scale at which the better item is preferred in 75% of the votes."""
MEAN = {"elo": 1000.0}  # of the scores without an anchor; 0 on other scales
LARGEST_ANCHOR = 1e6  # beyond it, differences would be lost in rounding
MATCHED = 0.75
NEVER = 1e-9  # the smallest probability that a model predicts
MOST_ITEMS = 5000  # for win rates, which take every pair of items
BLOCK = 256  # items whose pairs with all others are processed together


class WinCurve(NamedTuple):
    """The model's win probability as a function of the score difference.

    Attributes
    ----------
    link
        The link of the scores.
    temperature
        Factor of differences on the logistic scale; None if the link gives probabilities itself.
    """

    link: str
    temperature: float | None

    def probability(self, differences: FloatArray) -> FloatArray:
        """Return the probability that the first is preferred; never 0 or 1."""
        if self.temperature is None:
            probabilities = LINKS[self.link].cdf(differences)
        else:
            probabilities = LINKS["bradley-terry"].cdf(self.temperature * differences)
        return np.clip(probabilities, NEVER, 1 - NEVER)

    def density(self, differences: FloatArray) -> FloatArray:
        """Return the derivative of the probability."""
        if self.temperature is None:
            return LINKS[self.link].density(differences)
        logistic = LINKS["bradley-terry"].density(self.temperature * differences)
        return self.temperature * logistic

    def difference(self, probabilities: FloatArray) -> FloatArray:
        """Return the score differences with these probabilities.

        Fails where every difference has the same probability.
        """
        if self.temperature is None:
            return LINKS[self.link].quantile(probabilities)
        if not self.temperature:
            raise InvalidArgument(
                "least squares finds no order that predicts the votes, so every win probability is "
                "50% and other score scales have no unit: use the default model, or the score "
                "scale 'model'"
            )
        return LINKS["bradley-terry"].quantile(probabilities) / self.temperature


class ModelScores(NamedTuple):
    """Scores and their uncertainty as the model estimates them, best first.

    Attributes
    ----------
    variances, covariance
        Variance of each score; the covariance is None if there are too many items for it.
    z
        Half the width of an interval in standard errors.
    from_baseline
        Variance of the difference of each score from that of the baseline; None without one.
    """

    scores: FloatArray
    variances: FloatArray
    covariance: FloatArray | None
    z: float
    curve: WinCurve
    from_baseline: FloatArray | None = None


class ScaledScores(NamedTuple):
    """Scores on a scale with their standard errors and intervals."""

    scores: FloatArray
    errors: FloatArray
    intervals: FloatArray


@dataclass(frozen=True)
class ScoreScale:
    """The scale on which the scores of a ranking are given.

    Attributes
    ----------
    name
        'model', 'elo', 'jod', 'logit', 'win-rate' or 'win-probability'.
    anchor
        Item and its score on the scale; None: the mean is 1000 for 'elo' and 0 for others.
    baseline
        Item that 'win-probability' compares with.
    margin_unit, decimals
        Unit of the margins in which the model's scores are, if they are; and how many decimals of
        the model's scores are shown.
    """

    name: ScaleName = "model"
    anchor: tuple[Item, float] | None = None
    baseline: Item | None = None
    margin_unit: str | None = None
    decimals: int = 3

    @classmethod
    def of_margins(cls, unit: str, scores: FloatArray) -> ScoreScale:
        """Return the scale of scores in a unit, with four digits of their range."""
        spread = float(np.ptp(scores)) if len(scores) else 0.0
        digits = 3 - floor(log10(spread)) if spread > 0 else 3
        return cls(margin_unit=unit, decimals=min(max(digits, 0), 9))

    def __post_init__(self) -> None:
        require_one_of(self.name, SCALES, "score scale")
        if self.anchor is not None:
            if self.name not in UNITS:
                raise InvalidArgument(
                    f"the score scale {self.name} has no anchor: choose elo, jod or logit "
                    "(--score-scale elo)"
                )
            try:
                if isinstance(self.anchor, str):  # two characters are no item and score
                    raise TypeError
                item, value = self.anchor
                value = float(value)
            except (TypeError, ValueError):
                raise InvalidArgument(
                    "an anchor is an item and its score, such as ('gpt-4', 1000)"
                ) from None
            if not -LARGEST_ANCHOR <= value <= LARGEST_ANCHOR:  # which NaN is not either
                raise InvalidArgument(
                    f"the score of the anchor must lie between -{LARGEST_ANCHOR:,.0f} and "
                    f"{LARGEST_ANCHOR:,.0f}, not {value}"
                )
            object.__setattr__(self, "anchor", (item, value))
        if self.name == "win-probability" and self.baseline is None:
            raise InvalidArgument(
                "win-probability needs the item to compare with: baseline= (--baseline ITEM)"
            )
        if self.name != "win-probability" and self.baseline is not None:
            raise InvalidArgument(
                f"the score scale {self.name} has no baseline: use win-probability, or leave the "
                "baseline out"
            )

    @property
    def label(self) -> str:
        """Name of the scores on an axis or in a published table, with the anchor or baseline."""
        if self.baseline is not None:
            return f"probability of beating {short(str(self.baseline))}"
        if self.anchor is not None:
            return f"{self.column} ({short(str(self.anchor[0]))} at {self.anchor[1]:g})"
        return self.column

    @property
    def column(self) -> str:
        """Name of the scores above a narrow column."""
        if self.margin_unit is not None:
            return f"score ({self.margin_unit})"
        names = {"elo": "Elo", "jod": "JOD", "logit": "log odds", "model": "score"}
        return names.get(self.name, self.name.replace("-", " "))

    @property
    def unit(self) -> str:
        """Unit of the scores, for programs."""
        if self.margin_unit is not None:
            return self.margin_unit
        units = {"elo": "Elo points", "jod": "JOD", "logit": "log odds", "model": "model score"}
        return units.get(self.name, "probability")

    @property
    def explanation(self) -> str:
        """Meaning of the scores in one clause; empty on the scale of the model."""
        match self.name:
            case "model" if self.margin_unit is not None:
                return "the difference of two scores is the expected margin; the mean score is 0"
            case "model":
                return ""
            case "win-rate":
                return "scores are the mean probability of beating each of the other items"
            case "win-probability":
                return f"scores are the probability of beating {short(str(self.baseline))}"
        if self.anchor is None:
            place = f"mean {self.centre:g}"
        else:
            place = f"{short(str(self.anchor[0]))} at {self.anchor[1]:g}"
        return (
            f"scores are {self.unit}, {place}; {UNITS[self.name]:.3g} more means preferred in "
            "75% of the votes"
        )

    @property
    def centre(self) -> float:
        """Score of an average item without an anchor: 1000 for Elo, 50% for probabilities."""
        return MEAN.get(self.name, 0.5 if self.is_probability else 0.0)

    @property
    def is_probability(self) -> bool:
        """Whether the scores are probabilities."""
        return self.name in ("win-rate", "win-probability")

    @property
    def number_format(self) -> str:
        """Format of a score, in the notation that Python and Vega share."""
        if self.is_probability:
            return ".1%"
        return {"elo": ".0f", "jod": "+.2f", "logit": "+.2f"}.get(self.name, f"+.{self.decimals}f")

    def text(self, score: float) -> str:
        """Return a score as text with fitting decimals.

        >>> ScoreScale("elo").text(1043.2), ScoreScale("jod").text(-0.001)
        ('1043', '+0.00')
        >>> ScoreScale("win-rate").text(0.6213), ScoreScale("win-rate").text(0.99999)
        ('62.1%', '>99.9%')
        """
        if self.is_probability:
            if score > 0.9995:
                return ">99.9%"
            return "<0.1%" if score < 0.0005 else f"{score:.1%}"
        decimals = int(self.number_format[-2])
        # -0.000 is 0
        return format(round(score, decimals) + 0.0, self.number_format)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        anchor = None if self.anchor is None else {"item": self.anchor[0], "score": self.anchor[1]}
        return {
            "name": self.name,
            "unit": self.unit,
            "anchor": anchor,
            "baseline": self.baseline,
        }

    def factor(self, curve: WinCurve) -> float:
        """Return the size of one unit of the model's scores on a linear scale."""
        return UNITS[self.name] / float(curve.difference(np.asarray(MATCHED)))

    def place(self, model: ModelScores, anchor_score: float) -> ScaledScores:
        """Return the scores of a model on this scale, which is not the model's own.

        `anchor_score` is the model's score of the anchor or baseline, or 0 without one. Intervals
        of Elo, JOD and log odds are those of the model in other units, so that an anchor shifts
        them and keeps its own.
        """
        match self.name:
            case "win-rate":
                return _win_rates(model)
            case "win-probability":
                return _win_probabilities(model, anchor_score)
        factor = self.factor(model.curve)
        value = self.centre if self.anchor is None else self.anchor[1]
        scores = factor * (model.scores - anchor_score) + value
        errors = factor * np.sqrt(model.variances)
        half = model.z * errors
        return ScaledScores(scores, errors, np.column_stack((scores - half, scores + half)))


MODEL_SCALE = ScoreScale()


def require_placed(
    scale: ScoreScale,
    places: Mapping[Item, int],
    not_ranked: Collection[Item],
    n_components: int,
) -> None:
    """Fail if the items do not allow the scale: no anchor, no baseline, or several components."""
    wanted = scale.baseline if scale.anchor is None else scale.anchor[0]
    role = "baseline" if scale.anchor is None else "anchor"
    if wanted is not None and not _is_among(wanted, places):
        if _is_among(wanted, not_ranked):
            raise InvalidArgument(
                f"the {role} {short(str(wanted))} is not ranked, because votes do not connect it "
                "with the others: choose another item"
            )
        raise UnknownItem(wanted, places)
    if n_components > 1 and (wanted is not None or scale.is_probability):
        what = f"a {role}" if wanted is not None else f"the score scale {scale.name}"
        raise InvalidArgument(
            f"{what} needs one ranking, but the items form {n_components:,} disconnected groups "
            "that are ranked separately: leave it out, or keep the largest group "
            "(--largest-component, largest_component(votes))"
        )
    if scale.name == "win-rate" and not 2 <= len(places) <= MOST_ITEMS:
        raise InvalidArgument(
            f"win rates take 2 to {MOST_ITEMS:,} items, not {len(places):,}: use win-probability "
            "with a baseline, or elo"
        )


def _is_among(item: Item, items: Collection[Item]) -> bool:
    try:
        return item in items
    except TypeError:  # a list, say, which is no name
        return False


def _win_probabilities(model: ModelScores, baseline_score: float) -> ScaledScores:
    """P(each item beats the baseline), with intervals from the variance of the difference."""
    assert model.from_baseline is not None  # ScoreScale needs a baseline
    differences = model.scores - baseline_score
    return _on_curve(model, differences, np.sqrt(model.from_baseline))


def _on_curve(model: ModelScores, differences: FloatArray, errors: FloatArray) -> ScaledScores:
    """Probabilities of differences with standard errors; intervals are those of the differences."""
    curve, half = model.curve, model.z * errors
    bounds = np.column_stack((differences - half, differences + half))
    return ScaledScores(
        curve.probability(differences),
        curve.density(differences) * errors,
        curve.probability(bounds),
    )


def _win_rates(model: ModelScores) -> ScaledScores:
    """Mean probability of each item to beat another one.

    The standard error is that of the linearised mean. Intervals are formed on the scale of the
    scores, at the difference from one opponent that gives the same probability, so that they stay
    between 0 and 1.
    """
    x, curve, n = model.scores, model.curve, len(model.scores)
    rates, variances = np.empty(n), np.empty(n)
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(start + BLOCK, n))
        differences = x[rows, None] - x
        rates[rows] = (curve.probability(differences).sum(axis=1) - 0.5) / (n - 1)
        # the gradient of each rate: P'(x_i - x_j) is added to i and taken from j
        gradient = -curve.density(differences) / (n - 1)
        gradient[np.arange(len(rows)), rows] = 0.0
        gradient[np.arange(len(rows)), rows] = -gradient.sum(axis=1)
        spread = (
            gradient * model.variances if model.covariance is None else gradient @ model.covariance
        )
        variances[rows] = np.maximum((spread * gradient).sum(axis=1), 0.0)
    errors = np.sqrt(variances)
    differences = curve.difference(rates)
    intervals = _on_curve(model, differences, errors / curve.density(differences)).intervals
    return ScaledScores(rates, errors, intervals)
