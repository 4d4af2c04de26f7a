"""The flexible link: what it is at its ends, and its derivatives against differences."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels import links as kernel


def test_weight_at_strength_zero_is_coins():
    weights = np.array([1.0, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(kernel.shares(np.array([-5.0, 0.0, 5.0])) @ weights, 0.5)


def test_the_link_is_monotone_and_symmetric():
    d = np.linspace(-3, 3, 101)
    p = kernel.shares(d) @ kernel.START
    assert (np.diff(p) > 0).all()
    np.testing.assert_allclose(p + p[::-1], 1)
    np.testing.assert_allclose(kernel.slope(d, kernel.START)[1:-1], np.gradient(p, d)[1:-1], 0.5)


def test_derivatives_equal_differences():
    rng = np.random.default_rng(0)
    d, n = rng.normal(size=6), rng.integers(1, 9, 6).astype(float)
    wins = np.array([0.0, 1, 1, 0, n[4], n[5] / 2])
    w = rng.dirichlet(np.full(6, 3.0))
    at = kernel.information(d, kernel.shares(d), w, n, wins)

    def value(d, w):
        return kernel.log_likelihood(kernel.shares(d), w, n, wins)

    h = 1e-6
    for k in range(6):
        step = h * (np.arange(6) == k)
        assert (
            abs((value(d + step, w) - value(d - step, w)) / (2 * h) - at.difference_slope[k]) < 1e-4
        )
        other = h * (np.arange(6) == (k + 1) % 6)
        along = (value(d, w + step - other) - value(d, w - step + other)) / (2 * h)
        assert abs(along - (at.weight_slope[k] - at.weight_slope[(k + 1) % 6])) < 1e-4


def test_information_is_the_expected_curvature():
    """Of many answers that are as the link says, it is the second derivative."""
    d, w, n = np.array([0.3, -1.2]), kernel.START, np.array([1e6, 1e6])
    p = kernel.shares(d) @ w
    at = kernel.information(d, kernel.shares(d), w, n, n * p)
    h = 1e-4
    for k in range(2):
        step = h * (np.arange(2) == k)
        push = [
            kernel.information(t, kernel.shares(t), w, n, n * p).difference_slope[k]
            for t in (d + step, d - step)
        ]
        np.testing.assert_allclose((push[1] - push[0]) / (2 * h), at.curvature[k], rtol=1e-3)
