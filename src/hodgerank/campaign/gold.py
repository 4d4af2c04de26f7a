"""GoldPair: two items of which one is known to be better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hodgerank.campaign.setting_values import Check, tables
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short
from hodgerank.types import Item


@dataclass(frozen=True)
class GoldPair:
    """Two items of which one is known to be better: answers to it tell who pays attention."""

    better: Item
    worse: Item

    def __post_init__(self) -> None:
        for item in (self.better, self.worse):
            if isinstance(item, bool) or not isinstance(item, int | str):
                raise InvalidArgument(
                    f"a pair with a known answer names two items, not {short(repr(item))}"
                )
        if self.better == self.worse:
            raise InvalidArgument(
                f"a pair with a known answer names two items, not {short(self.better)} twice"
            )


def known_pairs(kind: type[GoldPair]) -> Check:
    """A setting that lists such pairs, no two of them of the same items."""
    read = tables(kind, "a pair")

    def check(value: Any, name: str) -> tuple[GoldPair, ...]:
        pairs: tuple[GoldPair, ...] = read(value, name)
        if len({frozenset((pair.better, pair.worse)) for pair in pairs}) < len(pairs):
            raise InvalidArgument(f"{name} has the same two items twice: which is better?")
        return pairs

    return check
