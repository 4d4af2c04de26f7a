"""Faces that fill the loops of a whole graph: independent ones that span all boundaries modulo 2.

Items enter in order, each with its edges to smaller items. An edge takes the sum of the loop
classes along the rest of the first face that it completes, or opens a class; every other face is a
relation between classes. Relations are needed only while some loop is unfilled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.quadrangles import Adjacency
from hodgerank.types import BoolArray, CodeArray, IntArray

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


class Paths(NamedTuple):
    """The first path from the current item over a smaller one to each smaller item.

    Every other such path forms a quadrangle with it. Those span all and, unlike quadrangles of
    consecutive paths, are conditioned well.
    """

    source: IntArray
    middle: IntArray
    first: IntArray
    second: IntArray


@compiled(inline="always")
def _no_paths(n: int) -> Paths:
    return Paths(
        np.full(n, -1), np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    )


@compiled
def _add_paths(
    paths: Paths, adjacency: Adjacency, tails: CodeArray, k: int, first: int, last: int
) -> None:
    """Add the paths from k over its edges from `first` to before `last`."""
    for e in range(first, last):
        j = tails[e]
        for t in range(adjacency.starts[j], adjacency.starts[j + 1]):
            a = adjacency.neighbours[t]
            if a >= k:
                break
            if paths.source[a] != k:
                paths.source[a], paths.middle[a] = k, j
                paths.first[a], paths.second[a] = e, adjacency.edges[t]


@compiled
def _next_quadrangle(paths: Paths, adjacency: Adjacency, j: int, k: int, t: int) -> int:
    """Return the next edge from j, from position t on, to the end of a path from k; -1 if none."""
    while t < adjacency.starts[j + 1] and adjacency.neighbours[t] < k:
        if paths.source[adjacency.neighbours[t]] == k:
            return t
        t += 1
    return -1


@compiled
def count_classes(starts: IntArray, tails: CodeArray, adjacency: Adjacency) -> int:
    """Return the number of loop classes that are ever opened.

    The edges from item k to smaller items are rows `starts[k]` to `starts[k + 1]` of `tails`,
    ascending. With an adjacency of the same edges, quadrangles are filled too.
    """
    n, quadrangles = len(starts) - 1, len(adjacency.starts) > 0
    parents = np.arange(n)
    paths = _no_paths(n)
    classes = 0
    for k in range(n):
        n_added = starts[k]
        for e in range(starts[k], starts[k + 1]):
            j = tails[e]
            if _next_common(starts, tails, j, k, starts[j], starts[k])[0] >= 0:
                continue
            if quadrangles:
                _add_paths(paths, adjacency, tails, k, n_added, e)
                n_added = e
                if _next_quadrangle(paths, adjacency, j, k, adjacency.starts[j]) >= 0:
                    continue
            one, other = _root(parents, j), _root(parents, k)
            if one == other:
                classes += 1
            else:
                parents[one] = other
    return classes


@compiled
def filling_faces(
    starts: IntArray,
    tails: CodeArray,
    adjacency: Adjacency,
    cells: IntArray,
    cell_starts: IntArray,
    n_classes: int,
) -> tuple[IntArray, BoolArray]:
    """Return independent faces whose boundaries span all, one per row; and which cells are some.

    Rows are triangles (i, j, k, -1) with i < j < k, or quadrangles in cyclic order. The edges of
    cell c are rows `cell_starts[c]` to `cell_starts[c + 1]` of `cells`.
    """
    n, quadrangles = len(starts) - 1, len(adjacency.starts) > 0
    n_words = (n_classes + WORD - 1) // WORD
    rows = np.zeros((len(tails), n_words), np.uint64)
    relations = np.zeros((n_classes, n_words), np.uint64)  # by their highest class
    is_filled = np.zeros(n_classes, np.bool_)
    parents = np.arange(n)
    paths = _no_paths(n)
    found = np.full((len(tails) + n_classes, 4), -1, np.int64)
    n_found, n_open, opened = 0, 0, 0
    r = np.empty(n_words, np.uint64)
    for k in range(n):
        n_added = starts[k]
        for e in range(starts[k], starts[k + 1]):
            j = tails[e]
            t = adjacency.starts[j] if quadrangles else 0
            a, b = _next_common(starts, tails, j, k, starts[j], starts[k])
            if a >= 0:
                found[n_found, 0], found[n_found, 1], found[n_found, 2] = tails[a], j, k
                n_found += 1
                if n_open == 0 and opened == 0:
                    continue
                for w in range(n_words):
                    rows[e, w] = rows[a, w] ^ rows[b, w]
            else:
                if quadrangles:
                    _add_paths(paths, adjacency, tails, k, n_added, e)
                    n_added = e
                    t = _next_quadrangle(paths, adjacency, j, k, t)
                if t < 0 or not quadrangles:
                    one, other = _root(parents, j), _root(parents, k)
                    if one == other:
                        rows[e, opened // WORD] = np.uint64(1) << np.uint64(opened % WORD)
                        opened += 1
                        n_open += 1
                    else:
                        parents[one] = other
                    continue
                c = adjacency.neighbours[t]
                _write_quadrangle(found[n_found], k, paths.middle[c], c, j)
                n_found += 1
                for w in range(n_words):
                    rows[e, w] = rows[adjacency.edges[t], w]
                    rows[e, w] ^= rows[paths.first[c], w] ^ rows[paths.second[c], w]
                t += 1
            while n_open and a >= 0:
                a, b = _next_common(starts, tails, j, k, a + 1, b + 1)
                if a < 0:
                    break
                for w in range(n_words):
                    r[w] = rows[e, w] ^ rows[a, w] ^ rows[b, w]
                if _is_independent(r, relations, is_filled):
                    n_open -= 1
                    found[n_found, 0], found[n_found, 1], found[n_found, 2] = tails[a], j, k
                    n_found += 1
            if not quadrangles or n_open == 0:
                continue
            _add_paths(paths, adjacency, tails, k, n_added, e)
            n_added = e
            while n_open:
                t = _next_quadrangle(paths, adjacency, j, k, t)
                if t < 0:
                    break
                c, f = adjacency.neighbours[t], adjacency.edges[t]
                for w in range(n_words):
                    r[w] = rows[e, w] ^ rows[f, w]
                    r[w] ^= rows[paths.first[c], w] ^ rows[paths.second[c], w]
                if _is_independent(r, relations, is_filled):
                    n_open -= 1
                    _write_quadrangle(found[n_found], k, paths.middle[c], c, j)
                    n_found += 1
                t += 1
    are_independent = np.zeros(len(cell_starts) - 1, np.bool_)
    for cell in range(len(are_independent)):
        r[:] = 0
        for e in cells[cell_starts[cell] : cell_starts[cell + 1]]:
            r ^= rows[e]
        are_independent[cell] = _is_independent(r, relations, is_filled)
    return found[:n_found], are_independent


@compiled(inline="always")
def _write_quadrangle(row: IntArray, a: int, b: int, c: int, d: int) -> None:
    row[0], row[1], row[2], row[3] = a, b, c, d


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
