"""What the log tells about a call: what was asked of whom, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hodgerank.judges.endpoint.completion import Reply
from hodgerank.judges.endpoint.endpoint import CallFailed, Endpoint
from hodgerank.judges.ledger.call_log import content_key
from hodgerank.judges.replies.verdict import Verdict
from hodgerank.judges.turns import Turn

LONGEST_REPLY = 100_000  # letters that are kept
SAID = ("reply", "refusal", "finish_reason")


def question_of(
    turn: Turn, endpoint: Endpoint, messages: list[Any], parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """The fields that are known before a call is made; `messages` are as they are logged."""
    return {
        "time": "",
        "key": content_key(turn.model, endpoint.base_url, messages, parameters),
        "repeat": turn.repeat,
        "left": turn.pair.left,
        "right": turn.pair.right,
        "context": turn.showing.key or None,
        "model": turn.model,
        "base_url": endpoint.base_url,
        "parameters": dict(parameters),
        "messages": messages,
        **dict.fromkeys((*SAID, "prompt_tokens", "completion_tokens", "cost")),
        "seconds": 0.0,
        "attempts": 0,
    }


def answered_by(reply: Reply, cost: float | None) -> dict[str, Any]:
    """The fields that a reply tells."""
    return {
        "model_used": reply.model,
        "reply": reply.text[:LONGEST_REPLY],
        "refusal": reply.refusal,
        "finish_reason": reply.finish_reason,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "cost": cost,
        "seconds": round(reply.seconds, 3),
        "attempts": reply.attempts,
    }


def failed_by(error: CallFailed, cost: float | None) -> dict[str, Any]:
    """The fields that a call without a reply tells."""
    return {
        "prompt_tokens": error.prompt_tokens,
        "completion_tokens": error.completion_tokens,
        "cost": cost,
        "attempts": error.attempts,
    }


def judged_as(verdict: Verdict) -> dict[str, Any]:
    """The fields that tell what came of it."""
    probabilities = verdict.probabilities
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "status": verdict.status,
        "outcome": verdict.outcome,
        "probabilities": None if probabilities is None else dict(probabilities),
        "detail": verdict.detail,
    }


def verdict_in(record: Mapping[str, Any]) -> Verdict:
    """What came of a call that was logged."""
    names = ("status", "outcome", "probabilities", "detail")
    return Verdict(*(record[name] for name in names))
