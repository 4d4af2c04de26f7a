"""Say so when a first use has to compile: it happens once, and the result is kept on disk."""

import sys
import threading
import time

from numba.core import event

PATIENCE = 1.0  # seconds before the user is told


class CompilationNotice(event.Listener):
    """Listens to numba's compiler; one notice per process is enough."""

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
        """And its end stops it."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._spent += time.monotonic() - self._began

    def _tell(self) -> None:
        self._told = True
        print("hodgerank: compiling for this machine, once ...", file=sys.stderr, flush=True)


event.register("numba:compile", CompilationNotice())  # type: ignore[no-untyped-call]
