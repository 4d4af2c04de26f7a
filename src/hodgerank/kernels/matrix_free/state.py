"""The arrays of a matrix-free posterior."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hodgerank.types import CodeArray, FloatArray, IntArray

# Columns of State.x, one cache line per item.
MEAN, RESIDUAL, FORCE, VARIANCE, ANSWERED, PENDING, SHIFT, REST = range(8)
# Columns of State.place: neighbours in the cell, the cell (-1: in none), whether queued.
NEXT, PREVIOUS, CELL, QUEUED = range(4)
# Columns of State.edges: first chunk of answers and of pending pairs, number of neighbours, mark.
FIRST, FIRST_PENDING, COUNT, MARK = range(4)
# Entries of State.counters.
N_CHUNKS, N_LINES, QUEUE_START, QUEUE_LENGTH, IS_STALE, N_LISTED, N_PENDING, N_LEARNED = range(8)


class State(NamedTuple):
    """All that changes; shapes in brackets.

    What the answers say is a function of the answers in their order. Pairs that are out lie on top
    of it, and `journal.undo` takes them off without a trace.

    Attributes
    ----------
    x
        [n, 8] mean; residual b + g m - A mean; force b + g m; variance of the centred score; weight
        of answers; weight of pending pairs; two columns of scratch.
    place
        [n, 4] where an item stands in the grid.
    edges
        [n, 4] where its neighbours begin.
    neighbours, weights
        [chunks, 16] see `adjacency`.
    counters
        [8] single numbers, from N_CHUNKS to N_LEARNED.
    queue
        [n] items whose residual is to be relaxed, in a ring.
    touched
        [n] scratch: items reached by a local solution.
    cells
        [buckets * levels] first item of each cell, -1 if it is empty.
    top
        [buckets] highest level that is not empty, -1 if all are.
    listed
        [pairs of buckets, 3] the most promising: estimate, two buckets.
    journal
        [lines, 7] what stood where pairs that are out have changed it, see `journal`.
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
    """What does not change.

    Attributes
    ----------
    prior_strength
        The precision g of each score before any answer.
    locality
        The g with which variances are computed, large enough to make them local.
    criterion
        INFORMATION or VARIANCE_ALONE.
    link
        How differences become preferences, as in `selection.information`.
    reach
        Share of a pair's variance below which a local solution stops.
    residual
        Tolerance of the residuals of the mean.
    bucket_width, mean_range, lowest_variance, log_ratio
        Of the grid: means from -mean_range to mean_range, levels of variance from lowest_variance
        up, each exp(log_ratio) times the one below.
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
N_LISTED_PAIRS = 48  # pairs of buckets kept as promising


def empty_state(n: int, n_chunks: int, t: Settings) -> State:
    """No answers and an empty grid; the caller fills in means and variances."""
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
    """The arrays of the grid; where variances alone count, one bucket holds all means."""
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
    """The array with one more row; now and then it is copied to where there is room for more."""
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
