"""ReadOptions: how a table of votes is to be understood, said once for library and commands."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

from hodgerank.errors import InvalidArgument, require_one_of

OutcomeKind = Literal["number", "word", "item"]
PLAIN_SCALE = (-1.0, 1.0)
# Options that name a column, in the order in which messages propose them.
COLUMN_OPTIONS = (
    "left", "right", "outcome", "winner", "loser", "ballot", "item", "place",
    "worker", "weight", "count", "time", "group", "unit",
)  # fmt: skip


def _option(help_text: str, flag: str = "", *, default: Any = None, metavar: str = "") -> Any:
    """Describe an option for the command line, where it is called --name unless `flag` says so."""
    about = {"help": help_text, "flag": flag, "metavar": metavar or None}
    return field(default=default, metadata=about)


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The options of `read_comparisons`, which describes them at length.

    They are declared here once: commands make their options of these fields.
    """

    left: str | None = _option("Column of the item shown left.")
    right: str | None = _option("Column of the item shown right.")
    outcome: str | None = _option("Column of the answer.")
    winner: str | None = _option("Column of the preferred item.")
    loser: str | None = _option("Column of the other item.")
    worker: str | None = _option("Column of who answered.")
    weight: str | None = _option("Column of the answers' weights.")
    time: str | None = _option("Column of when it was answered.")
    count: str | None = _option("Column of how many answers a row stands for.")
    group: str | None = _option(
        "Column of scene, topic, prompt ...: items are compared within a group only.", "--by"
    )
    unit: str | None = _option("Column of prompt, page ...: answers of one unit hang together.")
    ballot: str | None = _option("Column of which ranking of several items a row is of.")
    item: str | None = _option("Column of the item in such a ranking.")
    place: str | None = _option("Column of its place there; 1 is the best.")
    where: str | None = _option("Rows to read, e.g. --where \"worker != 'bot' and seconds > 2\".")
    outcome_as: OutcomeKind | None = _option("What the outcome column holds.")
    scale: tuple[float, float] | None = _option(
        "Numbers for 'right is best' and 'left is best', e.g. --scale 1 7.", metavar="LOW HIGH"
    )
    display_known: bool | None = _option(
        "Whether left and right are where they were shown; found out if not given.",
        "--display-known/--display-unknown",
    )
    keep_na: bool = _option(
        "NA, N/A, nan, null, - and ? are names of items.", "--keep-na", default=False
    )
    skip_invalid: bool = _option(
        "Drop and count rows that cannot be used.", "--skip-invalid", default=False
    )
    header: Literal[False] | None = _option(
        "The first line is data; columns are called 1, 2, 3 ...", "--no-header"
    )
    sheet: str | None = _option("Sheet of a workbook, if not the first.")
    encoding: str | None = _option("Text encoding, if not UTF-8.")
    separator: str | None = _option("Column separator, if not found out.")

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
