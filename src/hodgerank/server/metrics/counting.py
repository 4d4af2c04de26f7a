"""Metrics: how many requests there were, and how long they took."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections import Counter
from time import perf_counter, time
from typing import NamedTuple

BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Seconds: of each interval its end."""
LAG_SECONDS = 0.5
"""Between two looks at how punctual the event loop is."""


class RouteKey(NamedTuple):
    """A row of the table of routes; empty where none fits."""

    method: str
    path: str


NO_ROUTE = RouteKey("", "")


class Histogram:
    """How many durations fell into which interval, and their sum."""

    __slots__ = ("counts", "sum")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.sum = 0.0

    def add(self, seconds: float) -> None:
        """One more."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.sum += seconds


class Metrics:
    """What is counted in this process since it began.

    Attributes
    ----------
    requests
        By route and status.
    seconds
        How long answers took, by route; streams go on for as long as somebody looks, and are left
        out.
    lag
        By how much the event loop is late.
    """

    def __init__(self) -> None:
        self.began_at = time()
        self.requests: Counter[tuple[RouteKey, int]] = Counter()
        self.seconds: dict[RouteKey, Histogram] = {}
        self.lag = Histogram()

    def note(self, route: RouteKey, status: int, seconds: float | None) -> None:
        """A request was answered."""
        self.requests[route, status] += 1
        if seconds is not None:
            if (histogram := self.seconds.get(route)) is None:
                histogram = self.seconds[route] = Histogram()
            histogram.add(seconds)

    async def watch_loop(self) -> None:
        """Look for ever how punctual the event loop is."""
        while True:
            due = perf_counter() + LAG_SECONDS
            await asyncio.sleep(LAG_SECONDS)
            self.lag.add(max(0.0, perf_counter() - due))
