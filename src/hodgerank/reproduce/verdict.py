"""Published claims, and computed verdicts on whether they hold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib.resources import files
from typing import Any, TypeAlias

import numpy as np
from scipy.special import stdtrit

from hodgerank.types import FloatArray


@dataclass(frozen=True)
class Estimate:
    """A mean over runs.

    Attributes
    ----------
    mean, stderr
        Mean and its standard error; nan with a single run.
    n
        Number of runs.
    """

    mean: float
    stderr: float
    n: int

    @classmethod
    def of(cls, values: FloatArray) -> Estimate:
        """Estimate from one value per run."""
        values = np.asarray(values, float)
        n = len(values)
        stderr = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
        return cls(float(values.mean()), stderr, n)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the interval by Student's t; unbounded with a single run."""
        if self.n < 2:
            return -np.inf, np.inf
        half = float(stdtrit(self.n - 1, (1 + confidence) / 2)) * self.stderr
        return self.mean - half, self.mean + half

    @classmethod
    def ratio(cls, over: FloatArray, under: FloatArray) -> Estimate:
        """Estimate the ratio of two means over the same runs, by the delta method."""
        over, under = np.asarray(over, float), np.asarray(under, float)
        base = under.mean()
        share = float(over.mean() / base)
        return replace(cls.of((over - share * under) / base), mean=share)


Table: TypeAlias = Sequence[Sequence[str]]


class Status(StrEnum):
    """Verdict on one claim."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    UNDECIDED = "undecided"


PLURALS = {
    Status.HOLDS: "hold",
    Status.IN_PART: "hold in part",
    Status.FAILS: "do not hold",
    Status.UNDECIDED: "undecided",
}
FEWEST = 5  # runs below which nothing is concluded
FASTER = 1.25  # "faster" means by at least a quarter: less may differ between machines


@dataclass(frozen=True)
class Claim:
    """One falsifiable sentence.

    Attributes
    ----------
    id
        Stable identifier, which starts with the name of the experiment.
    text
        The claim.
    check
        What to compute, as defined by the experiment.
    otherwise
        A possible explanation if it fails here.
    is_ours
        A claim that the paper does not make; the verdict on the figure ignores it.
    caveat
        The comparison that was not shown, beside the verdict on the figure, if this claim of ours
        fails or is undecided.
    """

    id: str
    text: str
    check: Mapping[str, Any]
    otherwise: str = ""
    is_ours: bool = False
    caveat: str = ""


def short_number(value: float | str) -> str:
    """Format three digits, or whole numbers from 100 on; text is unchanged."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class Published:
    """The content of one figure or table of the paper, from `published/NAME.json`.

    Attributes
    ----------
    source
        'Figure 3', 'Table 1', a section of the paper, or 'beyond the paper'.
    title, setting
        What it shows and how.
    claims
        The claims to check.
    differences
        Differences from the paper, with reasons.
    numbers
        Published numbers, by row and column of the table; text if the paper gives a bound.
    """

    source: str
    title: str
    setting: str
    claims: tuple[Claim, ...]
    differences: tuple[str, ...] = ()
    numbers: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str) -> Published:
        """Load the record of an experiment by name."""
        text = files("hodgerank.reproduce").joinpath(f"published/{name}.json").read_text("utf-8")
        record = json.loads(text)
        claims = tuple(Claim(**claim) for claim in record.pop("claims"))
        differences = tuple(record.pop("differences", ()))
        return cls(**record, claims=claims, differences=differences)

    def number_rows(self, columns: Sequence[str]) -> list[list[str]]:
        """Return the published numbers as rows of a table with these columns."""
        return [
            [f"{name}, in the paper", *(short_number(row.get(column, "")) for column in columns)]
            for name, row in self.numbers.items()
        ]

    @property
    def is_from_paper(self) -> bool:
        """Whether it is from the paper, or a question beyond it."""
        return self.source != "beyond the paper"


@dataclass(frozen=True)
class Verdict:
    """A claim, whether it holds, and the evidence."""

    claim: Claim
    status: Status
    evidence: str


@dataclass(frozen=True)
class Findings:
    """Result of an experiment.

    Attributes
    ----------
    rows
        The data of the chart, for the CSV.
    chart
        An Altair chart.
    verdicts
        One per claim.
    table
        Rows to print if the paper has a table, the first being the heading.
    """

    rows: Sequence[Mapping[str, Any]]
    chart: Any
    verdicts: Sequence[Verdict]
    table: Table = ()


@dataclass(frozen=True)
class Report:
    """Report on one figure or table.

    Attributes
    ----------
    name, published
        Name of the experiment, and the published content.
    verdicts
        Verdicts with their evidence, one per claim.
    table
        As in `Findings`.
    obstacle
        Why it was not run, if it was not.
    """

    name: str
    published: Published
    verdicts: Sequence[Verdict] = ()
    table: Table = ()
    obstacle: str = ""

    @property
    def status(self) -> Status:
        """Overall status; questions beyond the paper do not count."""
        deciding = [verdict.status for verdict in self.verdicts if not verdict.claim.is_ours]
        status = joint_status(deciding or [Status.UNDECIDED])
        return Status.IN_PART if Status.IN_PART in deciding else status

    @property
    def verdict(self) -> str:
        """The status as a verdict on the reproduction."""
        if self.obstacle:
            return "not run"
        word = "reproduced" if self.published.is_from_paper else "confirmed"
        return {
            Status.HOLDS: word,
            Status.IN_PART: f"{word} in part",
            Status.FAILS: f"not {word}",
            Status.UNDECIDED: "undecided",
        }[self.status]

    @property
    def caveat(self) -> str:
        """Restriction of the verdict by claims of ours that fail or are undecided."""
        if self.obstacle or self.status is Status.UNDECIDED:
            return ""
        open_ones = (Status.FAILS, Status.UNDECIDED)
        against = [v.claim.caveat for v in self.verdicts if v.status in open_ones]
        named = dict.fromkeys(filter(None, against))
        return f"not shown: {', '.join(named)}" if named else ""

    @property
    def tally(self) -> str:
        """Numbers of claims by status, if they differ."""
        found = Counter(v.status for v in self.verdicts if not v.claim.is_ours)
        if len(found) < 2:
            return ""
        parts = [
            f"{count} {status.value if count == 1 else PLURALS[status]}"
            for status in Status
            if (count := found[status])
        ]
        return f"of {found.total()} claims {', '.join(parts)}"


def sign_status(difference: Estimate, above: float = 0.0, confidence: float = 0.95) -> Status:
    """Return whether a difference is above a number, 0 by default."""
    lower, upper = difference.interval(confidence)
    if difference.n < FEWEST:
        return Status.UNDECIDED
    if lower > above:
        return Status.HOLDS
    return Status.FAILS if upper < above else Status.UNDECIDED


def speed_status(times: Estimate, wanted: float = 1.0) -> Status:
    """Return whether a ratio of times, given by its logarithm, is beyond a factor.

    A factor below `FASTER` counts as equal.
    """
    wanted = max(wanted, FASTER)
    return sign_status(times, above=float(np.log(wanted)))


def with_factor(times: Estimate) -> str:
    """Format a ratio of times, given by its logarithm, as 3.2 (95% CI 3.0 to 3.4)."""
    lower, upper = np.exp(times.interval())
    mean = factor(float(np.exp(times.mean)))
    return f"{mean} (95% CI {factor(lower)} to {factor(upper)})" if times.n > 1 else mean


def factor(value: float) -> str:
    """Format a ratio: 3.21, 32.1 or 3,210."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def joint_status(statuses: Collection[Status]) -> Status:
    """Combine the statuses of the parts of a claim."""
    if len(set(statuses)) == 1:
        return next(iter(statuses))
    if Status.HOLDS in statuses:
        return Status.IN_PART
    return Status.FAILS if Status.FAILS in statuses else Status.UNDECIDED


def number(value: float, digits: int = 3, *, plus: str = "+") -> str:
    """Format as +.061, without a leading zero."""
    text = f"{value:+.{digits}f}"
    if abs(value) < 1:
        text = text.replace("0.", ".", 1)
    return text.replace("+", plus).replace("-", "−")


def with_interval(difference: Estimate, digits: int = 3, *, plus: str = "+") -> str:
    """Format as +.061 (95% CI +.053 to +.069)."""
    mean = number(difference.mean, digits, plus=plus)
    if difference.n < 2:
        return f"{mean} (a single run)"
    lower, upper = (number(end, digits, plus=plus) for end in difference.interval())
    return f"{mean} (95% CI {lower} to {upper})"
