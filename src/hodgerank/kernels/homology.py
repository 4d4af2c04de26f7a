"""Homology modulo 2 of a graph with filled triangles: edge by edge, or of a whole graph."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, IntArray

Edge = tuple[int, int]
Triangle = tuple[int, int, int]
Classes: TypeAlias = Any
"""A set of classes, as an integer or a frozenset; `^` adds modulo 2.

With few items the bits of an integer are the fastest set. With many items hundreds of thousands of
loops may be unfilled at once, most of them crossing a single edge, and frozensets stay small.
"""
MAX_ITEMS_FOR_BITS = 600


class LoopClasses:
    """Adjacency, components and cocycles of a growing graph."""

    def __init__(self, n_items: int) -> None:
        self.neighbours: list[set[int]] = [set() for _ in range(n_items)]
        self.entered = [0] * n_items  # time of entry of every item
        self.merges: list[tuple[int, int]] = []  # birth and death of components that were merged
        self.cocycles: dict[int, set[Edge]] = {}  # of every live class
        self.births: list[int] = []  # time of birth of every class so far
        self.deaths: list[tuple[int, int]] = []  # times of birth and death of filled classes
        self.basis: list[Triangle] = []  # independent triangles that span all boundaries
        self._bits = n_items <= MAX_ITEMS_FOR_BITS
        self._nothing: Classes = 0 if self._bits else frozenset()
        self._parents = list(range(n_items))
        self._crossings: dict[Edge, Classes] = {}  # live classes that cross an edge
        self._crossed: list[set[int]] = [set() for _ in range(n_items)]  # endpoints of such edges

    def add_item(self, time: int) -> None:
        """Add an item without edges."""
        if self._bits and len(self.neighbours) == MAX_ITEMS_FOR_BITS:
            self._crossings = {e: frozenset(self._members(c)) for e, c in self._crossings.items()}
            self._bits, self._nothing = False, frozenset()
        self._parents.append(len(self.neighbours))
        self.neighbours.append(set())
        self.entered.append(time)
        self._crossed.append(set())

    def root(self, item: int) -> int:
        """Return the representative of an item's component: the one that entered first."""
        parents = self._parents
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    @property
    def births_of_components(self) -> list[int]:
        """Times at which the components that remain entered."""
        return [
            time
            for item, (time, parent) in enumerate(zip(self.entered, self._parents, strict=True))
            if item == parent
        ]

    def joins(self, i: int, j: int) -> bool:
        """Whether the edge would connect two components."""
        return self.root(i) != self.root(j)

    def insert(self, i: int, j: int, time: int) -> None:
        """Add a new edge, and fill all triangles that it completes.

        If it connects two components, the one that entered later ends.
        """
        near_i, near_j = self.neighbours[i], self.neighbours[j]
        if not near_i.isdisjoint(near_j):
            self._fill(i, j, time)
        else:
            a, b = self.root(i), self.root(j)
            if a != b:
                older, younger = (a, b) if self.entered[a] <= self.entered[b] else (b, a)
                self._parents[younger] = older
                self.merges.append((self.entered[younger], time))
            else:
                self.births.append(time)
                newest = len(self.births) - 1
                self.cocycles[newest] = {_edge(i, j)}
                self._set_crossings(_edge(i, j), self._only(newest))
        near_i.add(j)
        near_j.add(i)

    def filled_by(self, i: int, j: int) -> int:
        """Return how many loops the edge would fill."""
        pivots: dict[int, Classes] = {}
        for crossed in self._crossed_cycles(i, j)[1].values():
            while crossed:
                youngest = self._youngest(crossed)
                if youngest not in pivots:
                    pivots[youngest] = crossed
                    break
                crossed ^= pivots[youngest]
        return len(pivots)

    def _fill(self, i: int, j: int, time: int) -> None:
        """Fill the loop that the edge opens by its first triangle, older ones by the others."""
        apex, cycles = self._crossed_cycles(i, j)
        self.basis.append((i, j, apex))
        if not self._crossings:
            return
        edge = _edge(i, j)
        own = self._crossing(i, apex) ^ self._crossing(j, apex)
        for crossing in self._members(own):
            self.cocycles[crossing].add(edge)
        self._set_crossings(edge, own)
        for other in cycles:
            # looked up again, since an earlier filling may have changed the crossings of this cycle
            crossed = self._crossing(i, j) ^ self._crossing(i, other) ^ self._crossing(j, other)
            if crossed:
                self.basis.append((i, j, other))
                self._kill_youngest(crossed, time)

    def _kill_youngest(self, crossed: Classes, time: int) -> None:
        """Fill a cycle: the youngest class across it dies, and is added to the others."""
        youngest = self._youngest(crossed)
        cocycle = self.cocycles.pop(youngest)
        for older in self._members(crossed ^ self._only(youngest)):
            self.cocycles[older] ^= cocycle
        for edge in cocycle:
            self._set_crossings(edge, self._crossings[edge] ^ crossed)
        self.deaths.append((self.births[youngest], time))

    def _crossed_cycles(self, i: int, j: int) -> tuple[int, dict[int, Classes]]:
        """Return a common neighbour, and the others whose 4-cycle with it some live class crosses.

        If nothing crosses the edge itself, only neighbours at a crossed edge can be among them.
        """
        smaller, larger = self.neighbours[i], self.neighbours[j]
        if len(larger) < len(smaller):
            smaller, larger = larger, smaller
        apex = -1
        for k in smaller:
            if k in larger:
                apex = k
                break
        if apex < 0 or not self.cocycles:
            return apex, {}
        own = self._crossing(i, apex) ^ self._crossing(j, apex)
        nearby = smaller if own else self._crossed[i] | self._crossed[j]
        cycles = {}
        for k in nearby & smaller & larger:
            crossed = own ^ self._crossing(i, k) ^ self._crossing(j, k)
            if crossed:
                cycles[k] = crossed
        return apex, cycles

    def _crossing(self, i: int, j: int) -> Classes:
        return self._crossings.get((i, j) if i < j else (j, i), self._nothing)

    def _set_crossings(self, edge: Edge, classes: Classes) -> None:
        i, j = edge
        if classes:
            self._crossings[edge] = classes
            self._crossed[i].add(j)
            self._crossed[j].add(i)
        elif edge in self._crossings:
            del self._crossings[edge]
            self._crossed[i].discard(j)
            self._crossed[j].discard(i)

    def _only(self, name: int) -> Classes:
        return 1 << name if self._bits else frozenset((name,))

    def _youngest(self, classes: Classes) -> int:
        return int(classes.bit_length() - 1 if self._bits else max(classes))

    def _members(self, classes: Classes) -> Iterator[int]:
        if not self._bits:
            yield from classes
            return
        while classes:
            lowest = classes & -classes
            yield lowest.bit_length() - 1
            classes ^= lowest


def _edge(i: int, j: int) -> Edge:
    return (i, j) if i < j else (j, i)


Bits = NDArray[np.uint64]
WORD = 64


@compiled(inline="always")
def _root(parents: IntArray, item: int) -> int:
    while parents[item] != item:
        parents[item] = parents[parents[item]]
        item = parents[item]
    return item


@compiled
def _next_common(
    starts: IntArray, tails: CodeArray, j: int, k: int, a: int, b: int
) -> tuple[int, int]:
    """Return the next common smaller neighbour of j and k, from positions a and b on.

    (-1, -1) if there is none.
    """
    while a < starts[j + 1] and b < starts[k + 1]:
        if tails[a] == tails[b]:
            return a, b
        if tails[a] < tails[b]:
            a += 1
        else:
            b += 1
    return -1, -1


@compiled
def count_classes(starts: IntArray, tails: CodeArray) -> int:
    """Return the number of loop classes that are ever opened.

    The edges from item k to smaller items are rows `starts[k]` to `starts[k + 1]` of `tails`,
    ascending.
    """
    n = len(starts) - 1
    parents = np.arange(n)
    classes = 0
    for k in range(n):
        for e in range(starts[k], starts[k + 1]):
            j = tails[e]
            if _next_common(starts, tails, j, k, starts[j], starts[k])[0] >= 0:
                continue
            one, other = _root(parents, j), _root(parents, k)
            if one == other:
                classes += 1
            else:
                parents[one] = other
    return classes


@compiled
def filling_triangles(starts: IntArray, tails: CodeArray, n_classes: int) -> IntArray:
    """Return independent triangles (i < j < k) whose boundaries span all, one per row."""
    n = len(starts) - 1
    n_words = (n_classes + WORD - 1) // WORD
    rows = np.zeros((len(tails), n_words), np.uint64)
    relations = np.zeros((n_classes, n_words), np.uint64)  # by their highest class
    is_filled = np.zeros(n_classes, np.bool_)
    parents = np.arange(n)
    found = np.empty((len(tails) + n_classes, 3), np.int64)
    n_found, n_open, opened = 0, 0, 0
    r = np.empty(n_words, np.uint64)
    for k in range(n):
        for e in range(starts[k], starts[k + 1]):
            j = tails[e]
            a, b = _next_common(starts, tails, j, k, starts[j], starts[k])
            if a < 0:
                one, other = _root(parents, j), _root(parents, k)
                if one == other:
                    rows[e, opened // WORD] = np.uint64(1) << np.uint64(opened % WORD)
                    opened += 1
                    n_open += 1
                else:
                    parents[one] = other
                continue
            found[n_found, 0], found[n_found, 1], found[n_found, 2] = tails[a], j, k
            n_found += 1
            if n_open == 0 and opened == 0:
                continue
            for w in range(n_words):
                rows[e, w] = rows[a, w] ^ rows[b, w]
            while n_open:
                a, b = _next_common(starts, tails, j, k, a + 1, b + 1)
                if a < 0:
                    break
                for w in range(n_words):
                    r[w] = rows[e, w] ^ rows[a, w] ^ rows[b, w]
                if _is_independent(r, relations, is_filled):
                    n_open -= 1
                    found[n_found, 0], found[n_found, 1], found[n_found, 2] = tails[a], j, k
                    n_found += 1
    return found[:n_found]


@compiled
def _is_independent(r: Bits, relations: Bits, is_filled: NDArray[np.bool_]) -> bool:
    """Reduce a relation by the known ones; a nonzero remainder is a new relation."""
    for w in range(len(r) - 1, -1, -1):
        while r[w]:
            highest = w * WORD + _highest_bit(r[w])
            if not is_filled[highest]:
                is_filled[highest] = True
                relations[highest] = r
                return True
            for v in range(w + 1):
                r[v] ^= relations[highest, v]
    return False


@compiled
def _highest_bit(word: np.uint64) -> int:
    bit = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(bit + step):
            bit += step
    return bit
