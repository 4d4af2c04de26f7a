"""WorkerAssessment: statistics and flag of each worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from hodgerank.display import Charted, Displayed, Preview
from hodgerank.types import FloatArray, IntArray, Item

OK = "ok"
NOT_KNOWN = "not known"
TOO_FEW = "too few votes"
CLICKING = "position-clicking"
ADVERSARIAL = "adversarial"
CARELESS = "careless"
TIE_HAPPY = "tie-happy"
LEFT_BIASED = "left-biased"
RIGHT_BIASED = "right-biased"
IMPRECISE = "less precise than others"

WARNINGS = (CLICKING, ADVERSARIAL, CARELESS)
"""Flags of votes to check or exclude."""
NOTES = (TIE_HAPPY, LEFT_BIASED, RIGHT_BIASED, IMPRECISE)
"""Flags that are worth knowing, but no reason to exclude a worker."""

UNCHECKED = (TOO_FEW, NOT_KNOWN)
ENOUGH_POWER = 0.5

Level = Literal["warning", "note", "none"]

WORDS: Mapping[str, str] = {
    CLICKING: "the votes follow the side on which an item is shown more than the items: a position "
    "bias that gives way to clear preferences would not explain them",
    ADVERSARIAL: "the votes contradict the common ranking, as if better and worse were swapped",
    CARELESS: "the votes agree with the common ranking no better than chance",
    TIE_HAPPY: "ties are significantly more frequent than among others on the same pairs",
    LEFT_BIASED: "the item on the left is preferred more often than its quality explains",
    RIGHT_BIASED: "the item on the right is preferred more often than its quality explains",
    IMPRECISE: "the votes agree with the common ranking less closely than those of most others",
    TOO_FEW: "there are too few votes to assess this worker",
    NOT_KNOWN: "no other workers agree with each other, so this worker cannot be compared",
    OK: "nothing unusual was found",
}
"""A sentence for each flag, about a worker or any other group."""


CODES: Mapping[str, str] = {
    CLICKING: "position_clicking",
    ADVERSARIAL: "adversarial",
    CARELESS: "careless",
    TIE_HAPPY: "tie_happy",
    LEFT_BIASED: "left_biased",
    RIGHT_BIASED: "right_biased",
    IMPRECISE: "imprecise",
    TOO_FEW: "too_few_votes",
    NOT_KNOWN: "not_comparable",
    OK: "ok",
}
"""Stable names of the flags, for programs."""


def level_of(flag: str) -> Level:
    """Return whether a flag is a warning, a note, or none."""
    return "warning" if flag in WARNINGS else "note" if flag in NOTES else "none"


@dataclass(frozen=True, eq=False, repr=False)
class WorkerAssessment(Displayed, Charted):
    """One row per worker; arrays are aligned, and NaN means undefined.

    Attributes
    ----------
    position_bias, position_bias_stderr, position_bias_p_value
        The worker's mean vote for the left item, all else equal.
    position_bias_lower, position_bias_upper
        Its 95% confidence interval.
    agreement
        Share of decided votes that agree with the ranking by all others.
    outlier_share
        Share of votes flagged by `find_outliers`.
    tie_share, expected_tie_share
        Share of ties, and the share expected from other workers on the same pairs.
    left_rate
        Share of decided votes that prefer left.
    contradictions
        Share of the pairs the worker judged repeatedly that have contradictory votes.
    reliability
        How far the votes follow the common scores: 1 honest, 1/2 random, 0 adversarial. NaN if the
        other workers do not agree with each other.
    acuity
        How closely the votes follow the common scores if the worker is honest: 1 is typical; with
        few votes the estimate stays near 1.
    effect
        Share of item pairs whose order would reverse without this worker.
    flag
        The first that applies: too few votes; a warning (position-clicking, adversarial, careless);
        a note (tie-happy, left-biased, right-biased, less precise than others); not known, if no
        other workers agree with each other; ok. `WORDS` has a sentence for each.
    power
        Probability that somebody who votes at random on as many similar pairs would get a warning
        or the note "less precise than others", simulated; NaN if nobody could be checked.
    is_adaptive
        Whether pairs were chosen by earlier votes, which makes them close.
    """

    workers: tuple[Item, ...]
    votes: IntArray
    position_bias: FloatArray
    position_bias_stderr: FloatArray
    position_bias_lower: FloatArray
    position_bias_upper: FloatArray
    position_bias_p_value: FloatArray
    agreement: FloatArray
    outlier_share: FloatArray
    tie_share: FloatArray
    expected_tie_share: FloatArray
    left_rate: FloatArray
    contradictions: FloatArray
    reliability: FloatArray
    acuity: FloatArray
    effect: FloatArray
    flag: tuple[str, ...]
    power: float
    is_adaptive: bool
    false_discovery_rate: float
    notes: tuple[str, ...]
    backend: str

    def __len__(self) -> int:
        """Number of workers."""
        return len(self.workers)

    def _headline(self) -> str:
        warned, noted = len(self.flagged), len(self.noted)
        return f"{len(self):,} workers, {warned:,} with a warning, {noted:,} with a note"

    def _preview(self) -> Preview:
        rows = (
            (
                self.workers[k],
                self.flag[k],
                int(self.votes[k]),
                float(self.agreement[k]),
                float(self.reliability[k]),
            )
            for k in self.worst_first
        )
        return Preview(("worker", "flag", "votes", "agreement", "reliability"), rows, len(self))

    @property
    def level(self) -> tuple[Level, ...]:
        """Whether each flag is a warning, a note, or none."""
        return tuple(level_of(flag) for flag in self.flag)

    @property
    def flagged(self) -> tuple[Item, ...]:
        """Workers with a warning, whose votes should be checked or excluded."""
        return self._at("warning")

    @property
    def noted(self) -> tuple[Item, ...]:
        """Workers with a note, which is no reason to exclude them."""
        return self._at("note")

    def _at(self, level: Level) -> tuple[Item, ...]:
        pairs = zip(self.workers, self.level, strict=True)
        return tuple(worker for worker, found in pairs if found == level)

    @property
    def n_checked(self) -> int:
        """Number of workers with enough votes who could be compared with others."""
        return sum(flag not in UNCHECKED for flag in self.flag)

    @property
    def typical_votes(self) -> float:
        """Median number of votes of the workers who were checked; NaN if nobody was."""
        votes = [n for n, flag in zip(self.votes, self.flag, strict=True) if flag not in UNCHECKED]
        return float(np.median(votes)) if votes else np.nan

    @property
    def hides_random_workers(self) -> bool:
        """Whether nobody has a warning, but most workers who vote at random would have no flag."""
        return self.power < ENOUGH_POWER and not self.flagged

    @property
    def random_hidden(self) -> str:
        """Say that random workers would go unnoticed, and why."""
        why = "pairs were chosen to be close: " if self.is_adaptive else ""
        votes = f"with about {self.typical_votes:,.0f} votes each"
        return f"{why}{votes}, most random clickers would go unnoticed"

    @property
    def worst_first(self) -> list[int]:
        """Positions of the workers: warnings first, then notes, then all others."""
        order, level = ("warning", "note", "none"), self.level
        return sorted(range(len(self)), key=lambda k: order.index(level[k]))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per worker."""
        from hodgerank.data.sources.frames import build_frame

        return build_frame(self._columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; undefined values are null."""
        columns = self._columns()
        rows = zip(*(_plain(values) for values in columns.values()), strict=True)
        return {
            "false_discovery_rate": self.false_discovery_rate,
            "n_checked": self.n_checked,
            "power": None if np.isnan(self.power) else self.power,
            "hides_random_workers": self.hides_random_workers,
            "words": {flag: WORDS[flag] for flag in WORDS if flag in self.flag},
            "notes": list(self.notes),
            "workers": [dict(zip(columns, row, strict=True)) for row in rows],
        }

    def _columns(self) -> dict[str, Any]:
        return {
            "worker": np.array(self.workers, dtype=object),
            "votes": self.votes,
            "position_bias": self.position_bias,
            "position_bias_stderr": self.position_bias_stderr,
            "position_bias_lower": self.position_bias_lower,
            "position_bias_upper": self.position_bias_upper,
            "position_bias_p_value": self.position_bias_p_value,
            "agreement": self.agreement,
            "outlier_share": self.outlier_share,
            "tie_share": self.tie_share,
            "expected_tie_share": self.expected_tie_share,
            "left_rate": self.left_rate,
            "contradictions": self.contradictions,
            "reliability": self.reliability,
            "acuity": self.acuity,
            "effect": self.effect,
            "flag": np.array(self.flag, dtype=object),
            "code": np.array([CODES[flag] for flag in self.flag], dtype=object),
            "level": np.array(self.level, dtype=object),
        }


def _plain(values: Any) -> list[Any]:
    listed = values.tolist()
    return [None if isinstance(v, float) and np.isnan(v) else v for v in listed]
