"""Misfit: infit and outfit of items or workers, and which of them do not fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.notebook import Displayed, Preview
from hodgerank.types import BoolArray, FloatArray, IntArray, Item


@dataclass(frozen=True, eq=False, repr=False)
class Misfit(Displayed):
    """Mean squares of the residuals of each item, or of each worker; NaN is 'cannot be said'.

    Attributes
    ----------
    of
        'item' or 'worker'.
    names, answers
        Who, and how many answers.
    infit, outfit
        Squared residuals over what is expected of them, weighted by information or not: 1 is as
        Bradley-Terry says, more is less predictable. Fitting is allowed for.
    infit_z, outfit_z
        The same as standard normals, by Wilson and Hilferty.
    p_value
        How often answers that follow the ranking as all others do depart from it as far.
    misfits
        Who follows the ranking less than the others, by the procedure of [Benjamini95], and has an
        infit above the mean by a twentieth. Where all are alike somebody is named with about the
        probability `false_discovery_rate` at most (measured at 5 %: items in 0 to 10 % of crowds
        that Bradley-Terry need not fit, workers in 0 to 5 %).
    conventional
        Who has an infit above the mean by two standard deviations: the usual rule of the field,
        which names some in every large crowd.
    """

    of: str
    names: tuple[Item, ...]
    answers: IntArray
    infit: FloatArray
    outfit: FloatArray
    infit_z: FloatArray
    outfit_z: FloatArray
    p_value: FloatArray
    misfits: BoolArray
    conventional: BoolArray
    false_discovery_rate: float
    backend: str

    def __len__(self) -> int:
        """Number of items or workers."""
        return len(self.names)

    @property
    def misfitting(self) -> tuple[Item, ...]:
        """Who misfits, the surest first."""
        order = np.argsort(np.where(self.misfits, self.p_value, np.inf), kind="stable")
        return tuple(self.names[k] for k in order[: int(self.misfits.sum())].tolist())

    def _headline(self) -> str:
        return f"{len(self):,} {self.of}s, {int(self.misfits.sum()):,} misfitting"

    def _preview(self) -> Preview:
        columns = self._columns()
        order = np.lexsort((-np.nan_to_num(self.infit), ~self.misfits))
        shown = (self.of, "answers", "infit", "outfit", "p_value", "misfits")
        rows = (tuple(columns[name].tolist()[k] for name in shown) for k in order.tolist())
        return Preview(shown, rows, len(self))

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per item or worker."""
        from hodgerank.data.sources.frames import build_frame

        return build_frame(self._columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON; what cannot be said is null."""
        columns = self._columns()
        rows = zip(*(_plain(values) for values in columns.values()), strict=True)
        return {
            "false_discovery_rate": self.false_discovery_rate,
            "misfitting": list(self.misfitting),
            f"{self.of}s": [dict(zip(columns, row, strict=True)) for row in rows],
        }

    def _columns(self) -> dict[str, Any]:
        return {
            self.of: np.array(self.names, dtype=object),
            "answers": self.answers,
            "infit": self.infit,
            "outfit": self.outfit,
            "infit_z": self.infit_z,
            "outfit_z": self.outfit_z,
            "p_value": self.p_value,
            "misfits": self.misfits,
            "conventional": self.conventional,
        }


def _plain(values: Any) -> list[Any]:
    return [None if isinstance(v, float) and np.isnan(v) else v for v in values.tolist()]
