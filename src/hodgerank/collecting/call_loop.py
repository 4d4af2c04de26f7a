"""CallLoop: many calls out at once, until there is a reason to stop.

`run_async` and the loops over language models are built on it. They say what is to be asked and
what becomes of a reply; here is what they have in common: the budget, why a run ends, that calls
which are out then are waited for, how a run is broken off, and when a judge is given up.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from hodgerank.errors import InvalidArgument, JudgeFailed, StopAsking

T = TypeVar("T")
MOST_IN_A_ROW = 20  # pairs without an answer before giving up


@dataclass(frozen=True)
class Budget:
    """A number of answers."""

    size: int

    def __post_init__(self) -> None:
        if not isinstance(self.size, int | np.integer) or self.size < 1:
            raise InvalidArgument(f"budget is a number of answers, at least 1, not {self.size!r}")

    def reason_to_stop(self, n_votes: int) -> str:
        """Why no more should be asked; empty if there is no reason."""
        return f"budget of {self.size:,} answers used" if n_votes >= self.size else ""


class MissedInARow:
    """Counts pairs without an answer, for each judge since its last answer."""

    def __init__(self) -> None:
        self._in_a_row: Counter[Hashable] = Counter()

    def answer(self, judge: Hashable = None) -> None:
        """A pair was answered."""
        self._in_a_row[judge] = 0

    def miss(self, judge: Hashable = None) -> int:
        """A pair was not; how many in a row, from `MOST_IN_A_ROW` on, and 0 before."""
        self._in_a_row[judge] += 1
        found = self._in_a_row[judge]
        return found if found >= MOST_IN_A_ROW else 0


class CallLoop(ABC, Generic[T]):
    """Calls that are out, and why no more are made.

    Attributes
    ----------
    out
        What each call is about, in the order in which they went out.
    besides
        What else ends a wait: news of something that makes further calls possible.
    wish
        Why somebody wants no more calls; empty as long as nobody does.
    failure
        What ended the run and is raised when the calls that are out have come back.
    """

    def __init__(self, concurrency: int, budget: Budget | None) -> None:
        if concurrency < 1:
            raise InvalidArgument(f"concurrency must be at least 1, not {concurrency!r}")
        self.budget, self._concurrency = budget, concurrency
        self.out: dict[asyncio.Task[Any], T] = {}
        self.besides: set[asyncio.Task[Any]] = set()
        self.wish = ""
        self.failure: BaseException | None = None

    @property
    @abstractmethod
    def n_votes(self) -> int:
        """How many the budget counts."""

    @abstractmethod
    async def fill(self) -> str:
        """Send out what may be out; why there is nothing to wait for, empty if there is."""

    @abstractmethod
    def take(self, done: list[tuple[T, asyncio.Task[Any]]]) -> None:
        """Keep what came of calls, in the order in which they went out."""

    def end(self, reason: str) -> None:
        """Hear why no more calls are made, before those that are out are waited for."""

    def reason_to_stop(self) -> str:
        """Why no more should be asked; empty if there is no reason."""
        if self.failure is not None:
            return _words(self.failure)
        if self.wish or self.budget is None:
            return self.wish
        return self.budget.reason_to_stop(self.n_votes)

    @property
    def n_free(self) -> int:
        """How many more calls may be out, and no more than the budget can still use."""
        most = self._concurrency
        if self.budget is not None:
            most = min(most, self.budget.size - self.n_votes)
        return most - len(self.out)

    def send(self, call: Coroutine[Any, Any, Any], about: T) -> None:
        """Let a call go out."""
        self.out[asyncio.create_task(call)] = about

    def fail(self, error: BaseException) -> None:
        """End the run with an error; the first one counts."""
        self.failure = self.failure or error

    async def run(self) -> str:
        """Call until there is a reason to stop, which is returned, and wait for what is out."""
        try:
            while not (reason := self.reason_to_stop() or await self.fill()):
                await self._collect()
            self.end(reason)
            while self.out:  # they have been paid for
                await self._collect()
        finally:
            await self.cancel()
        if self.failure is not None:
            raise self.failure
        return reason

    async def _collect(self) -> None:
        """Wait until a call is over, or something besides."""
        waits = {*self.out, *self.besides}
        if not waits:
            return
        done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for news in self.besides & done:
            self.besides.remove(news)
            if (error := news.exception()) is not None:
                self.fail(error)
        came = []
        for task in [task for task in self.out if task in done]:
            about, error = self.out.pop(task), task.exception()
            if isinstance(error, StopAsking):
                self.wish = self.wish or _words(error)
            elif isinstance(error, JudgeFailed):
                self.fail(error)
            else:
                came.append((about, task))
        self.take(came)

    async def cancel(self) -> None:
        """Wait for nothing any more."""
        left = [*self.out, *self.besides]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__
