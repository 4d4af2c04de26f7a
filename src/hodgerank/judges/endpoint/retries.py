"""Rules for retries of calls."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from enum import Enum, auto
from math import inf, isnan
from random import Random

from hodgerank.display import cut, visible
from hodgerank.judges.endpoint.completion import BrokenCompletion

FIRST_SECONDS = 0.5
MOST_SECONDS = 60.0  # longest wait of our own
LONGEST_RETRY_AFTER = 600.0  # longest wait that an endpoint may ask for


def backoff(attempt: int, rng: Random) -> float:
    """Return the seconds to wait after a try: random, up to a bound that doubles."""
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


LONGEST_QUOTE = 300
NO_CREDIT = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
TOO_FAST = {"rate_limit_exceeded"}
TOO_LONG = {"context_length_exceeded", "string_above_max_length"}
FILTERED = {"content_filter", "content_policy_violation", "invalid_prompt"}
PASSING = (408, 409, 425)
ADVICE = {
    400: "check the parameters: this model may not support them",
    401: "set HODGERANK_API_KEY or OPENAI_API_KEY to a valid key",
    402: "the account has no credit",
    403: "the key may not use this model",
    404: "check the name of the model and the base URL, which usually ends in /v1",
    422: "check the parameters: this model may not support them",
}


class Remedy(Enum):
    """Action after a failed try."""

    TRY_AGAIN = auto()
    HOLD_BACK = auto()  # all calls, then try again
    LEAVE_THE_CALL = auto()  # others may succeed
    LEAVE_THE_ENDPOINT = auto()  # none will


@dataclass(frozen=True)
class CallError:
    """An error of a try, which may still contain a key; `status` is 0 without a response."""

    what: str
    remedy: Remedy = Remedy.TRY_AGAIN
    status: int = 0
    retry_after: float | None = None
    is_filtered: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


def refused_with(status: int, error: object, headers: Mapping[str, str]) -> CallError:
    """Return the error of an HTTP status; `error` is the message in its body."""
    codes = _codes(error)
    where = headers.get("location")
    if where and 300 <= status < 400:
        said, advice = f"it redirects to {where}", "use that address as base URL if you trust it"
    else:
        said, advice = _message(error), ADVICE.get(status, "")
    if codes & NO_CREDIT:
        advice = ADVICE[402]
    return CallError(
        visible(cut(": ".join(part for part in (f"HTTP {status}", said) if part), LONGEST_QUOTE))
        + (f" ({advice})" if advice else ""),
        _remedy(status, codes),
        status,
        retry_after(headers),
        is_filtered=400 <= status < 500 and bool(codes & FILTERED),
    )


def broken(completion: BrokenCompletion, headers: Mapping[str, str]) -> CallError:
    """Return the error of a successful status without a valid chat completion."""
    tokens = completion.prompt_tokens, completion.completion_tokens
    if completion.error is None:
        return CallError(f"it sent {completion}", Remedy.TRY_AGAIN, 200, None, False, *tokens)
    codes = _codes(completion.error)
    status = next((int(code) for code in codes if code.isdecimal() and len(code) == 3), 0)
    if not status and codes & (NO_CREDIT | TOO_FAST):
        status = 429
    if status < 400:
        what = visible(cut(f"it sent {completion}: {_message(completion.error)}", LONGEST_QUOTE))
        return CallError(what, Remedy.TRY_AGAIN, 200, None, False, *tokens)
    refused = refused_with(status, completion.error, headers)
    return CallError(
        refused.what, refused.remedy, status, refused.retry_after, refused.is_filtered, *tokens
    )


def _remedy(status: int, codes: set[str]) -> Remedy:
    if codes & NO_CREDIT:
        return Remedy.LEAVE_THE_ENDPOINT
    if status == 429:
        return Remedy.HOLD_BACK
    if status in PASSING or status >= 500:
        return Remedy.TRY_AGAIN
    if status == 413 or codes & TOO_LONG:
        return Remedy.LEAVE_THE_CALL
    return Remedy.LEAVE_THE_ENDPOINT


def _codes(error: object) -> set[str]:
    if not isinstance(error, Mapping):
        return set()
    return {str(error[name]) for name in ("code", "type") if isinstance(error.get(name), str | int)}


def _message(error: object) -> str:
    """Return the message of an error object, or the object as text."""
    if isinstance(error, Mapping):
        message = error.get("message", error.get("detail", ""))
        return " ".join(str(message or dict(error)).split())
    return " ".join(str(error or "").split())
