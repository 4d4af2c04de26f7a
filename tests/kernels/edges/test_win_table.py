"""The table of wins, against a dictionary."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from hodgerank.kernels import edges
from hodgerank.kernels.edges import count_wins, edges_of, table_of_wins


@pytest.mark.parametrize(("n", "m"), [(1, 0), (2, 1), (5, 60), (64, 300), (700, 4000)])
@pytest.mark.parametrize("order", ["falling", "rising", "any"])
def test_edges_are_those_of_a_dictionary(n, m, order):
    """Also where the table is longer than what is counted at once."""
    assert n < 700 or n * (n - 1) > edges.NEAR
    rng = np.random.default_rng(n)
    places = {"falling": np.arange(n)[::-1], "rising": np.arange(n), "any": rng.permutation(n)}
    place = np.ascontiguousarray(places[order])
    left = rng.integers(0, n, m, dtype=np.int32)
    right = ((left + rng.integers(1, max(n, 2), m)) % n).astype(np.int32)
    outcome = rng.choice([-1.0, 1.0], m)
    found = Counter()
    for a, b, y in zip(left.tolist(), right.tolist(), outcome, strict=True):
        found[(a, b) if y > 0 else (b, a)] += 1

    wins = table_of_wins(n)
    half = m // 2
    for part in (slice(0, half), slice(half, m)):  # a second piece adds to the first
        count_wins(wins, left[part], right[part], outcome[part], place)
    assert wins.sum() == m

    pairs = sorted({(min(pair), max(pair)) for pair in found})
    low, high, answers, means = edges_of(wins, place)
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == pairs
    assert answers.tolist() == [found[i, j] + found[j, i] for i, j in pairs]
    balance = [(found[i, j] - found[j, i]) / (found[i, j] + found[j, i]) for i, j in pairs]
    np.testing.assert_allclose(means, balance)
    assert low.dtype == high.dtype == np.int32


def test_a_table_of_fewer_items_is_the_beginning_of_a_larger_one():
    small, large = table_of_wins(3), table_of_wins(5)
    left, right, place = np.array([0, 2], np.int32), np.array([1, 1], np.int32), np.arange(3)
    for table in (small, large):
        count_wins(table, left, right, np.array([1.0, -1.0]), place)
    assert large[: len(small)].tolist() == small.tolist()
    assert not large[len(small) :].any()
