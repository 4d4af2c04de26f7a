"""Pace: how fast calls go to a model, shared by all that are under way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from math import inf

from hodgerank.errors import InvalidArgument

BURST_SECONDS = 3.0  # what was not used may be made up for that long
RECOVERY = 1 / 8  # how many more calls may be out at once for each that went well
TOO_SHORT = 1e-6  # seconds that no clock needs to wait for


class Pace:
    """Lets calls through, first come first served, as fast as a model takes them.

    Requests and tokens are each a bucket that fills evenly and holds a few seconds' worth. When the
    endpoint says that it is too much (`hold_back`), nothing goes out for a while, and afterwards
    half as many calls may be out at once; each that goes well wins back an eighth of a place. So a
    limit that nobody told is found, too.

    Parameters
    ----------
    requests_per_minute, tokens_per_minute
        The limits of the account; None: none is known.
    clock, sleep
        Seconds that pass, and waiting for them.
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
        """A place in the queue: a call that is tried again keeps the one it had."""
        return next(self._places)

    @asynccontextmanager
    async def slot(self, tokens: float = 0, place: int | None = None) -> AsyncIterator[None]:
        """Wait for a turn, and be counted as out until the block ends."""
        await self._turn(tokens, self.place() if place is None else place)
        try:
            yield
        finally:
            self._n_out -= 1
            if not self.is_held:
                self._most_out += RECOVERY
            self._wake_the_first()

    def correct(self, expected: float, actual: float) -> None:
        """Tell what a call took in tokens, in the place of what was expected of it."""
        self._tokens.take(actual - expected)

    def hold_back(self, seconds: float) -> None:
        """Let nothing out for so long, whoever asks."""
        if not self.is_held:  # many calls that were out together bring the same bad news
            self._most_out = max(1.0, min(self._most_out, self._n_out) / 2)
        self._held_until = max(self._held_until, self._clock() + seconds)

    @property
    def is_held(self) -> bool:
        """Whether calls wait because the endpoint said so."""
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
        """Seconds until this call may go, as far as is known; infinite: it will be woken."""
        is_full = self._n_out > 0 and self._n_out + 1 > self._most_out
        if is_full or place != min(self._waiting):
            return inf
        held = self._held_until - self._clock()
        return max(held, self._requests.wait(1), self._tokens.wait(tokens))

    def _wake_the_first(self) -> None:
        if self._waiting:
            self._waiting[min(self._waiting)].set()


class _Bucket:
    """Fills evenly; what is taken beyond its content has to come in before the next may go."""

    def __init__(self, per_minute: float | None, what: str, clock: Callable[[], float]) -> None:
        if per_minute is not None and not 0 < per_minute < inf:
            raise InvalidArgument(
                f"{what} must be positive and finite, not {per_minute}; leave it out for no limit"
            )
        self._rate = inf if per_minute is None else per_minute / 60
        self._most = max(1.0, self._rate * BURST_SECONDS)
        self._content, self._at, self._clock = self._most, clock(), clock

    def wait(self, amount: float) -> float:
        """Seconds until `amount` is there, or all that it can hold."""
        if self._rate == inf:
            return 0.0
        self._fill()
        return (min(amount, self._most) - self._content) / self._rate

    def take(self, amount: float) -> None:
        """Take so much, whether it is there or not; a negative amount is given back."""
        if self._rate < inf:
            self._fill()
            self._content = min(self._most, self._content - amount)

    def _fill(self) -> None:
        now = self._clock()
        self._content = min(self._most, self._content + (now - self._at) * self._rate)
        self._at = now
