"""Dense factors, against the pseudo-inverse."""

from __future__ import annotations

import numpy as np
import pytest

from hodgerank.kernels.linalg import cholesky as kernel
from reference.inverse import centred_inverse

# two components: a square with a diagonal, and a path
I = np.array([0, 0, 0, 1, 2, 4, 5], np.int32)  # noqa: E741
J = np.array([1, 2, 3, 2, 3, 5, 6], np.int32)
LABELS = np.array([0, 0, 0, 0, 1, 1, 1])
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.5, 3.0, 1.0, 0.25])


@pytest.fixture(params=["factor", "inverse of the factor"])
def _way(request, monkeypatch):
    """What is kept: of very few items the inverse of the factor."""
    if request.param == "factor":
        monkeypatch.setattr(kernel, "INVERTED_ITEMS", 0)


def exact_inverse(i, j, weights, labels, ridge):
    n = len(labels)
    D = np.eye(n)[i] - np.eye(n)[j]
    return centred_inverse(D.T @ (weights[:, None] * D) + ridge * np.eye(n), labels)


@pytest.mark.usefixtures("_way")
@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize(("n", "n_edges"), [(4, 5), (7, 7)], ids=["connected", "two components"])
def test_inverse_and_solutions_are_those_of_the_pseudo_inverse(n, n_edges, ridge):
    labels = LABELS[:n]
    system = I[:n_edges], J[:n_edges], WEIGHTS[:n_edges], labels, ridge
    exact = exact_inverse(*system)
    factor, common = kernel.dense_factor(*system)
    inverse = kernel.dense_inverse(factor.copy(), common, labels)
    np.testing.assert_allclose(inverse, exact, atol=1e-12)
    diagonal = kernel.dense_inverse_diagonal(factor, common, labels)
    np.testing.assert_allclose(diagonal, np.diag(exact), atol=1e-12)
    rhs = np.random.default_rng(0).normal(size=(n, 3))
    rhs -= np.array([rhs[labels == label].mean(axis=0) for label in labels])
    np.testing.assert_allclose(kernel.dense_solve(factor, rhs), exact @ rhs, atol=1e-12)
    np.testing.assert_allclose(kernel.dense_solve(factor, rhs[:, 0]), exact @ rhs[:, 0], atol=1e-12)


@pytest.mark.usefixtures("_way")
def test_a_matrix_that_is_not_positive_has_no_factor():
    with pytest.raises(np.linalg.LinAlgError):
        kernel.dense_factor(I, J, -WEIGHTS, LABELS, 0.0)
