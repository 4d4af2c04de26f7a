"""The items of a sampler: names to positions, who joins and who retires."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hodgerank.errors import InvalidArgument, UnknownItem
from hodgerank.notebook import short
from hodgerank.sampling.blocked import Blocked
from hodgerank.types import Item


class ItemList:
    """Items in the order they joined; retired ones keep their place."""

    def __init__(self, items: Iterable[Item] | int) -> None:
        if isinstance(items, str) or not isinstance(items, int | np.integer | Iterable):
            raise InvalidArgument(
                f"items are listed, or their number given, not {short(repr(items))}"
            )
        self.items: list[Item] = []
        self.codes: dict[Item, int] = {}
        self.retired: set[int] = set()
        self._blocked: Blocked | None = None
        for item in range(items) if isinstance(items, int | np.integer) else items:
            self.add(item)

    def __len__(self) -> int:
        return len(self.items)

    def add(self, item: Item) -> None:
        """Add an item at the end."""
        if isinstance(item, np.generic):
            item = item.item()
        if not isinstance(item, int | str):
            raise InvalidArgument(f"items are integers or strings, not {short(repr(item))}")
        if item in self.codes:
            is_retired = self.codes[item] in self.retired
            hint = "; restore_item brings it back" if is_retired else " (listed twice?)"
            raise InvalidArgument(f"{short(repr(item))} is already among the items{hint}")
        self.codes[item] = len(self.items)
        self.items.append(item)
        self._blocked = None

    def retire(self, item: Item) -> None:
        """Ask an item no more."""
        self.retired.add(self.code(item))
        self._blocked = None

    def restore(self, item: Item) -> None:
        """Ask a retired item again."""
        self.retired.discard(self.code(item))
        self._blocked = None

    @property
    def blocked(self) -> Blocked:
        """Pairs with retired items."""
        if self._blocked is None:
            self._blocked = Blocked(len(self), self.retired)
        return self._blocked

    def code(self, item: Item) -> int:
        """Position of an item."""
        try:
            return self.codes[item]
        except (KeyError, TypeError):
            raise UnknownItem(item, self.items) from None

    def pair(self, pair: tuple[Item, Item]) -> tuple[int, int]:
        """Positions of the left and right item of a pair."""
        try:
            left, right = pair
            a, b = self.codes[left], self.codes[right]
        except KeyError as error:
            raise UnknownItem(error.args[0], self.items) from None
        except (TypeError, ValueError):
            raise InvalidArgument(f"a pair is (left, right), not {short(repr(pair))}") from None
        if a == b:
            raise InvalidArgument(f"{short(repr(left))} cannot be compared with itself")
        return a, b

    def pairs(self, pairs: Iterable[tuple[Item, Item]]) -> list[tuple[int, int]]:
        """Positions of several pairs."""
        if isinstance(pairs, str) or not isinstance(pairs, Iterable):
            raise InvalidArgument(f"a list of pairs is needed, not {short(repr(pairs))}")
        listed, codes = list(pairs), self.codes
        try:
            found = [(codes[left], codes[right]) for left, right in listed]
        except (KeyError, TypeError, ValueError):
            found = []
        if len(found) == len(listed) and all(a != b for a, b in found):
            return found
        return [self.pair(pair) for pair in listed]  # one of them says what is wrong
