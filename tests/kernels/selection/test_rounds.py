"""Asking in rounds, against a list of all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from hodgerank.kernels.selection.tie_breaking import item_keys, least_asked_pair, stream


def brute_force(counts, in_rounds, blocked, key):
    keys = item_keys(key, len(counts))
    pairs = [pair for pair in combinations(range(len(counts)), 2) if not blocked[pair]]
    if in_rounds and pairs:
        fewest = min(counts[pair] for pair in pairs)
        pairs = [pair for pair in pairs if counts[pair] == fewest]
    return max(pairs, key=lambda pair: int(keys[pair[0]] ^ keys[pair[1]]), default=(-1, -1))


@pytest.mark.parametrize("share_blocked", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("in_rounds", [False, True])
def test_the_pair_is_the_one_brute_force_finds(in_rounds, share_blocked):
    rng = np.random.default_rng(1)
    for step in range(60):
        n, key = int(rng.integers(2, 8)), stream(2, step)
        counts = rng.integers(0, 4, (n, n))
        blocked = rng.random((n, n)) < share_blocked
        found = least_asked_pair(counts, in_rounds, blocked, bool(share_blocked), key)
        assert found == brute_force(counts, in_rounds, blocked, key)


def test_a_round_asks_every_pair_once():
    counts, nothing = np.zeros((5, 5), np.int64), np.zeros((1, 1), bool)
    for step in range(20):
        counts[least_asked_pair(counts, True, nothing, False, stream(0, step))] += 1
    assert (counts[np.triu_indices(5, 1)] == 2).all()


def test_without_rounds_counts_do_not_matter():
    nothing = np.zeros((1, 1), bool)
    one, other = np.zeros((6, 6), np.int64), np.arange(36).reshape(6, 6)
    for step in range(20):
        found = {least_asked_pair(c, False, nothing, False, stream(0, step)) for c in (one, other)}
        assert len(found) == 1
