"""Learning curves of several schemes, run by run, and verdicts on their claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
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
    joint_status,
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
    "random without repetition": COLOURS[6],
    "balanced rounds": COLOURS[5],
    "Crowd-BT": COLOURS[2],
    "Crowd-BT as published": COLOURS[3],
}
OURS = ("random without repetition", "balanced rounds")  # baselines that the paper does not have
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

    def with_total(self, title: str) -> Curves:
        """Return the curves with a first panel that pools the runs of all."""
        total = {(title, scheme): self.pooled(scheme) for scheme in self.schemes}
        return replace(self, panels=(title, *self.panels), values=total | self.values)

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

    def chart(
        self,
        x: str = "samples",
        y: str = "Kendall's tau",
        *,
        ours: Collection[str] = OURS,
        **layout: Any,
    ) -> Any:
        """Plot means with bands of two standard errors.

        A scheme has the same colour everywhere. Schemes that the paper does not have (`ours`) are
        dashed and say so.
        """
        names = {name: f"{name} (ours)" if name in ours else name for name in self.schemes}
        rows = [{"series": names[row["scheme"]], **row} for row in self.rows("x")]
        usual = {scheme: PALETTE[scheme] for scheme in self.schemes if scheme in PALETTE}
        rest = iter([colour for colour in COLOURS if colour not in usual.values()])
        colours = {names[s]: usual.get(s) or next(rest) for s in self.schemes}
        dashed = [names[scheme] for scheme in self.schemes if scheme in ours]
        return curve_chart(rows, x=x, y=y, series=colours, dashed=dashed, **layout)

    def pooled(self, scheme: str, panel: str = "") -> FloatArray:
        """Return all runs of a scheme, in the panels whose title contains this text."""
        return np.concatenate([self.values[p, scheme] for p in self.panels if panel in p])

    def difference(self, above: str, below: str, panel: str = "") -> FloatArray:
        """Return paired differences: one row per run, one column per number of samples."""
        return np.asarray(self.pooled(above, panel) - self.pooled(below, panel))

    def verdicts(self, published: Published, unit: str = " tau") -> list[Verdict]:
        """Judge the claims that compare schemes."""
        return [self.judge(claim, unit) for claim in published.claims]

    def judge(self, claim: Claim, unit: str = " tau") -> Verdict:
        """Judge a claim that compares two schemes.

        `claim.check` names them as 'above' or 'level', and optionally a part of the panels' titles
        ('panel'), or that every panel counts alone ('each_panel').
        """
        panel = claim.check.get("panel", "")
        is_enough = min(len(self.values[key]) for key in self.values) >= FEWEST
        weigh = self._weigh_level if "level" in claim.check else self._weigh_above
        if "each_panel" in claim.check:
            weigh = self._weigh_panels
        status, evidence = weigh(claim, panel, unit)
        return Verdict(claim, status if is_enough else Status.UNDECIDED, evidence)

    def _weigh_above(self, claim: Claim, panel: str, unit: str) -> tuple[Status, str]:
        above, below = claim.check["above"]
        differences = self.difference(above, below, panel)
        mean = Estimate.of(differences.mean(axis=1))
        status = sign_status(mean, above=claim.check.get("at_least", 0.0))
        evidence = f"{above} − {below}: {with_interval(mean)}{unit} on average over the curve, "
        evidence += f"{mean.n:,} paired runs; {_looks(differences, self.samples)}."
        if status is Status.HOLDS and _below_somewhere(differences):
            status = Status.IN_PART
        if "by" in claim.check:
            base = self.pooled(below, panel)
            share = Estimate.ratio(differences.mean(axis=1), base.mean(axis=1))
            at_end = number(100 * differences[:, -1].mean() / base[:, -1].mean(), 1)
            evidence += f" That is {percent(share)}, and {at_end}% at the end."
            status = joint_status([status, _about_status(share, float(claim.check["by"]))])
        if "gain_over" in claim.check:
            gain = self.difference(above, claim.check["gain_over"], panel).mean(axis=1)
            if sign_status(Estimate.of(gain)) is Status.HOLDS:
                share = Estimate.ratio(differences.mean(axis=1), gain)
                evidence += f" Of the gain over {claim.check['gain_over']} sampling, "
                evidence += f"{percent(share, 0, plus='')} remains."
        if status is Status.UNDECIDED and unit and level_status(mean) is Status.HOLDS:
            evidence += f" The means are equal within {number(LEVEL, plus='')}."
        return status, evidence

    def _weigh_level(self, claim: Claim, panel: str, unit: str) -> tuple[Status, str]:
        one, other = claim.check["level"]
        mean = Estimate.of(self.difference(one, other, panel).mean(axis=1))
        evidence = (
            f"{one} − {other}: {with_interval(mean)}{unit} on average over the curve, {mean.n:,} "
            f"paired runs; equal means within {number(LEVEL, plus='')}."
        )
        return level_status(mean), evidence

    def _weigh_panels(self, claim: Claim, panel: str, unit: str) -> tuple[Status, str]:
        """Compare two schemes in every panel, with simultaneous intervals."""
        above, below = claim.check["above"]
        panels = [title for title in self.panels if panel in title]
        confidence = 1 - 0.05 / len(panels)
        means = {
            title: Estimate.of((self.values[title, above] - self.values[title, below]).mean(axis=1))
            for title in panels
        }
        statuses = [sign_status(mean, confidence=confidence) for mean in means.values()]
        is_open = Status.UNDECIDED in statuses and Status.FAILS not in statuses
        least, most = (pick(means, key=lambda title: means[title].mean) for pick in (min, max))
        evidence = (
            f"{above} − {below}: significantly above in {statuses.count(Status.HOLDS)} of "
            f"{len(statuses)} panels, significantly below in {statuses.count(Status.FAILS)}; from "
            f"{number(means[least].mean)} ({least}) to {number(means[most].mean)} ({most}){unit}, "
            f"{means[least].n:,} paired runs each."
        )
        return Status.UNDECIDED if is_open else joint_status(statuses), evidence


def level_status(difference: Estimate) -> Status:
    """Return whether a difference lies within the margin of equality."""
    lower, upper = difference.interval()
    if difference.n < FEWEST:
        return Status.UNDECIDED
    if lower > -LEVEL and upper < LEVEL:
        return Status.HOLDS
    return Status.FAILS if lower > LEVEL or upper < -LEVEL else Status.UNDECIDED


def percent(share: Estimate, digits: int = 1, *, plus: str = "+") -> str:
    """Format a share as +3.5% (95% CI +2.8 to +4.3%)."""
    if share.n < 2:
        return f"{number(100 * share.mean, digits, plus=plus)}% (a single run)"
    mean, low, high = (
        number(100 * part, digits, plus=plus) for part in (share.mean, *share.interval())
    )
    return f"{mean}% (95% CI {low} to {high}%)"


def _about_status(share: Estimate, wanted: float) -> Status:
    """Return whether a share lies between half and one and a half times another."""
    lower, upper = share.interval()
    smallest, largest = (1 - ABOUT) * wanted, (1 + ABOUT) * wanted
    if smallest <= lower and upper <= largest:
        return Status.HOLDS
    return Status.FAILS if upper < smallest or lower > largest else Status.UNDECIDED


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
