"""Reply: a chat completion, read from the body that a server sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

MOST_TOKENS = 100_000_000  # no call takes as many: such a count is not believed
LARGEST_LOGPROB = 1e-3
MOST_PLACES = 1000  # of a reply, for which alternatives are kept


@dataclass(frozen=True)
class TokenChoice:
    """One position of a reply: its token and the alternatives.

    `alternatives` are tokens with their log-probabilities, including the chosen one.
    """

    token: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True)
class Reply:
    """Reply to one call, with its tokens and time.

    Attributes
    ----------
    text, refusal, finish_reason, model
        As returned by the endpoint; `model` is the version that it reports.
    first_tokens
        First tokens of the reply; empty without log-probabilities.
    prompt_tokens, completion_tokens
        Tokens of all tries together; None if the endpoint reports no plausible number.
    seconds
        Time from sending to the end of the reply in the successful try, without waiting times.
    attempts
        Number of tries.
    """

    text: str
    refusal: str | None
    finish_reason: str | None
    first_tokens: tuple[TokenChoice, ...]
    prompt_tokens: int | None
    completion_tokens: int | None
    model: str
    seconds: float
    attempts: int


class BrokenCompletion(Exception):
    """A body that is not a valid chat completion.

    Attributes
    ----------
    error
        The error object in it, if there is one.
    prompt_tokens, completion_tokens
        Tokens that it reports.
    """

    def __init__(self, what: str, body: object = None, error: object = None) -> None:
        self.error = error
        self.prompt_tokens, self.completion_tokens = _usage(body)
        super().__init__(what)


def read_completion(body: bytes, model: str) -> Reply:
    """Read the reply in the body of a chat completion; `model` is the requested one."""
    try:
        completion = json.loads(body)
    except (ValueError, RecursionError):
        is_empty = not body.strip()
        raise BrokenCompletion("an empty body" if is_empty else "a body that is not JSON") from None
    if not isinstance(completion, dict):
        raise BrokenCompletion("JSON that is not an object")
    if completion.get("error"):
        raise BrokenCompletion("an error in a reply", completion, completion["error"])
    choice = _first(completion.get("choices"))
    if choice.get("error"):
        raise BrokenCompletion("an error in a reply", completion, choice["error"])
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BrokenCompletion("a reply without choices", completion)
    text = _text(message.get("content"))
    if text is None:
        raise BrokenCompletion("a reply whose content is not text", completion)
    prompt_tokens, completion_tokens = _usage(completion)
    return Reply(
        text=text,
        refusal=_string(message.get("refusal")),
        finish_reason=_string(choice.get("finish_reason")),
        first_tokens=_token_choices(choice.get("logprobs")),
        prompt_tokens=prompt_tokens,
        # a reply that is there took something
        completion_tokens=None if text and completion_tokens == 0 else completion_tokens,
        model=_string(completion.get("model")) or model,
        seconds=0.0,
        attempts=1,
    )


def _first(values: object) -> dict[str, Any]:
    first = values[0] if isinstance(values, list) and values else None
    return first if isinstance(first, dict) else {}


def _text(content: object) -> str | None:
    """Return a text, or the texts of several parts joined; empty if there is nothing."""
    if content is None:
        return ""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return _valid("".join(part for part in parts if isinstance(part, str)))
    return _valid(content) if isinstance(content, str) else None


def _string(value: object) -> str | None:
    return _valid(value) if isinstance(value, str) and value else None


def _valid(text: str) -> str:
    """Remove lone surrogates, which JSON can hold but no file."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _usage(body: object) -> tuple[int | None, int | None]:
    usage = body.get("usage") if isinstance(body, dict) else None
    if not isinstance(usage, dict):
        return None, None
    # a prompt is never empty: servers that do not count write 0
    return _n_tokens(usage.get("prompt_tokens")) or None, _n_tokens(usage.get("completion_tokens"))


def _n_tokens(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


def _token_choices(logprobs: object) -> tuple[TokenChoice, ...]:
    places = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(places, list):
        return ()
    return tuple(
        TokenChoice(_valid(place["token"]), _alternatives(place))
        for place in places[:MOST_PLACES]
        if isinstance(place, dict) and isinstance(place.get("token"), str)
    )


def _alternatives(place: dict[str, Any]) -> dict[str, float]:
    others = place.get("top_logprobs")
    found: dict[str, float] = {}
    for other in [place, *(others if isinstance(others, list) else [])]:
        token, logprob = _token_with_logprob(other)
        if token is not None and logprob is not None:
            found.setdefault(token, logprob)
    return found


def _token_with_logprob(place: object) -> tuple[str | None, float | None]:
    token = place.get("token") if isinstance(place, dict) else None
    logprob = place.get("logprob") if isinstance(place, dict) else None
    if not isinstance(token, str) or not isinstance(logprob, int | float):
        return None, None
    # a probability in its place would be positive; rounding makes a certain token hardly so
    is_true = logprob <= LARGEST_LOGPROB and isfinite(logprob)
    return _valid(token), min(0.0, float(logprob)) if is_true else None
