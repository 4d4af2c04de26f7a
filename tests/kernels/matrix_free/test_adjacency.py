"""Neighbours in chunks, against dictionaries."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from hodgerank.kernels.matrix_free import state
from hodgerank.kernels.matrix_free.state import (
    COUNT,
    FIRST,
    FIRST_PENDING,
    N_CHUNKS,
    empty_state,
)
from kernels.matrix_free.twin import settings

ROOM = state.ROOM


def neighbours_of(s, graph, u):
    """As a dictionary; checks that the chunks are as they should be."""
    found = {}
    c, is_first = s.edges[u, graph], True
    while c >= 0:
        size = int(s.weights[c, ROOM])
        assert 1 <= size <= ROOM
        assert is_first or size == ROOM  # only the first may have room
        for k in range(size):
            v = int(s.neighbours[c, k])
            assert v not in found
            found[v] = float(s.weights[c, k])
        c, is_first = s.neighbours[c, ROOM], False
    return found


def chunks_in_use(s, n):
    used = []
    for graph in (FIRST, FIRST_PENDING):
        for u in range(n):
            c = s.edges[u, graph]
            while c >= 0:
                used.append(int(c))
                c = s.neighbours[c, ROOM]
    return used


def test_edges_are_those_of_dictionaries():
    rng = np.random.default_rng(1)
    n = 40
    s = empty_state(n, 1000, settings())
    wanted = {FIRST: defaultdict(dict), FIRST_PENDING: defaultdict(dict)}
    for _ in range(1500):
        graph = FIRST_PENDING if rng.random() < 0.5 else FIRST
        u, v = (int(k) for k in rng.choice([0, 1, 2, *range(n)], 2))
        if u == v:
            continue
        weight = float(rng.integers(1, 3))
        assert state.connect(s, graph, u, v, weight) == weight
        for a, b in ((u, v), (v, u)):
            wanted[graph][a][b] = wanted[graph][a].get(b, 0.0) + weight
    for graph in (FIRST, FIRST_PENDING):
        for u in range(n):
            assert neighbours_of(s, graph, u) == wanted[graph][u]
    assert [s.edges[u, COUNT] for u in range(n)] == [len(wanted[FIRST][u]) for u in range(n)]
    assert max(len(mine) for mine in wanted[FIRST_PENDING].values()) > ROOM
    # no chunk is lost and none is used twice
    assert sorted(chunks_in_use(s, n)) == list(range(s.counters[N_CHUNKS]))


def random_edges(rng, n, m):
    code = np.unique([np.ravel_multi_index(sorted(rng.choice(n, 2, replace=False)), (n, n))
                      for _ in range(m)])  # fmt: skip
    i, j = np.unravel_index(code, (n, n))
    return i, j, rng.integers(1, 9, len(i)) / 4


def add_all(s, edges):
    for i, j, w in zip(*(part.tolist() for part in edges), strict=True):
        state.connect(s, FIRST, i, j, w)


def test_the_weight_between_two_items_is_that_of_their_edge():
    n = 25
    i, j, w = edges = random_edges(np.random.default_rng(6), n, 150)
    s = empty_state(n, 1000, settings())
    add_all(s, edges)
    state.connect(s, FIRST_PENDING, 3, 4, 1.0)
    dense = np.zeros((n, n))
    dense[i, j] = dense[j, i] = w
    for u in range(n):
        for v in range(n):
            assert state.weight_between(s, FIRST, u, v) == dense[u, v]
    assert state.weight_between(s, FIRST_PENDING, 3, 4) == 1.0
    assert state.weight_between(s, FIRST_PENDING, 3, 5) == 0.0


def test_what_an_edge_took_is_said_as_it_was_rounded():
    s = empty_state(2, 16, settings())
    total = 0.0
    for _ in range(1000):
        total += state.connect(s, FIRST, 0, 1, 0.1)
    assert total == pytest.approx(neighbours_of(s, FIRST, 0)[1], abs=1e-12)
    assert total != pytest.approx(100.0, abs=1e-6)  # kept in single precision


def test_slots_lead_to_what_a_search_finds():
    rng = np.random.default_rng(5)
    n = 25
    searched, looked_up = (empty_state(n, 500, settings()) for _ in range(2))
    for part in range(3):  # slots are set up anew from what is there
        slots = state.slots_of_votes(looked_up)
        for _ in range(150):
            u, v = (int(k) for k in rng.choice(n, 2, replace=False))
            weight = float(rng.uniform(0.1, 2))
            added = state.connect(searched, FIRST, u, v, weight)
            assert state.connect_by_slots(looked_up, slots, u, v, weight) == added
        assert searched.counters[N_CHUNKS] == looked_up.counters[N_CHUNKS], part
    np.testing.assert_array_equal(searched.edges, looked_up.edges)
    for u in range(n):
        found = neighbours_of(looked_up, FIRST, u)
        assert list(found.items()) == list(neighbours_of(searched, FIRST, u).items())
