"""Items by mean and variance: buckets of means, levels of variance within them.

A pair is worth asking if both items are badly known and their means are close, so the best pairs
are among the highest levels of buckets near each other. An item changes place only when its cell
changes, at the front or the back of it as a hash decides: in the order of arrival winners would
meet winners.
"""

import math

import numba
import numpy as np

from hodgerank.kernels.choice import item_key
from hodgerank.kernels.information import information, outcome_spread
from hodgerank.kernels.matrix_free.state import (
    CELL,
    IS_STALE,
    MEAN,
    N_LISTED,
    NEXT,
    PREVIOUS,
    VARIANCE,
    VARIANCE_ALONE,
)

RETIRED = -2  # the cell of an item that is not to be asked
FARTHEST = 3.0  # difference of means beyond which no pair is looked at
NEGLIGIBLE = 1e-3  # outcome variance below which a pair counts as decided


@numba.njit(cache=True)
def _cell(s, t, u):  # type: ignore[no-untyped-def]
    n_buckets = len(s.top)
    n_levels = len(s.cells) // n_buckets
    bucket = 0
    if t.criterion != VARIANCE_ALONE:
        bucket = int((s.x[u, MEAN] + t.mean_range) / t.bucket_width)
        bucket = min(max(bucket, 0), n_buckets - 1)
    level = int(math.log(s.x[u, VARIANCE] / t.lowest_variance) / t.log_ratio)
    return bucket * n_levels + min(max(level, 0), n_levels - 1)


@numba.njit(cache=True)
def put(s, t, u, key):  # type: ignore[no-untyped-def]
    """Let an item stand where its mean and variance say."""
    old = s.place[u, CELL]
    if old == RETIRED:
        return
    new = _cell(s, t, u)
    if new != old:
        take_out(s, u)
        _insert(s, u, new, item_key(key, u) & np.uint64(1) == np.uint64(0))


@numba.njit(cache=True)
def _insert(s, u, cell, at_front):  # type: ignore[no-untyped-def]
    s.place[u, CELL] = cell
    first = s.cells[cell]
    n_levels = len(s.cells) // len(s.top)
    bucket, level = cell // n_levels, cell % n_levels
    if first < 0:
        s.place[u, NEXT] = u
        s.place[u, PREVIOUS] = u
        s.cells[cell] = u
        if level > s.top[bucket]:
            s.top[bucket] = level
            s.counters[IS_STALE] = 1
        elif _is_alone(s, bucket, n_levels):
            s.counters[IS_STALE] = 1  # this may be where the partner of the topmost stands
        return
    last = s.place[first, PREVIOUS]
    if last == first and s.top[bucket] == level:
        s.counters[IS_STALE] = 1  # a second item at the top: now two can meet there
    s.place[u, NEXT] = first
    s.place[u, PREVIOUS] = last
    s.place[last, NEXT] = u
    s.place[first, PREVIOUS] = u
    if at_front:
        s.cells[cell] = u


@numba.njit(cache=True, inline="always")
def _is_alone(s, bucket, n_levels):  # type: ignore[no-untyped-def]
    """Whether one item stands at the top of a bucket, so that its partner is looked for below."""
    first = s.cells[bucket * n_levels + s.top[bucket]]
    return s.place[first, NEXT] == first


@numba.njit(cache=True)
def take_out(s, u):  # type: ignore[no-untyped-def]
    """An item leaves its cell."""
    cell = s.place[u, CELL]
    if cell < 0:
        return
    s.place[u, CELL] = -1
    n_levels = len(s.cells) // len(s.top)
    bucket, level = cell // n_levels, cell % n_levels
    following, previous = s.place[u, NEXT], s.place[u, PREVIOUS]
    if following == u:
        s.cells[cell] = -1
        if s.top[bucket] != level and _is_alone(s, bucket, n_levels):
            s.counters[IS_STALE] = 1
        if s.top[bucket] == level:
            while level >= 0 and s.cells[bucket * n_levels + level] < 0:
                level -= 1
            s.top[bucket] = level
            s.counters[IS_STALE] = 1
        return
    s.place[previous, NEXT] = following
    s.place[following, PREVIOUS] = previous
    if s.cells[cell] == u:
        s.cells[cell] = following
    if following == previous and s.top[bucket] == level:
        s.counters[IS_STALE] = 1  # one is left alone at the top


@numba.njit(cache=True)
def rebuild(s, t, order, key):  # type: ignore[no-untyped-def]
    """Put all items anew, in this order."""
    s.cells[:] = -1
    s.top[:] = -1
    for k in range(len(order)):
        if s.place[order[k], CELL] != RETIRED:
            s.place[order[k], CELL] = -1
    for k in range(len(order)):
        put(s, t, order[k], key)
    s.counters[IS_STALE] = 1


@numba.njit(cache=True, inline="always")
def value(t, C, D):  # type: ignore[no-untyped-def]
    """What asking a pair is worth, given variance and mean of the difference."""
    if t.criterion == VARIANCE_ALONE:
        return C
    return information(C, outcome_spread(D, t.link, False))


@numba.njit(cache=True)
def list_buckets(s, t):  # type: ignore[no-untyped-def]
    """The most promising pairs of buckets, best first."""
    n_buckets, most = len(s.top), len(s.listed)
    n_levels = len(s.cells) // n_buckets
    offsets = 1
    if t.criterion != VARIANCE_ALONE:
        while (
            offsets * t.bucket_width < FARTHEST
            and outcome_spread(offsets * t.bucket_width, t.link, False) > NEGLIGIBLE
        ):
            offsets += 1
    highest = -1
    for a in range(n_buckets):
        highest = max(highest, s.top[a])
    n = 0
    for a in range(n_buckets):
        if s.top[a] < 0:
            continue
        own = _level_variance(t, s.top[a])
        if n == most and value(t, own + _level_variance(t, highest), 0.0) <= s.listed[n - 1, 0]:
            continue
        for offset in range(min(offsets, n_buckets - a)):
            b = a + offset
            level = s.top[b]
            if offset == 0:
                first = s.cells[a * n_levels + level]
                if s.place[first, NEXT] == first:  # alone: its partner is below
                    level -= 1
                    while level >= 0 and s.cells[a * n_levels + level] < 0:
                        level -= 1
            if level < 0:
                continue
            estimate = value(t, own + _level_variance(t, level), offset * t.bucket_width)
            if n == most and estimate <= s.listed[n - 1, 0]:
                continue
            k = n if n < most else n - 1
            while k > 0 and s.listed[k - 1, 0] < estimate:
                s.listed[k, 0] = s.listed[k - 1, 0]
                s.listed[k, 1] = s.listed[k - 1, 1]
                s.listed[k, 2] = s.listed[k - 1, 2]
                k -= 1
            s.listed[k, 0] = estimate
            s.listed[k, 1] = a * n_levels + s.top[a]
            s.listed[k, 2] = b * n_levels + level
            n = min(n + 1, most)
    s.counters[N_LISTED] = n
    s.counters[IS_STALE] = 0


@numba.njit(cache=True, inline="always")
def _level_variance(t, level):  # type: ignore[no-untyped-def]
    """The largest variance of a level."""
    return t.lowest_variance * math.exp((level + 1) * t.log_ratio)
