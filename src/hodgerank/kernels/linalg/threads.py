"""One BLAS thread for small matrices.

BLAS starts threads for matrices of a hundred rows already, and they wait for each other by
spinning: where another process has one of the cores, factorising 200 rows takes a second instead of
half a millisecond. Large matrices keep their threads.

NumPy and SciPy each bring a BLAS of their own. SciPy is imported where it is needed, often after
the first limit was set, so its BLAS is limited as soon as it is there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

TINY = 48  # rows for which BLAS starts no threads
LARGE = 2000
SCIPY_BLAS = "scipy.linalg._flapack"  # the module whose import loads it

_change = Lock()
_n_inside = 0
_limits: dict[bool, Any] = {}  # by whether they include the BLAS of SciPy


@contextmanager
def few_threads(n: int) -> Iterator[None]:
    """Do linear algebra with matrices of n rows inside; what is inside already costs nothing.

    The limit is one of the whole process: the first thread to come sets it, the last one to go
    lifts it.
    """
    global _n_inside
    if not TINY < n < LARGE:
        yield
        return
    with _change:
        has_scipy = SCIPY_BLAS in sys.modules
        if not _n_inside or (has_scipy and True not in _limits):
            _limits[has_scipy] = _controller(has_scipy).limit(limits=1, user_api="blas")
        _n_inside += 1
    try:
        yield
    finally:
        with _change:
            _n_inside -= 1
            while not _n_inside and _limits:
                _limits.popitem()[1].restore_original_limits()  # the last one first


@cache
def _controller(has_scipy: bool) -> Any:
    """Of the libraries that are loaded, which are looked up once with SciPy and once without."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
