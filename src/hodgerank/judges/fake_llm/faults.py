"""Faults: simulated failures of an endpoint, by share of the requests."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from email.utils import formatdate
from math import ceil
from random import Random
from time import time
from typing import Literal

from hodgerank.errors import InvalidArgument

Fault = Literal["too_many", "server_error", "broken_json", "closed"]
FAULTS: tuple[Fault, ...] = ("too_many", "server_error", "broken_json", "closed")


@dataclass(frozen=True)
class Faults:
    """Simulated failures of an endpoint, as shares of the requests, and its latency.

    Attributes
    ----------
    too_many
        Share of requests answered by status 429.
    server_error
        Share answered by status 500.
    broken_json
        Share whose answer ends in the middle of its JSON.
    closed
        Share whose connection is closed without an answer.
    retry_after
        Seconds that status 429 asks to wait; None: it does not say.
    retry_after_as
        How it says so: 'seconds', 'date' (Retry-After) or 'ms' (retry-after-ms).
    latency
        Seconds until anything is answered, or a range of them.
    """

    too_many: float = 0.0
    server_error: float = 0.0
    broken_json: float = 0.0
    closed: float = 0.0
    retry_after: float | None = None
    retry_after_as: Literal["seconds", "date", "ms"] = "seconds"
    latency: float | tuple[float, float] = 0.0

    def __post_init__(self) -> None:
        shares = [getattr(self, name) for name in FAULTS]
        if min(shares) < 0 or sum(shares) > 1:
            raise InvalidArgument("faults are shares of the requests: at least 0, at most 1 in all")
        low, high = self.latency_range
        if not 0 <= low <= high:
            raise InvalidArgument(f"latency must be seconds or a range of them, not {self.latency}")

    @property
    def latency_range(self) -> tuple[float, float]:
        """Shortest and longest latency, in seconds."""
        if isinstance(self.latency, tuple):
            return self.latency
        return self.latency, self.latency

    def waiting_header(self) -> dict[str, str]:
        """Return the header by which status 429 asks to wait; empty without `retry_after`."""
        if self.retry_after is None:
            return {}
        match self.retry_after_as:
            case "seconds":
                return {"Retry-After": f"{self.retry_after:g}"}
            case "date":  # of whole seconds: never too early
                return {"Retry-After": formatdate(ceil(time() + self.retry_after), usegmt=True)}
            case "ms":
                return {"retry-after-ms": f"{1000 * self.retry_after:g}"}


class FaultPlan:
    """Random faults and latencies of requests, in the order of their arrival."""

    def __init__(self, faults: Faults, seed: int) -> None:
        self._faults = faults
        self._rng = Random(f"{seed} faults")
        self._lock = threading.Lock()

    def draw(self) -> tuple[Fault | None, float]:
        """Draw the fault of the next request, None for no fault, and its latency in seconds."""
        with self._lock:
            seconds = self._rng.uniform(*self._faults.latency_range)
            u = self._rng.random()
        for name in FAULTS:
            u -= getattr(self._faults, name)
            if u < 0:
                return name, seconds
        return None, seconds
