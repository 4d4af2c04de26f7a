"""Quadrangles of a graph: 4-cycles of which neither diagonal is an edge.

A 4-cycle with a diagonal is the sum of two triangles. Beside the triangles it therefore makes no
difference whether it is listed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray


class Adjacency(NamedTuple):
    """The neighbours of item i, ascending, and the edges to them: rows `starts[i]` to the next."""

    starts: IntArray
    neighbours: IntArray
    edges: IntArray

    @classmethod
    def of(cls, i: CodeArray, j: CodeArray, n_items: int) -> Adjacency:
        """Index the edges by both ends."""
        item, other = np.concatenate((i, j)), np.concatenate((j, i))
        order = np.lexsort((other, item))
        starts = np.searchsorted(item[order], np.arange(n_items + 1))
        return cls(starts, other[order].astype(np.int64), order % max(len(i), 1))

    @classmethod
    def none(cls) -> Adjacency:
        """Return an adjacency without items."""
        return cls(*np.zeros((3, 0), np.int64))


@compiled
def _are_adjacent(adjacency: Adjacency, i: int, j: int) -> bool:
    low, high = adjacency.starts[i], adjacency.starts[i + 1]
    while low < high:
        middle = (low + high) // 2
        if adjacency.neighbours[middle] < j:
            low = middle + 1
        else:
            high = middle
    return bool(low < adjacency.starts[i + 1] and adjacency.neighbours[low] == j)


@compiled
def list_quadrangles(adjacency: Adjacency, most: int, found: IntArray) -> int:
    """Write quadrangles, in cyclic order from the smallest item, to the rows of `found`.

    Returns their number, which may exceed the rows; counting stops beyond `most`.
    """
    starts, neighbours = adjacency.starts, adjacency.neighbours
    n, n_found, longest = len(starts) - 1, 0, 0
    for a in range(n):
        paths = 0
        for b in neighbours[starts[a] : starts[a + 1]]:
            paths += starts[b + 1] - starts[b]
        longest = max(longest, paths)
    via = np.empty(longest, np.int64)  # the middle items of paths from a
    before = np.empty(longest, np.int64)  # the path before it with the same end
    latest = np.full(n, -1, np.int64)  # path by its end
    is_near = np.zeros(n, np.bool_)
    for a in range(n):
        near = neighbours[starts[a] : starts[a + 1]]
        is_near[near] = True
        paths = 0
        for b in near:
            if b < a:
                continue
            for c in neighbours[starts[b] : starts[b + 1]]:
                if c <= a or is_near[c]:
                    continue
                path = latest[c]
                via[paths], before[paths], latest[c] = b, path, paths
                paths += 1
                while path >= 0:
                    if not _are_adjacent(adjacency, b, via[path]):
                        if n_found < len(found):
                            found[n_found, 0], found[n_found, 1] = a, via[path]
                            found[n_found, 2], found[n_found, 3] = c, b
                        n_found += 1
                        if n_found > most:
                            return n_found
                    path = before[path]
        is_near[near] = False
        for b in near:
            latest[neighbours[starts[b] : starts[b + 1]]] = -1
    return n_found


@compiled
def are_in_cycles_of_four(adjacency: Adjacency, i: CodeArray, j: CodeArray) -> BoolArray:
    """Return for each of some edges whether it lies in a 4-cycle, with or without diagonals."""
    starts, neighbours = adjacency.starts, adjacency.neighbours
    latest = np.full(len(starts) - 1, -1, np.int64)
    found = np.zeros(len(i), np.bool_)
    for e in range(len(i)):
        latest[neighbours[starts[i[e]] : starts[i[e] + 1]]] = e
        for a in neighbours[starts[j[e]] : starts[j[e] + 1]]:
            if a == i[e]:
                continue
            for b in neighbours[starts[a] : starts[a + 1]]:
                if latest[b] == e and b != j[e]:
                    found[e] = True
                    break
            if found[e]:
                break
    return found


@compiled
def turning_quadrangles(
    adjacency: Adjacency, flows: FloatArray, tolerance: float, most: int
) -> IntArray:
    """Return up to `most` 4-cycles around which a flow circulates by more than the tolerance.

    Of the paths from an item over a smaller one to a smaller one, each is compared with the one
    before it that has the same end. If no such cycle is found, the flow circulates around none.
    """
    starts, neighbours, edges = adjacency
    n, n_found = len(starts) - 1, 0
    seen_from = np.full(n, -1, np.int64)
    via = np.empty(n, np.int64)
    sums = np.empty(n)
    found = np.empty((most, 4), np.int64)
    for k in range(n):
        for s in range(starts[k], starts[k + 1]):
            j = neighbours[s]
            if j > k:
                break
            for t in range(starts[j], starts[j + 1]):
                a = neighbours[t]
                if a >= k:
                    break
                total = flows[edges[t]] if j < a else -flows[edges[t]]
                total -= flows[edges[s]]  # from k to the smaller j
                if seen_from[a] == k and abs(total - sums[a]) > tolerance:
                    found[n_found, 0], found[n_found, 1] = k, via[a]
                    found[n_found, 2], found[n_found, 3] = a, j
                    n_found += 1
                    if n_found == most:
                        return found
                seen_from[a], via[a], sums[a] = k, j, total
    return found[:n_found]
