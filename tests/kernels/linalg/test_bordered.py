"""Laplacian systems with a border against their dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from hodgerank.errors import InvalidArgument
from hodgerank.kernels.linalg import bordered_equations, normal_equations
from hodgerank.kernels.linalg.bordered_equations import BorderedEquations
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from reference.inverse import centred_inverse

N_GROUPS, N_UNKNOWNS = 4, 2


def system(ridge: float) -> tuple[BorderedEquations, np.ndarray]:
    rng = np.random.default_rng(1)
    n = 9
    i, j = np.triu_indices(n, 1)
    design = rng.normal(size=(60, N_GROUPS * N_UNKNOWNS))
    edge = rng.integers(0, len(i), 60)
    contrast = np.zeros((60, n))
    contrast[np.arange(60), i[edge]], contrast[np.arange(60), j[edge]] = 1.0, -1.0
    group = rng.integers(0, N_GROUPS, 60)
    for row in range(60):  # each observation is of one group
        kept = slice(N_UNKNOWNS * group[row], N_UNKNOWNS * (group[row] + 1))
        values = design[row, kept].copy()
        design[row] = 0.0
        design[row, kept] = values
    weights = np.bincount(edge, minlength=len(i)).astype(float)
    used = weights > 0
    items = NormalEquations(i[used], j[used], weights[used], np.zeros(n, np.int64), ridge)
    d = design.T @ design + 0.1 * np.eye(design.shape[1])
    blocks = np.stack([d[k : k + N_UNKNOWNS, k : k + N_UNKNOWNS] for k in range(0, 8, N_UNKNOWNS)])
    border = contrast.T @ design
    full = np.block([[contrast.T @ contrast + ridge * np.eye(n), border], [border.T, d]])
    return BorderedEquations(items, sparse.csc_array(border), blocks), full


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("route", ["items", "groups"])
@pytest.mark.parametrize("is_full", [True, False])
def test_solutions_and_covariances_are_those_of_the_whole_matrix(
    monkeypatch, ridge, route, is_full
):
    monkeypatch.setattr(bordered_equations, "FULL", 0.0 if is_full else 1.0)
    if route == "groups":  # as if these were too many items
        monkeypatch.setattr(bordered_equations, "DENSE_ITEMS", N_GROUPS * N_UNKNOWNS)
        monkeypatch.setattr(normal_equations, "DENSE_ITEMS", N_GROUPS * N_UNKNOWNS)
    equations, full = system(ridge)
    assert isinstance(equations.border, np.ndarray) == is_full
    n = equations.items.n
    inverse = centred_inverse(full, n_others=N_GROUPS * N_UNKNOWNS)
    rng = np.random.default_rng(2)
    g, h = rng.normal(size=n), rng.normal(size=(N_GROUPS, N_UNKNOWNS))
    x, b = equations.solve_both(g - g.mean(), h.ravel())
    expected = inverse @ np.r_[g - g.mean(), h.ravel()]
    np.testing.assert_allclose(np.r_[x, b], expected, atol=1e-7)
    np.testing.assert_allclose(equations.inverse_diagonal.values, np.diag(inverse)[:n], atol=1e-7)
    np.testing.assert_allclose(equations.border_variances, np.diag(inverse)[n:], atol=1e-7)
    assert not equations.open_unknowns.any()
    if route == "items":
        np.testing.assert_allclose(equations.inverse, inverse[:n, :n], atol=1e-7)


def test_too_many_items_and_groups_are_refused(monkeypatch):
    monkeypatch.setattr(bordered_equations, "DENSE_ITEMS", 3)
    with pytest.raises(InvalidArgument, match="position_bias='common'"):
        system(0.0)
