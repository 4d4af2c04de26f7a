"""Answering: what the script of the page of pairs asks. All that is hot is here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from hodgerank.campaign import answering
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Status
from hodgerank.errors import CampaignError
from hodgerank.server.house import decide
from hodgerank.server.pages.speaking import Said, speaker
from hodgerank.server.pages.turns import Turn, joined, next_turn
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import url
from hodgerank.server.showing import Shown, shown

NOT_SHOWN = "cannot be shown"
"""The reason to skip that is always allowed: nobody can compare what is not there."""


ShortTaskId = Annotated[str, Field(max_length=100)]


class GivenTasks(Said):
    """Nothing but a question; `has` are the tasks that the script knows already."""

    has: list[ShortTaskId] = Field([], max_length=5)


class GivenAnswer(GivenTasks):
    """An answer to a task."""

    task: ShortTaskId
    outcome: float
    seconds: float | None = None
    is_focused: bool | None = None


class GivenSkip(GivenTasks):
    """A task that is given back."""

    task: ShortTaskId
    reason: str | None = Field(None, max_length=10_000)


async def answer(request: Request, given: GivenAnswer) -> Response:
    """Take an answer, and give the next tasks, in one decision."""
    campaign, name = await speaker(request, given)
    answer = given.task, given.outcome, name, given.seconds, given.is_focused, 1.0

    def take(state: CampaignState, now: float) -> None:
        try:
            answering.answer(state, now, *answer)
        except CampaignError as refusal:
            raise Problem(409, str(refusal), why=_why_refused(state, given.task)) from refusal

    return await _reply(request, campaign, name, given.has, take)


async def skip(request: Request, given: GivenSkip) -> Response:
    """Take a task back without an answer, and give the next ones."""
    campaign, name = await speaker(request, given)

    def take(state: CampaignState, now: float) -> None:
        if given.reason == NOT_SHOWN:
            _give_up(state, now, given.task, name)
        else:
            answering.skip(state, now, given.task, given.reason, name)

    return await _reply(request, campaign, name, given.has, take)


async def undo(request: Request, given: GivenTasks) -> Response:
    """Take the last answer back; its pair is the first of the tasks."""
    campaign, name = await speaker(request, given)

    def take(state: CampaignState, now: float) -> None:
        answering.undo(state, now, campaign.new_id, name)

    return await _reply(request, campaign, name, given.has, take)


async def tasks(request: Request, given: GivenTasks) -> Response:
    """What there is to do."""
    campaign, name = await speaker(request, given)
    return await _reply(request, campaign, name, given.has, lambda state, now: None)


async def _reply(
    request: Request,
    campaign: Campaign,
    name: str,
    has: Collection[str],
    take: Callable[[CampaignState, float], None],
) -> Response:
    def settle(state: CampaignState, now: float) -> Turn:
        joined(state, name)
        take(state, now)
        return next_turn(state, now, campaign.new_id, name)

    turn = await decide(campaign, settle)
    plain = plain_turn(turn, url(request, "media", campaign.id), has)
    content = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return Response(content.encode("utf-8", "replace"), media_type="application/json")


def plain_turn(turn: Turn, base: str, has: Collection[str]) -> dict[str, Any]:
    """A turn as scripts get it; of tasks that they know, the ids alone."""
    return {
        "step": turn.step,
        "why": turn.why,
        "answered": turn.n_answers,
        "about": turn.about,
        "stamp": _stamp(turn.settings),
        "tasks": [
            {"id": id}
            if id in has
            else {
                "id": id,
                "left": shown_in(left, base, turn.settings),
                "right": shown_in(right, base, turn.settings),
            }
            for id, left, right in turn.tasks
        ],
    }


def shown_in(item: CampaignItem, base: str, settings: CampaignSettings) -> Shown:
    """What is shown of an item in a campaign with these settings."""
    return shown(item, base, settings.pages.markdown)


@lru_cache(64)
def _stamp(settings: CampaignSettings) -> str:
    """Changes with the settings: pages that show others are loaded again."""
    return hashlib.sha256(repr(settings).encode("utf-8", "replace")).hexdigest()[:12]


def _why_refused(state: CampaignState, task: str) -> str:
    """In a word, where a page can say more than that an answer was not taken."""
    row = state.tasks.row_of.get(task)
    is_void = row is not None and state.tasks.status[row] in (Status.VOID, Status.RESET)
    return "void" if is_void else ""


def _give_up(state: CampaignState, now: float, task: str, name: str) -> None:
    """Skip what cannot be shown, even where nothing else may be skipped."""
    row = state.tasks.row_of.get(task)
    if row is None or state.workers[state.tasks.worker[row]].name != name:
        raise CampaignError("this task is not there: lease one")
    if state.tasks.status[row] == Status.SKIPPED:
        return
    if row not in state.open:
        raise CampaignError("this task is over: lease another one")
    state.record("skipped", now, task=task, worker=name, data={"reason": NOT_SHOWN})
