"""Functions compiled by Numba: their declaration, and the message while they compile.

A function compiles on its first call with given types; the result is cached on disk. Importing
Numba takes longer than most rankings, so it is imported with the first call. Until then a declared
function is a `_Declared`; then each of them is replaced, in every module of this package, by the
compiled function.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, overload

Function = TypeVar("Function", bound=Callable[..., Any])
PATIENCE = 1.0  # seconds before the message is shown


@overload
def compiled(function: Function, /) -> Function: ...
@overload
def compiled(**options: Any) -> Callable[[Function], Function]: ...


def compiled(function: Function | None = None, /, **options: Any) -> Any:
    """Compile a function in nopython mode without the GIL, so that other threads keep running.

    `options` are those of `numba.njit`.
    """

    def declare(function: Callable[..., Any]) -> Any:
        with _lock:
            if _is_loaded:
                return _make(function, options)
            return _Declared(function, options)

    return declare if function is None else declare(function)


class _Declared:
    """A function that is compiled on its first call."""

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
        return getattr(self.made(), name)  # Numba reads the type this way too

    def __reduce__(self) -> tuple[Any, ...]:
        return _found, (self.__module__, self.__qualname__)

    def made(self) -> Any:
        """Return the compiled function."""
        with _lock:
            if self._made is None:
                self._made = _make(self.__wrapped__, self._options)
                if not _is_loaded:
                    _replace_all()
            return self._made


def numba_is_loaded() -> bool:
    """Whether Numba is imported, because a compiled function was called before."""
    return _is_loaded


def _found(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


_lock = threading.RLock()
_is_loaded = False


def _make(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    from numba import njit

    return njit(cache=True, nogil=True, **options)(function)


def _replace_all() -> None:
    """Replace declared functions by compiled ones in the modules that define or import them.

    References held elsewhere, in a table or as a default, call through `_Declared`.
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
    """Listener of Numba's events that reports a long compilation once per process."""

    def __init__(self) -> None:
        self._depth = 0
        self._began = self._spent = 0.0
        self._timer: threading.Timer | None = None
        self._told = False

    def notify(self, event: Any) -> None:
        """Handle the start or end of a compilation."""
        if event.is_start:
            self.on_start(event)
        elif event.is_end:
            self.on_end(event)

    def on_start(self, event: object) -> None:
        """Start the timer with the outermost compilation; earlier ones count."""
        self._depth += 1
        if self._depth == 1 and not self._told:
            self._began = time.monotonic()
            self._timer = threading.Timer(max(0.0, PATIENCE - self._spent), self._tell)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: object) -> None:
        """Stop the timer."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._spent += time.monotonic() - self._began

    def _tell(self) -> None:
        self._told = True
        print("hodgerank: compiling for this machine, once ...", file=sys.stderr, flush=True)
