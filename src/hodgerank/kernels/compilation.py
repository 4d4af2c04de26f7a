"""Functions compiled by Numba: how they are declared, and what the user is told meanwhile.

A function compiles when it is first called with its types, once; the result is kept on disk.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar, overload

import numba
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., Any])
PATIENCE = 1.0  # seconds before the user is told


@overload
def compiled(function: Function, /) -> Function: ...
@overload
def compiled(**options: Any) -> Callable[[Function], Function]: ...


def compiled(function: Function | None = None, /, **options: Any) -> Any:
    """Compile a function without Python objects, so that other threads go on beside it.

    `options` are those of `numba.njit`.
    """
    decorate = numba.njit(cache=True, nogil=True, **options)
    return decorate if function is None else decorate(function)


class CompilationNotice(event.Listener):
    """Tells, once in a process, that a compilation takes long."""

    def __init__(self) -> None:
        self._depth = 0
        self._began = self._spent = 0.0
        self._timer: threading.Timer | None = None
        self._told = False

    def on_start(self, event: object) -> None:
        """The outermost compilation starts the clock; those before it count."""
        self._depth += 1
        if self._depth == 1 and not self._told:
            self._began = time.monotonic()
            self._timer = threading.Timer(max(0.0, PATIENCE - self._spent), self._tell)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: object) -> None:
        """Its end stops the clock."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._spent += time.monotonic() - self._began

    def _tell(self) -> None:
        self._told = True
        print("hodgerank: compiling for this machine, once ...", file=sys.stderr, flush=True)


event.register("numba:compile", CompilationNotice())  # type: ignore[no-untyped-call]
