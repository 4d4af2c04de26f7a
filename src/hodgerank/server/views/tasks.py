"""Tasks over HTTP: lease, answer, skip and undo.

A tie is an answer with outcome 0. An abstention is a skipped task, with a reason that the campaign
allows. A refused request leaves the task with its worker.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Annotated, Any

from fastapi import Path
from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import answers, leases
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.sampler_feed import NotReady
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.tasks import Status, Task
from hodgerank.errors import CampaignError
from hodgerank.sampling.answers import MOST_WEIGHT
from hodgerank.server.auth import key_of
from hodgerank.server.context import transact
from hodgerank.server.item_view import Shown, shown
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import url
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.permissions import acting_as, campaign_with, named_by
from hodgerank.server.views.request_fields import (
    WHOLE,
    Body,
    Name,
    Named,
    Text,
    example,
    model_of,
)
from hodgerank.server.views.worker_request import (
    NextStep,
    WorkerRequest,
    joined,
    next_step,
    speaker,
    turn_when_ready,
)
from hodgerank.types import Item

MOST_TASKS = 1000
UPLOADED = "media:"
TASK = {
    "id": "0f8fad5bd9cb469fa16570867728950e",
    "worker": "gpt",
    "left": {"item": "cat", "text": "A cat", "media": ""},
    "right": {"item": "dog", "text": "A dog", "media": ""},
    "track": "",
    "expires": 1767225600.0,
}

TaskId = Annotated[
    str, Path(min_length=1, max_length=100, description="As leased.", examples=[TASK["id"]])
]


class Lease(Body):
    """Request for tasks."""

    model_config = example(worker="gpt", n=2)

    worker: Name | None = Field(None, description="Default: the holder of the token.")
    n: Annotated[
        int, Field(ge=1, le=MOST_TASKS, description="How many tasks they should hold."), WHOLE
    ] = 1


class ItemShown(Body):
    """An item as shown."""

    item: int | str
    text: str
    media: str = Field(description="An address; on this server if it begins with a slash.")


class TaskResponse(Body):
    """A pair to compare. Show the items on the given sides, which balance positions."""

    model_config = example(**TASK)

    id: str
    worker: str
    left: ItemShown
    right: ItemShown
    track: str
    expires: float = Field(description="End of the lease, in seconds since 1970.")
    purpose: str | None = Field(
        None, description="For owners: 'chosen' by the sampler, 'repeat' or 'gold'."
    )


class TasksResponse(Body):
    """Tasks of a worker."""

    tasks: list[TaskResponse]


class AnswerRequest(Body):
    """An answer."""

    model_config = example(outcome=1, seconds=2.4)

    outcome: float = Field(ge=-1, le=1, description="1 prefers left, -1 right, 0 is a tie.")
    seconds: float | None = Field(
        None, ge=0, le=answers.LONGEST_SECONDS, description="Response time."
    )
    is_focused: bool | None = Field(None, description="Whether the page was in the foreground.")
    weight: float = Field(
        1.0, ge=1 / MOST_WEIGHT, le=MOST_WEIGHT, description="2 has half the noise variance of 1."
    )
    worker: Name | None = Field(
        None, description=("Refuse it if the task is assigned to another worker.")
    )


class ReceiptResponse(model_of(answers.Receipt)):  # type: ignore[misc]
    """Receipt of a saved answer."""

    model_config = example(
        task=TASK["id"],
        is_counted=True,
        why_not="",
        marks=[],
        is_late=False,
        is_repeated=False,
    )


class Skip(Body):
    """A skipped task, and why."""

    model_config = example(reason="cannot decide")

    reason: Text | None = Field(
        None, description="One of `skip_reasons` of the settings; the first if none is given."
    )
    worker: Name | None = Field(
        None, description=("Refuse it if the task is assigned to another worker.")
    )


class WorkerNamed(Body):
    """Worker."""

    model_config = example(worker="gpt")

    worker: Name | None = Field(None, description="Default: the holder of the token.")


class Until(Body):
    """A time."""

    model_config = example(by=TASK["expires"])

    by: float | None = Field(None, ge=0, le=1e11, description="Seconds since 1970. Default: now.")


class NumberExpired(Body):
    """Number of expired leases."""

    n_expired: int = Field(ge=0, examples=[3])


@operation(TasksResponse)
async def lease_tasks(request: Request, campaign: Named, given: Lease) -> Response:
    """Lease tasks.

    Tasks in progress come first, then new ones, up to n in total, so a repeated request gets the
    same tasks. If there is none, `why` in the problem has the reason. A judge may use worker names
    that begin with the name of its token and a colon.
    """
    worker = await acting_as(request, campaign, given.worker)

    def lease(state: CampaignState, now: float) -> list[dict[str, Any]]:
        found = leases.lease(state, now, campaign.new_id, worker, given.n)
        return [_shown(request, campaign.id, state, task) for task in found]

    return JSONResponse({"tasks": await transact(campaign, lease)})


@operation(ReceiptResponse)
async def answer_task(request: Request, task: TaskId, given: AnswerRequest) -> Response:
    """Answer a task.

    It is saved when the response comes. Repeating it changes nothing; a different answer is
    refused. A tie has outcome 0, if the campaign allows ties; to give no answer, skip the task.
    """
    worker = None if given.worker is None else named_by(request, given.worker)
    campaign = await campaign_with(request, task)
    receipt = await transact(
        campaign,
        lambda state, now: answers.answer(
            state,
            now,
            task,
            given.outcome,
            worker,
            given.seconds,
            given.is_focused,
            given.weight,
        ),
    )
    return JSONResponse(vars(receipt))


@operation(None, 204)
async def skip_task(request: Request, task: TaskId, given: Skip) -> Response:
    """Skip a task.

    An abstention, not a tie. The worker does not get the pair again. Repeating it changes nothing.
    """
    worker = None if given.worker is None else named_by(request, given.worker)
    campaign = await campaign_with(request, task)
    await transact(
        campaign, lambda state, now: answers.skip(state, now, task, given.reason, worker)
    )
    return Response(status_code=204)


@operation(TaskResponse)
async def undo_answer(request: Request, campaign: Named, given: WorkerNamed) -> Response:
    """Undo the last answer of a worker.

    Returns the task with which they get the pair again. Each request undoes one more answer.
    """
    worker = await acting_as(request, campaign, given.worker)

    def undo(state: CampaignState, now: float) -> dict[str, Any]:
        task = answers.undo(state, now, campaign.new_id, worker)
        return _shown(request, campaign.id, state, task)

    return JSONResponse(await transact(campaign, undo))


@operation(NumberExpired)
async def expire_tasks(campaign: Named, given: Until) -> Response:
    """Expire leases.

    Expired leases are also released by themselves.
    """
    n_expired = await transact(campaign, lambda state, now: leases.expire(state, now, given.by))
    return JSONResponse({"n_expired": n_expired})


def _shown(request: Request, campaign: str, state: CampaignState, task: Task) -> dict[str, Any]:
    """A task with all that is needed to show it."""
    found: dict[str, Any] = {
        "id": task.id,
        "worker": task.worker,
        "left": _item(request, campaign, state, task.left),
        "right": _item(request, campaign, state, task.right),
        "track": task.track,
        "expires": task.expires,
    }
    if key_of(request).role == "owner":  # who answers is not told which pairs are tests
        found["purpose"] = task.purpose
    return found


def _item(request: Request, campaign: str, state: CampaignState, id: Item) -> dict[str, Any]:
    item = state.items.items[state.items.codes[id]]
    media = item.media
    if media.startswith(UPLOADED):
        media = url(request, "media", campaign, media.removeprefix(UPLOADED))
    elif "://" not in media:  # a file of the server's disk, which nobody else can open
        media = ""
    return {"item": id, "text": item.text, "media": media}


ShortTaskId = Annotated[str, Field(max_length=100)]


class PageTasksRequest(WorkerRequest):
    """Nothing but a question; `has` are the tasks that the script knows already."""

    has: list[ShortTaskId] = Field([], max_length=5)


class PageAnswerRequest(PageTasksRequest):
    """An answer to a task."""

    task: ShortTaskId
    outcome: float
    seconds: float | None = None
    is_focused: bool | None = None


class PageSkipRequest(PageTasksRequest):
    """A task that is given back."""

    task: ShortTaskId
    reason: str | None = Field(None, max_length=10_000)


async def answer(request: Request, given: PageAnswerRequest) -> Response:
    """Take an answer, and give the next tasks, in one decision where they are ready."""
    campaign, name = await speaker(request, given)
    answer = given.task, given.outcome, name, given.seconds, given.is_focused, 1.0

    def take(state: CampaignState, now: float) -> None:
        try:
            answers.answer(state, now, *answer)
        except CampaignError as refusal:
            raise Problem(409, str(refusal), why=_why_refused(state, given.task)) from refusal

    return await _reply(request, campaign, name, given.has, take)


async def skip(request: Request, given: PageSkipRequest) -> Response:
    """Take a task back without an answer, and give the next ones."""
    campaign, name = await speaker(request, given)

    def take(state: CampaignState, now: float) -> None:
        answers.skip(state, now, given.task, given.reason, name)

    return await _reply(request, campaign, name, given.has, take)


async def undo(request: Request, given: PageTasksRequest) -> Response:
    """Take the last answer back; its pair is the first of the tasks."""
    campaign, name = await speaker(request, given)

    def take(state: CampaignState, now: float) -> None:
        answers.undo(state, now, campaign.new_id, name)

    return await _reply(request, campaign, name, given.has, take)


async def tasks(request: Request, given: PageTasksRequest) -> Response:
    """Return the tasks of a worker."""
    campaign, name = await speaker(request, given)
    return await _reply(request, campaign, name, given.has, lambda state, now: None)


async def _reply(
    request: Request,
    campaign: Campaign,
    name: str,
    has: Collection[str],
    take: Callable[[CampaignState, float], None],
) -> Response:
    def settle(state: CampaignState, now: float) -> NextStep | None:
        joined(state, name)
        take(state, now)
        try:
            return next_step(state, now, campaign.new_id, name)
        except NotReady:  # what was taken is saved at once
            return None

    turn = await transact(campaign, settle) or await turn_when_ready(campaign, name)
    plain = plain_turn(turn, url(request, "media", campaign.id), has)
    content = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return Response(content.encode("utf-8", "replace"), media_type="application/json")


def plain_turn(turn: NextStep, base: str, has: Collection[str]) -> dict[str, Any]:
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
    """Return what pages show of an item in a campaign with these settings."""
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
