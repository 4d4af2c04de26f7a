"""The grid of items by mean and variance, against a walk through all of it."""

from __future__ import annotations

import numpy as np
import pytest

from hodgerank.kernels.matrix_free import grid
from hodgerank.kernels.matrix_free.state import (
    CELL,
    INFORMATION,
    IS_STALE,
    MEAN,
    N_LISTED,
    NEXT,
    PREVIOUS,
    VARIANCE,
    VARIANCE_ALONE,
)
from hodgerank.kernels.selection.information import information, outcome_spread
from kernels.matrix_free.twin import Twin

CRITERIA = [INFORMATION, VARIANCE_ALONE]


def cell_of(twin, u):
    """By the definition of buckets and levels."""
    t, n_buckets = twin.t, len(twin.s.top)
    n_levels = len(twin.s.cells) // n_buckets
    mean, variance = twin.s.x[u, MEAN], twin.s.x[u, VARIANCE]
    bucket = 0
    if t.criterion == INFORMATION:
        bucket = np.clip(np.trunc((mean + t.mean_range) / t.bucket_width), 0, n_buckets - 1)
    level = np.clip(np.trunc(np.log(variance / t.lowest_variance) / t.log_ratio), 0, n_levels - 1)
    return int(bucket) * n_levels + int(level)


def assert_in_order(twin):
    """Every item stands in its cell, and in a ring with the others of it."""
    s = twin.s
    n_levels = len(s.cells) // len(s.top)
    members = {}
    for u in range(twin.n):
        if s.place[u, CELL] >= 0:
            assert s.place[u, CELL] == cell_of(twin, u)
            members.setdefault(cell_of(twin, u), set()).add(u)
    for cell, first in enumerate(s.cells.tolist()):
        ring, u = [], first
        while u >= 0 and u not in ring:
            ring.append(u)
            assert s.place[s.place[u, NEXT], PREVIOUS] == u
            u = int(s.place[u, NEXT])
        assert set(ring) == members.get(cell, set())
        assert u == first
    tops = np.full(len(s.top), -1)
    for cell in members:
        tops[cell // n_levels] = max(tops[cell // n_levels], cell % n_levels)
    assert s.top.tolist() == tops.tolist()


def move_randomly(twin, rng):
    u = int(rng.integers(twin.n))
    twin.s.x[u, MEAN] = rng.normal(0, 0.6)
    twin.s.x[u, VARIANCE] = np.exp(rng.uniform(-1.2, 0.2))
    return u


def all_estimates(twin):
    """What every pair of buckets promises, best first."""
    s, t = twin.s, twin.t
    n_buckets = len(s.top)
    n_levels = len(s.cells) // n_buckets

    def worth(level_a, level_b, D):
        C = sum(t.lowest_variance * np.exp((k + 1) * t.log_ratio) for k in (level_a, level_b))
        if t.criterion == VARIANCE_ALONE:
            return C
        return information(C, outcome_spread(D, t.link, False))

    levels = [
        [k for k in range(n_levels) if s.cells[a * n_levels + k] >= 0][::-1]
        for a in range(n_buckets)
    ]

    def is_alone(cell):
        return s.place[s.cells[cell], NEXT] == s.cells[cell]

    if n_buckets == 1:
        highest = levels[0]
        return sorted(
            (
                worth(highest[p], highest[q], 0.0)
                for p in range(min(grid.N_TOP_LEVELS, len(highest)))
                for q in range(p, min(p + grid.N_TOP_LEVELS, len(highest)))
                if p != q or not is_alone(highest[p])
            ),
            reverse=True,
        )
    found = []
    for a in range(n_buckets):
        if not levels[a]:
            continue
        top = levels[a][0]
        if not is_alone(a * n_levels + top):
            found.append(worth(top, top, 0.0))
        elif len(levels[a]) > 1:
            found.append(worth(top, levels[a][1], 0.0))
        for b in range(a + 1, n_buckets):
            D = (b - a) * t.bucket_width
            is_decided = outcome_spread(D, t.link, False) <= grid.NEGLIGIBLE
            if levels[b] and D < grid.FARTHEST and not is_decided:
                found.append(worth(top, levels[b][0], D))
    return sorted(found, reverse=True)


def listed(twin):
    return twin.s.listed[: twin.s.counters[N_LISTED]].copy()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_items_that_move_stand_where_they_belong(criterion):
    rng = np.random.default_rng(1)
    twin = Twin(12, criterion=criterion)
    assert_in_order(twin)
    for key in range(400):
        grid.put(twin.s, twin.t, move_randomly(twin, rng), key)
        if key % 20 == 0:
            assert_in_order(twin)


def test_means_and_variances_beyond_the_grid_stand_at_its_ends():
    twin = Twin(4)
    twin.s.x[:, MEAN] = [-50, 50, 0, 0]
    twin.s.x[:, VARIANCE] = [1, 1, 1e-9, 1e9]
    for u in range(4):
        grid.put(twin.s, twin.t, u, 0)
    assert_in_order(twin)
    n_levels = len(twin.s.cells) // len(twin.s.top)
    buckets, levels = np.divmod(twin.s.place[:, CELL], n_levels)
    assert (buckets[0], buckets[1]) == (0, len(twin.s.top) - 1)
    assert (levels[2], levels[3]) == (0, n_levels - 1)


def test_an_item_taken_out_is_in_no_cell_until_it_is_put_again():
    rng = np.random.default_rng(2)
    twin = Twin(8)
    for key in range(300):
        u = int(rng.integers(8))
        if rng.random() < 0.5:
            grid.take_out(twin.s, u)
            assert twin.s.place[u, CELL] == -1
        else:
            u = move_randomly(twin, rng)
            grid.put(twin.s, twin.t, u, key)
            assert twin.s.place[u, CELL] == cell_of(twin, u)
        if any(twin.s.place[v, CELL] >= 0 for v in range(8)) and key % 10 == 0:
            assert_in_order(twin)


def test_retired_items_are_neither_put_nor_rebuilt():
    twin = Twin(5)
    grid.take_out(twin.s, 2)
    twin.s.place[2, CELL] = grid.RETIRED
    grid.put(twin.s, twin.t, 2, 0)
    grid.rebuild(twin.s, twin.t, np.arange(5), 0)
    assert twin.s.place[2, CELL] == grid.RETIRED
    assert 2 not in twin.s.cells
    assert_in_order(twin)


def test_a_new_item_goes_to_the_front_or_the_back_as_its_key_decides():
    fronts = set()
    for key in range(30):
        twin = Twin(3)
        grid.rebuild(twin.s, twin.t, np.arange(3), key)
        fronts.add(int(twin.s.cells[twin.s.place[0, CELL]]))
        assert_in_order(twin)
    assert len(fronts) > 1


@pytest.mark.parametrize("link", [0, 1, 2])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_pairs_of_buckets_listed_promise_most(criterion, link):
    rng = np.random.default_rng(3)
    for n, width in [(1, 0.25), (2, 0.25), (5, 0.25), (40, 0.1)]:
        twin = Twin(n, criterion=criterion, link=link, bucket_width=width)
        for key in range(5 * n):
            grid.put(twin.s, twin.t, move_randomly(twin, rng), key)
        grid.list_buckets(twin.s, twin.t)
        wanted = all_estimates(twin)[: len(twin.s.listed)]
        np.testing.assert_allclose(listed(twin)[:, 0], wanted, rtol=1e-12)
        assert twin.s.counters[IS_STALE] == 0
        cells = listed(twin)[:, 1:].astype(int)
        assert (twin.s.cells[cells] >= 0).all()
        for left, right in cells[(cells[:, 0] == cells[:, 1])]:
            first = twin.s.cells[left]
            assert left == right
            assert twin.s.place[first, NEXT] != first  # two items can meet there


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_list_that_is_not_stale_is_the_one_made_afresh(criterion):
    rng = np.random.default_rng(4)
    twin = Twin(9, criterion=criterion)
    fresh_enough = 0
    for key in range(600):
        if twin.s.counters[IS_STALE]:
            grid.list_buckets(twin.s, twin.t)
        u = int(rng.integers(9))
        if rng.random() < 0.1:
            grid.take_out(twin.s, u)
        else:
            twin.s.x[u, MEAN] = rng.choice([0.1, 0.4])
            twin.s.x[u, VARIANCE] = rng.choice([0.2, 0.4, 0.6, 0.8])
            grid.put(twin.s, twin.t, u, key)
        if not twin.s.counters[IS_STALE]:
            before = listed(twin)
            grid.list_buckets(twin.s, twin.t)
            np.testing.assert_array_equal(listed(twin), before)
            fresh_enough += 1
    assert fresh_enough > (50 if criterion == INFORMATION else 0)


def test_nothing_is_listed_where_nobody_stands():
    twin = Twin(3)
    for u in range(3):
        grid.take_out(twin.s, u)
    grid.list_buckets(twin.s, twin.t)
    assert twin.s.counters[N_LISTED] == 0
