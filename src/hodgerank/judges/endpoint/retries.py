"""Rules for retries of calls."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping, Sequence
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
TOO_LONG = {
    "context_length_exceeded",  # OpenAI, Azure, Groq
    "string_above_max_length",
    "exceed_context_size_error",  # llama.cpp, which says so with status 500, too
    "request_too_large",  # Anthropic
    "model_max_prompt_tokens_exceeded",
}
SAYS_TOO_LONG = re.compile(
    r"maximum context length|context ?(?:length|window|size|limit) ?(?:was |is |has been )?exceed|"
    r"exceed\w* (?:the |its |available |model'?s? |maximum |max |configured ){0,4}context|"
    r"context ?window ?exceeded|(?:prompt|input) is too long|"
    r"input token count\b.{0,40}\bexceed|maximum (?:prompt|input|model) length|"
    r"max_tokens must be at least 1, got -|inputs?` tokens \+|too many input tokens|"
    r"reduce the length of the (?:messages|prompt|input)|^request too large\b",
    re.IGNORECASE,
)
"""How vLLM, SGLang, Anthropic, Gemini, OpenRouter and gateways say it, whose codes say nothing."""
WRONG_REQUEST = {
    "unsupported_parameter",
    "unsupported_value",
    "unknown_parameter",
    "invalid_api_key",
    "model_not_found",
}
NOT_UNDERSTOOD = (400, 422)
QUOTES = ("input", "body", "messages", "prompt")
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
    DOUBT = auto()  # the call or all calls may be wrong: which, the next calls show
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
    remedy = _remedy(status, codes, error)
    if codes & NO_CREDIT:
        advice = ADVICE[402]
    elif remedy is Remedy.LEAVE_THE_CALL:
        advice = "shorten the items, or lower max_tokens" if status != 413 else ""
    return CallError(
        visible(cut(": ".join(part for part in (f"HTTP {status}", said) if part), LONGEST_QUOTE))
        + (f" ({advice})" if advice else ""),
        remedy,
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


def _remedy(status: int, codes: set[str], error: object) -> Remedy:
    if codes & NO_CREDIT:
        return Remedy.LEAVE_THE_ENDPOINT
    if status == 413 or (status >= 400 and _is_too_long(codes, error)):
        return Remedy.LEAVE_THE_CALL
    if status == 429:
        return Remedy.HOLD_BACK
    if status in PASSING or status >= 500:
        return Remedy.TRY_AGAIN
    if status in NOT_UNDERSTOOD and not codes & WRONG_REQUEST:
        return Remedy.DOUBT
    return Remedy.LEAVE_THE_ENDPOINT


def _is_too_long(codes: set[str], error: object) -> bool:
    """Return whether the prompt is too long, in any part of the error."""
    return bool(codes & TOO_LONG) or any(map(SAYS_TOO_LONG.search, _texts_in(error)))


def _texts_in(error: object) -> Iterator[str]:
    """Yield the texts of an error, except those that it quotes from the request."""
    if isinstance(error, str):
        yield error
    elif isinstance(error, Mapping):
        for name, value in error.items():
            if name not in QUOTES:
                yield from _texts_in(value)
    elif isinstance(error, Sequence):
        for value in error:
            yield from _texts_in(value)


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
