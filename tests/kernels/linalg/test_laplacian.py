"""All ways of solving the same system agree with dense linear algebra, on graphs of all shapes."""

from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pytest

from hodgerank.errors import DidNotConverge
from hodgerank.kernels.linalg import laplacian, normal_equations
from hodgerank.kernels.linalg.conjugate_gradients import heaviest_tree
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from reference.inverse import centred_inverse

GRAPHS = {
    "path": nx.path_graph(60),
    "star": nx.star_graph(40),
    "ladder": nx.ladder_graph(30),
    "grid": nx.grid_2d_graph(6, 7),
    "barbell": nx.barbell_graph(12, 8),
    "complete": nx.complete_graph(25),
    "random": nx.gnp_random_graph(50, 0.3, seed=1),
    "power law": nx.barabasi_albert_graph(60, 3, seed=1),
    "two components": nx.disjoint_union(nx.cycle_graph(9), nx.complete_graph(12)),
    "isolated item": nx.disjoint_union(nx.path_graph(5), nx.empty_graph(1)),
}


def edges_of(graph: nx.Graph, spread: float) -> tuple:
    graph = nx.convert_node_labels_to_integers(graph)
    i, j = np.array(sorted(tuple(sorted(edge)) for edge in graph.edges), dtype=np.int32).T
    weights = 10 ** np.random.default_rng(0).uniform(-spread, spread, len(i))
    n = graph.number_of_nodes()
    return i, j, weights, laplacian.components(i, j, n)


def inverse_of(i, j, weights, labels, ridge) -> np.ndarray:
    n = len(labels)
    return centred_inverse(dense(i, j, weights, n) + ridge * np.eye(n), labels)


def dense(i, j, weights, n) -> np.ndarray:
    matrix = np.zeros((n, n))
    np.add.at(matrix, (i, j), -weights)
    matrix += matrix.T
    return matrix - np.diag(matrix.sum(axis=1))


@pytest.fixture(params=["dense", "sparse", "iterative"])
def method(request, monkeypatch):
    """Force one of the three ways."""
    if request.param != "dense":
        monkeypatch.setattr(normal_equations, "DENSE_ITEMS", 0)
    if request.param == "iterative":
        monkeypatch.setattr(NormalEquations, "_order", None)
    monkeypatch.setattr(normal_equations, "FEW_ITERATIONS", 0)
    monkeypatch.setattr(normal_equations, "FACTORED_ITEMS", 0)
    return request.param


@pytest.mark.parametrize("ridge", [0.0, 0.1])
@pytest.mark.parametrize("name", GRAPHS)
def test_solutions_and_diagonals_equal_the_pseudo_inverse(method, name, ridge):
    i, j, weights, labels = edges_of(GRAPHS[name], spread=1)
    inverse = inverse_of(i, j, weights, labels, ridge)
    rhs = np.random.default_rng(1).normal(size=(len(labels), 3))
    equations = NormalEquations(i, j, weights, labels, ridge)
    assert equations.method == method
    scale = np.abs(inverse).max()
    np.testing.assert_allclose(equations.solve(rhs), inverse @ rhs, atol=1e-8 * scale)
    np.testing.assert_allclose(equations.solve(rhs[:, 0]), inverse @ rhs[:, 0], atol=1e-8 * scale)
    if method == "dense":
        np.testing.assert_allclose(equations.inverse, inverse, atol=1e-9 * scale)
    if method != "iterative":
        np.testing.assert_allclose(
            equations.inverse_diagonal.values, np.diag(inverse), atol=1e-9 * scale
        )


@pytest.mark.parametrize("name", ["complete", "random", "power law", "barbell"])
@pytest.mark.parametrize("ridge", [0.0, 0.01])
def test_estimated_diagonals_are_as_accurate_as_they_say(monkeypatch, name, ridge):
    monkeypatch.setattr(normal_equations, "DENSE_ITEMS", 0)
    monkeypatch.setattr(NormalEquations, "_order", None)
    i, j, weights, labels = edges_of(GRAPHS[name], spread=0.3)
    exact = np.diag(inverse_of(i, j, weights, labels, ridge))
    equations = NormalEquations(i, j, weights, labels, ridge)
    values, error = equations.inverse_diagonal
    assert 0 < error < 0.15
    assert np.sqrt(np.mean((values / exact - 1) ** 2)) < 2 * error
    rough, rough_error = equations.inverse_diagonal_within(0.1)
    assert error <= rough_error < 0.15
    assert np.sqrt(np.mean((rough / exact - 1) ** 2)) < 2 * rough_error


def test_weights_over_nine_orders_of_magnitude(method):
    i, j, weights, labels = edges_of(GRAPHS["random"], spread=4.5)
    rhs = laplacian.centre(np.random.default_rng(1).normal(size=len(labels)), labels)
    x = NormalEquations(i, j, weights, labels).solve(rhs)
    applied = dense(i, j, weights, len(labels)) @ x
    assert np.linalg.norm(applied - rhs) < 1e-6 * np.linalg.norm(rhs)


def test_an_iteration_that_is_cut_short_says_so(monkeypatch):
    monkeypatch.setattr(normal_equations, "DENSE_ITEMS", 0)
    monkeypatch.setattr(normal_equations, "FACTORED_ITEMS", 10**6)
    monkeypatch.setattr(normal_equations, "MANY_ITERATIONS", 5)
    monkeypatch.setattr(NormalEquations, "_order", None)
    i, j, weights, labels = edges_of(GRAPHS["path"], spread=0)
    with pytest.raises(DidNotConverge, match="in 5 iterations"):
        NormalEquations(i, j, weights, labels).solve(np.random.default_rng(0).normal(size=60))


def test_components_come_largest_first():
    i, j = np.array([0, 2, 3], np.int32), np.array([1, 3, 4], np.int32)
    assert laplacian.components(i, j, 6).tolist() == [1, 1, 0, 0, 0, 2]


def test_near_trees_and_bands_of_many_items_are_solved_exactly():
    n = 20_000
    a = np.arange(n, dtype=np.int32)
    i, j = np.r_[a[:-1], a[:-2]], np.r_[a[1:], a[2:]]
    order = np.lexsort((j, i))
    equations = NormalEquations(i[order], j[order], np.ones(len(i)), np.zeros(n, np.int64))
    assert equations.method == "sparse"
    diagonal = equations.inverse_diagonal.values
    for item in (0, 7_000, n - 1):
        unit = np.zeros(n)
        unit[item] = 1
        column = equations.solve(unit)
        assert column[item] == pytest.approx(diagonal[item], rel=1e-8)


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(4000),
        nx.star_graph(4000),
        nx.grid_2d_graph(62, 62),
        nx.barabasi_albert_graph(4000, 3, seed=1),
        nx.barbell_graph(60, 3500),
        nx.random_regular_graph(6, 4000, seed=1),
    ],
    ids=["path", "star", "grid", "power law", "barbell", "expander"],
)
@pytest.mark.parametrize("way", ["by shape", "iterative"])
def test_large_graphs_of_all_shapes_with_weights_of_all_sizes(graph, way, monkeypatch):
    if way == "iterative":
        monkeypatch.setattr(NormalEquations, "_order", None)
    i, j, weights, labels = edges_of(graph, spread=4.5)
    equations = NormalEquations(i, j, weights, labels)
    truth = np.random.default_rng(1).normal(size=len(labels))
    rhs = laplacian.divergence(i, j, weights * (truth[i] - truth[j]), len(labels))
    found = equations.solution(rhs)
    assert equations._defect(found.x, rhs)[1] < 1e-10


@pytest.mark.parametrize("n", [150, 2_000, 20_000])
def test_resistance_of_a_path_whose_weights_span_nine_orders(n):
    i, j, weights, labels = edges_of(nx.path_graph(n), spread=4.5)
    ends = np.zeros(n)
    ends[0], ends[-1] = 1, -1
    x = NormalEquations(i, j, weights, labels).solve(ends)
    assert x[0] - x[-1] == pytest.approx((1 / weights).sum(), rel=1e-7)


def test_resistance_of_a_path_whose_weights_are_beyond_the_digits_of_a_number():
    i, j, weights, labels = edges_of(nx.path_graph(600), spread=12)
    ends = np.zeros(len(labels))
    ends[0], ends[-1] = 1, -1
    found = NormalEquations(i, j, weights, labels).solution(ends)
    assert found.solver == "star-mesh elimination"
    assert found.x[0] - found.x[-1] == pytest.approx((1 / weights).sum(), rel=1e-10)


def test_such_weights_are_refused_where_there_are_too_many_items(monkeypatch):
    from hodgerank.kernels.linalg import normal_equations

    monkeypatch.setattr(normal_equations, "DENSE_ITEMS", 100)
    i, j, weights, labels = edges_of(nx.barbell_graph(60, 1500), spread=8)
    ends = np.zeros(len(labels))
    ends[0], ends[-1] = 1, -1
    with pytest.raises(DidNotConverge):
        NormalEquations(i, j, weights, labels).solve(ends)


@pytest.mark.parametrize(
    ("graph", "spread", "solver"),
    [
        (nx.complete_graph(30), 0, "dense Cholesky"),
        (nx.path_graph(1000), 0, "dense Cholesky"),
        (nx.random_regular_graph(6, 1000, seed=1), 0, "conjugate gradients"),
        (nx.path_graph(5000), 0, "sparse Cholesky"),
        (nx.ring_of_cliques(60, 60), 0, "conjugate gradients"),
        (nx.ring_of_cliques(60, 60), 2, "conjugate gradients, spanning tree"),
    ],
)
def test_the_solver_is_chosen_by_size_and_shape_and_said(graph, spread, solver, monkeypatch):
    if len(graph) == 3600:
        monkeypatch.setattr(NormalEquations, "_order", None)  # as if it were too large to factorise
    i, j, weights, labels = edges_of(graph, spread=spread)
    rhs = np.random.default_rng(1).normal(size=len(labels))
    assert NormalEquations(i, j, weights, labels).solution(rhs).solver == solver


def test_the_heaviest_tree_is_that_of_networkx():
    i, j, weights, labels = edges_of(nx.gnp_random_graph(80, 0.2, seed=3), spread=3)
    graph = nx.Graph()
    graph.add_weighted_edges_from(zip(i.tolist(), j.tolist(), weights.tolist(), strict=True))
    wanted = nx.maximum_spanning_tree(graph)
    found = heaviest_tree(i, j, weights, len(labels))
    assert {(i[k], j[k]) for k in found} == {tuple(sorted(edge)) for edge in wanted.edges}


def test_a_system_back_from_a_pickle_has_the_same_solution():
    i, j, weights, labels = edges_of(GRAPHS["random"], spread=1)
    equations = NormalEquations(i, j, weights, labels, 0.1)
    rhs = np.random.default_rng(1).normal(size=len(labels))
    before = equations.solve(rhs)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(equations)).solve(rhs), before)
