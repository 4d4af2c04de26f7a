"""ReadOptions: how a table of votes is to be understood, said once for library and commands."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal

from hodgerank.errors import InvalidArgument, require_one_of

OutcomeKind = Literal["number", "word", "item"]
PLAIN_SCALE = (-1.0, 1.0)


@dataclass(frozen=True)
class ReadOptions:
    """The options of `read_comparisons`, where they are described."""

    left: str | None = None
    right: str | None = None
    outcome: str | None = None
    winner: str | None = None
    loser: str | None = None
    worker: str | None = None
    weight: str | None = None
    time: str | None = None
    outcome_as: OutcomeKind | None = None
    scale: tuple[float, float] = PLAIN_SCALE
    display_known: bool | None = None
    skip_invalid: bool = False
    encoding: str | None = None
    separator: str | None = None

    def __post_init__(self) -> None:
        if self.outcome_as is not None:
            require_one_of(self.outcome_as, ("number", "word", "item"), "outcome_as")
        try:
            low, high = (float(end) for end in self.scale)
        except (TypeError, ValueError):
            raise InvalidArgument(f"scale {self.scale!r} must be two numbers") from None
        if not (isfinite(low) and isfinite(high) and low != high):
            raise InvalidArgument(f"scale {self.scale} needs two different finite ends")
        object.__setattr__(self, "scale", (low, high))

    @property
    def named_columns(self) -> tuple[str, ...]:
        """The columns that the caller named."""
        items = (self.left, self.right, self.winner, self.loser)
        others = (self.outcome, self.worker, self.weight, self.time)
        return tuple(name for name in items + others if name is not None)
