"""The table of wins, against a dictionary."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hodgerank.kernels.edges import count_wins, edges_of


@pytest.mark.parametrize(("n", "m"), [(1, 0), (2, 1), (5, 60), (64, 300), (65, 300), (150, 4000)])
def test_edges_are_those_of_a_dictionary(n, m):
    """Also where rows and columns fill more than one block."""
    rng = np.random.default_rng(n)
    place = rng.permutation(n)
    left = rng.integers(0, n, m, dtype=np.int32)
    right = ((left + rng.integers(1, max(n, 2), m)) % n).astype(np.int32)
    outcome = rng.choice([-1.0, 1.0], m)
    wins = Counter()
    for a, b, y in zip(place[left].tolist(), place[right].tolist(), outcome, strict=True):
        wins[(a, b) if y > 0 else (b, a)] += 1

    beats = np.zeros((n, n), np.int32)
    half = m // 2
    for part in (slice(0, half), slice(half, m)):  # a second piece adds to the first
        count_wins(beats, left[part], right[part], outcome[part], place)
    assert {pair: beats[pair] for pair in wins} == wins
    assert beats.sum() == m

    edges = sorted({(min(pair), max(pair)) for pair in wins})
    low, high, answers, means = edges_of(beats)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == edges
    assert answers.tolist() == [wins[i, j] + wins[j, i] for i, j in edges]
    balance = [(wins[i, j] - wins[j, i]) / (wins[i, j] + wins[j, i]) for i, j in edges]
    np.testing.assert_allclose(means, balance)
    assert low.dtype == high.dtype == np.int32
