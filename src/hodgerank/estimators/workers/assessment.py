"""WorkerAssessment: what is said of each worker."""

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
LEANS_LEFT = "leans left"
LEANS_RIGHT = "leans right"
IMPRECISE = "less precise than others"

WARNINGS = (CLICKING, ADVERSARIAL, CARELESS)
"""Answers to look at, or to leave out."""
NOTES = (TIE_HAPPY, LEANS_LEFT, LEANS_RIGHT, IMPRECISE)
"""Worth knowing, but no reason to exclude anybody."""

Level = Literal["warning", "note", "none"]

WORDS: Mapping[str, str] = {
    CLICKING: "the votes follow the side on which an item is shown: the whole interval of the bias "
    "is beyond 0.2 (1 is always left, -1 always right)",
    ADVERSARIAL: "the votes contradict the common ranking, as if better and worse were swapped",
    CARELESS: "the votes agree with the common ranking no better than chance",
    TIE_HAPPY: "ties are significantly more frequent than among others on the same pairs",
    LEANS_LEFT: "the item on the left is preferred more often than its quality explains",
    LEANS_RIGHT: "the item on the right is preferred more often than its quality explains",
    IMPRECISE: "the votes agree with the common ranking less closely than those of most others",
    TOO_FEW: "there are too few votes to assess this worker",
    NOT_KNOWN: "there are no others who agree with each other, with whom to compare this worker",
    OK: "nothing unusual was found",
}
"""What each flag says, of a worker or of any other group."""


CODES: Mapping[str, str] = {
    CLICKING: "position_clicking",
    ADVERSARIAL: "adversarial",
    CARELESS: "careless",
    TIE_HAPPY: "tie_happy",
    LEANS_LEFT: "leans_left",
    LEANS_RIGHT: "leans_right",
    IMPRECISE: "imprecise",
    TOO_FEW: "too_few_votes",
    NOT_KNOWN: "not_comparable",
    OK: "ok",
}
"""Stable names of the flags, for programs."""


def level_of(flag: str) -> Level:
    """Whether a flag is a warning, a note, or none."""
    return "warning" if flag in WARNINGS else "note" if flag in NOTES else "none"


@dataclass(frozen=True, eq=False, repr=False)
class WorkerAssessment(Displayed, Charted):
    """One row per worker; arrays are aligned, NaN is 'cannot be said'.

    Attributes
    ----------
    position_bias, position_bias_stderr, position_bias_p_value
        By how much the worker's mean answer leans to the left, all else equal.
    position_bias_lower, position_bias_upper
        Its 95 % interval.
    agreement
        Share of decided answers that agree with what all others together prefer.
    outlier_share
        Share of answers flagged by `find_outliers`.
    tie_share, expected_tie_share
        Share of ties, and what it would be if the worker tied as others do on the same pairs.
    left_rate
        Share of decided answers that prefer left.
    contradictions
        Share of pairs answered several times on which the worker has been of both opinions.
    reliability
        How far the answers follow the common scores: 1 honest, 1/2 random, 0 the opposite. It
        cannot be said where the others do not agree with each other.
    acuity
        How closely the answers follow the common scores if the worker is honest: 1 is typical,
        and few answers leave it near 1.
    effect
        Share of item pairs whose order would turn without this worker.
    flag
        The first of these that applies: too few votes; a warning (position-clicking,
        adversarial, careless); a note (tie-happy, leans left, leans right, less precise than
        others); not known, where there are no others to measure the worker by, or they do not agree
        with each other; ok. `WORDS` has a sentence for each.
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
        """Workers with a warning, whose answers should be looked at or left out."""
        return self._at("warning")

    @property
    def noted(self) -> tuple[Item, ...]:
        """Workers with a note, which is no reason to exclude them."""
        return self._at("note")

    def _at(self, level: Level) -> tuple[Item, ...]:
        pairs = zip(self.workers, self.level, strict=True)
        return tuple(worker for worker, found in pairs if found == level)

    @property
    def worst_first(self) -> list[int]:
        """Positions of the workers: warnings, then notes, then all others."""
        order, level = ("warning", "note", "none"), self.level
        return sorted(range(len(self)), key=lambda k: order.index(level[k]))

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per worker."""
        from hodgerank.data.sources.frames import build_frame

        return build_frame(self._columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; what cannot be said is null."""
        columns = self._columns()
        rows = zip(*(_plain(values) for values in columns.values()), strict=True)
        return {
            "false_discovery_rate": self.false_discovery_rate,
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
