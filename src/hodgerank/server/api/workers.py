"""Workers over HTTP: what they did, whose answers count, and how they come and go."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign import attending, owning
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.panel import Outcome
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.summaries import worker_summaries
from hodgerank.server.api.acting import acting_as
from hodgerank.server.api.describing import operation
from hodgerank.server.api.values import Body, Name, Named, Text, example
from hodgerank.server.house import decide, house_of


class WorkerName(Body):
    """A worker."""

    model_config = example(worker="ann")

    worker: Name


class Ban(WorkerName):
    """A worker, and why they are to go."""

    model_config = example(worker="ann", reason="tosses coins")

    reason: Text = ""


class Arrival(Body):
    """A worker who comes."""

    model_config = example(worker="ann", panel={"study": "spring"})

    worker: Name | None = Field(None, description="Whoever has the token if none is named.")
    panel: dict[
        Annotated[str, Field(max_length=attending.LONGEST_PARAMETER)],
        Annotated[str, Field(max_length=attending.LONGEST_PARAMETER)],
    ] = Field(
        default_factory=dict,
        max_length=attending.MOST_PARAMETERS,
        description="What the panel says of them.",
    )


class Quiz(Body):
    """How a worker did with the questions before the first task."""

    model_config = example(worker="ann", passed=True)

    worker: Name | None = Field(None, description="Whoever has the token if none is named.")
    passed: bool


class Departure(Body):
    """A worker who goes, and how it ended."""

    model_config = example(worker="ann", outcome="completed")

    worker: Name | None = Field(None, description="Whoever has the token if none is named.")
    outcome: Outcome = "completed"


class TriesLeft(Body):
    """How often a worker may try again."""

    tries_left: int = Field(ge=0, examples=[1])


class WorkerFound(Body):
    """What one worker has done."""

    worker: str = Field(examples=["ann"])
    n_answers: int = Field(ge=0, description="Given and not taken back.")
    n_counted: int = Field(ge=0, description="Those among them that are votes.")
    n_out: int = Field(ge=0)
    n_skipped: int = Field(ge=0)
    n_expired: int = Field(ge=0)
    median_seconds: float | None
    left_share: float | None = Field(description="Of answers for a side, those for the left.")
    gold_right: int = Field(ge=0)
    gold_seen: int = Field(ge=0)
    repeats_agreeing: int = Field(ge=0)
    repeats_seen: int = Field(ge=0)
    marks: dict[str, int] = Field(description="How many answers failed which rule.")
    is_banned: bool
    ban_reason: str
    joined_at: float | None
    last_at: float | None = Field(description="When they last got, answered or skipped a task.")
    outcome: Outcome | None
    panel: dict[str, str]


class WorkersFound(Body):
    """Workers, in the order they came."""

    workers: list[WorkerFound]


class Pseudonym(Body):
    """What somebody is called who was forgotten."""

    pseudonym: str = Field(examples=["forgotten-0f8fad5b"])


@operation(WorkersFound)
async def list_workers(campaign: Named) -> Response:
    """List the workers.

    What each has done, how fast, and what the rules of attention say of it.
    """
    found = await decide(campaign, lambda state, now: worker_summaries(state))
    return JSONResponse({"workers": [worker.to_dict() for worker in found]})


@operation(None, 204)
async def ban_worker(request: Request, campaign: Named, given: Ban) -> Response:
    """Give a worker no more tasks, and count none of their answers.

    Their session in the browser ends. Restoring them undoes the ban.
    """
    await decide(campaign, lambda state, now: owning.ban(state, now, given.worker, given.reason))
    await _end_session(request, campaign, given.worker)
    return Response(status_code=204)


@operation(None, 204)
async def restore_worker(campaign: Named, given: WorkerName) -> Response:
    """Lift a ban.

    The answers of the worker count again.
    """
    await decide(campaign, lambda state, now: owning.restore_worker(state, now, given.worker))
    return Response(status_code=204)


@operation(Pseudonym)
async def forget_worker(request: Request, campaign: Named, given: WorkerName) -> Response:
    """Take the name of a worker away, and all that came with it.

    Their answers stay, and count, under a name that is drawn by lot. They get no more tasks.
    """
    pseudonym = await run_in_threadpool(campaign.forget, given.worker)
    await _end_session(request, campaign, given.worker)
    return JSONResponse({"pseudonym": pseudonym})


@operation(None, 204)
async def join_campaign(request: Request, campaign: Named, given: Arrival) -> Response:
    """Let a worker come.

    For programs that show pairs to people: those that answer themselves need not join. Who comes
    again is known already.
    """
    worker = acting_as(request, given.worker)
    await decide(campaign, lambda state, now: attending.join(state, now, worker, given.panel))
    return Response(status_code=204)


@operation(TriesLeft)
async def quiz_worker(request: Request, campaign: Named, given: Quiz) -> Response:
    """Say how a worker did with the questions before the first task.

    Who has failed as often as the settings allow is screened out.
    """
    worker = acting_as(request, given.worker)

    def quiz(state: CampaignState, now: float) -> dict[str, Any]:
        return {"tries_left": attending.quiz(state, now, worker, given.passed)}

    return JSONResponse(await decide(campaign, quiz))


@operation(None, 204)
async def finish_worker(request: Request, campaign: Named, given: Departure) -> Response:
    """Let a worker go.

    They get no more tasks, and what is out with them goes to others. The same once more changes
    nothing.
    """
    worker = acting_as(request, given.worker)
    await decide(campaign, lambda state, now: attending.finish(state, now, worker, given.outcome))
    return Response(status_code=204)


async def _end_session(request: Request, campaign: Campaign, worker: str) -> None:
    """A browser that the worker left open opens nothing any more."""
    keys = house_of(request).keys
    await run_in_threadpool(lambda: keys.revoke(role="worker", campaign=campaign.id, holder=worker))
