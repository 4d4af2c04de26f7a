"""The stochastic log determinant against the dense one."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hodgerank.kernels.linalg.log_determinant import log_determinant


@pytest.mark.parametrize(
    "graph",
    [
        nx.gnm_random_graph(800, 4000, seed=1),
        nx.random_regular_graph(4, 800, seed=1),
        nx.star_graph(800),
        nx.grid_2d_graph(25, 32),
        nx.barabasi_albert_graph(800, 3, seed=1),
        nx.path_graph(800),
        nx.complete_graph(300),
        nx.empty_graph(20),
    ],
    ids=["random", "regular", "star", "grid", "power law", "path", "complete", "empty"],
)
@pytest.mark.parametrize(
    "scale", [0.5, *(pytest.param(scale, marks=pytest.mark.slow) for scale in (0.05, 5.0))]
)
def test_it_is_near_the_dense_one(graph, scale):
    graph = nx.convert_node_labels_to_integers(graph)
    n = graph.number_of_nodes()
    edges = sorted(tuple(sorted(edge)) for edge in graph.edges)
    i, j = np.array(edges, np.int32).reshape(-1, 2).T
    weights = scale * np.random.default_rng(0).uniform(0.5, 1.5, len(i))
    matrix = np.zeros((n, n))
    matrix[i, j] = -weights
    matrix += matrix.T
    matrix[np.diag_indices(n)] = 1 - matrix.sum(axis=0)
    exact = np.linalg.slogdet(matrix)[1]
    assert log_determinant(i, j, weights, n, 1.0) == pytest.approx(exact, abs=0.5 + 0.005 * n)
