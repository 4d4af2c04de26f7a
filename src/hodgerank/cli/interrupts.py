"""Ctrl-C ends a command silently, at a moment when nothing breaks."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

from hodgerank.cli.result import INTERRUPTED

PAUSE = 0.05  # seconds between checks whether an import has finished
PATIENCE = 1.0  # seconds after which a swallowed interrupt is repeated
_can_wait = hasattr(signal, "setitimer")  # not available on Windows


def run_interruptibly(command: Callable[[], int]) -> int:
    """Run a command and return its exit status, 130 if the user interrupts it.

    An interrupt during an import is delayed until the import has finished, since libraries turn it
    into another error or a crash. Compiled code may swallow it, so it is repeated.
    """
    interrupted = False

    def interrupt(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        if _can_wait and _is_importing(frame):
            signal.setitimer(signal.ITIMER_REAL, PAUSE)
            return
        interrupted = True
        if _can_wait:
            signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        raise KeyboardInterrupt

    def show_unless_interrupted(what: Any) -> None:
        if not interrupted:
            show(what)

    is_minded = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    if is_minded or threading.current_thread() is not threading.main_thread():
        return command()  # another handler is responsible for interrupts
    show = sys.unraisablehook
    signal.signal(signal.SIGINT, interrupt)
    if _can_wait:
        signal.signal(signal.SIGALRM, interrupt)
    sys.unraisablehook = show_unless_interrupted
    try:
        return command()
    except BaseException as error:
        if interrupted or isinstance(error, KeyboardInterrupt):
            return INTERRUPTED
        raise
    finally:
        if _can_wait:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        # once interrupted, nothing may disturb the end
        signal.signal(signal.SIGINT, signal.SIG_IGN if interrupted else signal.default_int_handler)
        if not interrupted:
            sys.unraisablehook = show


def heed_interrupts() -> None:
    """Let Ctrl-C end a wait for input even after polars has been imported."""
    import polars  # noqa: F401

    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None and frame.f_code is not run_interruptibly.__code__:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False
