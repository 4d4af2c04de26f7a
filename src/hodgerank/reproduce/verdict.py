"""What was published, and whether it holds here: computed, with the numbers that say so."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
        And its standard error; nan from a single run.
    n
        Number of runs.
    """

    mean: float
    stderr: float
    n: int

    @classmethod
    def of(cls, values: FloatArray) -> Estimate:
        """From one value per run."""
        values = np.asarray(values, float)
        n = len(values)
        stderr = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
        return cls(float(values.mean()), stderr, n)

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """By Student's t; unbounded from a single run."""
        if self.n < 2:
            return -np.inf, np.inf
        half = float(stdtrit(self.n - 1, (1 + confidence) / 2)) * self.stderr
        return self.mean - half, self.mean + half

    def over(self, base: float) -> Estimate:
        """As a share of a number taken as known."""
        return Estimate(self.mean / base, self.stderr / base, self.n)


Table: TypeAlias = Sequence[Sequence[str]]


class Status(StrEnum):
    """What became of one claim."""

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


@dataclass(frozen=True)
class Claim:
    """One sentence that can be wrong.

    Attributes
    ----------
    text
        What is said.
    check
        What to compute, in the words of the experiment.
    otherwise
        Why it may fail here, as far as we know.
    is_ours
        A question of our own beside the paper's claims; the verdict on the figure leaves it out.
    """

    text: str
    check: Mapping[str, Any]
    otherwise: str = ""
    is_ours: bool = False


def short_number(value: float | str) -> str:
    """Three digits, or whole numbers from 100 on; text as it is."""
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


@dataclass(frozen=True)
class Published:
    """What the paper shows in one place, from `published/NAME.json`.

    Attributes
    ----------
    source
        'Figure 3', 'Table 1', or 'beyond the paper'.
    title, setting
        What it shows and how.
    claims
        What it says.
    differences
        What is done differently here, and why.
    numbers
        Published ones, by row and column of the table; text where the paper gives a bound.
    """

    source: str
    title: str
    setting: str
    claims: tuple[Claim, ...]
    differences: tuple[str, ...] = ()
    numbers: Mapping[str, Mapping[str, float | str]] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str) -> Published:
        """By the name of the experiment."""
        text = files("hodgerank.reproduce").joinpath(f"published/{name}.json").read_text("utf-8")
        record = json.loads(text)
        claims = tuple(Claim(**claim) for claim in record.pop("claims"))
        differences = tuple(record.pop("differences", ()))
        return cls(**record, claims=claims, differences=differences)

    def number_rows(self, columns: Sequence[str]) -> list[list[str]]:
        """The published numbers as rows of a table with these columns."""
        return [
            [f"{name}, in the paper", *(short_number(row.get(column, "")) for column in columns)]
            for name, row in self.numbers.items()
        ]

    @property
    def is_from_paper(self) -> bool:
        """Or one of our own questions."""
        return self.source != "beyond the paper"


@dataclass(frozen=True)
class Verdict:
    """A claim, whether it holds, and the evidence."""

    claim: Claim
    status: Status
    evidence: str


@dataclass(frozen=True)
class Findings:
    """What an experiment found.

    Attributes
    ----------
    rows
        The data behind the chart, for the CSV.
    chart
        An Altair chart.
    verdicts
        One per claim.
    table
        Rows to print where the paper has a table, the first being the heading.
    """

    rows: Sequence[Mapping[str, Any]]
    chart: Any
    verdicts: Sequence[Verdict]
    table: Table = ()


@dataclass(frozen=True)
class Report:
    """One figure or table.

    Attributes
    ----------
    name, published
        Which, and what the paper says.
    verdicts
        Claim by claim, with the evidence.
    table
        As in `Findings`.
    obstacle
        Why it was not run, if so.
    """

    name: str
    published: Published
    verdicts: Sequence[Verdict] = ()
    table: Table = ()
    obstacle: str = ""

    @property
    def status(self) -> Status:
        """On the whole; our own questions beside the paper do not count."""
        deciding = [verdict.status for verdict in self.verdicts if not verdict.claim.is_ours]
        status = joint_status(deciding or [Status.UNDECIDED])
        return Status.IN_PART if Status.IN_PART in deciding else status

    @property
    def verdict(self) -> str:
        """The status in the words of a reader of the paper."""
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
    def tally(self) -> str:
        """How many claims hold, where not all do alike."""
        found = Counter(v.status for v in self.verdicts if not v.claim.is_ours)
        if len(found) < 2:
            return ""
        parts = [
            f"{count} {status.value if count == 1 else PLURALS[status]}"
            for status in Status
            if (count := found[status])
        ]
        return f"of {found.total()} claims {', '.join(parts)}"


def sign_status(difference: Estimate, above: float = 0.0) -> Status:
    """Whether something is above zero, or another number."""
    lower, upper = difference.interval()
    if difference.n < FEWEST:
        return Status.UNDECIDED
    if lower > above:
        return Status.HOLDS
    return Status.FAILS if upper < above else Status.UNDECIDED


def ratio_status(ratios: Iterable[float], wanted: float) -> Status:
    """Whether something is so many times as large, in all cases, some or none."""
    reached = [ratio >= wanted for ratio in ratios]
    if all(reached):
        return Status.HOLDS
    return Status.IN_PART if any(reached) else Status.FAILS


def joint_status(statuses: Collection[Status]) -> Status:
    """Of a claim that consists of several."""
    if len(set(statuses)) == 1:
        return next(iter(statuses))
    if Status.HOLDS in statuses:
        return Status.IN_PART
    return Status.FAILS if Status.FAILS in statuses else Status.UNDECIDED


def number(value: float, digits: int = 3, *, plus: str = "+") -> str:
    """+.061: without a zero before the point."""
    text = f"{value:+.{digits}f}"
    if abs(value) < 1:
        text = text.replace("0.", ".", 1)
    return text.replace("+", plus).replace("-", "−")


def with_interval(difference: Estimate, digits: int = 3, *, plus: str = "+") -> str:
    """+.061 (95 % interval +.053 to +.069)."""
    mean = number(difference.mean, digits, plus=plus)
    if difference.n < 2:
        return f"{mean} (a single run)"
    lower, upper = (number(end, digits, plus=plus) for end in difference.interval())
    return f"{mean} (95 % interval {lower} to {upper})"
