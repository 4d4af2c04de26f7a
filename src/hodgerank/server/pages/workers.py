"""Workers: who answers how, and whose answers count."""

from __future__ import annotations

from collections.abc import Callable

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.estimators.workers.assessment import WORDS, level_of
from hodgerank.server.analyses.workers import without, workers_view
from hodgerank.server.house import campaign_of, house_of
from hodgerank.server.pages.framing import MOST_SHOWN, frame_of, framed, go_back
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render

MOST_AT_ONCE = 5_000


async def workers_page(request: Request) -> Response:
    """The page, whose table comes when it is computed."""
    campaign = await campaign_of(request)
    return framed(request, "owner/workers.html", await frame_of(campaign), "workers")


async def workers_table(request: Request) -> Response:
    """Everybody in a row each."""
    campaign = await campaign_of(request)
    view = await house_of(request).analyst.ask(workers_view, campaign.id)
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
    """One worker: what was done, and what can be done about it."""
    campaign = await campaign_of(request)
    name = request.query_params.get("name", "")
    view = await house_of(request).analyst.ask(workers_view, campaign.id)
    row = next((row for row in view.rows if row.did.worker == name), None)
    if row is None:
        raise Problem(404, "there is no such worker")
    sessions = await run_in_threadpool(
        house_of(request).keys.all,
        kind="session",
        role="worker",
        campaign=campaign.id,
        holder=name,
    )
    return framed(
        request,
        "owner/worker.html",
        await frame_of(campaign),
        "workers",
        row=row,
        words=WORDS,
        n_sessions=len(sessions),
    )


async def worker_without(request: Request) -> Response:
    """What the ranking would be without a worker."""
    campaign = await campaign_of(request)
    name = request.query_params.get("name", "")
    tracks = await house_of(request).analyst.ask(without, campaign.id, name)
    frame = await frame_of(campaign)
    return render(request, "owner/without.html", tracks=tracks, has_tracks=len(frame.tracks) > 1)


async def ban(request: Request) -> Response:
    """Give workers no more tasks, count none of their answers, and end their sessions."""

    def do(campaign: Campaign, name: str, form: FormData) -> None:
        campaign.ban(name, _text(form, "reason").strip())
        _sign_out(request, campaign, name)

    return await _do_to_workers(request, "ban", do)


async def restore(request: Request) -> Response:
    """Lift bans."""
    return await _do_to_workers(
        request, "restore", lambda campaign, name, form: campaign.restore(name)
    )


async def admit(request: Request) -> Response:
    """Let workers join again under their names, from any browser."""
    return await _do_to_workers(
        request, "admit", lambda campaign, name, form: _sign_out(request, campaign, name)
    )


async def forget(request: Request) -> Response:
    """Delete what is personal of a worker; what they answered stays."""

    def do(campaign: Campaign, name: str, form: FormData) -> None:
        if _text(form, "typed") != name:
            raise Problem(422, "The name that was typed is not that of the worker.")
        _sign_out(request, campaign, name)
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


def _sign_out(request: Request, campaign: Campaign, name: str) -> None:
    house_of(request).keys.revoke(kind="session", role="worker", campaign=campaign.id, holder=name)


def _text(form: FormData, field: str) -> str:
    value = form.get(field, "")
    return value if isinstance(value, str) else ""
