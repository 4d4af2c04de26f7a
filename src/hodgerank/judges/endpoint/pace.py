"""Pace: rate limit of the calls to a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from math import inf

from hodgerank.errors import InvalidArgument

BURST_SECONDS = 3.0  # seconds of unused capacity that can be used later
RECOVERY = 1 / 8  # further calls in progress allowed for each success
TOO_SHORT = 1e-6  # seconds too short to wait for


class Pace:
    """Admits calls in order, as fast as a model accepts them.

    Requests and tokens are token buckets with a capacity of a few seconds. When the endpoint
    reports too many requests (`hold_back`), calls pause, and then half as many may be in progress
    at once; each success allows an eighth of a call more. So unknown limits are found, too.

    Parameters
    ----------
    requests_per_minute, tokens_per_minute
        Limits of the account; None if unknown.
    clock, sleep
        Sources of time and waiting, for tests.
    """

    def __init__(
        self,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep = clock, sleep
        self._requests = _Bucket(requests_per_minute, "requests_per_minute", clock)
        self._tokens = _Bucket(tokens_per_minute, "tokens_per_minute", clock)
        self._held_until = -inf
        self._n_out, self._most_out = 0, inf
        self._places = count()
        self._waiting: dict[int, asyncio.Event] = {}

    def place(self) -> int:
        """Return a place in the queue, which a retry keeps."""
        return next(self._places)

    @asynccontextmanager
    async def slot(self, tokens: float = 0, place: int | None = None) -> AsyncIterator[None]:
        """Wait for a turn, and count as in progress until the block ends."""
        await self._turn(tokens, self.place() if place is None else place)
        try:
            yield
        finally:
            self._n_out -= 1
            if not self.is_held:
                self._most_out += RECOVERY
            self._wake_the_first()

    def correct(self, expected: float, actual: float) -> None:
        """Report the tokens of a call, instead of the expected ones."""
        self._tokens.take(actual - expected)

    def hold_back(self, seconds: float) -> None:
        """Hold all calls for this many seconds."""
        if not self.is_held:  # many calls that were out together bring the same bad news
            self._most_out = max(1.0, min(self._most_out, self._n_out) / 2)
        self._held_until = max(self._held_until, self._clock() + seconds)

    @property
    def is_held(self) -> bool:
        """Whether calls wait because the endpoint asked for it."""
        return self._clock() < self._held_until

    async def _turn(self, tokens: float, place: int) -> None:
        my_turn = self._waiting[place] = asyncio.Event()
        try:
            while (seconds := self._wait(tokens, place)) > TOO_SHORT:
                if seconds < inf:
                    await self._sleep(seconds)
                else:
                    my_turn.clear()
                    await my_turn.wait()
            self._n_out += 1
            self._requests.take(1)
            self._tokens.take(tokens)
        finally:
            del self._waiting[place]
            self._wake_the_first()

    def _wait(self, tokens: float, place: int) -> float:
        """Return the seconds until this call may be sent; infinite if it will be woken."""
        is_full = self._n_out > 0 and self._n_out + 1 > self._most_out
        if is_full or place != min(self._waiting):
            return inf
        held = self._held_until - self._clock()
        return max(held, self._requests.wait(1), self._tokens.wait(tokens))

    def _wake_the_first(self) -> None:
        if self._waiting:
            self._waiting[min(self._waiting)].set()


class _Bucket:
    """A bucket that fills evenly; overdrafts delay the next call."""

    def __init__(self, per_minute: float | None, what: str, clock: Callable[[], float]) -> None:
        if per_minute is not None and not 0 < per_minute < inf:
            raise InvalidArgument(
                f"{what} must be positive and finite, not {per_minute}; leave it out for no limit"
            )
        self._rate = inf if per_minute is None else per_minute / 60
        self._most = max(1.0, self._rate * BURST_SECONDS)
        self._content, self._at, self._clock = self._most, clock(), clock

    def wait(self, amount: float) -> float:
        """Return the seconds until `amount` is available, or the bucket is full."""
        if self._rate == inf:
            return 0.0
        self._fill()
        return (min(amount, self._most) - self._content) / self._rate

    def take(self, amount: float) -> None:
        """Take an amount, even beyond the content; a negative amount is returned."""
        if self._rate < inf:
            self._fill()
            self._content = min(self._most, self._content - amount)

    def _fill(self) -> None:
        now = self._clock()
        self._content = min(self._most, self._content + (now - self._at) * self._rate)
        self._at = now
