"""Neighbours of items, in chunks of one cache line.

Chunk c holds up to 15 neighbours in neighbours[c, :15], their number in weights[c, 15], and the
next chunk of the same item in neighbours[c, 15], -1 at the end. Only an item's first chunk may have
room. Answers and pending pairs are two graphs in one pool of chunks; two answers to a pair are one
neighbour of weight two.
"""

import numba
import numpy as np

from hodgerank.kernels.matrix_free.state import COUNT, FIRST, FREE_CHUNK, N_CHUNKS

ROOM = 15


@numba.njit(cache=True)
def weight_between(s, graph, u, v):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True)
def _new_chunk(s, following):  # type: ignore[no-untyped-def]
    c = s.counters[FREE_CHUNK]
    if c >= 0:
        s.counters[FREE_CHUNK] = s.neighbours[c, ROOM]
    else:
        c = s.counters[N_CHUNKS]
        s.counters[N_CHUNKS] += 1
    s.neighbours[c, ROOM] = following
    s.weights[c, ROOM] = 0
    return c


@numba.njit(cache=True)
def add_half_edge(s, graph, u, v, weight):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True)
def remove_half_edge(s, graph, u, v, weight):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True)
def _fill_gap(s, graph, u, c, k):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True)
def build(s, start, neighbour, weight):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True)
def edge_list(s):  # type: ignore[no-untyped-def]
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
