"""Variances by belief propagation, responses and means by local relaxation.

On a graph that is locally a tree, the variance of a score follows from its neighbours' messages.
All walks have positive weight, so truncation underestimates it; the largest missing part, the
common level of all scores, cancels in differences. Relaxing an item moves its value by its residual
and passes the rest to its neighbours. The step is the variance rather than 1 / weight, since part
of what is passed on returns.
"""

from __future__ import annotations

import math

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.matrix_free.grid import put
from hodgerank.kernels.matrix_free.state import (
    ANSWERED,
    COUNT,
    FIRST,
    FIRST_PENDING,
    LINES_PER_MOVE,
    MARK,
    MEAN,
    N_PENDING,
    PENDING,
    QUEUE_LENGTH,
    QUEUE_START,
    QUEUED,
    RESIDUAL,
    REST,
    ROOM,
    SHIFT,
    VARIANCE,
    Settings,
    State,
    write_item,
)
from hodgerank.types import FloatArray

HUB = 256  # neighbours beyond which an item is skipped where it hardly matters
MOST_TOUCHED = 4096  # items a local solution may reach
MOST_SWEEPS = 40
MOST_RELAXATIONS = 300  # of the mean per vote; the rest waits for the next vote
OVERSHOOT = 1.5  # of 1 / weight: relaxation diverges beyond 2

UNTOUCHED, TOUCHED, RELAXED = 0, 1, 2


@compiled(inline="always")
def _step(s: State, g: float, u: int) -> tuple[float, float]:
    weight = s.x[u, ANSWERED] + s.x[u, PENDING] + g
    return min(s.x[u, VARIANCE], OVERSHOOT / weight), weight


@compiled
def variance(s: State, g: float, u: int) -> float:
    """Return the variance of a score from its neighbours, with both messages of an edge eliminated.

    The messages depend on the variance itself: one Newton step towards the fixed point, since
    direct substitution would overshoot at heavy edges.
    """
    a = 1 / s.x[u, VARIANCE]
    excess: float = a - (s.x[u, ANSWERED] + s.x[u, PENDING] + g)
    slope = 1.0
    for graph in range(FIRST, FIRST_PENDING + 1):
        c = s.edges[u, graph]
        while c >= 0:
            for k in range(int(s.weights[c, ROOM])):
                w = float(s.weights[c, k])
                b = 1 / s.x[s.neighbours[c, k], VARIANCE]
                ab = a * b
                root = math.sqrt(ab * (ab + 4 * w * w))
                excess += (root - ab) / (2 * b)
                slope += ((ab + 2 * w * w) / root - 1) / 2
            c = s.neighbours[c, ROOM]
        if s.counters[N_PENDING] == 0:
            break
    return float(1 / max(g, a - excess / slope))


@compiled(inline="always")
def _touch(s: State, u: int, n: int) -> int:
    if s.edges[u, MARK] == UNTOUCHED:
        s.edges[u, MARK] = TOUCHED
        s.x[u, SHIFT] = 0.0
        s.x[u, REST] = 0.0
        s.touched[n] = u
        return n + 1
    return n


@compiled
def respond(s: State, g: float, reach: float, i: int, j: int) -> tuple[float, int]:
    """Compute S (e_i - e_j) locally; return the variance C of the difference, and items touched.

    The values are in column SHIFT of the touched items; `forget` clears the marks.
    """
    x = s.x
    n = _touch(s, j, _touch(s, i, 0))
    x[i, REST] = 1.0
    x[j, REST] = -1.0
    enough = reach * 0.5 * (x[i, VARIANCE] + x[j, VARIANCE])
    most = min(MOST_TOUCHED, len(s.touched))
    for _ in range(MOST_SWEEPS):
        is_done = True
        k = 0
        while k < n:
            u = s.touched[k]
            k += 1
            if abs(x[u, REST]) * x[u, VARIANCE] <= enough:
                continue
            is_done = False
            step, weight = _step(s, g, u)
            move = x[u, REST] * step
            x[u, SHIFT] += move
            x[u, REST] -= weight * move
            s.edges[u, MARK] = RELAXED
            count = s.edges[u, COUNT]
            if count > HUB and abs(move) * weight < 0.1 * enough * g * count:
                continue  # each of its many neighbours would get a negligible share
            for graph in range(FIRST, FIRST_PENDING + 1):
                c = s.edges[u, graph]
                while c >= 0:
                    for a in range(int(s.weights[c, ROOM])):
                        v = s.neighbours[c, a]
                        if n < most or s.edges[v, MARK] != UNTOUCHED:
                            n = _touch(s, v, n)
                            x[v, REST] += s.weights[c, a] * move
                    c = s.neighbours[c, ROOM]
                if s.counters[N_PENDING] == 0:
                    break
        if is_done:
            break
    for k in range(n):
        u = s.touched[k]
        if s.edges[u, MARK] != RELAXED:
            x[u, SHIFT] = x[u, REST] * x[u, VARIANCE]
    return x[i, SHIFT] - x[j, SHIFT], n


@compiled
def lines_per_pair(n_items: int) -> int:
    """Return the largest number of journal lines of a pending pair."""
    return LINES_PER_MOVE * min(MOST_TOUCHED, n_items) + 2


@compiled
def forget(s: State, n: int) -> None:
    """Clear the marks of a local solution."""
    for k in range(n):
        s.edges[s.touched[k], MARK] = UNTOUCHED


@compiled
def narrow(
    s: State, t: Settings, i: int, j: int, C: float, n: int, weight: float, key: int
) -> None:
    """Reduce variances after a vote of this weight on (i, j), from the response in SHIFT."""
    x, g = s.x, t.locality
    shrink = weight / (1 + weight * C)
    for k in range(n):
        u = s.touched[k]
        less = x[u, SHIFT] * x[u, SHIFT] * shrink
        if less > 1e-3 * x[u, VARIANCE] or u in (i, j):
            if s.counters[N_PENDING] > 0:
                write_item(s, u)
            floor = 1 / (x[u, ANSWERED] + x[u, PENDING] + g)
            x[u, VARIANCE] = max(floor, x[u, VARIANCE] - less)
            if u not in (i, j):
                put(s, t, u, key)


@compiled
def refresh(s: State, t: Settings, i: int, j: int, key: int) -> None:
    """Recompute the variances of two items whose edge has changed."""
    for _ in range(2):
        for u in (i, j):
            count = s.edges[u, COUNT]
            # hubs are refreshed only now and then, since they have many neighbours
            if count <= HUB or key % (count // HUB) == 0:
                s.x[u, VARIANCE] = variance(s, t.locality, u)
    put(s, t, i, key)
    put(s, t, j, key)


@compiled
def enqueue(s: State, u: int) -> None:
    """Add an item to the queue of residuals to relax, unless it is queued."""
    if not s.place[u, QUEUED]:
        s.place[u, QUEUED] = 1
        end = (s.counters[QUEUE_START] + s.counters[QUEUE_LENGTH]) % len(s.queue)
        s.queue[end] = u
        s.counters[QUEUE_LENGTH] += 1


@compiled
def relax_means(s: State, t: Settings, key: int) -> None:
    """Move means until the residuals in the queue are small, up to a limit."""
    x, g = s.x, t.prior_strength
    for _ in range(MOST_RELAXATIONS):
        if s.counters[QUEUE_LENGTH] == 0:
            return
        u = s.queue[s.counters[QUEUE_START]]
        s.counters[QUEUE_START] = (s.counters[QUEUE_START] + 1) % len(s.queue)
        s.counters[QUEUE_LENGTH] -= 1
        s.place[u, QUEUED] = 0
        weight = x[u, ANSWERED] + g
        if abs(x[u, RESIDUAL]) <= _tolerance(t.residual, weight, x[u, VARIANCE]):
            continue
        move = x[u, RESIDUAL] * min(x[u, VARIANCE], OVERSHOOT / weight)
        x[u, MEAN] += move
        x[u, RESIDUAL] -= weight * move
        c = s.edges[u, FIRST]
        while c >= 0:
            for a in range(int(s.weights[c, ROOM])):
                v = s.neighbours[c, a]
                x[v, RESIDUAL] += s.weights[c, a] * move
                allowed = _tolerance(t.residual, x[v, ANSWERED] + g, x[v, VARIANCE])
                if abs(x[v, RESIDUAL]) > allowed:
                    enqueue(s, v)
            c = s.neighbours[c, ROOM]
        if abs(x[u, RESIDUAL]) > _tolerance(t.residual, weight, x[u, VARIANCE]):
            enqueue(s, u)
        put(s, t, u, key)


@compiled(inline="always")
def _tolerance(tolerance: float, weight: float, variance: float) -> float:
    """Return the tolerance of a residual.

    A residual moves the mean by about its product with the variance. That should be small relative
    to the standard deviation of uncertain items, and to the scale of votes for the others.
    """
    return tolerance * max(1.0, weight / 64) / max(1.0, math.sqrt(variance))


@compiled
def apply(s: State, g: float, v: FloatArray, out: FloatArray) -> None:
    """(L + g I) v, with the votes alone."""
    for u in range(len(v)):
        total = (s.x[u, ANSWERED] + g) * v[u]
        c = s.edges[u, FIRST]
        while c >= 0:
            for a in range(int(s.weights[c, ROOM])):
                total -= s.weights[c, a] * v[s.neighbours[c, a]]
            c = s.neighbours[c, ROOM]
        out[u] = total
