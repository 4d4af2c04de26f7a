"""Loops of a growing graph whose triangles are filled: incremental homology modulo 2.

The first cohomology of the clique complex is kept as cocycles: for every live loop class, a set of
edges that crosses the loop an odd number of times. A new edge either joins two components, or
opens a loop, or lies in triangles; each of its triangles says that a certain 4-cycle is filled,
which kills the youngest class that crosses it [deSilva11].
Once no loop is open a triangle can change nothing, and none is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

Edge = tuple[int, int]
Triangle = tuple[int, int, int]
Classes: TypeAlias = Any
"""A set of classes, as an integer or a frozenset; `^` adds modulo 2.

Few items have few loops, and the bits of an integer are the fastest set. Of many items hundreds of
thousands of loops may be open at once, most of them crossing a single edge: sets stay small there.
"""
MAX_ITEMS_FOR_BITS = 600


class LoopClasses:
    """Adjacency, components and cocycles of a graph that grows."""

    def __init__(self, n_items: int) -> None:
        self.neighbours: list[set[int]] = [set() for _ in range(n_items)]
        self.cocycles: dict[int, set[Edge]] = {}  # of every live class
        self.births: list[int] = []  # time of birth of every class there ever was
        self.deaths: list[tuple[int, int]] = []  # times of birth and death of the filled ones
        self.basis: list[Triangle] = []  # independent triangles that span all boundaries
        self._bits = n_items <= MAX_ITEMS_FOR_BITS
        self._nothing: Classes = 0 if self._bits else frozenset()
        self._parents = list(range(n_items))
        self._crossings: dict[Edge, Classes] = {}  # live classes that cross an edge
        self._crossed: list[set[int]] = [set() for _ in range(n_items)]  # ends of such edges

    def root(self, item: int) -> int:
        """The representative of an item's component."""
        parents = self._parents
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    def joins(self, i: int, j: int) -> bool:
        """Whether the edge would join two components."""
        return self.root(i) != self.root(j)

    def insert(self, i: int, j: int, time: int) -> bool:
        """Add an edge that is not there yet; returns whether it joins two components.

        All triangles that it completes are filled.
        """
        near_i, near_j = self.neighbours[i], self.neighbours[j]
        joins = False
        if not near_i.isdisjoint(near_j):
            self._fill(i, j, time)
        else:
            a, b = self.root(i), self.root(j)
            joins = a != b
            if joins:
                self._parents[a] = b
            else:
                self.births.append(time)
                newest = len(self.births) - 1
                self.cocycles[newest] = {_edge(i, j)}
                self._set_crossings(_edge(i, j), self._only(newest))
        near_i.add(j)
        near_j.add(i)
        return joins

    def filled_by(self, i: int, j: int) -> int:
        """How many loops the edge would fill."""
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
        """The edge's first triangle fills the loop it opens, the others may fill older ones."""
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
            # looked up again: an earlier filling may have changed what crosses this cycle
            crossed = self._crossing(i, j) ^ self._crossing(i, other) ^ self._crossing(j, other)
            if crossed:
                self.basis.append((i, j, other))
                self._kill_youngest(crossed, time)

    def _kill_youngest(self, crossed: Classes, time: int) -> None:
        """A cycle is filled: the youngest class across it dies, and is added to the others."""
        youngest = self._youngest(crossed)
        cocycle = self.cocycles.pop(youngest)
        for older in self._members(crossed ^ self._only(youngest)):
            self.cocycles[older] ^= cocycle
        for edge in cocycle:
            self._set_crossings(edge, self._crossings[edge] ^ crossed)
        self.deaths.append((self.births[youngest], time))

    def _crossed_cycles(self, i: int, j: int) -> tuple[int, dict[int, Classes]]:
        """A common neighbour, and the others whose 4-cycle with it some live class crosses.

        Only neighbours at a crossed edge can be among them if nothing crosses the edge itself.
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
