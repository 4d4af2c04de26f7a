"""Triangles of a graph, against all triples of items."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels.topology import triangles as kernel


@st.composite
def graphs(draw):
    """The number of items, and edges i < j in lexicographic order."""
    n = draw(st.integers(1, 8))
    pairs = list(combinations(range(n), 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return n, [pair for pair, is_kept in zip(pairs, kept, strict=True) if is_kept]


def rows_of(n, edges):
    """Where the edges of each item start, and their other ends."""
    i, j = np.array(edges, np.int64).reshape(-1, 2).T
    return np.searchsorted(i, np.arange(n + 1)), j.astype(np.int32)


def slow_triangles(n, edges):
    """Each by its edges (ij, jk, ik)."""
    where = {edge: e for e, edge in enumerate(edges)}
    return [
        (where[i, j], where[j, k], where[i, k])
        for i, j, k in combinations(range(n), 3)
        if {(i, j), (j, k), (i, k)} <= where.keys()
    ]


@given(graphs())
def test_triangles_are_the_triples_all_of_whose_pairs_were_asked(graph):
    wanted = slow_triangles(*graph)
    found = kernel.list_triangles(*rows_of(*graph), len(wanted))
    assert sorted(map(tuple, found.tolist())) == sorted(wanted)


@given(graphs())
def test_each_edge_counts_its_triangles(graph):
    wanted = [0] * len(graph[1])
    for triangle in slow_triangles(*graph):
        for edge in triangle:
            wanted[edge] += 1
    assert kernel.triangles_per_edge(*rows_of(*graph)).tolist() == wanted


@pytest.mark.parametrize("k", [1, 3, 100])
@given(graphs(), st.integers(0, 2**32 - 1))
def test_the_strongest_curls_are_the_largest_of_all(k, graph, seed):
    n, edges = graph
    rng = np.random.default_rng(seed)
    flows, variances = rng.normal(size=len(edges)), rng.uniform(0.1, 2, len(edges))
    ratios = {
        (ij, jk, ik): (flows[ij] + flows[jk] - flows[ik]) ** 2
        / (variances[ij] + variances[jk] + variances[ik])
        for ij, jk, ik in slow_triangles(n, edges)
    }
    strongest = sorted(ratios, key=ratios.__getitem__, reverse=True)[:k]
    found, found_ratios = kernel.strongest_curls(*rows_of(n, edges), flows, variances, k)
    is_used = found_ratios >= 0
    assert is_used.sum() == len(strongest)
    assert {tuple(row) for row in found[is_used].tolist()} == set(strongest)
    for row, ratio in zip(found[is_used].tolist(), found_ratios[is_used], strict=True):
        assert ratio == pytest.approx(ratios[tuple(row)])
    assert (found[~is_used] == -1).all()
