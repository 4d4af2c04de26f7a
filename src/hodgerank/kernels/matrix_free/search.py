"""The pair worth asking, and what changes when it is asked and answered."""

import math

import numba
import numpy as np

from hodgerank.kernels.choice import item_key
from hodgerank.kernels.matrix_free.adjacency import (
    add_half_edge,
    remove_half_edge,
    weight_between,
)
from hodgerank.kernels.matrix_free.grid import list_buckets, put, value
from hodgerank.kernels.matrix_free.solve import (
    HUB,
    enqueue,
    forget,
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
    N_LEARNED,
    N_LISTED,
    N_PENDING,
    NEXT,
    PENDING,
    PREVIOUS,
    RESIDUAL,
    VARIANCE,
)

NEARLY = 0.98  # a pair worth this share of the best is good enough
N_FINALISTS = 8
N_LEFT, N_RIGHT = 4, 16  # items looked at in the two cells of a pair of buckets
N_REVALIDATED = 2  # pairs of buckets
ENOUGH = 4  # good candidates in a pair of buckets


@numba.njit(cache=True)
def _is_forbidden(forbidden, n, u, v):  # type: ignore[no-untyped-def]
    if len(forbidden) == 0:
        return False
    code = min(u, v) * n + max(u, v)
    k = np.searchsorted(forbidden, code)
    return k < len(forbidden) and forbidden[k] == code


@numba.njit(cache=True, inline="always")
def _glance(s, t, u, v):  # type: ignore[no-untyped-def]
    """Value of a pair, knowing of its own edge alone what joins the two."""
    d_u, d_v = s.x[u, VARIANCE], s.x[v, VARIANCE]
    w = weight_between(s, FIRST, u, v)
    if s.counters[N_PENDING]:
        w += weight_between(s, FIRST_PENDING, u, v)
    shared = w * d_u * d_v / (1 + w * w * d_u * d_v)
    return value(t, max(0.0, d_u + d_v - 2 * shared), s.x[u, MEAN] - s.x[v, MEAN])


@numba.njit(cache=True)
def pair_variance(s, t, u, v):  # type: ignore[no-untyped-def]
    """C of a pair by a local solution."""
    C, n = respond(s, t.locality, t.reach, u, v)
    forget(s, n)
    return C


@numba.njit(cache=True)
def best_pair(s, t, forbidden, key):  # type: ignore[no-untyped-def]
    """A pair worth about as much as any, (-1, -1) if there is none; the state stays as it is."""
    if s.counters[IS_STALE]:
        list_buckets(s, t)
    n_items = len(s.x)
    finalists = np.full((N_FINALISTS, 2), -1, np.int64)
    worth = np.full(N_FINALISTS, -1.0)
    for line in range(s.counters[N_LISTED]):
        estimate = s.listed[line, 0]
        if estimate * NEARLY <= worth[0]:
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
        return np.int64(-1), np.int64(-1)
    u, v = finalists[best]
    return min(u, v), max(u, v)


@numba.njit(cache=True)
def _look_into(s, t, forbidden, n_items, left, right, estimate, finalists, worth, key):  # type: ignore[no-untyped-def]
    """Candidates from two cells, into the list of finalists."""
    good = 0
    u = s.cells[left]
    if u < 0 or s.cells[right] < 0:
        return  # left since the list was made
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


@numba.njit(cache=True)
def _shortlist(finalists, worth, u, v, e):  # type: ignore[no-untyped-def]
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


@numba.njit(cache=True)
def learn(s, t, i, j, outcome, weight, was_out):  # type: ignore[no-untyped-def]
    """An answer for i of this weight; if it `was_out`, the pair is pending no more."""
    x = s.x
    s.counters[N_LEARNED] += 1
    key = s.counters[N_LEARNED]
    if was_out:
        _drop_pending(s, i, j)
    is_news = not was_out or weight != 1
    C, n = 0.0, 0
    if is_news:
        C, n = respond(s, t.locality, t.reach, i, j)
    add_half_edge(s, FIRST, i, j, weight)
    # what the edge took is what counts, or rounding would add to the diagonal alone
    weight = add_half_edge(s, FIRST, j, i, weight)
    x[i, ANSWERED] += weight
    x[j, ANSWERED] += weight
    if is_news:
        narrow(s, t, i, j, C, n, weight, key)
        forget(s, n)
        refresh(s, t, i, j, key)
    x[i, FORCE] += weight * outcome
    x[j, FORCE] -= weight * outcome
    push = weight * (outcome - (x[i, MEAN] - x[j, MEAN]))
    x[i, RESIDUAL] += push
    x[j, RESIDUAL] -= push
    enqueue(s, i)
    enqueue(s, j)
    relax_means(s, t, key)
    _revalidate(s, t, key)


@numba.njit(cache=True)
def _revalidate(s, t, key):  # type: ignore[no-untyped-def]
    """Variances of items that seem most worth asking, which may have fallen unnoticed."""
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


@numba.njit(cache=True)
def expect(s, t, i, j):  # type: ignore[no-untyped-def]
    """A pair goes out: it narrows variances, and leaves the means alone."""
    C, n = respond(s, t.locality, t.reach, i, j)
    add_half_edge(s, FIRST_PENDING, i, j, 1.0)
    add_half_edge(s, FIRST_PENDING, j, i, 1.0)
    s.x[i, PENDING] += 1
    s.x[j, PENDING] += 1
    s.counters[N_PENDING] += 1
    key = s.counters[N_LEARNED] + s.counters[N_PENDING]
    narrow(s, t, i, j, C, n, 1.0, key)
    forget(s, n)
    refresh(s, t, i, j, key)


@numba.njit(cache=True)
def withdraw(s, t, i, j):  # type: ignore[no-untyped-def]
    """A pair that was out will not be answered."""
    _drop_pending(s, i, j)
    refresh(s, t, i, j, s.counters[N_LEARNED] + s.counters[N_PENDING])


@numba.njit(cache=True)
def _drop_pending(s, i, j):  # type: ignore[no-untyped-def]
    remove_half_edge(s, FIRST_PENDING, i, j, 1.0)
    remove_half_edge(s, FIRST_PENDING, j, i, 1.0)
    s.x[i, PENDING] -= 1
    s.x[j, PENDING] -= 1
    s.counters[N_PENDING] -= 1


@numba.njit(cache=True)
def sweep_variances(s, g, sweeps):  # type: ignore[no-untyped-def]
    """Belief propagation over all items."""
    for _ in range(sweeps):
        most = 0.0
        for u in range(len(s.x)):
            new = variance(s, g, u)
            most = max(most, abs(math.log(new / s.x[u, VARIANCE])))
            s.x[u, VARIANCE] = new
        if most < 1e-3:
            break


@numba.njit(cache=True)
def values_of_pairs(s, t, i, j):  # type: ignore[no-untyped-def]
    """What asking each listed pair is worth."""
    values = np.empty(len(i))
    for k in range(len(i)):
        C = pair_variance(s, t, i[k], j[k])
        values[k] = value(t, C, s.x[i[k], MEAN] - s.x[j[k], MEAN])
    return values
