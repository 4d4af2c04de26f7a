"""Counting: a campaign in numbers, as JSON."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.summaries import Counts, counts
from hodgerank.server.api.values import Body, Seq, example

EXAMPLE = {
    "status": "open",
    "seq": 171,
    "at": 1767225600.0,
    "n_items": 12,
    "n_retired": 0,
    "n_answers": 78,
    "n_given": 80,
    "n_out": 3,
    "n_workers": 5,
    "n_banned": 0,
    "budget": 400,
    "rules": [],
}


class RuleCounts(Body):
    """How often a rule of attention fails answers."""

    rule: str
    n_passed: int = Field(ge=0)
    n_failed: int = Field(ge=0)
    share: float | None = Field(description="Failed ones of those it knows about.", ge=0, le=1)
    is_alarm: bool = Field(description="More often than is likely: the rule may be wrong.")


class Numbers(Body):
    """A campaign in numbers, as of place `seq` of its log."""

    model_config = example(**EXAMPLE)

    status: Literal["open", "paused", "closed"]
    seq: Seq
    at: float = Field(description="Of the last event: seconds since 1970.")
    n_items: int = Field(ge=0)
    n_retired: int = Field(ge=0)
    n_answers: int = Field(ge=0, description="Those that count.")
    n_given: int = Field(ge=0, description="All that were given and not taken back.")
    n_out: int = Field(ge=0, description="Tasks that are out.")
    n_workers: int = Field(ge=0)
    n_banned: int = Field(ge=0)
    budget: int | None
    rules: list[RuleCounts]


def numbers(state: CampaignState, now: float) -> dict[str, Any]:
    """A decision that changes nothing: how it stands."""
    return numbers_of(counts(state))


def numbers_of(found: Counts) -> dict[str, Any]:
    """The same numbers, ready for JSON."""
    return {**vars(found), "rules": [rule.to_dict() for rule in found.rules]}
