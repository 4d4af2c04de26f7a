"""Diagonals of inverses by Takahashi's recursion, against the dense inverse."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

from hodgerank.kernels.linalg import cholesky as kernel

GRAPHS = {
    "one item": nx.empty_graph(1),
    "no edges": nx.empty_graph(5),
    "path": nx.path_graph(30),
    "star": nx.star_graph(20),
    "cycle": nx.cycle_graph(25),
    "ladder": nx.ladder_graph(15),
    "grid": nx.convert_node_labels_to_integers(nx.grid_2d_graph(5, 6)),
    "complete": nx.complete_graph(12),
    "random": nx.gnp_random_graph(40, 0.15, seed=1),
}


def matrix_of(graph, ridge=0.1):
    n = len(graph)
    matrix = np.diag(np.full(n, ridge))
    rng = np.random.default_rng(0)
    for i, j in graph.edges:
        d = np.eye(n)[i] - np.eye(n)[j]
        matrix += rng.uniform(0.5, 2) * np.outer(d, d)
    return matrix


@pytest.mark.parametrize("reorder", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_the_diagonal_is_that_of_the_dense_inverse(name, reorder):
    matrix = matrix_of(GRAPHS[name])
    lu = kernel.factorise(sparse.csc_array(matrix), reorder=reorder)
    wanted = np.diag(np.linalg.inv(matrix))
    np.testing.assert_allclose(kernel.inverse_diagonal(lu), wanted, rtol=1e-9)


def edges_of(graph):
    edges = sorted(tuple(sorted(edge)) for edge in graph.edges)
    return np.array(edges, np.int32).reshape(-1, 2).T


def test_few_cycles_need_no_order():
    graph = nx.cycle_graph(50)
    i, j = edges_of(graph)
    labels = np.zeros(50, np.int64)
    assert kernel.few_cycles(i, labels)
    assert kernel.elimination_order(i, j, labels).tolist() == list(range(50))


def test_the_number_of_independent_cycles_counts_components(monkeypatch):
    graph = nx.disjoint_union(nx.complete_graph(9), nx.path_graph(5))
    i, _ = edges_of(graph)
    labels = np.r_[np.zeros(9, np.int64), np.ones(5, np.int64)]
    cycles = len(nx.cycle_basis(graph))
    for most, are_few in ((cycles, True), (cycles - 1, False)):
        monkeypatch.setattr(kernel, "MAX_CYCLES", most)
        assert kernel.few_cycles(i, labels) == are_few


def test_an_order_of_small_bandwidth_is_found(monkeypatch):
    monkeypatch.setattr(kernel, "MAX_CYCLES", 0)
    n = 60
    shuffled = np.random.default_rng(1).permutation(n)
    graph = nx.relabel_nodes(nx.ladder_graph(n // 2), dict(enumerate(shuffled.tolist())))
    i, j = edges_of(graph)
    order = kernel.elimination_order(i, j, np.zeros(n, np.int64))
    assert sorted(order.tolist()) == list(range(n))
    place = np.argsort(order)
    assert np.abs(place[i] - place[j]).max() <= 4


def test_a_graph_that_fills_in_has_no_order(monkeypatch):
    monkeypatch.setattr(kernel, "MAX_CYCLES", 0)
    monkeypatch.setattr(kernel, "MAX_BAND_WORK", 1e3)
    graph = nx.random_regular_graph(3, 60, seed=1)
    assert kernel.elimination_order(*edges_of(graph), np.zeros(60, np.int64)) is None


def test_a_graph_with_more_edges_than_any_narrow_band_is_not_ordered(monkeypatch):
    monkeypatch.setattr(kernel, "MAX_CYCLES", 0)
    monkeypatch.setattr(kernel, "MAX_BAND_WORK", 1e3)
    monkeypatch.delattr(kernel, "narrow_order")
    graph = nx.complete_graph(20)
    assert kernel.elimination_order(*edges_of(graph), np.zeros(20, np.int64)) is None
