"""Variances by belief propagation, responses and means by local relaxation.

On a graph that looks like a tree around an item, the variance of its score is that of its
neighbours' messages; all walks have positive weight, so that what is missed makes it too small, and
what is missed most, the level all scores share, cancels in differences. Relaxing an item moves its
value by what its residual asks for and hands the rest to its neighbours; the step is the variance
rather than 1 / weight, since part of what is handed on comes back.
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

HUB = 256  # neighbours beyond which an item is spared where it hardly matters
MOST_TOUCHED = 4096  # items a local solution may reach
MOST_SWEEPS = 40
MOST_RELAXATIONS = 300  # of the mean per answer; what is left waits for the next
OVERSHOOT = 1.5  # of 1 / weight: relaxation diverges beyond 2

UNTOUCHED, TOUCHED, RELAXED = 0, 1, 2


@compiled(inline="always")
def _step(s: State, g: float, u: int) -> tuple[float, float]:
    weight = s.x[u, ANSWERED] + s.x[u, PENDING] + g
    return min(s.x[u, VARIANCE], OVERSHOOT / weight), weight


@compiled
def variance(s: State, g: float, u: int) -> float:
    """Variance of a score from those of its neighbours; both messages of an edge in closed form.

    The messages depend on the variance itself: a step of Newton's method towards where it agrees
    with them, since to put them in would overshoot where an edge weighs much.
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
    """S (e_i - e_j) around i and j: the variance C of their difference, and how many were touched.

    The values stand in column SHIFT of the items touched; `forget` clears the marks.
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
                continue  # each of its many neighbours would get next to nothing
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
    """How many lines of the journal a pair that goes out may take."""
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
    """Variances after an answer of this weight to (i, j), from the response in SHIFT."""
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
    """Compute anew the variances of two items whose edge has changed."""
    for _ in range(2):
        for u in (i, j):
            count = s.edges[u, COUNT]
            # going through the neighbours of a hub pays every now and then
            if count <= HUB or key % (count // HUB) == 0:
                s.x[u, VARIANCE] = variance(s, t.locality, u)
    put(s, t, i, key)
    put(s, t, j, key)


@compiled
def enqueue(s: State, u: int) -> None:
    """Put an item into the queue of residuals to relax, unless it is there already."""
    if not s.place[u, QUEUED]:
        s.place[u, QUEUED] = 1
        end = (s.counters[QUEUE_START] + s.counters[QUEUE_LENGTH]) % len(s.queue)
        s.queue[end] = u
        s.counters[QUEUE_LENGTH] += 1


@compiled
def relax_means(s: State, t: Settings, key: int) -> None:
    """Move means until the residuals in the queue are small, or for long enough."""
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
    """What a residual may be.

    It moves the mean by about its product with the variance: that should be little beside the
    standard deviation of items known badly, and beside the scale of answers for the others.
    """
    return tolerance * max(1.0, weight / 64) / max(1.0, math.sqrt(variance))


@compiled
def apply(s: State, g: float, v: FloatArray, out: FloatArray) -> None:
    """(L + g I) v, with the answers alone."""
    for u in range(len(v)):
        total = (s.x[u, ANSWERED] + g) * v[u]
        c = s.edges[u, FIRST]
        while c >= 0:
            for a in range(int(s.weights[c, ROOM])):
                total -= s.weights[c, a] * v[s.neighbours[c, a]]
            c = s.neighbours[c, ROOM]
        out[u] = total
