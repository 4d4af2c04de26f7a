"""One BLAS thread for small matrices.

BLAS starts threads for matrices of a hundred rows already, and they wait for each other by
spinning: where another process has one of the cores, factorising 200 rows takes a second instead of
half a millisecond. Large matrices keep their threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

TINY = 48  # rows for which BLAS starts no threads
LARGE = 2000


_change = Lock()
_n_inside = 0
_limit: Any = None


@contextmanager
def few_threads(n: int) -> Iterator[None]:
    """Do linear algebra with matrices of n rows inside; what is inside already costs nothing.

    The limit is one of the whole process: the first thread to come sets it, the last one to go
    lifts it.
    """
    global _n_inside, _limit
    if not TINY < n <= LARGE:
        yield
        return
    with _change:
        if not _n_inside:
            _limit = _controller().limit(limits=1, user_api="blas")
        _n_inside += 1
    try:
        yield
    finally:
        with _change:
            _n_inside -= 1
            if not _n_inside:
                _limit.restore_original_limits()


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
