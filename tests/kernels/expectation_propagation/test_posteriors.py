"""Expectation propagation by dense matrices, sparse factors and messages."""

from __future__ import annotations

import choix
import numpy as np
import pytest
from scipy import sparse
from scipy.special import ndtr

import hodgerank as hr
from hodgerank.kernels.expectation_propagation import (
    PROBIT,
    DenseDifferences,
    PairVotes,
    Sites,
    SparseDifferences,
    dense_precision,
    fit_messages,
    fit_sites,
)
from hodgerank.kernels.linalg.laplacian import divergence

VARIANCE = 0.7


def of(graph):
    wins, losses = graph.weights * (1 + graph.flows) / 2, graph.weights * (1 - graph.flows) / 2
    nothing = np.zeros(graph.n_edges)
    return PairVotes.without_bias(PROBIT, wins, losses), Sites(nothing, nothing)


def by_matrices(graph, tolerance=1e-8):
    answers, start = of(graph)
    n = graph.n_items
    posterior = DenseDifferences(graph.i, graph.j, np.eye(n) / VARIANCE, -n * np.log(VARIANCE))
    most = np.full(graph.n_edges, 2 * VARIANCE)
    return fit_sites(answers, posterior, most, start, tolerance, 200)


def by_messages(graph, tolerance=1e-8):
    answers, start = of(graph)
    return fit_messages(answers, graph.i, graph.j, graph.n_items, VARIANCE, start, tolerance, 500)


def gaussian(graph, sites):
    prior = np.eye(graph.n_items) / VARIANCE
    covariance = np.linalg.inv(dense_precision(graph.i, graph.j, sites.t, prior))
    return covariance @ divergence(graph.i, graph.j, sites.u, graph.n_items), covariance


def graph_of(votes):
    return hr.ComparisonGraph.from_comparisons(hr.read_comparisons(votes))


def test_two_items_and_one_answer_are_exact():
    sites = by_matrices(graph_of([("a", "b", 1)]))
    assert sites.log_evidence == pytest.approx(np.log(0.5))
    difference = 2 * VARIANCE / np.sqrt(1 + 2 * VARIANCE) * np.sqrt(2 / np.pi)
    mean, _ = gaussian(graph_of([("a", "b", 1)]), sites)
    assert mean[0] - mean[1] == pytest.approx(difference)


def test_the_evidence_of_three_items_is_that_of_the_integral():
    votes = [("a", "b", 1), ("a", "b", 1), ("b", "c", 1), ("c", "a", 0), ("a", "c", 1)]
    graph = graph_of(votes)
    step = np.linspace(-6, 6, 161)
    x = np.stack(np.meshgrid(step, step, step, indexing="ij"), axis=-1) * np.sqrt(VARIANCE)
    weight = np.exp(-(x**2).sum(axis=-1) / (2 * VARIANCE))
    weight /= weight.sum()
    likelihood = np.ones_like(weight)
    for a, b, y in ((0, 1, 1), (0, 1, 1), (1, 2, 1), (2, 0, 0), (0, 2, 1)):
        d = x[..., a] - x[..., b]
        likelihood = likelihood * ndtr(d) ** ((1 + y) / 2) * ndtr(-d) ** ((1 - y) / 2)
    posterior = weight * likelihood
    sites = by_matrices(graph)
    assert sites.log_evidence == pytest.approx(np.log(posterior.sum()), abs=0.01)
    mean, covariance = gaussian(graph, sites)
    exact = (posterior[..., None] * x).sum(axis=(0, 1, 2)) / posterior.sum()
    np.testing.assert_allclose(mean, exact, atol=0.01)
    spread = (posterior * (x[..., 0] - x[..., 2] - exact[0] + exact[2]) ** 2).sum()
    ours = covariance[0, 0] + covariance[2, 2] - 2 * covariance[0, 2]
    assert ours == pytest.approx(spread / posterior.sum(), rel=0.02)


def test_single_answers_give_what_choix_finds():
    votes = hr.simulate_comparisons(12, 60, spread=1.5, rng=3)
    columns = (votes.left.tolist(), votes.right.tolist(), votes.outcome.tolist())
    # theirs has a site per answer, ours one per pair
    kept = list({frozenset(row[:2]): row for row in zip(*columns, strict=True)}.values())
    graph = graph_of(kept)
    won = [(a, b) if y > 0 else (b, a) for a, b, y in kept]
    mean, covariance = choix.ep_pairwise(12, won, alpha=1 / VARIANCE, model="probit")
    ours, spread = gaussian(graph, by_matrices(graph))
    order = list(graph.items)
    np.testing.assert_allclose(ours - ours.mean(), (mean - mean.mean())[order], atol=1e-4)
    np.testing.assert_allclose(np.diag(spread), np.diag(covariance)[order], rtol=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_messages_are_exact_on_trees(seed):
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(1, 30):
        rows += [(item, int(rng.integers(item)), rng.choice([-1, 0, 1]))] * rng.integers(1, 4)
    graph = graph_of(rows)
    dense, sent = by_matrices(graph), by_messages(graph)
    np.testing.assert_allclose(sent.t, dense.t, atol=1e-6)
    np.testing.assert_allclose(sent.u, dense.u, atol=1e-6)
    assert sent.log_evidence == pytest.approx(dense.log_evidence, abs=1e-6)


def test_messages_are_nearly_right_on_large_graphs():
    graph = graph_of(hr.simulate_comparisons(300, 1500, spread=1.5, rng=1))
    dense, sent = by_matrices(graph), by_messages(graph)
    assert np.abs(sent.t - dense.t).max() < 0.01
    assert sent.log_evidence == pytest.approx(dense.log_evidence, abs=0.5)


def test_sparse_factors_give_what_dense_matrices_do():
    rows = [(k, k + step, 1) for k in range(40) for step in (1, 2, 3)] + [(3, 30, -1)]
    graph = graph_of(rows)
    n = graph.n_items
    rng = np.random.default_rng(0)
    t, u = rng.uniform(0.1, 2, graph.n_edges), rng.normal(size=graph.n_edges)
    prior = np.diag(rng.uniform(0.5, 2, n))
    log_determinant = float(np.log(np.diag(prior)).sum())
    dense = DenseDifferences(graph.i, graph.j, prior, log_determinant)(t, u)
    ours = SparseDifferences(graph.i, graph.j, sparse.csc_array(prior), log_determinant)(t, u)
    for one, other in zip(ours, dense, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_warm_sites_need_fewer_sweeps_to_the_same_place():
    graph = graph_of(hr.simulate_comparisons(20, 100, spread=1.5, rng=2))
    cold = by_matrices(graph, 1e-6)
    answers, _ = of(graph)
    posterior = DenseDifferences(graph.i, graph.j, np.eye(20) / VARIANCE, -20 * np.log(VARIANCE))
    most = np.full(graph.n_edges, 2 * VARIANCE)
    warm = fit_sites(answers, posterior, most, cold, 1e-6, 100)
    assert warm.sweeps < cold.sweeps
    np.testing.assert_allclose(warm.t, cold.t, atol=1e-5)


def test_sites_that_do_not_come_to_rest_say_so():
    graph = graph_of(hr.simulate_comparisons(20, 100, spread=1.5, rng=2))
    answers, start = of(graph)
    posterior = DenseDifferences(graph.i, graph.j, np.eye(20) / VARIANCE, -20 * np.log(VARIANCE))
    most = np.full(graph.n_edges, 2 * VARIANCE)
    found = fit_sites(answers, posterior, most, start, 1e-9, 2)
    assert (found.sweeps, found.change > 1e-9) == (2, True)
