"""The arrays of a matrix-free posterior."""

from typing import NamedTuple

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
N_CHUNKS, FREE_CHUNK, QUEUE_START, QUEUE_LENGTH, IS_STALE, N_LISTED, N_PENDING, N_LEARNED = range(8)


class State(NamedTuple):
    """All that changes; shapes in brackets.

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
        [8] of all kinds.
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


class Settings(NamedTuple):
    """What does not change.

    Attributes
    ----------
    prior_strength
        g.
    locality
        The g by which variances are reckoned, at least so large that they are local.
    criterion
        INFORMATION or VARIANCE_ALONE.
    link
        How differences become preferences, as in `kernels.information`.
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
