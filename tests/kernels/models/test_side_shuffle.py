"""Sides dealt at random, against all ways of dealing them."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest

from hodgerank.kernels.hypothesis_tests import shuffled_energy


def energy(first, turned, weight):
    """Of the position part of one group with these rows shown one way."""
    mask = np.isin(np.arange(len(turned)), first)
    r, s = weight[mask].sum(), weight[~mask].sum()
    p, q = (weight[m] @ turned[m] / weight[m].sum() for m in (mask, ~mask))
    return (p - q) ** 2 * r * s / (r + s)


@pytest.mark.parametrize("n_first", [1, 2, 4])
def test_every_way_of_dealing_is_as_likely(n_first):
    rng = np.random.default_rng(n_first)
    turned, weight = rng.uniform(-1, 1, 5), rng.uniform(0.5, 2, 5)
    ways = [energy(rows, turned, weight) for rows in combinations(range(5), n_first)]
    starts, first = np.array([0, 5]), np.array([n_first])
    drawn = [shuffled_energy(starts, first, turned, weight, rng.random(5)) for _ in range(4_000)]
    places = np.abs(np.subtract.outer(drawn, ways))
    assert places.min(axis=1).max() < 1e-12
    counts = np.bincount(places.argmin(axis=1), minlength=len(ways))
    assert np.abs(counts / 4_000 - 1 / len(ways)).max() < 0.05


def test_on_average_it_is_the_variance_of_each_group():
    rng = np.random.default_rng(0)
    sizes, first = np.array([2, 7, 4]), np.array([1, 3, 2])
    starts = np.r_[0, np.cumsum(sizes)]
    turned = rng.choice([-1.0, 1.0], 13)
    drawn = [
        shuffled_energy(starts, first, turned, np.ones(13), rng.random(13)) for _ in range(4_000)
    ]
    variances = [np.var(turned[a:b], ddof=1) for a, b in pairwise(starts)]
    assert np.mean(drawn) == pytest.approx(sum(variances), rel=0.05)
