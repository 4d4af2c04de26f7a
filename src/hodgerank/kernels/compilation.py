"""Functions compiled by Numba: how they are declared, and what the user is told meanwhile.

A function compiles when it is first called with its types, once; the result is kept on disk.
Numba itself takes longer to import than most rankings take to compute, so it is imported with
the first call. Until then a declared function is a `_Declared`; then each of them is replaced,
in every module of ours, by the function that Numba makes of it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, overload

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

    def declare(function: Callable[..., Any]) -> Any:
        with _lock:
            if _is_loaded:
                return _make(function, options)
            return _Declared(function, options)

    return declare if function is None else declare(function)


class _Declared:
    """A function that is compiled when the first of them is called."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.__wrapped__, self.__name__, self.__doc__ = (
            function,
            function.__name__,
            function.__doc__,
        )
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__
        self._options = options
        self._made: Any = None

    def __call__(self, *args: Any) -> Any:
        return self.made()(*args)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.made(), name)  # Numba too asks for its type this way

    def __reduce__(self) -> tuple[Any, ...]:
        return _found, (self.__module__, self.__qualname__)

    def made(self) -> Any:
        """What Numba makes of it."""
        with _lock:
            if self._made is None:
                self._made = _make(self.__wrapped__, self._options)
                if not _is_loaded:
                    _replace_all()
            return self._made


def numba_is_loaded() -> bool:
    """Whether a compiled function was called already, so that another one costs no import."""
    return _is_loaded


def _found(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


_lock = threading.RLock()
_is_loaded = False


def _make(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    from numba import njit

    return njit(cache=True, nogil=True, **options)(function)


def _replace_all() -> None:
    """Put what Numba makes of all functions into the modules that define or import them.

    Who holds a `_Declared` elsewhere, in a table or as a default, calls through it.
    """
    global _is_loaded
    _is_loaded = True
    from numba.core import event

    event.Listener.register(CompilationNotice)
    event.register("numba:compile", CompilationNotice())  # type: ignore[no-untyped-call]
    for name, module in list(sys.modules.items()):
        if name.startswith("hodgerank."):
            names = vars(module)
            for key, value in list(names.items()):
                if type(value) is _Declared:
                    names[key] = value.made()


class CompilationNotice:
    """Tells, once in a process, that a compilation takes long: a listener of Numba's events."""

    def __init__(self) -> None:
        self._depth = 0
        self._began = self._spent = 0.0
        self._timer: threading.Timer | None = None
        self._told = False

    def notify(self, event: Any) -> None:
        """A compilation starts or ends."""
        if event.is_start:
            self.on_start(event)
        elif event.is_end:
            self.on_end(event)

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
