"""Learning curves of several schemes, run by run, and verdicts on their claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hodgerank.plotting.curves import curve_chart
from hodgerank.plotting.theme import COLOURS
from hodgerank.reproduce.experiment import Outcome
from hodgerank.reproduce.verdict import (
    FEWEST,
    Claim,
    Estimate,
    Published,
    Status,
    Verdict,
    number,
    sign_status,
    with_interval,
)
from hodgerank.types import FloatArray

ABOUT = 0.5  # "about 5%" means between half and one and a half times that
PALETTE = {
    "supervised": COLOURS[0],
    "supervised, γ = 1": COLOURS[0],
    "unsupervised": COLOURS[1],
    "random": COLOURS[7],
    "random rounds": COLOURS[6],
    "Crowd-BT": COLOURS[2],
    "Crowd-BT as published": COLOURS[3],
}
LEVEL = 0.02  # differences in tau below this count as equal


@dataclass(frozen=True)
class Curves:
    """One curve per scheme and run, in one or several panels.

    Attributes
    ----------
    samples
        Numbers of samples at which the curves were evaluated.
    panels
        Titles of the panels, in order; a single one may be ''.
    schemes
        Names of the schemes, in order.
    values
        By panel and scheme: one row per run, one column per number of samples. Rows of a panel are
        paired across schemes.
    """

    samples: tuple[int, ...]
    panels: tuple[str, ...]
    schemes: tuple[str, ...]
    values: dict[tuple[str, str], FloatArray]

    @classmethod
    def of(cls, samples: Sequence[int], outcomes: Iterable[Outcome]) -> Curves:
        """Collect tasks with a 'panel', whose results map schemes to curves."""
        found: dict[tuple[str, str], list[list[float]]] = {}
        for outcome in outcomes:
            for scheme, curve in outcome.result.items():
                found.setdefault((str(outcome.settings.get("panel", "")), scheme), []).append(curve)
        return cls(
            tuple(samples),
            tuple(dict.fromkeys(panel for panel, _ in found)),
            tuple(dict.fromkeys(scheme for _, scheme in found)),
            {key: np.array(curves, float) for key, curves in found.items()},
        )

    def without_first_look(self) -> Curves:
        """Return the curves without their first point."""
        values = {key: curves[:, 1:] for key, curves in self.values.items()}
        return replace(self, samples=self.samples[1:], values=values)

    def rows(self, x: str = "samples") -> list[dict[str, Any]]:
        """Return mean and standard error at each point; `x` names its column."""
        return [
            {
                "panel": panel,
                "scheme": scheme,
                x: look,
                "mean": estimate.mean,
                "stderr": estimate.stderr if estimate.n > 1 else None,
                "runs": estimate.n,
            }
            for (panel, scheme), curves in self.values.items()
            for look, column in zip(self.samples, curves.T, strict=True)
            for estimate in [Estimate.of(column)]
        ]

    def chart(self, x: str = "samples", y: str = "Kendall's tau", **layout: Any) -> Any:
        """Plot means with bands of two standard errors; a scheme has the same colour everywhere."""
        rows = [{"series": row["scheme"], **row} for row in self.rows("x")]
        usual = {scheme: PALETTE[scheme] for scheme in self.schemes if scheme in PALETTE}
        rest = iter([colour for colour in COLOURS if colour not in usual.values()])
        colours = {scheme: usual.get(scheme) or next(rest) for scheme in self.schemes}
        return curve_chart(rows, x=x, y=y, series=colours, **layout)

    def pooled(self, scheme: str, panel: str = "") -> FloatArray:
        """Return all runs of a scheme, in the panels whose title contains this text."""
        return np.concatenate([self.values[p, scheme] for p in self.panels if panel in p])

    def difference(self, above: str, below: str, panel: str = "") -> FloatArray:
        """Return paired differences: one row per run, one column per number of samples."""
        return np.asarray(self.pooled(above, panel) - self.pooled(below, panel))

    def verdicts(self, published: Published, unit: str = " tau") -> list[Verdict]:
        """Judge claims that one scheme is above another, above by a share, or equal to it."""
        return [self._judge(claim, unit) for claim in published.claims]

    def _judge(self, claim: Claim, unit: str) -> Verdict:
        panel = claim.check.get("panel", "")
        is_enough = min(len(self.values[key]) for key in self.values) >= FEWEST
        verdict = self._weigh(claim, panel, unit)
        return verdict if is_enough else replace(verdict, status=Status.UNDECIDED)

    def _weigh(self, claim: Claim, panel: str, unit: str) -> Verdict:
        if "level" in claim.check:
            return self._judge_level(claim, panel, unit)
        above, below = claim.check["above"]
        differences = self.difference(above, below, panel)
        mean = Estimate.of(differences.mean(axis=1))
        status = sign_status(mean, above=claim.check.get("at_least", 0.0))
        evidence = f"{above} − {below}: {with_interval(mean)}{unit} on average over the curve, "
        evidence += f"{mean.n:,} paired runs; {_looks(differences, self.samples)}."
        if status is Status.HOLDS and _below_somewhere(differences):
            status = Status.IN_PART
        if "by" in claim.check:
            share = mean.over(float(self.pooled(below, panel).mean()))
            at_end = differences[:, -1].mean() / self.pooled(below, panel)[:, -1].mean()
            mean_share, low, high, end = (
                number(100 * part, 1) for part in (share.mean, *share.interval(), at_end)
            )
            evidence += f" That is {mean_share}% ({low} to {high}%), and {end}% at the end."
            wanted = float(claim.check["by"])
            is_about = abs(share.mean - wanted) <= ABOUT * wanted
            if status is Status.HOLDS and not is_about:
                status = Status.IN_PART
        return Verdict(claim, status, evidence)

    def _judge_level(self, claim: Claim, panel: str, unit: str) -> Verdict:
        one, other = claim.check["level"]
        mean = Estimate.of(self.difference(one, other, panel).mean(axis=1))
        lower, upper = mean.interval()
        status = Status.UNDECIDED
        if lower > -LEVEL and upper < LEVEL:
            status = Status.HOLDS
        elif lower > LEVEL or upper < -LEVEL:
            status = Status.FAILS
        evidence = (
            f"{one} − {other}: {with_interval(mean)}{unit} on average over the curve, {mean.n:,} "
            f"paired runs; equal means within {number(LEVEL, plus='')}."
        )
        return Verdict(claim, status, evidence)


def _bounds(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return simultaneous 95% intervals at all points."""
    confidence = 1 - 0.05 / differences.shape[1]
    ends = [Estimate.of(column).interval(confidence) for column in differences.T]
    lower, upper = np.array(ends).T
    return lower, upper


def _below_somewhere(differences: FloatArray) -> bool:
    return bool((_bounds(differences)[1] < 0).any())


def _looks(differences: FloatArray, samples: Sequence[int]) -> str:
    """Return where the difference is significant, with simultaneous intervals."""
    lower, upper = _bounds(differences)
    above, below = int((lower > 0).sum()), np.flatnonzero(upper < 0)
    text = f"significantly above at {above} of {len(samples)} points"
    if len(below):
        text += f", significantly below at {len(below)} (first at {samples[below[0]]:,})"
    return text
