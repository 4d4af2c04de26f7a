"""Neighbours in chunks, against dictionaries."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from hodgerank.kernels.matrix_free import adjacency
from hodgerank.kernels.matrix_free.state import (
    COUNT,
    FIRST,
    FIRST_PENDING,
    FREE_CHUNK,
    N_CHUNKS,
    empty_state,
)
from kernels.matrix_free.twin import settings

ROOM = adjacency.ROOM


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


def free_chunks(s):
    free, c = [], s.counters[FREE_CHUNK]
    while c >= 0:
        free.append(int(c))
        c = s.neighbours[c, ROOM]
    return free


def test_edges_come_and_go_as_in_dictionaries():
    rng = np.random.default_rng(1)
    n = 40
    s = empty_state(n, 1000, settings())
    wanted = {FIRST: defaultdict(dict), FIRST_PENDING: defaultdict(dict)}
    for _ in range(3000):
        graph = FIRST_PENDING if rng.random() < 0.7 else FIRST
        u, v = (int(k) for k in rng.choice([0, 1, 2, *range(n)], 2))
        mine = wanted[graph][u]
        if graph == FIRST_PENDING and rng.random() < 0.55:
            adjacency.remove_half_edge(s, graph, u, v, 1.0)
            if v in mine:
                mine[v] -= 1.0
                if mine[v] <= 0:
                    del mine[v]
        else:
            weight = float(rng.integers(1, 3))
            assert adjacency.add_half_edge(s, graph, u, v, weight) == weight
            mine[v] = mine.get(v, 0.0) + weight
    for graph in (FIRST, FIRST_PENDING):
        for u in range(n):
            assert neighbours_of(s, graph, u) == wanted[graph][u]
    assert [s.edges[u, COUNT] for u in range(n)] == [len(wanted[FIRST][u]) for u in range(n)]
    assert max(len(mine) for mine in wanted[FIRST_PENDING].values()) > ROOM
    # no chunk is lost and none is used twice
    assert sorted(chunks_in_use(s, n) + free_chunks(s)) == list(range(s.counters[N_CHUNKS]))


def random_edges(rng, n, m):
    code = np.unique([np.ravel_multi_index(sorted(rng.choice(n, 2, replace=False)), (n, n))
                      for _ in range(m)])  # fmt: skip
    i, j = np.unravel_index(code, (n, n))
    return i, j, rng.integers(1, 9, len(i)) / 4


def add_all(s, edges):
    for i, j, w in zip(*(part.tolist() for part in edges), strict=True):
        adjacency.add_half_edge(s, FIRST, i, j, w)
        adjacency.add_half_edge(s, FIRST, j, i, w)


@pytest.mark.parametrize(("n", "m"), [(2, 1), (10, 15), (40, 700)])
def test_edges_built_at_once_are_those_added_one_by_one(n, m):
    i, j, w = edges = random_edges(np.random.default_rng(n), n, m)
    one, other = (empty_state(n, 1000, settings()) for _ in range(2))
    add_all(one, edges)
    ends, others = np.r_[i, j], np.r_[j, i]
    order = np.argsort(ends, kind="stable")
    start = np.r_[0, np.cumsum(np.bincount(ends, minlength=n))]
    adjacency.build(other, start, others[order], np.r_[w, w][order])
    for u in range(n):
        assert neighbours_of(one, FIRST, u) == neighbours_of(other, FIRST, u)
        assert one.edges[u, COUNT] == other.edges[u, COUNT]
    adjacency.add_half_edge(other, FIRST, 0, 1, 1.0)  # there is room for more
    assert adjacency.weight_between(other, FIRST, 0, 1) >= 1.0


def test_the_list_of_edges_has_each_once():
    i, j, w = edges = random_edges(np.random.default_rng(5), 30, 300)
    s = empty_state(30, 1000, settings())
    add_all(s, edges)
    found = sorted(zip(*(part.tolist() for part in adjacency.edge_list(s)), strict=True))
    assert found == list(zip(i.tolist(), j.tolist(), w.tolist(), strict=True))


def test_the_weight_between_two_items_is_that_of_their_edge():
    n = 25
    i, j, w = edges = random_edges(np.random.default_rng(6), n, 150)
    s = empty_state(n, 1000, settings())
    add_all(s, edges)
    adjacency.add_half_edge(s, FIRST_PENDING, 3, 4, 1.0)
    dense = np.zeros((n, n))
    dense[i, j] = dense[j, i] = w
    for u in range(n):
        for v in range(n):
            assert adjacency.weight_between(s, FIRST, u, v) == dense[u, v]
    assert adjacency.weight_between(s, FIRST_PENDING, 3, 4) == 1.0
    assert adjacency.weight_between(s, FIRST_PENDING, 3, 5) == 0.0


def test_what_an_edge_took_is_said_as_it_was_rounded():
    s = empty_state(2, 16, settings())
    total = 0.0
    for _ in range(1000):
        total += adjacency.add_half_edge(s, FIRST, 0, 1, 0.1)
    assert total == pytest.approx(neighbours_of(s, FIRST, 0)[1], abs=1e-12)
    assert total != pytest.approx(100.0, abs=1e-6)  # kept in single precision
