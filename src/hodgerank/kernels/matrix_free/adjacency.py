"""Neighbours of items, in chunks of one cache line.

Chunk c holds up to 15 neighbours in neighbours[c, :15], their number in weights[c, 15], and the
next chunk of the same item in neighbours[c, 15], -1 at the end. Only an item's first chunk may have
room. Answers and pending pairs are two graphs in one pool of chunks; two answers to a pair are one
neighbour of weight two.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.matrix_free.state import COUNT, FIRST, N_CHUNKS, State
from hodgerank.types import CodeArray

ROOM = 15
CHUNK = ROOM + 1


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
    c: int = s.counters[N_CHUNKS]
    s.counters[N_CHUNKS] += 1
    s.neighbours[c, ROOM] = following
    s.weights[c, ROOM] = 0
    return c


@compiled
def connect(s: State, graph: int, u: int, v: int, weight: float) -> float:
    """Join two items, or make their edge heavier; returns the weight added, as it was rounded."""
    if weight_between(s, graph, u, v) > 0:
        _add_weight(s, graph, u, v, weight)
        return _add_weight(s, graph, v, u, weight)
    _add_neighbour(s, graph, u, v, weight)
    return _add_neighbour(s, graph, v, u, weight)


@compiled
def _add_weight(s: State, graph: int, u: int, v: int, weight: float) -> float:
    c = s.edges[u, graph]
    while c >= 0:
        for k in range(int(s.weights[c, ROOM])):
            if s.neighbours[c, k] == v:
                before = float(s.weights[c, k])
                s.weights[c, k] += weight
                return float(s.weights[c, k]) - before
        c = s.neighbours[c, ROOM]
    return 0.0


@compiled
def _add_neighbour(s: State, graph: int, u: int, v: int, weight: float) -> float:
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
def slots_of_answers(s: State) -> CodeArray:
    """Where each item of a row holds its neighbours, 16 places to a chunk; -1: it is none."""
    n = len(s.x)
    slots = np.full((n, n), -1, np.int32)
    for u in range(n):
        c = s.edges[u, FIRST]
        while c >= 0:
            for k in range(int(s.weights[c, ROOM])):
                slots[u, s.neighbours[c, k]] = CHUNK * c + k
            c = s.neighbours[c, ROOM]
    return slots


@compiled
def connect_by_slots(s: State, slots: CodeArray, u: int, v: int, weight: float) -> float:
    """What `connect` does with answers, without a search; `slots` are kept up to date."""
    for _ in range(2):
        slot = slots[u, v]
        if slot >= 0:
            c, k = slot // CHUNK, slot % CHUNK
            before = float(s.weights[c, k])
            s.weights[c, k] += weight
            added = float(s.weights[c, k]) - before
        else:
            added = _add_neighbour(s, FIRST, u, v, weight)
            c = s.edges[u, FIRST]
            slots[u, v] = CHUNK * c + int(s.weights[c, ROOM]) - 1
        u, v = v, u
    return added
