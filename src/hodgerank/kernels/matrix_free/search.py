"""The best pair, and the updates when it becomes pending and is answered."""

from __future__ import annotations

import math

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.matrix_free.grid import list_buckets, put, value
from hodgerank.kernels.matrix_free.solve import (
    HUB,
    enqueue,
    forget,
    lines_per_pair,
    narrow,
    refresh,
    relax_means,
    respond,
    variance,
)
from hodgerank.kernels.matrix_free.state import (
    ANSWERED,
    COUNT,
    FIRST,
    FIRST_PENDING,
    FORCE,
    IS_STALE,
    MEAN,
    N_CHUNKS,
    N_LEARNED,
    N_LINES,
    N_LISTED,
    N_PENDING,
    NEXT,
    PENDING,
    PREVIOUS,
    RESIDUAL,
    REST,
    ROOM,
    VARIANCE,
    Settings,
    State,
    connect,
    connect_by_slots,
    slots_of_votes,
    weight_between,
    write_item,
)
from hodgerank.kernels.selection.tie_breaking import item_key
from hodgerank.types import FloatArray, IntArray

NEARLY = 0.98  # a pair worth this share of the best is good enough
N_FINALISTS = 8
N_LEFT, N_RIGHT = 4, 16  # items examined in the two cells of a pair of buckets
N_REVALIDATED = 2  # pairs of buckets
ENOUGH = 4  # good candidates in a pair of buckets
AHEAD = 32  # votes whose items are prefetched together
PAIRS_PER_VOTE = 4  # largest ratio for which a table of all pairs pays off


@compiled
def _is_forbidden(forbidden: IntArray, n: int, u: int, v: int) -> bool:
    if len(forbidden) == 0:
        return False
    code = min(u, v) * n + max(u, v)
    k = np.searchsorted(forbidden, code)
    return bool(k < len(forbidden) and forbidden[k] == code)


@compiled(inline="always")
def _glance(s: State, t: Settings, u: int, v: int) -> float:
    """Estimate the value of a pair quickly, as if only its own edge connected the two items."""
    d_u, d_v = s.x[u, VARIANCE], s.x[v, VARIANCE]
    w = weight_between(s, FIRST, u, v)
    if s.counters[N_PENDING]:
        w += weight_between(s, FIRST_PENDING, u, v)
    shared = w * d_u * d_v / (1 + w * w * d_u * d_v)
    return value(t, max(0.0, d_u + d_v - 2 * shared), s.x[u, MEAN] - s.x[v, MEAN])


@compiled
def pair_variance(s: State, t: Settings, u: int, v: int) -> float:
    """Return the variance of the difference of two items, by a local solution."""
    C, n = respond(s, t.locality, t.reach, u, v)
    forget(s, n)
    return C


@compiled
def best_pair(s: State, t: Settings, forbidden: IntArray, key: int) -> tuple[int, int]:
    """Return a pair close to the best, (-1, -1) if there is none; the state is unchanged."""
    if s.counters[IS_STALE]:
        list_buckets(s, t)
    n_items = len(s.x)
    finalists = np.full((N_FINALISTS, 2), -1, np.int64)
    worth = np.full(N_FINALISTS, -1.0)
    for line in range(s.counters[N_LISTED]):
        estimate = s.listed[line, 0]
        if estimate * NEARLY <= worth[ENOUGH - 1]:
            break
        _look_into(s, t, forbidden, n_items, int(s.listed[line, 1]), int(s.listed[line, 2]),
                   estimate, finalists, worth, key + line)  # fmt: skip
    best, best_value = -1, -1.0
    for k in range(N_FINALISTS):
        u, v = finalists[k]
        if u < 0 or best_value >= NEARLY * worth[k]:
            break
        found = value(t, pair_variance(s, t, u, v), s.x[u, MEAN] - s.x[v, MEAN])
        if found > best_value:
            best, best_value = k, found
    if best < 0:
        return -1, -1
    u, v = finalists[best]
    return min(u, v), max(u, v)


@compiled
def _look_into(
    s: State,
    t: Settings,
    forbidden: IntArray,
    n_items: int,
    left: int,
    right: int,
    estimate: float,
    finalists: IntArray,
    worth: FloatArray,
    key: int,
) -> None:
    """Add candidates from two cells to the list of finalists."""
    good = 0
    u = s.cells[left]
    if u < 0 or s.cells[right] < 0:
        return  # emptied since the list was made
    for a in range(N_LEFT):
        v = s.place[s.cells[right], PREVIOUS]
        for _ in range(item_key(key + a, u) % np.uint64(8)):
            v = s.place[v, PREVIOUS]
        start = v
        for _ in range(N_RIGHT):
            if v != u and not _is_forbidden(forbidden, n_items, u, v):
                e = _glance(s, t, u, v)
                if e > worth[N_FINALISTS - 1]:
                    _shortlist(finalists, worth, u, v, e)
                if e >= NEARLY * estimate:
                    good += 1
                    if good >= ENOUGH:
                        return
            v = s.place[v, PREVIOUS]
            if v == start:
                break
        u = s.place[u, NEXT]
        if u == s.cells[left]:
            return


@compiled
def _shortlist(finalists: IntArray, worth: FloatArray, u: int, v: int, e: float) -> None:
    for k in range(N_FINALISTS):
        if (finalists[k, 0] == u and finalists[k, 1] == v) or (
            finalists[k, 0] == v and finalists[k, 1] == u
        ):
            return
    k = N_FINALISTS - 1
    while k > 0 and worth[k - 1] < e:
        worth[k] = worth[k - 1]
        finalists[k] = finalists[k - 1]
        k -= 1
    worth[k] = e
    finalists[k, 0], finalists[k, 1] = u, v


@compiled
def absorb(s: State, i: int, j: int, outcome: float, weight: float) -> float:
    """Add a vote for i to the sums over votes; return its weight after rounding."""
    # the rounded weight of the edge, or rounding would accumulate on the diagonal alone
    weight = connect(s, FIRST, i, j, weight)
    _add_up(s, i, j, outcome, weight)
    return weight


@compiled
def _add_up(s: State, i: int, j: int, outcome: float, weight: float) -> None:
    s.counters[N_LEARNED] += 1
    s.x[i, ANSWERED] += weight
    s.x[j, ANSWERED] += weight
    s.x[i, FORCE] += weight * outcome
    s.x[j, FORCE] -= weight * outcome


@compiled
def learn(s: State, t: Settings, i: int, j: int, outcome: float, weight: float) -> None:
    """Update with a vote for i of this weight; no pair may be pending."""
    x = s.x
    C, n = respond(s, t.locality, t.reach, i, j)
    weight = absorb(s, i, j, outcome, weight)
    key = s.counters[N_LEARNED]
    narrow(s, t, i, j, C, n, weight, key)
    forget(s, n)
    refresh(s, t, i, j, key)
    push = weight * (outcome - (x[i, MEAN] - x[j, MEAN]))
    x[i, RESIDUAL] += push
    x[j, RESIDUAL] -= push
    enqueue(s, i)
    enqueue(s, j)
    relax_means(s, t, key)
    _revalidate(s, t, key)


@compiled
def _has_room(s: State) -> bool:
    """Whether there is space for another edge."""
    return bool(s.counters[N_CHUNKS] + 2 <= len(s.neighbours))


@compiled
def absorb_many(
    s: State,
    i: IntArray,
    j: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    start: int,
    end: int,
) -> int:
    """Absorb votes from `start` to `end` while there is space; return where it stopped."""
    k = start
    if len(s.x) ** 2 <= PAIRS_PER_VOTE * (end - start):
        slots = slots_of_votes(s)
        while k < end and _has_room(s):
            _add_up(s, i[k], j[k], outcome[k], connect_by_slots(s, slots, i[k], j[k], weight[k]))
            k += 1
        return k
    while k < end and _has_room(s):
        if (k - start) % AHEAD == 0:
            _fetch(s, i, j, k, min(k + AHEAD, end))
        absorb(s, i[k], j[k], outcome[k], weight[k])
        k += 1
    return k


@compiled
def _fetch(s: State, i: IntArray, j: IntArray, start: int, end: int) -> None:
    """Prefetch the items that some votes will change.

    Unlike those of `absorb`, these reads do not depend on each other: twice as fast overall if the
    state is larger than the caches.
    """
    total = 0.0
    for k in range(start, end):
        for u in (i[k], j[k]):
            total += s.x[u, FORCE]
            c = s.edges[u, FIRST]
            if c >= 0:
                total += s.weights[c, ROOM] + s.neighbours[c, ROOM]
    s.x[i[start], REST] = total  # scratch: unused reads would be optimised away


@compiled
def learn_many(
    s: State,
    t: Settings,
    i: IntArray,
    j: IntArray,
    outcome: FloatArray,
    weight: FloatArray,
    start: int,
) -> int:
    """Learn votes from `start` on while there is space; return where it stopped."""
    k = start
    while k < len(i) and _has_room(s):
        learn(s, t, i[k], j[k], outcome[k], weight[k])
        k += 1
    return k


@compiled
def _revalidate(s: State, t: Settings, key: int) -> None:
    """Recompute the variances of the best candidates, which local updates may overestimate."""
    if s.counters[IS_STALE]:
        list_buckets(s, t)
    for line in range(min(N_REVALIDATED, s.counters[N_LISTED])):
        for side in range(1, 3):
            first = s.cells[int(s.listed[line, side])]
            if first >= 0:
                u = s.place[first, PREVIOUS] if side == 2 else first
                if s.edges[u, COUNT] <= HUB:
                    s.x[u, VARIANCE] = variance(s, t.locality, u)
                    put(s, t, u, key)


@compiled
def expect(s: State, t: Settings, i: int, j: int) -> None:
    """Mark a pair as pending: reduce variances, and leave the means unchanged."""
    C, n = respond(s, t.locality, t.reach, i, j)
    s.counters[N_PENDING] += 1
    write_item(s, i)
    write_item(s, j)
    connect(s, FIRST_PENDING, i, j, 1.0)
    s.x[i, PENDING] += 1
    s.x[j, PENDING] += 1
    key = s.counters[N_LEARNED] + s.counters[N_PENDING]
    narrow(s, t, i, j, C, n, 1.0, key)
    forget(s, n)
    refresh(s, t, i, j, key)


@compiled
def expect_many(s: State, t: Settings, i: IntArray, j: IntArray, start: int) -> int:
    """Mark pairs as pending from `start` on while there is space; return where it stopped."""
    k, lines = start, lines_per_pair(len(s.x))
    while k < len(i) and _has_room(s) and s.counters[N_LINES] + lines <= len(s.journal):
        expect(s, t, i[k], j[k])
        k += 1
    return k


@compiled
def best_pairs(
    s: State,
    t: Settings,
    forbidden: IntArray,
    n_forbidden: int,
    once: bool,
    keys: IntArray,
    i: IntArray,
    j: IntArray,
    start: int,
) -> int:
    """Choose a pair per key from `start` on, each with the previous ones pending.

    Returns where it stopped: for lack of space, or with -1 if there is no pair. `forbidden` holds
    the codes of pairs in ascending order, with space for the chosen ones, which `once` forbids.
    """
    k, lines, n = start, lines_per_pair(len(s.x)), len(s.x)
    while k < len(keys):
        if k > 0:
            if not _has_room(s) or s.counters[N_LINES] + lines > len(s.journal):
                return k
            expect(s, t, i[k - 1], j[k - 1])
        if once and k > 0:
            place = np.searchsorted(forbidden[:n_forbidden], i[k - 1] * n + j[k - 1])
            forbidden[place + 1 : n_forbidden + 1] = forbidden[place:n_forbidden].copy()
            forbidden[place] = i[k - 1] * n + j[k - 1]
            n_forbidden += 1
        i[k], j[k] = best_pair(s, t, forbidden[:n_forbidden], keys[k])
        if i[k] < 0:
            return k
        k += 1
    return k


@compiled
def sweep_variances(s: State, g: float, sweeps: int) -> None:
    """Update all variances by belief propagation until they are stable."""
    for _ in range(sweeps):
        most = 0.0
        for u in range(len(s.x)):
            new = variance(s, g, u)
            most = max(most, abs(math.log(new / s.x[u, VARIANCE])))
            s.x[u, VARIANCE] = new
        if most < 1e-3:
            break


@compiled
def values_of_pairs(s: State, t: Settings, i: IntArray, j: IntArray) -> FloatArray:
    """Return the value of asking each listed pair."""
    values = np.empty(len(i))
    for k in range(len(i)):
        C = pair_variance(s, t, i[k], j[k])
        values[k] = value(t, C, s.x[i[k], MEAN] - s.x[j[k], MEAN])
    return values
