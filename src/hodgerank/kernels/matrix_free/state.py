"""The arrays of a matrix-free posterior, its neighbour lists, and the journal of its changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, FloatArray, IntArray

# Columns of State.x, one cache line per item.
MEAN, RESIDUAL, FORCE, VARIANCE, ANSWERED, PENDING, SHIFT, REST = range(8)
# Columns of State.place: neighbours in the cell, the cell (-1: none), whether queued.
NEXT, PREVIOUS, CELL, QUEUED = range(4)
# Columns of State.edges: first chunk of votes and of pending pairs, number of neighbours, mark.
FIRST, FIRST_PENDING, COUNT, MARK = range(4)
# Entries of State.counters.
N_CHUNKS, N_LINES, QUEUE_START, QUEUE_LENGTH, IS_STALE, N_LISTED, N_PENDING, N_LEARNED = range(8)


class State(NamedTuple):
    """All mutable arrays; shapes in brackets.

    The state without pending pairs is a function of the votes in their order. Pending pairs are
    added on top, and `undo` removes them exactly.

    Attributes
    ----------
    x
        [n, 8] mean; residual b + g m - A mean; force b + g m; variance of the centred score; weight
        of votes; weight of pending pairs; two columns of scratch.
    place
        [n, 4] position of an item in the grid.
    edges
        [n, 4] start of its neighbour lists.
    neighbours, weights
        [chunks, 16] neighbours and weights in chunks of one cache line: 15 entries, then the next
        chunk (-1: none) and the number of entries.
    counters
        [8] single numbers, from N_CHUNKS to N_LEARNED.
    queue
        [n] ring buffer of items whose residual is to be relaxed.
    touched
        [n] scratch: items reached by a local solution.
    cells
        [buckets * levels] first item of each cell, -1 if empty.
    top
        [buckets] highest nonempty level, -1 if all are empty.
    listed
        [pairs of buckets, 3] the most promising: estimate, two cells.
    journal
        [lines, 7] previous values of what pending pairs have changed.
    """

    x: FloatArray
    place: CodeArray
    edges: CodeArray
    neighbours: CodeArray
    weights: NDArray[np.float32]
    counters: IntArray
    queue: CodeArray
    touched: CodeArray
    cells: CodeArray
    top: CodeArray
    listed: FloatArray
    journal: FloatArray


class Settings(NamedTuple):
    """Constants of a posterior.

    Attributes
    ----------
    prior_strength
        The prior precision g of each score.
    locality
        The g used for variances, large enough to make them local.
    criterion
        INFORMATION or VARIANCE_ALONE.
    link
        The link from differences to preferences, as in `selection.information`.
    reach
        Share of a pair's variance below which a local solution stops.
    residual
        Tolerance of the residuals of the mean.
    bucket_width, mean_range, lowest_variance, log_ratio
        The grid: means from -mean_range to mean_range, levels of variance from lowest_variance up,
        each exp(log_ratio) times the one below.
    """

    prior_strength: float
    locality: float
    criterion: int
    link: int
    reach: float
    residual: float
    bucket_width: float
    mean_range: float
    lowest_variance: float
    log_ratio: float


INFORMATION, VARIANCE_ALONE = 0, 1
N_LISTED_PAIRS = 48  # pairs of buckets that are kept


def empty_state(n: int, n_chunks: int, t: Settings) -> State:
    """Return a state without votes and with an empty grid; the caller sets means and variances."""
    edges = np.zeros((n, 4), np.int32)
    edges[:, [FIRST, FIRST_PENDING]] = -1
    place = np.zeros((n, 4), np.int32)
    place[:, CELL] = -1
    return State(
        x=np.zeros((n, 8)),
        place=place,
        edges=edges,
        neighbours=np.empty((n_chunks, 16), np.int32),
        weights=np.empty((n_chunks, 16), np.float32),
        counters=np.zeros(8, np.int64),
        queue=np.empty(n, np.int32),
        touched=np.empty(n, np.int32),
        journal=np.empty((0, 7)),
        **empty_grid(t),
    )


def empty_grid(t: Settings) -> dict[str, Any]:
    """Return the arrays of the grid; with VARIANCE_ALONE one bucket holds all means."""
    buckets = 1
    if t.criterion == INFORMATION:
        buckets = int(2 * t.mean_range / t.bucket_width) + 1
    levels = int(np.log(1 / (t.locality * t.lowest_variance)) / t.log_ratio) + 2
    return {
        "cells": np.full(buckets * levels, -1, np.int32),
        "top": np.full(buckets, -1, np.int32),
        "listed": np.empty((N_LISTED_PAIRS, 3)),
    }


def longer(array: Any) -> Any:
    """Return the array with another row, reallocated with spare space when it is full."""
    n, room = len(array), array.base
    has_room = (
        isinstance(room, np.ndarray)
        and room.shape[1:] == array.shape[1:]
        and room.dtype == array.dtype
        and len(room) > n
    )
    if not has_room:
        room = np.empty((n + n // 4 + 16, *array.shape[1:]), array.dtype)
        room[:n] = array
    return room[: n + 1]


ROOM = 15
CHUNK = ROOM + 1


@compiled
def weight_between(s: State, graph: int, u: int, v: int) -> float:
    """Return the weight of the edge between two items, 0 if there is none."""
    if graph == FIRST and s.edges[v, COUNT] < s.edges[u, COUNT]:
        u, v = v, u
    c = s.edges[u, graph]
    while c >= 0:
        for k in range(int(s.weights[c, ROOM])):
            if s.neighbours[c, k] == v:
                return float(s.weights[c, k])
        c = s.neighbours[c, ROOM]
    return 0.0


@compiled
def _new_chunk(s: State, following: int) -> int:
    c: int = s.counters[N_CHUNKS]
    s.counters[N_CHUNKS] += 1
    s.neighbours[c, ROOM] = following
    s.weights[c, ROOM] = 0
    return c


@compiled
def connect(s: State, graph: int, u: int, v: int, weight: float) -> float:
    """Connect two items, or add to their edge; return the added weight after rounding."""
    if weight_between(s, graph, u, v) > 0:
        _add_weight(s, graph, u, v, weight)
        return _add_weight(s, graph, v, u, weight)
    _add_neighbour(s, graph, u, v, weight)
    return _add_neighbour(s, graph, v, u, weight)


@compiled
def _add_weight(s: State, graph: int, u: int, v: int, weight: float) -> float:
    c = s.edges[u, graph]
    while c >= 0:
        for k in range(int(s.weights[c, ROOM])):
            if s.neighbours[c, k] == v:
                before = float(s.weights[c, k])
                s.weights[c, k] += weight
                return float(s.weights[c, k]) - before
        c = s.neighbours[c, ROOM]
    return 0.0


@compiled
def _add_neighbour(s: State, graph: int, u: int, v: int, weight: float) -> float:
    c = s.edges[u, graph]
    if c < 0 or s.weights[c, ROOM] == ROOM:
        c = _new_chunk(s, c)
        s.edges[u, graph] = c
    k = int(s.weights[c, ROOM])
    s.neighbours[c, k] = v
    s.weights[c, k] = weight
    s.weights[c, ROOM] = k + 1
    if graph == FIRST:
        s.edges[u, COUNT] += 1
    return float(s.weights[c, k])


@compiled
def slots_of_votes(s: State) -> CodeArray:
    """Return the position of each neighbour in its item's list, 16 per chunk; -1 if none."""
    n = len(s.x)
    slots = np.full((n, n), -1, np.int32)
    for u in range(n):
        c = s.edges[u, FIRST]
        while c >= 0:
            for k in range(int(s.weights[c, ROOM])):
                slots[u, s.neighbours[c, k]] = CHUNK * c + k
            c = s.neighbours[c, ROOM]
    return slots


@compiled
def connect_by_slots(s: State, slots: CodeArray, u: int, v: int, weight: float) -> float:
    """Connect two items by vote without a search; `slots` are kept up to date."""
    for _ in range(2):
        slot = slots[u, v]
        if slot >= 0:
            c, k = slot // CHUNK, slot % CHUNK
            before = float(s.weights[c, k])
            s.weights[c, k] += weight
            added = float(s.weights[c, k]) - before
        else:
            added = _add_neighbour(s, FIRST, u, v, weight)
            c = s.edges[u, FIRST]
            slots[u, v] = CHUNK * c + int(s.weights[c, ROOM]) - 1
        u, v = v, u
    return added


LINES_PER_MOVE = 7  # the item, and its neighbours and cells before and after the move


@compiled
def write_item(s: State, u: int) -> None:
    """Record an item in the journal."""
    line = s.journal[s.counters[N_LINES]]
    s.counters[N_LINES] += 1
    line[0] = u
    line[1] = s.x[u, VARIANCE]
    line[2] = s.x[u, PENDING]
    line[3] = s.edges[u, FIRST_PENDING]
    line[4] = s.place[u, NEXT]
    line[5] = s.place[u, PREVIOUS]
    line[6] = s.place[u, CELL]


@compiled
def write_surroundings(s: State, u: int, new: int) -> None:
    """Record what changes around an item that moves from its cell to a new one."""
    write_item(s, s.place[u, NEXT])
    write_item(s, s.place[u, PREVIOUS])
    _write_cell(s, s.place[u, CELL])
    first = s.cells[new]
    if first >= 0:
        write_item(s, first)
        write_item(s, s.place[first, PREVIOUS])
    _write_cell(s, new)


@compiled
def _write_cell(s: State, cell: int) -> None:
    line = s.journal[s.counters[N_LINES]]
    s.counters[N_LINES] += 1
    line[0] = -1 - cell
    line[1] = s.cells[cell]
    line[2] = s.top[_bucket(s, cell)]


@compiled(inline="always")
def _bucket(s: State, cell: int) -> int:
    return cell // (len(s.cells) // len(s.top))


@compiled
def undo(s: State) -> None:
    """Restore all recorded values; counters and `listed` are left to the caller."""
    for k in range(s.counters[N_LINES] - 1, -1, -1):
        line = s.journal[k]
        who = int(line[0])
        if who >= 0:
            s.x[who, VARIANCE] = line[1]
            s.x[who, PENDING] = line[2]
            s.edges[who, FIRST_PENDING] = int(line[3])
            s.place[who, NEXT] = int(line[4])
            s.place[who, PREVIOUS] = int(line[5])
            s.place[who, CELL] = int(line[6])
        else:
            cell = -1 - who
            s.cells[cell] = int(line[1])
            s.top[_bucket(s, cell)] = int(line[2])
