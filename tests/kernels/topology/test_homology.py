"""Loops of a growing graph, against ranks of boundary matrices modulo 2."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels import homology


def rank_modulo_2(rows):
    """Of a matrix whose rows are integers, a bit per column."""
    pivots = {}
    for row in rows:
        while row:
            top = row.bit_length()
            if top not in pivots:
                pivots[top] = row
                break
            row ^= pivots[top]
    return len(pivots)


def open_loops(n, edges):
    """dim H1 of the clique complex = |E| - rank D0 - rank D1."""
    where = {edge: e for e, edge in enumerate(edges)}
    ends = [1 << i | 1 << j for i, j in edges]
    triangles = [
        1 << where[i, j] | 1 << where[j, k] | 1 << where[i, k]
        for i, j, k in combinations(range(n), 3)
        if {(i, j), (j, k), (i, k)} <= where.keys()
    ]
    return len(edges) - rank_modulo_2(ends) - rank_modulo_2(triangles)


@st.composite
def growing_graphs(draw):
    n = draw(st.integers(2, 8))
    pairs = draw(st.permutations(list(combinations(range(n), 2))))
    return n, pairs[: draw(st.integers(1, len(pairs)))]


@pytest.fixture(params=["bits", "sets"], scope="module")
def way_to_keep_sets(request):
    """How sets of classes are kept: integers for few items, sets for many."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "sets":
            patch.setattr(homology, "MAX_ITEMS_FOR_BITS", 0)
        yield


@pytest.mark.usefixtures("way_to_keep_sets")
@given(growing_graphs())
def test_at_each_step_the_live_classes_are_the_open_loops(case):
    n, pairs = case
    loops = homology.LoopClasses(n)
    before = 0
    for time, (i, j) in enumerate(pairs):
        joins, filled = loops.joins(i, j), loops.filled_by(i, j)
        loops.insert(i, j, time)
        now = open_loops(n, sorted(pairs[: time + 1]))
        assert len(loops.cocycles) == now
        assert filled == max(0, before - now)
        if joins:
            assert now == before
        before = now
    assert len(loops.births) == len(loops.deaths) + len(loops.cocycles)
    for birth, death in loops.deaths:
        assert birth < death


@pytest.mark.usefixtures("way_to_keep_sets")
@given(growing_graphs())
def test_the_triangles_kept_span_all_boundaries(case):
    n, pairs = case
    loops = homology.LoopClasses(n)
    for time, (i, j) in enumerate(pairs):
        loops.insert(i, j, time)
    where = {edge: e for e, edge in enumerate(sorted(pairs))}
    rows = [
        sum(1 << where[edge] for edge in combinations(sorted(triangle), 2))
        for triangle in loops.basis
    ]
    n_components = len({loops.root(item) for item in range(n)})
    assert rank_modulo_2(rows) == len(rows)
    assert len(rows) == len(pairs) - n + n_components - open_loops(n, sorted(pairs))


@pytest.mark.usefixtures("way_to_keep_sets")
@given(growing_graphs())
def test_cocycles_cross_no_triangle_an_odd_number_of_times(case):
    n, pairs = case
    loops = homology.LoopClasses(n)
    for time, (i, j) in enumerate(pairs):
        loops.insert(i, j, time)
    present = set(pairs)
    for cocycle in loops.cocycles.values():
        assert cocycle
        for triple in combinations(range(n), 3):
            edges = set(combinations(triple, 2))
            if edges <= present:
                assert len(edges & cocycle) % 2 == 0


def test_a_square_is_open_until_its_diagonal_comes():
    loops = homology.LoopClasses(4)
    for time, (i, j) in enumerate([(0, 1), (1, 2), (2, 3), (0, 3)]):
        loops.insert(i, j, time)
    assert len(loops.cocycles) == 1
    assert loops.filled_by(0, 2) == 1
    loops.insert(0, 2, 7)
    assert loops.deaths == [(3, 7)]
    assert np.array_equal(sorted(map(sorted, loops.basis)), [[0, 1, 2], [0, 2, 3]])
