"""Workers over HTTP: summaries, bans, joining and leaving."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import workers
from hodgerank.campaign.page_settings import Outcome
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.summaries import WorkerSummary, worker_summaries
from hodgerank.estimators.workers.assessment import WORDS, level_of
from hodgerank.server.analyses.workers import without, workers_view
from hodgerank.server.context import campaign_of, context_of, read, transact
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render
from hodgerank.server.views.layout import MOST_SHOWN, go_back, in_layout, layout_of
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.permissions import acting_as
from hodgerank.server.views.request_fields import Body, Name, Named, Text, example, model_of


class WorkerName(Body):
    """A worker."""

    model_config = example(worker="ann")

    worker: Name


class Ban(WorkerName):
    """A worker to ban, and the reason."""

    model_config = example(worker="ann", reason="random clicks")

    reason: Text = ""


class Arrival(Body):
    """A worker who joins."""

    model_config = example(worker="ann", panel={"study": "spring"})

    worker: Name | None = Field(None, description="Default: the holder of the token.")
    panel: dict[
        Annotated[str, Field(max_length=workers.LONGEST_PARAMETER)],
        Annotated[str, Field(max_length=workers.LONGEST_PARAMETER)],
    ] = Field(
        default_factory=dict,
        max_length=workers.MOST_PARAMETERS,
        description="Parameters of the recruitment panel.",
    )


class Quiz(Body):
    """Result of the comprehension questions."""

    model_config = example(worker="ann", passed=True)

    worker: Name | None = Field(None, description="Default: the holder of the token.")
    passed: bool


class Departure(Body):
    """A worker who leaves, and the outcome."""

    model_config = example(worker="ann", outcome="completed")

    worker: Name | None = Field(None, description="Default: the holder of the token.")
    outcome: Outcome = "completed"


class TriesLeft(Body):
    """Tries left."""

    tries_left: int = Field(ge=0, examples=[1])


class WorkerResponse(model_of(WorkerSummary)):  # type: ignore[misc]
    """Summary of one worker."""


class WorkersResponse(Body):
    """Workers, in the order in which they came."""

    workers: list[WorkerResponse]


class Pseudonym(Body):
    """Pseudonym of a forgotten worker."""

    pseudonym: str = Field(examples=["forgotten-0f8fad5b"])


@operation(WorkersResponse)
async def list_workers(campaign: Named) -> Response:
    """List the workers.

    With their answers, response times and attention checks.
    """
    found = await read(campaign, lambda state, now: worker_summaries(state))
    return JSONResponse({"workers": [worker.to_dict() for worker in found]})


@operation(None, 204)
async def ban_worker(campaign: Named, given: Ban) -> Response:
    """Ban a worker.

    They get no more tasks, and their votes do not count. Their browser sessions and judge tokens
    for this campaign end; lifting the ban does not restore those.
    """
    await transact(campaign, lambda state, now: workers.ban(state, now, given.worker, given.reason))
    return Response(status_code=204)


@operation(None, 204)
async def restore_worker(campaign: Named, given: WorkerName) -> Response:
    """Lift a ban.

    The votes of the worker count again.
    """
    await transact(campaign, lambda state, now: workers.restore_worker(state, now, given.worker))
    return Response(status_code=204)


@operation(None, 204)
async def admit_worker(campaign: Named, given: WorkerName) -> Response:
    """Let a worker join again under their name.

    From any browser; open sessions end.
    """
    await transact(campaign, lambda state, now: workers.admit(state, now, given.worker))
    return Response(status_code=204)


@operation(Pseudonym)
async def forget_worker(campaign: Named, given: WorkerName) -> Response:
    """Forget a worker.

    Their name and panel data are removed. Their votes stay and count under a random name. They get
    no more tasks.
    """
    pseudonym = await run_in_threadpool(campaign.forget, given.worker)
    return JSONResponse({"pseudonym": pseudonym})


@operation(None, 204)
async def join_campaign(request: Request, campaign: Named, given: Arrival) -> Response:
    """Let a worker join.

    For programs that show pairs to people; programs that answer themselves need not join. Joining
    again is allowed.
    """
    worker = await acting_as(request, campaign, given.worker)
    await transact(campaign, lambda state, now: workers.join(state, now, worker, given.panel))
    return Response(status_code=204)


@operation(TriesLeft)
async def quiz_worker(request: Request, campaign: Named, given: Quiz) -> Response:
    """Record the result of the comprehension questions.

    A worker without tries left is screened out.
    """
    worker = await acting_as(request, campaign, given.worker)

    def quiz(state: CampaignState, now: float) -> dict[str, Any]:
        return {"tries_left": workers.quiz(state, now, worker, given.passed)}

    return JSONResponse(await transact(campaign, quiz))


@operation(None, 204)
async def finish_worker(request: Request, campaign: Named, given: Departure) -> Response:
    """Let a worker leave.

    They get no more tasks, and their tasks in progress go to others. Repeating it changes nothing.
    """
    worker = await acting_as(request, campaign, given.worker)
    await transact(campaign, lambda state, now: workers.finish(state, now, worker, given.outcome))
    return Response(status_code=204)


MOST_AT_ONCE = 5_000


async def workers_page(request: Request) -> Response:
    """Return the page; its table is loaded when it is computed."""
    campaign = await campaign_of(request)
    return in_layout(request, "owner/workers.html", await layout_of(campaign), "workers")


async def workers_table(request: Request) -> Response:
    """Return the table of workers."""
    campaign = await campaign_of(request)
    view = await context_of(request).analysis.ask(workers_view, campaign.id)
    levels = {flag: level_of(flag) for flag in view.meanings}
    return render(
        request,
        "owner/workers_table.html",
        campaign=campaign.id,
        view=view,
        words=WORDS,
        levels=levels,
        most_shown=MOST_SHOWN,
    )


async def worker_page(request: Request) -> Response:
    """Return the page of one worker."""
    campaign = await campaign_of(request)
    name = request.query_params.get("name", "")
    view = await context_of(request).analysis.ask(workers_view, campaign.id)
    row = next((row for row in view.rows if row.did.worker == name), None)
    if row is None:
        raise Problem(404, "there is no such worker")
    sessions = await run_in_threadpool(
        context_of(request).keys.all,
        kind="session",
        role="worker",
        campaign=campaign.id,
        holder=name,
    )
    return in_layout(
        request,
        "owner/worker.html",
        await layout_of(campaign),
        "workers",
        row=row,
        words=WORDS,
        n_sessions=len(sessions),
    )


async def worker_without(request: Request) -> Response:
    """Return the ranking without a worker."""
    campaign = await campaign_of(request)
    name = request.query_params.get("name", "")
    tracks = await context_of(request).analysis.ask(without, campaign.id, name)
    layout = await layout_of(campaign)
    return render(request, "owner/without.html", tracks=tracks, has_tracks=len(layout.tracks) > 1)


async def ban(request: Request) -> Response:
    """Ban workers."""
    return await _do_to_workers(
        request,
        "ban",
        lambda campaign, name, form: campaign.ban(name, _text(form, "reason").strip()),
    )


async def restore(request: Request) -> Response:
    """Lift bans."""
    return await _do_to_workers(
        request, "restore", lambda campaign, name, form: campaign.restore(name)
    )


async def admit(request: Request) -> Response:
    """Let workers join again under their names from any browser."""
    return await _do_to_workers(request, "admit", lambda campaign, name, form: campaign.admit(name))


async def forget(request: Request) -> Response:
    """Delete the personal data of a worker; their votes stay."""

    def do(campaign: Campaign, name: str, form: FormData) -> None:
        if _text(form, "typed") != name:
            raise Problem(422, "The name you typed does not match the worker.")
        campaign.forget(name)

    return await _do_to_workers(request, "forget", do)


async def _do_to_workers(
    request: Request, what: str, do: Callable[[Campaign, str, FormData], None]
) -> Response:
    campaign = await campaign_of(request)
    async with request.form(max_files=0, max_fields=MOST_AT_ONCE) as form:
        names = [name for name in form.getlist("worker") if isinstance(name, str)]
        for name in names:
            await run_in_threadpool(do, campaign, name, form)
    return go_back(request, "c", campaign.id, "workers", done=what if names else "nobody")


def _text(form: FormData, field: str) -> str:
    value = form.get(field, "")
    return value if isinstance(value, str) else ""
