"""Items by mean and variance: buckets of means, levels of variance within them.

A pair is worth asking if both items are uncertain and their means are close, so the best pairs are
among the highest levels of neighbouring buckets. An item moves only when its cell changes, to the
front or the back as a hash decides: in the order of arrival winners would meet winners.
"""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.matrix_free.state import (
    CELL,
    IS_STALE,
    MEAN,
    N_LISTED,
    N_PENDING,
    NEXT,
    PREVIOUS,
    VARIANCE,
    VARIANCE_ALONE,
    Settings,
    State,
    write_surroundings,
)
from hodgerank.kernels.selection.information import information, outcome_spread
from hodgerank.kernels.selection.tie_breaking import item_key
from hodgerank.types import CodeArray, FloatArray, IntArray

RETIRED = -2  # the cell of an item that is not asked
N_TOP_LEVELS = 4  # of a single bucket, whose pairs are listed
FARTHEST = 3.0  # difference of means beyond which pairs are ignored
NEGLIGIBLE = 1e-3  # outcome variance below which a pair counts as decided


@compiled(inline="always")
def _cell(s: State, t: Settings, u: int) -> int:
    n_buckets = len(s.top)
    n_levels = len(s.cells) // n_buckets
    bucket = 0
    if t.criterion != VARIANCE_ALONE:
        bucket = int((s.x[u, MEAN] + t.mean_range) / t.bucket_width)
        bucket = min(max(bucket, 0), n_buckets - 1)
    level = int(math.log(s.x[u, VARIANCE] / t.lowest_variance) / t.log_ratio)
    return bucket * n_levels + min(max(level, 0), n_levels - 1)


@compiled(inline="always")
def put(s: State, t: Settings, u: int, key: int) -> None:
    """Move an item to the cell of its mean and variance; the journal has it already."""
    old = s.place[u, CELL]
    if old != RETIRED:
        new = _cell(s, t, u)
        if new != old:
            _move(s, u, new, key)


@compiled
def _move(s: State, u: int, new: int, key: int) -> None:
    if s.counters[N_PENDING] > 0:
        write_surroundings(s, u, new)
    take_out(s, u)
    _insert(s, u, new, item_key(key, u) & np.uint64(1) == np.uint64(0))


@compiled
def _insert(s: State, u: int, cell: int, at_front: bool) -> None:
    s.place[u, CELL] = cell
    first = s.cells[cell]
    if len(s.top) == 1:
        s.counters[IS_STALE] = 1  # several levels are listed there, and listing is cheap
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
            s.counters[IS_STALE] = 1  # this may hold the partner of the topmost item
        return
    last = s.place[first, PREVIOUS]
    if last == first and s.top[bucket] == level:
        s.counters[IS_STALE] = 1  # a second item at the top: two can be paired there
    s.place[u, NEXT] = first
    s.place[u, PREVIOUS] = last
    s.place[last, NEXT] = u
    s.place[first, PREVIOUS] = u
    if at_front:
        s.cells[cell] = u


@compiled(inline="always")
def _is_alone(s: State, bucket: int, n_levels: int) -> bool:
    """Whether a single item is at the top of a bucket, so that its partner is below."""
    first = s.cells[bucket * n_levels + s.top[bucket]]
    return bool(s.place[first, NEXT] == first)


@compiled
def take_out(s: State, u: int) -> None:
    """Remove an item from its cell."""
    cell = s.place[u, CELL]
    if cell < 0:
        return
    s.place[u, CELL] = -1
    if len(s.top) == 1:
        s.counters[IS_STALE] = 1
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
        s.counters[IS_STALE] = 1  # a single item is left at the top


@compiled
def rebuild(s: State, t: Settings, order: IntArray, key: int) -> None:
    """Empty the grid and insert all items in this order."""
    s.cells[:] = -1
    s.top[:] = -1
    for k in range(len(order)):
        if s.place[order[k], CELL] != RETIRED:
            s.place[order[k], CELL] = -1
    for k in range(len(order)):
        put(s, t, order[k], key)
    s.counters[IS_STALE] = 1


@compiled(inline="always")
def value(t: Settings, C: float, D: float) -> float:
    """Return the value of asking a pair, given variance and mean of the difference."""
    if t.criterion == VARIANCE_ALONE:
        return C
    return information(C, outcome_spread(D, t.link, False))


@compiled
def list_buckets(s: State, t: Settings) -> None:
    """List the most promising pairs of buckets, best first."""
    if len(s.top) == 1:
        _list_levels(s, t)
        return
    n_buckets, most = len(s.top), len(s.listed)
    n_levels = len(s.cells) // n_buckets
    offsets = 1
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
            if offset == 0 and _is_alone(s, a, n_levels):
                level = _next_level(s.cells, a * n_levels, level)
            if level < 0:
                continue
            estimate = value(t, own + _level_variance(t, level), offset * t.bucket_width)
            n = _list_pair(s.listed, n, estimate, a * n_levels + s.top[a], b * n_levels + level)
    s.counters[N_LISTED] = n
    s.counters[IS_STALE] = 0


@compiled
def _list_levels(s: State, t: Settings) -> None:
    """List pairs of the highest levels of a single bucket.

    Two items alone at the top may have been compared often enough that another vote adds little;
    then one of them should be paired with an item of the next levels.
    """
    n, a = 0, s.top[0]
    for _ in range(N_TOP_LEVELS):
        b, own = a, _level_variance(t, a)
        for _ in range(N_TOP_LEVELS):
            if b < 0:
                break
            if b != a or s.place[s.cells[a], NEXT] != s.cells[a]:
                estimate = value(t, own + _level_variance(t, b), 0.0)
                n = _list_pair(s.listed, n, estimate, a, b)
            b = _next_level(s.cells, 0, b)
        a = _next_level(s.cells, 0, a)
    s.counters[N_LISTED] = n
    s.counters[IS_STALE] = 0


@compiled
def _next_level(cells: CodeArray, first_cell: int, level: int) -> int:
    """Return the highest nonempty level below this one, -1 if there is none."""
    level -= 1
    while level >= 0 and cells[first_cell + level] < 0:
        level -= 1
    return level


@compiled
def _list_pair(listed: FloatArray, n: int, estimate: float, left: int, right: int) -> int:
    """Insert two cells into the sorted list of n; return its new length."""
    most = len(listed)
    if n == most and estimate <= listed[n - 1, 0]:
        return n
    k = n if n < most else n - 1
    while k > 0 and listed[k - 1, 0] < estimate:
        listed[k, 0] = listed[k - 1, 0]
        listed[k, 1] = listed[k - 1, 1]
        listed[k, 2] = listed[k - 1, 2]
        k -= 1
    listed[k, 0] = estimate
    listed[k, 1] = left
    listed[k, 2] = right
    return min(n + 1, most)


@compiled(inline="always")
def _level_variance(t: Settings, level: int) -> float:
    """Return the largest variance of a level."""
    return t.lowest_variance * math.exp((level + 1) * t.log_ratio)
