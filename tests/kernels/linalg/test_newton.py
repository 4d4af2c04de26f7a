"""Newton's method, against a dense one and where a step must be halved."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from hodgerank.kernels.linalg.laplacian import Solution
from hodgerank.kernels.linalg.newton import maximise

RIDGE = 0.3
I = np.array([0, 0, 0, 1, 2], np.int32)  # noqa: E741
J = np.array([1, 2, 3, 3, 3], np.int32)
N = 4


def dense_solve(curvatures, gradient, _tolerance):
    D = np.eye(N)[I] - np.eye(N)[J]
    matrix = D.T @ (curvatures[:, None] * D) + RIDGE * np.eye(N)
    return Solution(np.linalg.solve(matrix, gradient), 1, 0.0, "dense")


def logistic(p):
    def objective(t):
        win = 1 / (1 + np.exp(-t))
        return float(np.sum(p * t - np.logaddexp(0, t))), p - win, win * (1 - win)

    return objective


def test_the_maximum_is_that_of_a_general_optimiser():
    p = np.array([0.9, 0.2, 0.6, 1.0, 0.3])
    objective = logistic(p)
    fit = maximise(I, J, objective, dense_solve, start=np.zeros(N), ridge=RIDGE)
    found = minimize(
        lambda x: RIDGE / 2 * x @ x - objective(x[I] - x[J])[0], np.zeros(N), tol=1e-12
    )
    np.testing.assert_allclose(fit.x, found.x, atol=1e-5)
    assert fit.value == pytest.approx(-found.fun, rel=1e-9)
    assert fit.residual <= 1e-9
    assert fit.solver == "dense"
    np.testing.assert_allclose(fit.curvature, objective(fit.x[I] - fit.x[J])[2])


def inexact_solve(curvatures, gradient, tolerance):
    """As wrong as it may be."""
    step = dense_solve(curvatures, gradient, tolerance).x
    return Solution(step * (1 - tolerance), 1, tolerance, "inexact")


@pytest.mark.parametrize("solve", [dense_solve, inexact_solve])
@pytest.mark.parametrize("tolerance", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("start", [0.0, 1.0, 5.0])
def test_the_next_step_would_be_within_the_tolerance(solve, tolerance, start):
    objective = logistic(np.array([0.9, 0.2, 0.6, 1.0, 0.3]))
    at = start * np.array([1.0, -1.0, 0.5, -0.5])
    fit = maximise(I, J, objective, solve, start=at, ridge=RIDGE, tolerance=tolerance)
    _, slope, curvature = objective(fit.x[I] - fit.x[J])
    gradient = np.bincount(I, slope, N) - np.bincount(J, slope, N) - RIDGE * fit.x
    assert fit.residual <= tolerance
    assert np.abs(dense_solve(curvature, gradient, 0.0).x).max() <= tolerance


def test_a_step_too_far_is_halved():
    """-sqrt(1 + t^2) flattens out: Newton's step from afar overshoots ever more."""

    def objective(t):
        root = np.sqrt(1 + t * t)
        return float(-root.sum()), -t / root, root**-3.0

    start = np.array([4.0, -3.0, 2.0, -5.0])
    fit = maximise(I, J, objective, dense_solve, start=start, ridge=RIDGE)
    np.testing.assert_allclose(fit.x, 0, atol=1e-8)


def test_the_number_of_steps_is_limited_and_said():
    objective = logistic(np.ones(5))
    fit = maximise(I, J, objective, dense_solve, start=np.zeros(N), ridge=RIDGE, max_iterations=1)
    assert fit.iterations == 1
    assert fit.residual > 1e-9
    fit = maximise(I, J, objective, dense_solve, start=np.zeros(N), ridge=RIDGE, max_iterations=0)
    assert (fit.iterations, fit.solver) == (0, "none")
