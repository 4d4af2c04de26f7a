"""Problems: what a server refuses is raised here as if the campaign were on this machine."""

from __future__ import annotations

import json
from http.client import HTTPResponse
from typing import Any

from hodgerank.errors import (
    CampaignError,
    CannotWrite,
    HodgeRankError,
    InvalidArgument,
    InvalidComparisons,
    NoTask,
    UnknownItem,
)
from hodgerank.notebook import cut, visible

PROBLEM = "application/problem+json"
LONGEST_WORDS = 2000
NOT_TAKEN = (413, 415, 422)
"""What is sent is too large, of another kind, or not as it should be."""
SAME = {kind.__name__: kind for kind in (CannotWrite, InvalidArgument, InvalidComparisons)}


def is_problem(response: HTTPResponse) -> bool:
    """Whether the server itself has answered, and not something on the way to it."""
    return response.headers.get_content_type() == PROBLEM


def error_of(server: str, response: HTTPResponse, body: bytes) -> HodgeRankError:
    """What to raise for an answer that is not the one that was hoped for."""
    status = response.status
    if 300 <= status < 400:
        there = visible(response.headers.get("Location", "another address"))
        return CampaignError(
            f"{server} sends on to {there}, where no token is sent: use the right address"
        )
    if not is_problem(response):
        return not_hodgerank(server, response)
    problem = _read(body)
    words = cut(str(problem.get("detail") or problem.get("title")), LONGEST_WORDS)
    if status == 401:
        return CampaignError(f"{server} does not know this token: ask its owner for another one")
    if status == 403:
        return CampaignError(f"{server} does not allow this: {words}")
    name = problem.get("error")
    if name == "NoTask":
        return NoTask(str(problem.get("why")), words)
    if name == "UnknownItem":
        return UnknownItem.__new__(UnknownItem, words)  # which has no list of those that are known
    if name in SAME:
        return SAME[name](words)
    if status == 404 and not problem.get("detail"):
        return CampaignError(f"{server} has no such campaign for this token")
    return InvalidArgument(words) if status in NOT_TAKEN else CampaignError(words)


def not_hodgerank(server: str, response: HTTPResponse) -> CampaignError:
    """For an answer that another program gives."""
    return CampaignError(
        f"{server} answers with status {response.status}, and not as hodgerank serve does: is this "
        "its address?"
    )


def _read(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}
