"""Waiting: calls that wait for their turn, and need not be made."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from hodgerank.errors import StopAsking
from hodgerank.judges.endpoint.endpoint import WhileOut


class Waiting:
    """Tasks with a call that is not out: `end` ends them, and lets those that are out finish.

    Attributes
    ----------
    reason
        Why no more calls are to be made; empty as long as they are.
    """

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self.reason = ""

    def begin(self) -> None:
        """Let calls be made, from now on or again."""
        self.reason = ""

    def end(self, reason: str) -> None:
        """Make no more calls."""
        self.reason = reason
        for task in self._tasks:
            task.cancel()

    @contextmanager
    def call(self) -> Iterator[WhileOut]:
        """A call of the current task; what is yielded is entered whenever it is out.

        Raises `StopAsking` where no more are to be made.
        """
        if self.reason:
            raise StopAsking(self.reason)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            yield partial(self._out, task)
        except asyncio.CancelledError:
            if self.reason and task in self._tasks:
                raise StopAsking(self.reason) from None
            raise
        finally:
            self._tasks.discard(task)

    @contextmanager
    def _out(self, task: asyncio.Task[Any]) -> Iterator[None]:
        """Afterwards it may wait again, to be tried once more."""
        self._tasks.discard(task)
        try:
            yield
        finally:
            self._tasks.add(task)
