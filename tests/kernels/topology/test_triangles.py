"""Triangles of a graph, against all triples of items."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels import triangles
from hodgerank.kernels import triangles as kernel


@st.composite
def graphs(draw):
    """The number of items, and edges i < j in lexicographic order."""
    n = draw(st.integers(1, 8))
    pairs = list(combinations(range(n), 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return n, [pair for pair, is_kept in zip(pairs, kept, strict=True) if is_kept]


def rows_of(n, edges):
    """Where the edges of each item start, and their other ends, read-only as in graphs."""
    i, j = np.array(edges, np.int64).reshape(-1, 2).T
    ends = j.astype(np.int32)
    ends.flags.writeable = False
    return np.searchsorted(i, np.arange(n + 1)), ends


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


@pytest.mark.parametrize(
    "count", [kernel.triangles_per_edge, kernel.walked_triangles, triangles.common_neighbours]
)
@given(graphs())
def test_each_edge_counts_its_triangles(count, graph):
    wanted = [0] * len(graph[1])
    for triangle in slow_triangles(*graph):
        for edge in triangle:
            wanted[edge] += 1
    assert count(*rows_of(*graph)).tolist() == wanted


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


def slow_strength(ratios, triangle):
    """The weakest of three ratios that point round, 0 where they do not."""
    ij, jk, ik = triangle
    round_ijk = [ratios[ij], ratios[jk], -ratios[ik]]
    return max(min(round_ijk), min(-ratio for ratio in round_ijk), 0.0)


@pytest.mark.parametrize(
    "measure", [kernel.circles, kernel.walked_circles, triangles.circles_in_bits]
)
@pytest.mark.parametrize("n_columns", [1, 7, 64])
@given(graphs(), st.integers(0, 2**32 - 1))
def test_circles_are_as_strong_as_their_weakest_pair(measure, n_columns, graph, seed):
    ratios = np.random.default_rng(seed).normal(0, 2, (len(graph[1]), n_columns))
    sums, largest = measure(*rows_of(*graph), ratios)
    for column in range(n_columns):
        strengths = [slow_strength(ratios[:, column], t) for t in slow_triangles(*graph)]
        strong = [s for s in strengths if s > triangles.FAINT]
        assert sums[column] == pytest.approx(sum((s - triangles.FAINT) ** 2 for s in strong))
        assert largest[column] == pytest.approx(max(strong, default=triangles.FAINT))


@pytest.mark.parametrize("k", [1, 3, 100])
@given(graphs(), st.integers(0, 2**32 - 1))
def test_the_strongest_circles_are_found_and_counted(k, graph, seed):
    ratios = np.random.default_rng(seed).normal(0, 2, len(graph[1]))
    strengths = {t: slow_strength(ratios, t) for t in slow_triangles(*graph)}
    wanted = sorted((t for t in strengths if strengths[t] >= 0.5), key=lambda t: -strengths[t])
    edges, found, n_found = kernel.strongest_circles(*rows_of(*graph), ratios, 0.5, k)
    assert n_found == len(wanted)
    assert {tuple(row) for row in edges[found > 0].tolist()} == set(wanted[:k])
    assert sorted(found[found > 0]) == pytest.approx(sorted(strengths[t] for t in wanted[:k]))


def test_bits_and_walks_agree_on_many_items():
    rng = np.random.default_rng(3)
    n = 150
    i, j = np.triu_indices(n, 1)
    kept = rng.random(len(i)) < 0.8
    rows = rows_of(n, np.c_[i[kept], j[kept]])
    assert triangles.suits_bit_rows(*rows)
    np.testing.assert_array_equal(
        triangles.common_neighbours(*rows), kernel.walked_triangles(*rows)
    )
    ratios = rng.normal(0, 1, (int(kept.sum()), 3))
    for bits, walk in zip(
        triangles.circles_in_bits(*rows, ratios), kernel.walked_circles(*rows, ratios), strict=True
    ):
        np.testing.assert_allclose(bits, walk)


def test_a_chain_of_items_is_walked():
    n = 1_000
    assert not triangles.suits_bit_rows(
        np.minimum(np.arange(n + 1), n - 1), np.arange(1, n, dtype=np.int32)
    )
