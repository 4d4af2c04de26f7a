"""The part of a flow that turns around triangles, against a dense projection."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hodgerank.kernels.triangles import curl_operator, curl_part


def complete_graph(n):
    where = {pair: e for e, pair in enumerate(combinations(range(n), 2))}
    triples = combinations(range(n), 3)
    triangles = [(where[i, j], where[j, k], where[i, k]) for i, j, k in triples]
    return len(where), np.array(triangles)


def test_the_operator_sums_a_flow_around_each_triangle():
    m, triangles = complete_graph(5)
    flow = np.random.default_rng(0).normal(size=m)
    wanted = [flow[ij] + flow[jk] - flow[ik] for ij, jk, ik in triangles]
    np.testing.assert_allclose(curl_operator(triangles, m) @ flow, wanted)


def test_scores_do_not_turn():
    m, triangles = complete_graph(6)
    x = np.random.default_rng(1).normal(size=6)
    i, j = np.triu_indices(6, 1)
    np.testing.assert_allclose(curl_operator(triangles, m) @ (x[i] - x[j]), 0, atol=1e-12)


@pytest.mark.parametrize("columns", [(), (3,)])
@pytest.mark.parametrize("n_triangles", [4, 20])
def test_the_part_is_the_weighted_projection(columns, n_triangles):
    rng = np.random.default_rng(2)
    m, triangles = complete_graph(6)
    triangles = rng.permutation(triangles)[:n_triangles]
    weights, flows = rng.uniform(0.5, 4, m), rng.normal(size=(m, *columns))
    curl = curl_operator(triangles, m)
    dense, root = curl.toarray(), np.sqrt(weights)
    span = dense.T / root[:, None]
    scaled = (root * flows.T).T
    wanted = (span @ (np.linalg.pinv(span, rcond=1e-10) @ scaled)).T / root
    part, potential, residual = curl_part(curl, weights, flows)
    np.testing.assert_allclose(part, wanted.T, atol=1e-9)
    np.testing.assert_allclose(part.T, (dense.T @ potential).T / weights, atol=1e-9)
    assert residual <= 1e-12
