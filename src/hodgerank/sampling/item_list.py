"""The items of a sampler: names and positions, added and retired items."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cached_property

import numpy as np

from hodgerank.display import short
from hodgerank.errors import InvalidArgument, UnknownItem
from hodgerank.types import BoolArray, IntArray, Item


class BlockedPairs:
    """Pairs with retired items, and additional pairs; pairs are positions i < j."""

    def __init__(
        self,
        n_items: int,
        retired: Collection[int] = (),
        pairs: Collection[tuple[int, int]] = (),
    ) -> None:
        self._n = n_items
        self._pairs = frozenset(pairs)
        self.retired = frozenset(retired)

    def __bool__(self) -> bool:
        return bool(self.retired or self._pairs)

    def and_pairs(self, pairs: Collection[tuple[int, int]]) -> BlockedPairs:
        """Return the same with these pairs blocked as well."""
        return BlockedPairs(self._n, self.retired, self._pairs.union(pairs))

    @cached_property
    def matrix(self) -> BoolArray:
        """True at blocked (i, j), for designs with matrices; 1 x 1 if none is blocked."""
        if not self:
            return np.zeros((1, 1), np.bool_)
        matrix = np.zeros((self._n, self._n), np.bool_)
        gone = list(self.retired)
        matrix[gone] = matrix[:, gone] = True
        for i, j in self._pairs:
            matrix[i, j] = True
        return matrix

    def matrix_to_change(self) -> BoolArray:
        """Return a copy of the full matrix, also if none is blocked."""
        return self.matrix.copy() if self else np.zeros((self._n, self._n), np.bool_)

    @cached_property
    def codes(self) -> IntArray:
        """Codes i n + j of the additional pairs, ascending."""
        return np.array(sorted(i * self._n + j for i, j in self._pairs), np.int64)


class ItemList:
    """Items in the order of addition; retired ones keep their position."""

    def __init__(self, items: Iterable[Item] | int) -> None:
        if isinstance(items, str) or not isinstance(items, int | np.integer | Iterable):
            raise InvalidArgument(
                f"items must be a list or a number of items, not {short(repr(items))}"
            )
        self.items: list[Item] = []
        self.codes: dict[Item, int] = {}
        self.retired: set[int] = set()
        self._blocked: BlockedPairs | None = None
        for item in range(items) if isinstance(items, int | np.integer) else items:
            self.add(item)

    def __len__(self) -> int:
        return len(self.items)

    def add(self, item: Item) -> None:
        """Append an item."""
        if isinstance(item, np.generic):
            item = item.item()
        if not isinstance(item, int | str):
            raise InvalidArgument(f"items must be integers or strings, not {short(repr(item))}")
        if item in self.codes:
            is_retired = self.codes[item] in self.retired
            hint = "; restore_item brings it back" if is_retired else " (listed twice?)"
            raise InvalidArgument(f"{short(repr(item))} is already among the items{hint}")
        self.codes[item] = len(self.items)
        self.items.append(item)
        self._blocked = None

    def retire(self, item: Item) -> None:
        """Stop asking an item."""
        self.retired.add(self.code(item))
        self._blocked = None

    def restore(self, item: Item) -> None:
        """Ask a retired item again."""
        self.retired.discard(self.code(item))
        self._blocked = None

    @property
    def blocked(self) -> BlockedPairs:
        """Pairs with retired items."""
        if self._blocked is None:
            self._blocked = BlockedPairs(len(self), self.retired)
        return self._blocked

    def code(self, item: Item) -> int:
        """Return the position of an item."""
        try:
            return self.codes[item]
        except (KeyError, TypeError):
            raise UnknownItem(item, self.items) from None

    def pair(self, pair: tuple[Item, Item]) -> tuple[int, int]:
        """Return the positions of the left and right item of a pair."""
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
        """Return the positions of several pairs."""
        if isinstance(pairs, str) or not hasattr(type(pairs), "__iter__"):
            raise InvalidArgument(f"expected a list of pairs, not {short(repr(pairs))}")
        listed, codes = list(pairs), self.codes
        if not listed:
            return []
        try:
            found = [(codes[left], codes[right]) for left, right in listed]
        except (KeyError, TypeError, ValueError):
            found = []
        if len(found) == len(listed) and all(a != b for a, b in found):
            return found
        return [self.pair(pair) for pair in listed]  # raises the error of the invalid pair
