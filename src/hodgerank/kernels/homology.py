"""Homology modulo 2 of a growing graph whose faces are filled: triangles, and larger ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, TypeAlias

Edge = tuple[int, int]
Face = tuple[int, ...]  # items in cyclic order
Classes: TypeAlias = Any
"""A set of classes, as an integer or a frozenset; `^` adds modulo 2.

With few items the bits of an integer are the fastest set. With many items hundreds of thousands of
loops may be unfilled at once, most of them crossing a single edge, and frozensets stay small.
"""
MAX_ITEMS_FOR_BITS = 600


class LoopClasses:
    """Adjacency, components and cocycles of a growing graph.

    Every triangle is filled; on demand also every quadrangle, or the listed `cells`.
    """

    def __init__(
        self, n_items: int, *, quadrangles: bool = False, cells: Iterable[Face] = ()
    ) -> None:
        self.neighbours: list[set[int]] = [set() for _ in range(n_items)]
        self.entered = [0] * n_items  # time of entry of every item
        self.merges: list[tuple[int, int]] = []  # birth and death of components that were merged
        self.cocycles: dict[int, set[Edge]] = {}  # of every live class
        self.births: list[int] = []  # time of birth of every class so far
        self.deaths: list[tuple[int, int]] = []  # times of birth and death of filled classes
        self.basis: list[Face] = []  # independent faces that span all boundaries
        self._bits = n_items <= MAX_ITEMS_FOR_BITS
        self._nothing: Classes = 0 if self._bits else frozenset()
        self._parents = list(range(n_items))
        self._crossings: dict[Edge, Classes] = {}  # live classes that cross an edge
        self._crossed: list[set[int]] = [set() for _ in range(n_items)]  # endpoints of such edges
        self._quadrangles = quadrangles
        self._cells: dict[Edge, list[Face]] = {}  # listed cells around an edge
        for cell in cells:
            for i, j in pairwise((*cell, cell[0])):
                self._cells.setdefault(_edge(i, j), []).append(cell)
        self._only_triangles = not quadrangles and not self._cells

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

    def completes_face(self, i: int, j: int) -> bool:
        """Whether a new edge would complete a face."""
        if not self.neighbours[i].isdisjoint(self.neighbours[j]):
            return True
        return not self._only_triangles and next(self._ways_back(i, j), None) is not None

    def insert(self, i: int, j: int, time: int) -> None:
        """Add a new edge, and fill all faces that it completes.

        If it connects two components, the one that entered later ends.
        """
        near_i, near_j = self.neighbours[i], self.neighbours[j]
        is_in_face = not near_i.isdisjoint(near_j)
        if is_in_face:
            self._fill(i, j, time)
        else:
            a, b = self.root(i), self.root(j)
            if a != b:
                older, younger = (a, b) if self.entered[a] <= self.entered[b] else (b, a)
                self._parents[younger] = older
                self.merges.append((self.entered[younger], time))
            elif (way := next(self._ways_back(i, j), None)) is not None:
                is_in_face = True
                self.basis.append((i, j, *way))
                self._cross(_edge(i, j), self._crossing_along(j, *way, i))
            else:
                self.births.append(time)
                newest = len(self.births) - 1
                self.cocycles[newest] = {_edge(i, j)}
                self._set_crossings(_edge(i, j), self._only(newest))
        if is_in_face and self.cocycles and not self._only_triangles:
            for way in self._ways_back(i, j):
                self._fill_face((i, j, *way), self._crossing_along(i, j, *way, i), time)
        near_i.add(j)
        near_j.add(i)

    def filled_by(self, i: int, j: int) -> int:
        """Return how many loops the edge would fill."""
        apex, cycles = self._crossed_cycles(i, j)
        found = list(cycles.values())
        if self.cocycles and not self._only_triangles:
            ways = self._ways_back(i, j)
            first = (apex,) if apex >= 0 else next(ways, ())
            own = self._crossing_along(j, *first, i)
            found += [own ^ self._crossing_along(j, *way, i) for way in ways]
        pivots: dict[int, Classes] = {}
        for crossed in found:
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
        self._cross(_edge(i, j), self._crossing(i, apex) ^ self._crossing(j, apex))
        for other in cycles:
            # looked up again, since an earlier filling may have changed the crossings of this cycle
            crossed = self._crossing(i, j) ^ self._crossing(i, other) ^ self._crossing(j, other)
            self._fill_face((i, j, other), crossed, time)

    def _cross(self, edge: Edge, classes: Classes) -> None:
        """Let live classes cross a new edge."""
        for crossing in self._members(classes):
            self.cocycles[crossing].add(edge)
        self._set_crossings(edge, classes)

    def _fill_face(self, face: Face, crossed: Classes, time: int) -> None:
        """Fill a face: if live classes cross it, the youngest of them ends."""
        if crossed:
            self.basis.append(face)
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

    def _ways_back(self, i: int, j: int) -> Iterator[tuple[int, ...]]:
        """Yield the items from j back to i around faces, other than triangles, of a new edge.

        Of the quadrangles that go on from j to the same item one is enough: those without the edge
        are filled, and the others are sums of it and them.
        """
        if self._quadrangles:
            near_i = self.neighbours[i]
            for k in self.neighbours[j]:
                smaller, larger = near_i, self.neighbours[k]
                if len(larger) < len(smaller):
                    smaller, larger = larger, smaller
                for common in smaller:
                    if common in larger:
                        yield k, common
                        break
        for cell in self._cells.get(_edge(i, j), ()):
            turned = cell if cell[cell.index(j) - 1] == i else cell[::-1]
            start = turned.index(j)
            way = turned[start:] + turned[:start]
            has_entered = max(cell) < len(self.neighbours)
            if has_entered and all(b in self.neighbours[a] for a, b in pairwise(way)):
                yield way[1:-1]

    def _crossing_along(self, *items: int) -> Classes:
        """Return the live classes that cross a way an odd number of times."""
        crossed = self._nothing
        for i, j in pairwise(items):
            crossed ^= self._crossing(i, j)
        return crossed

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
