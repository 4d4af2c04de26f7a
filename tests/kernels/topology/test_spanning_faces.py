"""Triangles that fill loops, all at once: the same number as edge by edge, and independent."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels.homology import LoopClasses
from hodgerank.kernels.quadrangles import Adjacency
from hodgerank.kernels.spanning_faces import count_classes, filling_faces


def smaller_neighbours(edges, n):
    """Rows of smaller neighbours as the kernel takes them."""
    low, high = np.array(sorted(edges, key=lambda e: (e[1], e[0])), np.int32).reshape(-1, 2).T
    return np.searchsorted(high, np.arange(n + 1)), low.copy()


def rank_modulo_2(triangles, edges):
    """Of the boundaries, by plain elimination."""
    column = {edge: k for k, edge in enumerate(sorted(edges))}
    pivots = {}
    for triangle in triangles:
        row = 0
        for edge in combinations(sorted(triangle), 2):
            row ^= 1 << column[edge]
        while row and row.bit_length() in pivots:
            row ^= pivots[row.bit_length()]
        if row:
            pivots[row.bit_length()] = row
    return len(pivots)


NO_CELLS = np.empty(0, np.int64), np.zeros(1, np.int64)


def classes_and_triangles(edges, n):
    """The number of classes ever opened, and the triangles found."""
    starts, tails = smaller_neighbours(edges, n)
    n_classes = count_classes(starts, tails, Adjacency.none())
    found, _ = filling_faces(starts, tails, Adjacency.none(), *NO_CELLS, n_classes)
    assert (found[:, 3] == -1).all()
    return n_classes, found[:, :3]


@st.composite
def graphs(draw):
    n = draw(st.integers(2, 14))
    pairs = list(combinations(range(n), 2))
    return n, draw(st.sets(st.sampled_from(pairs), min_size=1))


@given(graphs())
def test_the_triangles_found_are_independent_and_span_all(graph):
    n, edges = graph
    found = classes_and_triangles(edges, n)[1].tolist()
    every = [t for t in combinations(range(n), 3) if set(combinations(t, 2)) <= edges]
    assert {tuple(t) for t in found} <= set(every)
    assert rank_modulo_2(found, edges) == len(found) == rank_modulo_2(every, edges)


@given(graphs())
def test_as_many_as_edge_by_edge(graph):
    n, edges = graph
    loops = LoopClasses(n)
    for a, b in sorted(edges, key=lambda e: (e[1], e[0])):
        loops.insert(a, b, 0)
    n_classes, found = classes_and_triangles(edges, n)
    assert n_classes == len(loops.births)
    assert len(found) == len(loops.basis)


@pytest.mark.parametrize("n_loops", [63, 64, 65, 130])
def test_loops_beyond_a_machine_word_are_told_apart(n_loops):
    """Squares side by side, each opened and, every second one, filled by a diagonal."""
    edges = set()
    for k in range(n_loops):
        a, b, c, d = 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3
        edges |= {(a, b), (b, c), (c, d), (a, d)}
        if k % 2:
            edges.add((a, c))
    found = classes_and_triangles(edges, 4 * n_loops)[1]
    assert len(found) == 2 * (n_loops // 2)
