"""IntervalScale: where scores and their intervals are drawn, in percent of the width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from hodgerank.estimators.ranking import RankedItem

MARGIN = 0.04  # of the width, on either side


@dataclass(frozen=True)
class IntervalScale:
    """From the lowest end of all intervals to the highest."""

    low: float
    high: float

    @classmethod
    def of(cls, rows: Sequence[RankedItem]) -> Self:
        """The scale on which all rows can be drawn."""
        low = min((row.lower for row in rows), default=0.0)
        high = max((row.upper for row in rows), default=0.0)
        return cls(low, high) if high > low else cls(low - 1.0, high + 1.0)

    def at(self, score: float) -> str:
        """A place as SVG has it.

        >>> IntervalScale(-1.0, 1.0).at(0.0)
        '50.0%'
        """
        share = (score - self.low) / (self.high - self.low)
        return f"{100 * (MARGIN + (1 - 2 * MARGIN) * share):.1f}%"
