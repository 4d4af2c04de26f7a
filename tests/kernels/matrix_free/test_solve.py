"""Local solutions, against dense linear algebra."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from hodgerank.kernels.matrix_free import solve, state
from hodgerank.kernels.matrix_free.search import sweep_variances
from hodgerank.kernels.matrix_free.state import (
    ANSWERED,
    FIRST,
    FIRST_PENDING,
    FORCE,
    MARK,
    MEAN,
    N_PENDING,
    PENDING,
    QUEUE_LENGTH,
    QUEUE_START,
    QUEUED,
    RESIDUAL,
    SHIFT,
    VARIANCE,
)
from kernels.matrix_free.twin import Twin

TREES = {
    "path": nx.path_graph(20),
    "star": nx.star_graph(25),
    "random": nx.from_prufer_sequence(np.random.default_rng(1).integers(0, 30, 28).tolist()),
}


def with_edges(graph, *, pending=(), seed=0, **changes):
    """A state that has the edges of a graph, with random weights, but has learned nothing yet."""
    twin = Twin(len(graph), **changes)
    rng = np.random.default_rng(seed)
    for u, v in graph.edges:
        weight = float(rng.integers(1, 9)) / 4
        state.connect(twin.s, FIRST, u, v, weight)
        for i, j in ((u, v), (v, u)):
            twin.s.x[i, ANSWERED] += weight
            twin.answered[i, j] += weight
    for u, v in pending:
        state.connect(twin.s, FIRST_PENDING, u, v, 1.0)
        for i, j in ((u, v), (v, u)):
            twin.s.x[i, PENDING] += 1.0
            twin.pending[i, j] += 1.0
        twin.s.counters[N_PENDING] += 1
    twin.s.x[:, VARIANCE] = 1 / (twin.s.x[:, ANSWERED] + twin.s.x[:, PENDING] + twin.t.locality)
    return twin


def propagate(twin):
    for _ in range(200):  # each call sweeps at least once, however little changes
        sweep_variances(twin.s, twin.t.locality, 5)


@pytest.mark.parametrize("locality", [0.3, 2.0])
@pytest.mark.parametrize("name", TREES)
def test_on_trees_variances_are_exact(name, locality):
    twin = with_edges(TREES[name], locality=locality)
    propagate(twin)
    wanted = np.diag(twin.covariance)
    np.testing.assert_allclose(twin.s.x[:, VARIANCE], wanted, rtol=1e-6)


def test_pairs_that_are_out_count_as_edges():
    twin = with_edges(nx.disjoint_union(nx.path_graph(5), nx.empty_graph(2)),
                      pending=[(4, 5), (5, 6)])  # fmt: skip
    propagate(twin)
    wanted = np.diag(twin.covariance)
    np.testing.assert_allclose(twin.s.x[:, VARIANCE], wanted, rtol=1e-6)


def test_where_there_are_cycles_variances_are_a_little_too_small():
    twin = with_edges(nx.random_regular_graph(4, 40, seed=1))
    propagate(twin)
    ratio = twin.s.x[:, VARIANCE] / np.diag(twin.covariance)
    assert (ratio < 1 + 1e-9).all()
    assert (ratio > 0.9).all()


def test_sweeps_end_when_little_changes():
    twin = with_edges(TREES["random"])
    propagate(twin)
    exact = twin.s.x[:, VARIANCE].copy()
    twin.s.x[:, VARIANCE] *= 1.2
    sweep_variances(twin.s, twin.t.locality, 0)
    np.testing.assert_array_equal(twin.s.x[:, VARIANCE], 1.2 * exact)
    sweep_variances(twin.s, twin.t.locality, 1000)
    np.testing.assert_allclose(twin.s.x[:, VARIANCE], exact, rtol=1e-2)


@pytest.mark.parametrize("pending", [[], [(0, 7), (7, 12)]])
@pytest.mark.parametrize("locality", [0.5, 2.0])
def test_a_local_solution_that_goes_far_is_the_column_of_the_inverse(locality, pending):
    graph = nx.random_regular_graph(3, 24, seed=2)
    twin = with_edges(graph, locality=locality, pending=pending)
    propagate(twin)
    S = twin.covariance
    for i, j in [(0, 1), (3, 20), *list(graph.edges)[:3]]:
        C, n = solve.respond(twin.s, locality, 1e-6, i, j)
        touched = twin.s.touched[:n]
        assert {i, j} <= set(touched.tolist())
        assert len(set(touched.tolist())) == n
        wanted = S[:, i] - S[:, j]
        np.testing.assert_allclose(twin.s.x[touched, SHIFT], wanted[touched], atol=1e-3)
        assert pytest.approx(wanted[i] - wanted[j], rel=1e-3) == C
        solve.forget(twin.s, n)
        assert (twin.s.edges[:, MARK] == solve.UNTOUCHED).all()


def test_a_local_solution_that_stops_early_is_near():
    graph = nx.random_regular_graph(4, 60, seed=3)
    twin = with_edges(graph)
    propagate(twin)
    R = twin.resistance
    for i, j in [(0, 1), (5, 50), (9, 33), *list(graph.edges)[:5]]:
        C, n = solve.respond(twin.s, twin.t.locality, 0.1, i, j)
        solve.forget(twin.s, n)
        assert pytest.approx(R[i, j], rel=0.1) == C


def test_a_local_solution_touches_no_more_items_than_it_may():
    twin = with_edges(nx.star_graph(30))
    propagate(twin)
    short = twin.s._replace(touched=np.empty(6, np.int32))
    C, n = solve.respond(short, twin.t.locality, 1e-6, 0, 1)
    assert n == 6
    assert 0 < twin.resistance[0, 1] == pytest.approx(C, rel=0.2)
    solve.forget(short, n)


def test_the_neighbours_of_a_hub_are_spared_where_each_would_get_next_to_nothing():
    twin = with_edges(nx.star_graph(solve.HUB + 10), locality=30.0)
    twin.s.x[:, VARIANCE] = np.diag(twin.covariance)
    C, n = solve.respond(twin.s, twin.t.locality, 0.1, 0, 7)
    assert twin.s.touched[:n].tolist() == [0, 7]
    assert pytest.approx(twin.resistance[0, 7], rel=0.05) == C
    solve.forget(twin.s, n)


@pytest.mark.parametrize("weight", [0.5, 1.0, 4.0])
def test_an_answer_narrows_variances_as_the_covariance_says(weight):
    twin = with_edges(nx.random_regular_graph(3, 20, seed=4))
    S = twin.covariance
    twin.s.x[:, VARIANCE] = np.diag(S)
    i, j = 2, 11
    C, n = solve.respond(twin.s, twin.t.locality, 1e-6, i, j)
    for u in (i, j):  # as `learn` does, before it narrows
        twin.s.x[u, ANSWERED] += weight
    solve.narrow(twin.s, twin.t, i, j, C, n, weight, 1)
    solve.forget(twin.s, n)
    s = S[:, i] - S[:, j]
    wanted = np.diag(S) - weight / (1 + weight * (s[i] - s[j])) * s**2
    np.testing.assert_allclose(twin.s.x[:, VARIANCE], wanted, rtol=3e-3)


def test_no_variance_falls_below_that_of_an_item_whose_neighbours_are_known():
    twin = with_edges(nx.path_graph(4))
    twin.s.x[:, VARIANCE] = 1e-3
    C, n = solve.respond(twin.s, twin.t.locality, 1e-3, 0, 1)
    solve.narrow(twin.s, twin.t, 0, 1, C, n, 1.0, 1)
    floor = 1 / (twin.s.x[:, ANSWERED] + twin.t.locality)
    np.testing.assert_allclose(twin.s.x[[0, 1], VARIANCE], floor[[0, 1]])


def test_the_variance_of_a_hub_is_renewed_now_and_then():
    twin = with_edges(nx.star_graph(3 * solve.HUB))
    count = 3 * solve.HUB
    exact = np.diag(twin.covariance)
    for key, is_renewed in [(0, True), (1, False), (count // solve.HUB, True)]:
        twin.s.x[:, VARIANCE] = exact
        twin.s.x[0, VARIANCE] = 0.5
        solve.refresh(twin.s, twin.t, 0, 1, key)
        assert (twin.s.x[0, VARIANCE] < 0.1) == is_renewed


def test_the_queue_is_a_ring_that_holds_an_item_once():
    twin = Twin(4)
    s = twin.s
    s.counters[QUEUE_START] = 3
    for u in (2, 0, 2, 3, 0):
        solve.enqueue(s, u)
    assert s.counters[QUEUE_LENGTH] == 3
    assert s.queue[[3, 0, 1]].tolist() == [2, 0, 3]
    assert s.place[:, QUEUED].tolist() == [1, 0, 1, 1]


def push(twin, rng, times):
    """Forces on the scores, as answers bring them, and the items in the queue."""
    for _ in range(times):
        i, j = (int(k) for k in rng.choice(twin.n, 2, replace=False))
        for u, y in ((i, 1.0), (j, -1.0)):
            twin.force[u] += y
            twin.s.x[u, FORCE] += y
            twin.s.x[u, RESIDUAL] += y
            solve.enqueue(twin.s, u)


@pytest.mark.parametrize("graph", [*TREES.values(), nx.random_regular_graph(4, 40, seed=5)])
def test_means_relax_to_the_solution(graph):
    twin = with_edges(graph, residual=1e-10)
    propagate(twin)
    push(twin, np.random.default_rng(1), 10)
    calls = 0
    while twin.s.counters[QUEUE_LENGTH]:  # a call ends after so many steps, the next goes on
        solve.relax_means(twin.s, twin.t, calls)
        wanted = twin.force - twin.precision @ twin.s.x[:, MEAN]
        np.testing.assert_allclose(twin.s.x[:, RESIDUAL], wanted, atol=1e-12)
        calls += 1
    assert calls < 20
    assert not twin.s.place[:, QUEUED].any()
    np.testing.assert_allclose(twin.s.x[:, MEAN], twin.mean, atol=1e-8)


def test_small_residuals_are_left_alone():
    twin = with_edges(nx.path_graph(10))
    push(twin, np.random.default_rng(2), 1)
    twin.s.x[:, RESIDUAL] *= 0.01
    solve.relax_means(twin.s, twin.t, 0)
    assert (twin.s.x[:, MEAN] == 0).all()
    assert twin.s.counters[QUEUE_LENGTH] == 0


def test_the_tolerance_is_in_units_of_an_answer():
    assert solve._tolerance(0.1, 1.0, 1.0) == pytest.approx(0.1)
    assert solve._tolerance(0.1, 640.0, 1.0) == pytest.approx(1.0)
    assert solve._tolerance(0.1, 1.0, 100.0) == pytest.approx(0.01)


def test_applying_the_matrix_is_a_product():
    twin = with_edges(nx.gnp_random_graph(30, 0.6, seed=1), pending=[(0, 1)])
    v, out = np.random.default_rng(3).normal(size=30), np.empty(30)
    solve.apply(twin.s, twin.t.prior_strength, v, out)
    np.testing.assert_allclose(out, twin.precision @ v, atol=1e-9)
