"""Neighbours of items, in chunks of one cache line.

Chunk c holds up to 15 neighbours in neighbours[c, :15], their number in weights[c, 15], and the
next chunk of the same item in neighbours[c, 15], -1 at the end. Only an item's first chunk may have
room. Answers and pending pairs are two graphs in one pool of chunks; two answers to a pair are one
neighbour of weight two.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.matrix_free.state import COUNT, FIRST, FREE_CHUNK, N_CHUNKS, State
from hodgerank.types import FloatArray, IntArray

ROOM = 15


@compiled
def weight_between(s: State, graph: int, u: int, v: int) -> float:
    """Weight of the edge between two items, 0 if there is none; looks at the shorter list."""
    if graph == FIRST and s.edges[v, COUNT] < s.edges[u, COUNT]:
        u, v = v, u
    c = s.edges[u, graph]
    while c >= 0:
        for k in range(int(s.weights[c, ROOM])):
            if s.neighbours[c, k] == v:
                return float(s.weights[c, k])
        c = s.neighbours[c, ROOM]
    return 0.0


@compiled
def _new_chunk(s: State, following: int) -> int:
    c: int = s.counters[FREE_CHUNK]
    if c >= 0:
        s.counters[FREE_CHUNK] = s.neighbours[c, ROOM]
    else:
        c = s.counters[N_CHUNKS]
        s.counters[N_CHUNKS] += 1
    s.neighbours[c, ROOM] = following
    s.weights[c, ROOM] = 0
    return c


@compiled
def add_half_edge(s: State, graph: int, u: int, v: int, weight: float) -> float:
    """Make v a neighbour of u, or a heavier one; returns the weight added, as it was rounded."""
    c = s.edges[u, graph]
    while c >= 0:
        for k in range(int(s.weights[c, ROOM])):
            if s.neighbours[c, k] == v:
                before = float(s.weights[c, k])
                s.weights[c, k] += weight
                return float(s.weights[c, k]) - before
        c = s.neighbours[c, ROOM]
    c = s.edges[u, graph]
    if c < 0 or s.weights[c, ROOM] == ROOM:
        c = _new_chunk(s, c)
        s.edges[u, graph] = c
    k = int(s.weights[c, ROOM])
    s.neighbours[c, k] = v
    s.weights[c, k] = weight
    s.weights[c, ROOM] = k + 1
    if graph == FIRST:
        s.edges[u, COUNT] += 1
    return float(s.weights[c, k])


@compiled
def remove_half_edge(s: State, graph: int, u: int, v: int, weight: float) -> None:
    """Make v a lighter neighbour of u, or none."""
    c = s.edges[u, graph]
    while c >= 0:
        for k in range(int(s.weights[c, ROOM])):
            if s.neighbours[c, k] == v:
                s.weights[c, k] -= weight
                if s.weights[c, k] <= 0:
                    _fill_gap(s, graph, u, c, k)
                return
        c = s.neighbours[c, ROOM]


@compiled
def _fill_gap(s: State, graph: int, u: int, c: int, k: int) -> None:
    """The last neighbour of the first chunk takes the place that became free."""
    first = s.edges[u, graph]
    last = int(s.weights[first, ROOM]) - 1
    s.neighbours[c, k] = s.neighbours[first, last]
    s.weights[c, k] = s.weights[first, last]
    s.weights[first, ROOM] = last
    if last == 0:
        s.edges[u, graph] = s.neighbours[first, ROOM]
        s.neighbours[first, ROOM] = s.counters[FREE_CHUNK]
        s.counters[FREE_CHUNK] = first


@compiled
def build(s: State, start: IntArray, neighbour: IntArray, weight: FloatArray) -> None:
    """All answers at once, from neighbours and weights in rows start[u] to start[u + 1]."""
    n_chunks = 0
    for u in range(len(start) - 1):
        s.edges[u, COUNT] = start[u + 1] - start[u]
        first = -1
        # the chunk with room, written last, comes first
        for k in range(start[u], start[u + 1], ROOM):
            size = min(ROOM, start[u + 1] - k)
            for a in range(size):
                s.neighbours[n_chunks, a] = neighbour[k + a]
                s.weights[n_chunks, a] = weight[k + a]
            s.neighbours[n_chunks, ROOM] = first
            s.weights[n_chunks, ROOM] = size
            first = n_chunks
            n_chunks += 1
        s.edges[u, FIRST] = first
    s.counters[N_CHUNKS] = n_chunks
    s.counters[FREE_CHUNK] = -1


@compiled
def edge_list(s: State) -> tuple[IntArray, IntArray, FloatArray]:
    """Each answered edge once: items i < j, and weights."""
    m = 0
    for u in range(len(s.edges)):
        m += s.edges[u, COUNT]
    i, j, weight = np.empty(m // 2, np.int64), np.empty(m // 2, np.int64), np.empty(m // 2)
    m = 0
    for u in range(len(s.edges)):
        c = s.edges[u, FIRST]
        while c >= 0:
            for k in range(int(s.weights[c, ROOM])):
                if s.neighbours[c, k] > u:
                    i[m], j[m], weight[m] = u, s.neighbours[c, k], s.weights[c, k]
                    m += 1
            c = s.neighbours[c, ROOM]
    return i, j, weight
