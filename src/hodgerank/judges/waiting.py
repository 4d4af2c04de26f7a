"""Waiting: calls that wait for their turn, and need not be made."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any

from hodgerank.errors import StopAsking


class Waiting:
    """Tasks with a call that is not out: `end` ends them, and lets those that are out finish."""

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
    def call(self) -> Iterator[AbstractContextManager[None]]:
        """A call of the current task; what is yielded is entered while it is out.

        Raises `StopAsking` where no more are to be made.
        """
        if self.reason:
            raise StopAsking(self.reason)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            yield _Out(self._tasks, task)
        except asyncio.CancelledError:
            if self.reason and task in self._tasks:
                raise StopAsking(self.reason) from None
            raise
        finally:
            self._tasks.discard(task)


class _Out:
    """As long as a call is out it does not wait; afterwards it may, to be tried again."""

    def __init__(self, waiting: set[asyncio.Task[Any]], task: asyncio.Task[Any]) -> None:
        self._waiting, self._task = waiting, task

    def __enter__(self) -> None:
        self._waiting.discard(self._task)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._waiting.add(self._task)
