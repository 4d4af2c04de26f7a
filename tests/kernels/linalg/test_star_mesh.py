from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hodgerank.kernels.linalg.cholesky import star_mesh, star_mesh_solve
from hodgerank.kernels.linalg.normal_equations import NormalEquations


def exact_solution(i, j, weights, rhs, n):
    """By fractions, the last item held at zero."""
    matrix = [[Fraction(0)] * n for _ in range(n)]
    for a, b, w in zip(i, j, map(Fraction, weights), strict=True):
        matrix[a][a] += w
        matrix[b][b] += w
        matrix[a][b] -= w
        matrix[b][a] -= w
    rows = [[*matrix[k][:-1], Fraction(rhs[k])] for k in range(n - 1)]
    for k in range(n - 1):
        rows[k] = [value / rows[k][k] for value in rows[k]]
        for other in range(n - 1):
            if other != k:
                factor = rows[other][k]
                rows[other] = [u - factor * v for u, v in zip(rows[other], rows[k], strict=True)]
    return np.array([*(float(row[-1]) for row in rows), 0.0])


@pytest.mark.parametrize("seed", range(5))
def test_all_digits_survive_weights_of_forty_orders_of_magnitude(seed):
    rng = np.random.default_rng(seed)
    n = 6
    i, j = np.triu_indices(n, 1)
    weights = 10.0 ** rng.uniform(-20, 20, len(i))
    # what flows into one item and out of the next: nothing cancels
    rhs = np.r_[1.0, np.zeros(n - 2), -1.0]
    found = star_mesh_solve(star_mesh(i, j, weights, n, 0.0), rhs)
    np.testing.assert_allclose(found, exact_solution(i, j, weights, rhs, n), rtol=1e-12)


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_ordinary_weights_are_solved_as_by_cholesky(ridge, monkeypatch):
    rng = np.random.default_rng(0)
    i, j = np.array([0, 0, 1, 3]), np.array([1, 2, 2, 4])  # two components, one item alone
    labels = np.array([0, 0, 0, 1, 1, 2])
    weights, rhs = rng.uniform(0.5, 2, 4), rng.normal(size=(6, 2))
    usual = NormalEquations(i, j, weights, labels, ridge)
    other = NormalEquations(i, j, weights, labels, ridge)
    monkeypatch.setitem(other.__dict__, "_has_dense_factor", False)
    np.testing.assert_allclose(other._dense_solve(rhs), usual._dense_solve(rhs), atol=1e-12)
    np.testing.assert_allclose(other.inverse, usual.inverse, atol=1e-12)
