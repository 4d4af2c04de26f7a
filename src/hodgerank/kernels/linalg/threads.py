"""One BLAS thread for small matrices.

BLAS starts threads for matrices of a hundred rows, and these wait for each other by spinning: if
another process uses one of the cores, factorising 200 rows takes a second instead of half a
millisecond. Large matrices keep their threads.

NumPy and SciPy each have their own BLAS. SciPy is imported where it is needed, often after the
first limit was set, so its BLAS is limited once it is loaded.
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
_before: dict[str, tuple[Any, int]] = {}  # by path: a library and its previous number of threads


@contextmanager
def few_threads(n: int) -> Iterator[None]:
    """Limit BLAS to one thread for linear algebra with matrices of n rows; may be nested.

    The limit applies to the whole process: the first thread to enter sets it, the last to leave
    lifts it.
    """
    global _n_inside
    if not TINY < n <= LARGE:
        yield
        return
    with _change:
        for library in _libraries(SCIPY_BLAS in sys.modules):
            if library.filepath not in _before:
                _before[library.filepath] = library, library.num_threads
                _set_threads(library, 1)
        _n_inside += 1
    try:
        yield
    finally:
        with _change:
            _n_inside -= 1
            while not _n_inside and _before:
                library, n_threads = _before.popitem()[1]
                _set_threads(library, n_threads)


@cache
def _libraries(has_scipy: bool) -> list[Any]:
    """Return every loaded BLAS, looked up once without that of SciPy and once with it."""
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


def _set_threads(library: Any, n_threads: int) -> None:
    """Set the number, and let other threads change it: threadpoolctl may obey only the first."""
    library.set_num_threads(n_threads)
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread()
