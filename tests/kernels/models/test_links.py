from __future__ import annotations

import numpy as np
import pytest

from hodgerank.kernels import links
from hodgerank.kernels.links import LIKELIHOODS, LINKS, likelihood_of

T = np.linspace(-0.99, 0.99, 41)


@pytest.mark.parametrize("name", LINKS)
def test_links_are_symmetric_and_inverted_by_their_quantile(name):
    link = LINKS[name]
    np.testing.assert_allclose(link.cdf(T) + link.cdf(-T), 1, atol=1e-12)
    np.testing.assert_allclose(link.quantile(link.cdf(T)), T, atol=1e-9)
    step = 1e-6
    slope = (link.cdf(T + step / 2) - link.cdf(T - step / 2)) / step
    np.testing.assert_allclose(link.density(T), slope, atol=1e-6)


@pytest.mark.parametrize("name", LINKS)
def test_probabilities_stay_in_bounds_far_out(name):
    far = LINKS[name].cdf(np.array([-50.0, 50.0]))
    assert (far >= 0).all()
    assert (far <= 1).all()
    np.testing.assert_allclose(far, [0, 1], atol=1e-12)


@pytest.mark.parametrize("name", LIKELIHOODS)
@pytest.mark.parametrize("p", [0.0, 0.3, 0.5, 1.0])
def test_likelihood_and_its_derivatives(name, p):
    t = np.linspace(-6, 6, 49)
    likelihood = LIKELIHOODS[name]
    value, slope, curvature = likelihood(t, np.full_like(t, p))
    cdf = LINKS[name].cdf(t)
    with np.errstate(divide="ignore", invalid="ignore"):
        plain = p * np.log(cdf) + (1 - p) * np.log(LINKS[name].cdf(-t))
    np.testing.assert_allclose(value, np.where(np.isnan(plain), value, plain), atol=1e-9)
    step = 1e-5
    up, down = likelihood(t + step, p), likelihood(t - step, p)
    np.testing.assert_allclose(slope, (up[0] - down[0]) / (2 * step), atol=1e-6)
    np.testing.assert_allclose(curvature, -(up[1] - down[1]) / (2 * step), atol=1e-6)


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_likelihoods_stay_finite_far_out(name):
    for part in LIKELIHOODS[name](np.array([-40.0, 40.0]), np.array([1.0, 0.0])):
        assert np.isfinite(part).all()


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_edges_looked_at_in_blocks_add_up_to_the_likelihood_of_all(name, monkeypatch):
    rng = np.random.default_rng(0)
    t, weights, win_rates = rng.normal(size=20), rng.uniform(0.5, 3, 20), rng.uniform(size=20)
    value, slope, curvature = LIKELIHOODS[name](t, win_rates)
    monkeypatch.setattr(links, "BLOCK", 6)
    found = likelihood_of(LIKELIHOODS[name], weights, win_rates)(t)
    assert found[0] == pytest.approx(float(weights @ value))
    np.testing.assert_allclose(found[1], weights * slope)
    np.testing.assert_allclose(found[2], weights * curvature)
