"""Redrawn wins, against SciPy's quantiles and what binomial numbers have in common."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hodgerank.kernels.hypothesis_tests import MOST_DRAWS, invert_binomials, redrawn_wins

chances = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0, -0.2, 1.3]))


@given(st.integers(1, MOST_DRAWS), chances, st.integers(0, 2**32 - 1))
def test_a_uniform_number_becomes_the_quantile_from_the_end_that_is_heavier(n, chance, seed):
    uniforms = np.random.default_rng(seed).random((1, 5))
    wins = uniforms.copy()
    invert_binomials(wins, np.array([n]), np.array([[chance]]))
    p = min(max(chance, 0.0), 1.0)
    rare = stats.binom.ppf(uniforms, n, min(p, 1 - p))
    wanted = np.maximum(rare if chance < 0.5 else n - rare, 0)
    # a number next to a step of the distribution function may fall on either side of it
    cumulated = stats.binom.cdf(np.arange(n + 1), n, min(p, 1 - p))
    is_clear = np.abs(uniforms[0][:, None] - cumulated).min(axis=1) > 1e-9
    np.testing.assert_array_equal(wins[0][is_clear], wanted[0][is_clear])
    assert ((wins >= 0) & (wins <= n)).all()


def test_each_cell_has_its_own_chance():
    draws = np.array([1, 3, 7, 200])
    chance = np.random.default_rng(1).random((4, 40_000))
    chance[:] = np.repeat(chance[:, :4], 10_000, axis=1)
    wins = redrawn_wins(draws, chance, 40_000, np.random.default_rng(2))
    for row, n in enumerate(draws):
        for start in range(0, 40_000, 10_000):
            found, p = wins[row, start : start + 10_000], chance[row, start]
            assert abs(found.mean() - n * p) < 5 * np.sqrt(n * p * (1 - p) / 10_000)
            assert abs(found.var() / (n * p * (1 - p)) - 1) < 0.15


def test_the_same_generator_redraws_the_same_crowds():
    draws, chance = np.array([2, 50]), np.array([[0.3], [0.6]])
    one, other = (redrawn_wins(draws, chance, 9, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
