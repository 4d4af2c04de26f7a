"""One BLAS thread for small matrices.

BLAS starts threads for matrices of a hundred rows already, and they wait for each other by
spinning: where another process has one of the cores, factorising 200 rows takes a second instead of
half a millisecond. Large matrices keep their threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

TINY = 48  # rows for which BLAS starts no threads
LARGE = 2000


_is_limited = False


@contextmanager
def few_threads(n: int) -> Iterator[None]:
    """Do linear algebra with matrices of n rows inside; what is inside already costs nothing."""
    global _is_limited
    if _is_limited or not TINY < n < LARGE:
        yield
        return
    with _controller().limit(limits=1, user_api="blas"):
        _is_limited = True
        try:
            yield
        finally:
            _is_limited = False


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
