"""Quadrangles and 4-cycles of small graphs, against trying all."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels import quadrangles as kernel
from reference import faces as slow


@st.composite
def graphs(draw):
    n = draw(st.integers(4, 9))
    pairs = draw(st.sets(st.sampled_from(list(combinations(range(n), 2))), min_size=1))
    return n, sorted(pairs)


def adjacency_of(n, pairs):
    i, j = np.array(pairs, np.int32).T
    return kernel.Adjacency.of(i, j, n)


def cycles_of_four(n, pairs):
    """Every 4-cycle, with or without diagonals, in both directions and from every item."""
    return [
        four
        for four in permutations(range(n), 4)
        if all(tuple(sorted(edge)) in pairs for edge in slow.ring(four))
    ]


@given(graphs())
def test_every_quadrangle_is_listed_once(graph):
    n, pairs = graph
    wanted = slow.quadrangles(set(pairs), n)
    found = np.empty((len(wanted), 4), np.int64)
    assert kernel.list_quadrangles(adjacency_of(n, pairs), 10**6, found) == len(wanted)
    turned = {(a, min(b, d), c, max(b, d)) for a, b, c, d in wanted}
    assert {tuple(row) for row in found.tolist()} == turned


def test_counting_stops_beyond_the_limit():
    sides = adjacency_of(12, [(a, b) for a in range(6) for b in range(6, 12)])
    nothing = np.empty((0, 4), np.int64)
    assert kernel.list_quadrangles(sides, 10**6, nothing) == 15 * 15
    assert kernel.list_quadrangles(sides, 7, nothing) == 8


@given(graphs())
def test_edges_in_a_cycle_of_four_are_found(graph):
    n, pairs = graph
    inside = {tuple(sorted(four[:2])) for four in cycles_of_four(n, set(pairs))}
    found = kernel.are_in_cycles_of_four(
        adjacency_of(n, pairs), *np.array(pairs, np.int32).T.copy()
    )
    assert found.tolist() == [pair in inside for pair in pairs]


@given(graphs(), st.integers(0, 2**32 - 1), st.booleans())
def test_cycles_around_which_a_flow_turns_are_found_if_there_are_any(graph, seed, is_gradient):
    n, pairs = graph
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    flows = np.array([x[i] - x[j] for i, j in pairs])
    if not is_gradient:
        flows[rng.integers(len(pairs))] += 1.0
    found = kernel.turning_quadrangles(adjacency_of(n, pairs), flows, 1e-9, 20)
    every = cycles_of_four(n, set(pairs))
    turning = {
        four
        for four, row in zip(every, slow.boundaries(set(pairs), every), strict=True)
        if abs(row @ flows) > 1e-9
    }
    assert {tuple(row) for row in found.tolist()} <= turning
    assert (len(found) > 0) == (len(turning) > 0)
    assert len(kernel.turning_quadrangles(adjacency_of(n, pairs), flows, 1e-9, 1)) == min(
        len(turning), 1
    )
