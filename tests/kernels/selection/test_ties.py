"""Precedence of pairs, against splitmix64 in Python's own integers and a plain rule for ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hodgerank.kernels.selection import tie_breaking

BITS = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def scramble(x):
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & BITS
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & BITS
    return x ^ (x >> 31)


def key_of(seed, step):
    x = scramble((scramble((seed + GOLDEN) & BITS) + step * GOLDEN) & BITS)
    return x - 2**64 if x >= 2**63 else x


def item_key_of(key, i):
    return scramble((key + (i + 1) * GOLDEN) & BITS)


def consider(best, i, j, value, precedence):
    """Called from Python, where an unsigned number that is returned is an integer like others."""
    *known, last = best
    return tie_breaking.consider((*known, np.uint64(last)), i, j, value, np.uint64(precedence))


seeds = st.integers(0, 2**62)
# Groups of values far apart, within which values differ by less than counts.
values = st.builds(
    lambda level, jitter: level * (1 + jitter * 1e-12), st.integers(-1, 3), st.integers(0, 5)
)


@given(seeds, st.integers(0, 10**6), st.integers(0, 10**6))
def test_keys_are_those_of_splitmix64(seed, step, item):
    key = tie_breaking.stream(seed, step)
    assert key == key_of(seed, step)
    assert int(tie_breaking.item_key(key, item)) == item_key_of(key, item)


@given(seeds, st.integers(0, 10**6))
def test_of_a_pair_the_item_with_the_larger_number_is_ahead(seed, step):
    key = key_of(seed, step)
    for i, j in [(0, 4), (3, 9), (1, 2)]:
        wanted = item_key_of(key, i) > item_key_of(key, j)
        assert tie_breaking.is_ahead(key, i, j) is wanted


@given(seeds, st.integers(0, 9))
def test_the_keys_of_all_items_are_those_of_each(seed, n):
    assert tie_breaking.item_keys(seed, n).tolist() == [item_key_of(seed, i) for i in range(n)]


@given(st.lists(values, max_size=12), seeds)
def test_among_the_largest_values_the_largest_key_wins(listed, key):
    m = len(listed)
    i, j = np.arange(m), np.arange(m) + 3
    found = tie_breaking.best_listed(np.array(listed, float), i, j, key)
    allowed = [k for k in range(m) if listed[k] >= 0]
    best = max((listed[k] for k in allowed), default=0.0)
    tied = [k for k in allowed if listed[k] >= best * (1 - tie_breaking.TIE)]
    keys = {k: item_key_of(key, k) ^ item_key_of(key, k + 3) for k in tied}
    assert found == max(tied, key=keys.__getitem__, default=-1)


def test_which_tied_pair_is_chosen_depends_on_the_key():
    values, i, j = np.ones(20), np.arange(20), np.arange(20) + 1
    found = {
        tie_breaking.best_listed(values, i, j, tie_breaking.stream(0, step)) for step in range(60)
    }
    assert len(found) > 10


def test_nothing_is_chosen_where_all_values_are_negative_or_there_is_none():
    nobody = np.empty(0, np.int64)
    assert tie_breaking.best_listed(np.empty(0), nobody, nobody, 1) == -1
    assert tie_breaking.best_listed(np.array([-0.5, -2.0]), np.arange(2), np.arange(2) + 2, 1) == -1


def test_a_chain_of_ties_does_not_drift_below_the_maximum():
    best = tie_breaking.none_yet()
    for k in range(4):  # each is tied with the next, the first is not tied with the last
        best = consider(best, k, k + 1, 1 + 0.6e-9 * k, 100 - k)
    assert best[0] == 1 + 1.8e-9
    assert best[1] >= best[0] * (1 - tie_breaking.TIE)
    assert (best[2], best[3]) == (2, 3)


@given(
    st.integers(1, 7),
    st.lists(values, min_size=7, max_size=7),
    st.lists(st.booleans(), min_size=7, max_size=7),
    st.booleans(),
    seeds,
)
def test_a_row_is_searched_as_pair_by_pair(n, row, is_blocked, has_blocked, key):
    keys = tie_breaking.item_keys(key, n)
    blocked = np.array([is_blocked[:n]] * n)
    row = np.array(row[:n], float)
    start = consider(tie_breaking.none_yet(), 5, 6, 1.0, 2**63)
    for *known, last in (tie_breaking.none_yet(), start):
        wanted = before = (*known, np.uint64(last))
        for b in range(1, n):
            if not (has_blocked and is_blocked[b]):
                wanted = consider(wanted, 0, b, row[b], keys[0] ^ keys[b])
        assert tie_breaking.best_in_row(before, 0, row, blocked, has_blocked, keys) == wanted


@pytest.mark.parametrize("value", [0.0, 5e-324, 1e300])
def test_any_value_that_is_not_negative_beats_none(value):
    best = consider(tie_breaking.none_yet(), 2, 4, value, 0)
    assert best[:4] == (value, value, 2, 4)
