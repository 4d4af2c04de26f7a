"""The pairs that may be asked, and the best of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import TypeAlias

import numpy as np

from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.priors import Scope
from hodgerank.sampling.designs.design import Design
from hodgerank.sampling.item_list import BlockedPairs, ItemList
from hodgerank.types import BoolArray, FloatArray, IntArray, Item

Candidates: TypeAlias = (
    Iterable[tuple[Item, Item]] | Mapping[tuple[Item, Item], int] | BoolArray | None
)
Chosen: TypeAlias = tuple[int, int, bool]
"""A pair i < j, and whether the caller gave it as (j, i)."""


class AnyPair:
    """All pairs except blocked ones."""

    def __init__(self, blocked: BlockedPairs) -> None:
        self._blocked = blocked
        self._forbidden: set[tuple[int, int]] = set()

    def best(self, design: Design, keys: list[int], *, once: bool) -> list[Chosen]:
        """Return the best pairs by a design, one per key, each with the earlier ones pending.

        With `once` no pair is repeated. Returns fewer if no more are allowed.
        """
        blocked = self._blocked.and_pairs(self._forbidden) if self._forbidden else self._blocked
        if len(keys) == 1:
            i, j = design.search(blocked, keys[0])
            return [(i, j, False)] if i >= 0 else []
        return [(i, j, False) for i, j in design.search_in_turn(blocked, keys, once=once)]

    def forbid(self, i: int, j: int) -> None:
        """Exclude a pair."""
        self._forbidden.add((i, j))


class PairTable:
    """Pairs of n items as positions i < j, and whether each was given as (j, i)."""

    def __init__(self, n: int, pairs: Collection[tuple[int, int]]) -> None:
        left, right = np.array(list(pairs), np.int64).reshape(-1, 2).T
        self.n = n
        self.i: IntArray = np.minimum(left, right)
        self.j: IntArray = np.maximum(left, right)
        self.turned: BoolArray = left > right

    def __len__(self) -> int:
        return len(self.i)

    def is_same(self, other: PairTable) -> bool:
        """Whether these are the same pairs in the same order."""
        return all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("n", "i", "j", "turned")
        )

    @property
    def as_written(self) -> list[tuple[int, int]]:
        """The pairs as the caller gave them."""
        left = np.where(self.turned, self.j, self.i)
        right = np.where(self.turned, self.i, self.j)
        return list(zip(left.tolist(), right.tolist(), strict=True))

    @cached_property
    def row(self) -> dict[tuple[int, int], int]:
        """The row of each pair."""
        places = zip(self.i.tolist(), self.j.tolist(), strict=True)
        return {pair: k for k, pair in enumerate(places)}

    @cached_property
    def scope(self) -> Scope:
        """The scope of these pairs, for the choice of a prior."""
        order = np.lexsort((self.j, self.i))
        i, j = self.i[order].astype(np.int32), self.j[order].astype(np.int32)
        return Scope(self.n, (i, j))


class ListedPairs:
    """A list of pairs, and how often each may still be asked."""

    def __init__(self, table: PairTable, remaining: FloatArray) -> None:
        self.table = table
        self._remaining = remaining

    def copy(self) -> ListedPairs:
        """Return the same pairs with their own remaining counts."""
        return ListedPairs(self.table, self._remaining.copy())

    def best(self, design: Design, keys: list[int], *, once: bool) -> list[Chosen]:
        """Return the best remaining pairs by a design, as `AnyPair.best`."""
        table = self.table
        found: list[Chosen] = []
        for key in keys if len(table) else ():
            if found:
                i, j, _ = found[-1]
                design.expect(i, j)
                self.use_up(i, j)
                if once:
                    self.forbid(i, j)
            k = design.best_of(table.i, table.j, self._remaining > 0, key)
            if k < 0:
                break
            found.append((int(table.i[k]), int(table.j[k]), bool(table.turned[k])))
        return found

    def use_up(self, i: int, j: int) -> None:
        """Count a pending vote on the pair."""
        if (i, j) in self.table.row:
            self._remaining[self.table.row[i, j]] -= 1

    def forbid(self, i: int, j: int) -> None:
        """Exclude a pair."""
        if (i, j) in self.table.row:
            self._remaining[self.table.row[i, j]] = 0

    def forbid_items(self, retired: Iterable[int]) -> None:
        """Exclude all pairs with one of these items."""
        gone = list(retired)
        if gone:
            self._remaining[np.isin(self.table.i, gone) | np.isin(self.table.j, gone)] = 0


class CandidateReader:
    """Reads candidates in any form; retired items are excluded.

    None for all pairs; a list of pairs; a mapping from pairs to the number of votes still wanted;
    or a boolean matrix over the items, where a pair is allowed if either of its two entries is
    true. Tuples are immutable, so the same tuple is read only once.
    """

    def __init__(self, items: ItemList) -> None:
        self._items = items
        self._last: tuple[object, ListedPairs] = (None, self._listed({}))

    def read(self, candidates: Candidates) -> AnyPair | ListedPairs:
        """Return the pairs that may be asked."""
        items = self._items
        if candidates is None:
            return AnyPair(items.blocked)
        if candidates is self._last[0]:
            listed = self._last[1].copy()
        else:
            found = (
                _from_matrix(candidates, len(items))
                if isinstance(candidates, np.ndarray)
                else _from_pairs(candidates, items)
            )
            listed = self._listed(found)
            if listed.table.is_same(self._last[1].table):  # keep what was computed for them
                listed.table = self._last[1].table
            self._last = candidates if isinstance(candidates, tuple) else None, listed.copy()
        listed.forbid_items(items.retired)
        return listed

    def _listed(self, pairs: Mapping[tuple[int, int], float]) -> ListedPairs:
        return ListedPairs(
            PairTable(len(self._items), pairs), np.array(list(pairs.values()), float)
        )


def _from_matrix(matrix: BoolArray, n: int) -> dict[tuple[int, int], float]:
    if matrix.shape != (n, n) or matrix.dtype != np.bool_:
        raise InvalidArgument(
            f"a matrix of candidates must be boolean and {n} x {n}, not {matrix.dtype} "
            f"{' x '.join(map(str, matrix.shape))}"
        )
    i, j = np.nonzero(np.triu(matrix | matrix.T, 1))
    return dict.fromkeys(zip(i.tolist(), j.tolist(), strict=True), np.inf)


def _from_pairs(
    pairs: Iterable[tuple[Item, Item]] | Mapping[tuple[Item, Item], int], items: ItemList
) -> dict[tuple[int, int], float]:
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise InvalidArgument(
            "candidates must be a list of pairs, a mapping from pairs to votes wanted, or a "
            f"boolean matrix, not {short(repr(pairs))}"
        )
    wanted: Iterable[tuple[tuple[Item, Item], float]] = (
        pairs.items() if isinstance(pairs, Mapping) else ((pair, np.inf) for pair in pairs)
    )
    found: dict[tuple[int, int], float] = {}
    for pair, remaining in wanted:
        if not isinstance(remaining, int | float | np.number):
            raise InvalidArgument(
                f"{short(repr(pair))} needs a number of votes, not {short(repr(remaining))}"
            )
        a, b = items.pair(pair)
        key = (b, a) if (b, a) in found else (a, b)
        found[key] = found.get(key, 0.0) + float(remaining)
    return found


def why_nothing(
    n_active: int,
    candidates: Candidates,
    worker: Item | None,
    excluded: Collection[tuple[int, int]],
) -> str:
    """Return the message that there is no pair to ask."""
    if n_active < 2:
        return f"a pair needs two items, but only {n_active} can be asked: add or restore some"
    reasons = [
        "no candidate is left" if candidates is not None else "",
        f"{short(repr(worker))} has judged all allowed pairs" if worker is not None else "",
        "all other pairs are excluded" if excluded else "",
    ]
    return "there is no pair to ask: " + " or ".join(filter(None, reasons))
