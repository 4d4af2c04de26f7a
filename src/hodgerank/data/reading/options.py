"""ReadOptions: how a table of votes is to be understood, said once for library and commands."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal

from hodgerank.errors import InvalidArgument, require_one_of

OutcomeKind = Literal["number", "word", "item"]
PLAIN_SCALE = (-1.0, 1.0)
# Options that name a column, in the order in which messages propose them.
COLUMN_OPTIONS = (
    "left", "right", "outcome", "winner", "loser", "ballot", "item", "place",
    "worker", "weight", "count", "time", "group", "unit",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
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
    count: str | None = None
    group: str | None = None
    unit: str | None = None
    ballot: str | None = None
    item: str | None = None
    place: str | None = None
    where: str | None = None
    outcome_as: OutcomeKind | None = None
    scale: tuple[float, float] | None = None
    display_known: bool | None = None
    keep_na: bool = False
    skip_invalid: bool = False
    header: bool | None = None
    sheet: str | None = None
    encoding: str | None = None
    separator: str | None = None

    def __post_init__(self) -> None:
        if self.outcome_as is not None:
            require_one_of(self.outcome_as, ("number", "word", "item"), "outcome_as")
        if self.scale is None:
            return
        try:
            low, high = (float(end) for end in self.scale)
        except (TypeError, ValueError):
            raise InvalidArgument(f"scale {self.scale!r} must be two numbers") from None
        if not (isfinite(low) and isfinite(high) and low != high):
            raise InvalidArgument(f"scale {self.scale} needs two different finite ends")
        object.__setattr__(self, "scale", (low, high))

    @property
    def columns(self) -> dict[str, str]:
        """The columns that the caller named, by the part they play."""
        named = {part: getattr(self, part) for part in COLUMN_OPTIONS}
        return {part: name for part, name in named.items() if name is not None}
