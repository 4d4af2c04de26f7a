"""RateLimits: limits on attempts by visitors without a valid key."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from math import ceil
from time import monotonic
from typing import NamedTuple

from starlette.types import Scope

from hodgerank.server.problem import Problem


class Limit(NamedTuple):
    """Requests at once, and per second in the long run."""

    burst: float
    per_second: float


# A class behind one address joins within a minute; an owner has few links to try.
LIMITS = {"enter": Limit(10, 0.2), "j": Limit(300, 10)}
UNKNOWN = Limit(60, 1)
"""Limit for requests with an invalid key."""
MOST_VISITORS = 50_000


class RateLimits:
    """A token bucket for each visitor and purpose, in this process."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._left: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def require(self, scope: Scope) -> None:
        """Refuse a request beyond the limit."""
        if scope["method"] == "POST":
            path = scope["path"].removeprefix(scope.get("root_path", ""))
            purpose = path.split("/")[1] if path.startswith("/") else ""
            if (limit := LIMITS.get(purpose)) is not None:
                self.take(scope, purpose, limit)

    def take(self, scope: Scope, purpose: str, limit: Limit = UNKNOWN) -> None:
        """Count one request of a visitor."""
        visitor = _network((scope.get("client") or ("", 0))[0]), purpose
        now = self._clock()
        left, at = self._left.pop(visitor, (limit.burst, now))
        left = min(limit.burst, left + (now - at) * limit.per_second)
        self._left[visitor] = (max(0.0, left - 1), now)
        while len(self._left) > MOST_VISITORS:
            self._left.popitem(last=False)
        if left < 1:
            wait = ceil((1 - left) / limit.per_second)
            words = f"Too many attempts: wait {wait} s."
            raise Problem(429, words, headers={"Retry-After": str(wait)})


@lru_cache(maxsize=1000)
def _network(address: str) -> str:
    """Return what one visitor has: an address of IPv4, or the first 64 bits of one of IPv6.

    >>> _network("2001:db8:1:2:3::4"), _network("::ffff:10.0.0.1"), _network("10.0.0.1")
    ('2001:db8:1:2::', '10.0.0.1', '10.0.0.1')
    """
    try:
        found = ip_address(address)
    except ValueError:  # a Unix socket has none
        return address
    if not isinstance(found, IPv6Address):
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Address(int(found) >> 64 << 64))
