"""CallLoop: several calls in progress at once, until there is a reason to stop.

`run_async` and the loops over language models are built on it. They decide what to ask and what to
do with a reply. The loop keeps the budget, decides why a run ends, waits for calls in progress,
handles interrupts, and gives up on a judge that fails repeatedly.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np

from hodgerank.errors import InvalidArgument, JudgeFailed, StopAsking

T = TypeVar("T")
MOST_IN_A_ROW = 20  # pairs without an answer before giving up


class StopReason(str):
    """Why a run stopped, in words, with a stable `code` for programs."""

    code: str

    def __new__(cls, words: str, code: str = "stopped") -> Self:
        """Return words with a code; those of another `StopReason` keep theirs."""
        reason = super().__new__(cls, words)
        reason.code = words.code if isinstance(words, StopReason) else code
        return reason

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        """Pickle the code too."""
        return type(self), (str(self), self.code)


@dataclass(frozen=True)
class Budget:
    """A number of votes."""

    size: int

    def __post_init__(self) -> None:
        if not isinstance(self.size, int | np.integer) or self.size < 1:
            raise InvalidArgument(
                f"budget must be a number of votes, at least 1, not {self.size!r}"
            )

    def reason_to_stop(self, n_votes: int) -> str:
        """Return why to stop; empty if there is no reason."""
        if n_votes < self.size:
            return ""
        return StopReason(f"budget of {self.size:,} votes used", "budget")


class MissedInARow:
    """Counts failures in a row for each judge."""

    def __init__(self) -> None:
        self._in_a_row: Counter[Hashable] = Counter()

    def answer(self, judge: Hashable = None) -> None:
        """Record an answer."""
        self._in_a_row[judge] = 0

    def miss(self, judge: Hashable = None) -> int:
        """Record a failure; return their number in a row from `MOST_IN_A_ROW` on, else 0."""
        self._in_a_row[judge] += 1
        found = self._in_a_row[judge]
        return found if found >= MOST_IN_A_ROW else 0


class CallLoop(ABC, Generic[T]):
    """Calls in progress, and why no more are made.

    Attributes
    ----------
    out
        What each call in progress is about, in the order in which they were sent.
    besides
        Other events that end a wait, since they make further calls possible.
    wish
        Why a judge wants no more calls; empty if it does not.
    failure
        Error that ended the run, raised when the calls in progress have returned.
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
        """Number of votes that the budget counts."""

    @abstractmethod
    async def fill(self) -> str:
        """Send calls; return why there is nothing to wait for, empty if there is."""

    @abstractmethod
    def take(self, done: list[tuple[T, asyncio.Task[Any]]]) -> None:
        """Process replies in the order in which the calls were sent."""

    def end(self, reason: str) -> None:
        """Report why no more calls are made, before waiting for those in progress."""

    def reason_to_stop(self) -> str:
        """Return why to stop; empty if there is no reason."""
        if self.failure is not None:
            return _words(self.failure)
        if self.wish or self.budget is None:
            return self.wish
        return self.budget.reason_to_stop(self.n_votes)

    @property
    def n_free(self) -> int:
        """Return how many more calls may be sent, at most what the budget can still use."""
        most = self._concurrency
        if self.budget is not None:
            most = min(most, self.budget.size - self.n_votes)
        return most - len(self.out)

    def send(self, call: Coroutine[Any, Any, Any], about: T) -> None:
        """Send a call."""
        self.out[asyncio.create_task(call)] = about

    def fail(self, error: BaseException) -> None:
        """End the run with an error; the first one counts."""
        self.failure = self.failure or error

    async def run(self) -> str:
        """Call until there is a reason to stop; wait for calls in progress, return the reason."""
        try:
            while not (reason := self.reason_to_stop() or await self.fill()):
                await self._collect()
            self.end(reason)
            while self.out:  # they are paid for
                await self._collect()
        finally:
            await self.cancel()
        if self.failure is not None:
            raise self.failure
        return reason

    async def _collect(self) -> None:
        """Wait until a call has returned, or another event."""
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
        """Stop waiting."""
        left = [*self.out, *self.besides]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)


def _words(error: BaseException) -> StopReason:
    if error.args and isinstance(error.args[0], StopReason):
        return error.args[0]
    code = getattr(error, "code", "failed")
    return StopReason(str(error) or type(error).__name__, code)
