"""WorkerAssessment: what is said of each worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.notebook import Displayed, Preview
from hodgerank.types import FloatArray, IntArray, Item

OK = "ok"
TOO_FEW = "too few answers to say"
CLICKING = "position-clicking"
ADVERSARIAL = "adversarial"
CARELESS = "careless"
TIE_HAPPY = "tie-happy"


@dataclass(frozen=True, eq=False, repr=False)
class WorkerAssessment(Displayed):
    """One row per worker; arrays are aligned, NaN is 'cannot be said'.

    Attributes
    ----------
    position_bias, position_bias_stderr, position_bias_p_value
        By how much the worker's mean answer leans to the left, all else equal.
    agreement
        Share of decided answers that agree with what all others together prefer.
    outlier_share
        Share of answers flagged by `find_outliers`.
    tie_share, left_rate
        Share of ties; share of decided answers that prefer left.
    contradictions
        Share of pairs answered several times on which the worker has been of both opinions.
    reliability
        How far the answers follow the common scores: 1 honest, 1/2 random, 0 the opposite.
    effect
        Share of item pairs whose order would turn without this worker.
    flag
        ok, careless, adversarial, position-clicking, tie-happy, or too few answers to say.
    """

    workers: tuple[Item, ...]
    answers: IntArray
    position_bias: FloatArray
    position_bias_stderr: FloatArray
    position_bias_p_value: FloatArray
    agreement: FloatArray
    outlier_share: FloatArray
    tie_share: FloatArray
    left_rate: FloatArray
    contradictions: FloatArray
    reliability: FloatArray
    effect: FloatArray
    flag: tuple[str, ...]
    false_discovery_rate: float
    notes: tuple[str, ...]
    backend: str

    def __len__(self) -> int:
        """Number of workers."""
        return len(self.workers)

    def _headline(self) -> str:
        return f"{len(self):,} workers, {len(self.flagged):,} flagged"

    def _preview(self) -> Preview:
        order = sorted(range(len(self)), key=lambda k: self.flag[k] in (OK, TOO_FEW))
        rows = (
            (
                self.workers[k],
                self.flag[k],
                int(self.answers[k]),
                float(self.agreement[k]),
                float(self.reliability[k]),
            )
            for k in order
        )
        return Preview(("worker", "flag", "answers", "agreement", "reliability"), rows, len(self))

    @property
    def flagged(self) -> tuple[Item, ...]:
        """Workers with a flag other than ok or too few answers."""
        return tuple(
            worker
            for worker, flag in zip(self.workers, self.flag, strict=True)
            if flag not in (OK, TOO_FEW)
        )

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
            "notes": list(self.notes),
            "workers": [dict(zip(columns, row, strict=True)) for row in rows],
        }

    def _columns(self) -> dict[str, Any]:
        return {
            "worker": np.array(self.workers, dtype=object),
            "answers": self.answers,
            "position_bias": self.position_bias,
            "position_bias_stderr": self.position_bias_stderr,
            "position_bias_p_value": self.position_bias_p_value,
            "agreement": self.agreement,
            "outlier_share": self.outlier_share,
            "tie_share": self.tie_share,
            "left_rate": self.left_rate,
            "contradictions": self.contradictions,
            "reliability": self.reliability,
            "effect": self.effect,
            "flag": np.array(self.flag, dtype=object),
        }


def _plain(values: Any) -> list[Any]:
    listed = values.tolist()
    return [None if isinstance(v, float) and np.isnan(v) else v for v in listed]
