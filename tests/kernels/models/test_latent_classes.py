"""Kernels of latent classes, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from hodgerank.kernels.latent_classes import (
    gradient_products,
    own_influence,
    predict,
    score_equations,
    update_workers,
)
from reference import latent_classes as reference

N_WORKERS, N_ITEMS, N_CLASSES = 7, 5, 2


@pytest.fixture(params=range(3))
def cells(request):
    rng = np.random.default_rng(request.param)
    m = 60
    worker = np.sort(rng.integers(0, N_WORKERS, m)).astype(np.int32)
    i = rng.integers(0, N_ITEMS, m).astype(np.int32)
    j = ((i + rng.integers(1, N_ITEMS, m)) % N_ITEMS).astype(np.int32)
    weight = rng.integers(0, 4, m).astype(float)  # some are left out
    x = rng.normal(size=(N_CLASSES, N_ITEMS))
    return {
        "worker": worker,
        "starts": np.searchsorted(worker, np.arange(N_WORKERS + 1)).astype(np.int32),
        "i": i,
        "j": j,
        "side": rng.choice([-1.0, 0.0, 1.0], m),
        "weight": weight,
        "won": weight * rng.random(m),
        "d": x[:, i] - x[:, j],
        "a": rng.normal(1, 0.5, (N_CLASSES, N_WORKERS)),
        "b": rng.normal(0, 0.5, (N_CLASSES, N_WORKERS)),
        "share": rng.dirichlet(np.ones(N_CLASSES), N_WORKERS).T.copy(),
        "rng": rng,
    }


def test_workers_are_fitted_as_by_a_general_optimiser(cells):
    c = cells
    a, b = c["a"].copy(), c["b"].copy()
    arrays = (c["starts"], c["side"], c["won"], c["weight"], c["d"], a, b)
    marginal, precision = update_workers(*arrays, 25)
    for g in range(N_CLASSES):
        for w in range(N_WORKERS):
            mine = slice(*c["starts"][w : w + 2])
            own = [c[name][mine] for name in ("side", "won", "weight")]
            best = minimize(
                lambda theta, g=g, mine=mine, own=own: (
                    -reference.log_posterior(theta, c["d"][g, mine], *own)
                ),
                [1.0, 0.0],
                tol=1e-10,
            )
            assert np.allclose(best.x, [a[g, w], b[g, w]], atol=1e-4)
            matrix = reference.information_of(best.x, c["d"][g, mine], own[0], own[2])
            aa, ab, bb = precision[g, w]
            assert np.allclose(matrix, [[aa, ab], [ab, bb]], rtol=1e-3)
            laplace = -best.fun - 0.5 * np.linalg.slogdet(matrix)[1]
            assert np.isclose(marginal[g, w], laplace, atol=1e-4)


def test_score_equations_equal_those_of_numpy(cells):
    c = cells
    arrays = (c["starts"], c["side"], c["won"], c["weight"], c["d"])
    _, precision = update_workers(*arrays, c["a"].copy(), c["b"].copy(), 1)
    w = c["worker"]
    found = score_equations(
        w, c["i"], c["j"], c["side"], c["won"], c["weight"], c["d"],
        c["a"], c["b"], precision, c["share"], N_ITEMS,
    )  # fmt: skip
    for g in range(N_CLASSES):
        aa, ab, bb = precision[g, w].T
        determinant = aa * bb - ab**2
        expected = reference.score_equations(
            c["i"], c["j"], c["side"], c["won"], c["weight"], c["d"][g], c["a"][g, w],
            c["b"][g, w], bb / determinant, -ab / determinant, c["share"][g, w], N_ITEMS,
        )  # fmt: skip
        assert np.allclose(found[0][g], expected[0])
        assert np.allclose(found[1][g], expected[1])


def test_gradients_of_workers_equal_those_of_numpy(cells):
    c = cells
    miss, root = c["rng"].normal(size=len(c["i"])), c["rng"].normal(size=(N_ITEMS, N_ITEMS))
    rows = reference.gradients(c["worker"], c["i"], c["j"], miss, N_WORKERS, N_ITEMS)
    found = gradient_products(c["starts"], c["i"], c["j"], miss, N_ITEMS)
    assert np.allclose(found, rows.T @ rows)
    moved = (rows @ (root @ root.T))[c["worker"]]
    places = np.arange(len(miss))
    influence = own_influence(c["starts"], c["i"], c["j"], miss, root @ root.T)
    assert np.allclose(influence, moved[places, c["i"]] - moved[places, c["j"]])


def test_predictions_are_means_over_the_posterior(cells):
    c = cells
    precision = np.tile([9.0, 2.0, 6.0], (N_CLASSES, N_WORKERS, 1))
    covariance = np.tile(0.02 * np.eye(N_ITEMS), (N_CLASSES, 1, 1))
    found = predict(
        c["worker"], c["i"], c["j"], c["side"], c["d"], c["a"], c["b"], precision, c["share"],
        covariance,
    )  # fmt: skip
    draws = c["rng"].multivariate_normal([0, 0], np.linalg.inv([[9, 2], [2, 6]]), 40_000)
    errors = c["rng"].normal(0, 0.2, 40_000)
    for cell in range(0, len(found), 7):
        w, s = c["worker"][cell], c["side"][cell]
        expected = 0.0
        for g in range(N_CLASSES):
            a, b = c["a"][g, w] + draws[:, 0], c["b"][g, w] + draws[:, 1]
            t = a * (c["d"][g, cell] + errors) + b * s
            expected += c["share"][g, w] * reference.logistic(t).mean()
        assert abs(found[cell] - expected) < 0.02
