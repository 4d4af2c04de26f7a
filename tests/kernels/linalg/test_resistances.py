"""Effective resistances against the pseudo-inverse."""

from __future__ import annotations

import numpy as np
import pytest

from hodgerank.kernels.linalg import normal_equations
from hodgerank.kernels.linalg.normal_equations import NormalEquations, effective_resistances
from reference.inverse import centred_inverse


def system(n, ridge=0.0):
    rng = np.random.default_rng(n)
    i, j = (ends.astype(np.int32) for ends in np.triu_indices(n, 1))
    weights = rng.uniform(0.5, 3, len(i))
    laplacian = np.zeros((n, n))
    laplacian[i, j] = laplacian[j, i] = -weights
    laplacian -= np.diag(laplacian.sum(axis=1))
    inverse = centred_inverse(laplacian + ridge * np.eye(n))
    wanted = np.diag(inverse)[i] + np.diag(inverse)[j] - 2 * inverse[i, j]
    return NormalEquations(i, j, weights, np.zeros(n, np.int64), ridge), wanted


@pytest.mark.parametrize("ridge", [0.0, 0.05])
def test_they_equal_those_of_the_inverse(ridge):
    equations, wanted = system(9, ridge)
    np.testing.assert_allclose(effective_resistances(equations), wanted, rtol=1e-8)


def test_without_an_inverse_they_are_right_on_average(monkeypatch):
    monkeypatch.setattr(normal_equations, "DENSE_ITEMS", 0)
    equations, wanted = system(40)
    assert equations.method != "dense"
    found = effective_resistances(equations)
    assert np.sum(equations.weights * found) == pytest.approx(39, rel=0.1)
    assert np.abs(found / wanted - 1).mean() < 0.35
