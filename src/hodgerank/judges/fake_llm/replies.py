"""Replies of a fake model, as chat completions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from random import Random
from typing import Any

from hodgerank.judges.fake_llm.model_profile import Labels, ModelProfile
from hodgerank.judges.fake_llm.prompt import NotAPrompt, flat, offered, shown

TOKENS_OF_AN_IMAGE = 85
MOST_TOP_LOGPROBS = 20
# Content, refusal and finish_reason, in the ways endpoints refuse.
REFUSALS: tuple[tuple[str | None, str | None, str], ...] = (
    (None, "I'm sorry, but I can't help with that.", "stop"),
    ("I'm sorry, but I can't assist with that request.", None, "stop"),
    (None, None, "content_filter"),
)
RAMBLINGS = (
    "Both have their merits, and much depends on what is wanted of them.",
    "Let me think about this carefully. The first one begins well, while the second one ends well.",
    "A summary should be short.",
)


@dataclass(frozen=True)
class FakeReply:
    """Reply of a fake model, the two items, and the probabilities it was drawn from."""

    left: str
    right: str
    probabilities: Mapping[str, float]
    content: str | None
    refusal: str | None
    finish_reason: str


def digest(body: Mapping[str, Any]) -> str:
    """Return a digest of the whole request."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def said(
    body: Mapping[str, Any],
    prompt: str,
    scores: Mapping[str, float],
    profile: ModelProfile,
    labels: Labels | None,
    rng: Random,
) -> FakeReply:
    """Draw the reply of a model to a prompt."""
    places = shown(prompt, scores)
    left, right = (place.text for place in places)
    lengths = (_length(left), _length(right))
    z = profile.perceived((scores[left], scores[right]), lengths, (left, right))
    chances = profile.probabilities(z, offered(prompt, places) if labels is None else labels)
    kind, which = rng.random(), rng.random()
    if kind < profile.refuse:
        return FakeReply(left, right, chances, *REFUSALS[int(which * len(REFUSALS))])
    if kind < profile.refuse + profile.ramble:
        words = RAMBLINGS[int(which * len(RAMBLINGS))].split()
        most = body.get("max_completion_tokens") or body.get("max_tokens") or len(words)
        end = "stop" if most >= len(words) else "length"
        return FakeReply(left, right, chances, " ".join(words[:most]), None, end)
    (label,) = rng.choices(list(chances), list(chances.values()))
    return FakeReply(left, right, chances, label, None, "stop")


def _length(text: str) -> int:
    return 0 if text.startswith("sha256:") else len(text)


def completion(body: Mapping[str, Any], prompt: str, reply: FakeReply, name: str) -> dict[str, Any]:
    """Return a reply as the body of a chat completion."""
    words = len((reply.content or reply.refusal or "").split())
    asked = len(prompt) // 4 + TOKENS_OF_AN_IMAGE * prompt.count("sha256:") + 1
    return {
        "id": name,
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": reply.content,
                    "refusal": reply.refusal,
                },
                "logprobs": _logprobs(reply, body) if body.get("logprobs") else None,
                "finish_reason": reply.finish_reason,
            }
        ],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": words,
            "total_tokens": asked + words,
        },
    }


def _logprobs(reply: FakeReply, body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return log probabilities: of the labels, or 0 for each word of another reply."""
    if reply.content is None:
        return None
    if reply.content not in reply.probabilities:
        certain = [_token(word, 1.0) for word in reply.content.split()]
        return {"content": [token | {"top_logprobs": [token]} for token in certain]}
    likely = sorted(reply.probabilities.items(), key=lambda each: -each[1])
    top = [_token(*each) for each in likely[: body.get("top_logprobs") or 0] if each[1] > 0]
    first = _token(reply.content, reply.probabilities[reply.content])
    return {"content": [first | {"top_logprobs": top}]}


def _token(token: str, chance: float) -> dict[str, Any]:
    return {"token": token, "logprob": log(chance), "bytes": list(token.encode())}


def checked(body: Any) -> str:
    """Return the prompt of a request; raise NotAPrompt if endpoints would reject it."""
    if not isinstance(body, dict):
        raise NotAPrompt("the body must be a JSON object")
    if not isinstance(body.get("model"), str) or not body["model"]:
        raise NotAPrompt("you must provide a model parameter")
    for name, (low, high) in {"temperature": (0, 2), "max_tokens": (1, 1 << 31)}.items():
        value = body.get(name)
        if value is not None and not (_is_number(value) and low <= value <= high):
            raise NotAPrompt(f"'{name}' must be between {low} and {high}")
    if body.get("stream") or body.get("n", 1) not in (1, None):
        raise NotAPrompt("the fake model returns one complete reply: leave out 'stream' and 'n'")
    top = body.get("top_logprobs")
    if top is not None and not (body.get("logprobs") is True and type(top) is int):
        raise NotAPrompt("'top_logprobs' is a whole number and needs 'logprobs': true")
    if top is not None and not 0 <= top <= MOST_TOP_LOGPROBS:
        raise NotAPrompt(f"'top_logprobs' must be between 0 and {MOST_TOP_LOGPROBS}")
    return flat(body.get("messages"))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
