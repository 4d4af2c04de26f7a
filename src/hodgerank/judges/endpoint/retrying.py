"""How long to wait before a call is tried again."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from math import inf, isnan
from random import Random

FIRST_SECONDS = 0.5
MOST_SECONDS = 60.0  # of our own accord
LONGEST_RETRY_AFTER = 600.0  # what an endpoint may ask for


def backoff(attempt: int, rng: Random) -> float:
    """Seconds after the try of that number: anything up to a bound that doubles every time."""
    return rng.uniform(0, min(MOST_SECONDS, FIRST_SECONDS * 2.0 ** (attempt - 1)))


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds that the endpoint asks for: Retry-After-Ms, or Retry-After in seconds or as a date.

    None where it does not, or asks for nothing: then `backoff` is kinder. A date is compared
    with the endpoint's own clock, where it tells it.
    """
    seconds = _number(headers.get("retry-after-ms"))
    if seconds is not None:
        seconds /= 1000
    else:
        seconds = _number(headers.get("retry-after"))
    if seconds is None and (then := _date(headers.get("retry-after"))) is not None:
        now = _date(headers.get("date"))
        seconds = then - (time.time() if now is None else now)
    return seconds if seconds is not None and seconds > 0 else None


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return None if isnan(number) else min(number, inf)


def _date(text: str | None) -> float | None:
    try:
        return parsedate_to_datetime(text or "").timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
