"""Export: everything that was collected, to take along."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from hodgerank.campaign.repeating import ranking_command
from hodgerank.reporting.html import POLICY
from hodgerank.server.analyses.exporting import FILES, make_report, write_export
from hodgerank.server.house import campaign_of, decide, house_of
from hodgerank.server.pages.framing import frame_of, framed, go_back
from hodgerank.server.problem import Problem

REPORT_POLICY = f"{POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""Of the report, which has its styles in it; it runs nothing and asks for nothing."""
OF_TRACK = "track "
"""What stands before the name of a track, which may be called anything."""
async def export_page(request: Request) -> Response:
    """What there is to take along."""
    campaign = await campaign_of(request)
    command = await decide(campaign, lambda state, now: ranking_command(state))
    frame = await frame_of(campaign)
    return framed(request, "owner/export.html", frame, "export", files=_by_kind(), command=command)


async def export_file(request: Request, name: str) -> Response:
    """One file, which is written for it."""
    campaign = await campaign_of(request)
    if name not in FILES:
        raise Problem(404, "")
    path = await run_in_threadpool(_new_file, "")
    try:
        await house_of(request).analyst.ask(write_export, campaign.id, name, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return FileResponse(
        path,
        media_type=FILE_TYPES[Path(name).suffix[1:]],
        filename=f"{_plain(campaign.id)}-{name}",
        background=BackgroundTask(path.unlink, missing_ok=True),
    )


async def report_page(request: Request) -> Response:
    """The printable report."""
    campaign = await campaign_of(request)
    frame = await frame_of(campaign)
    if not frame.n_answers:
        return go_back(request, "c", campaign.id, "export", done="no_report")
    wanted = request.query_params.get("of", "").removeprefix(OF_TRACK)
    chosen = wanted if OF_TRACK + wanted == request.query_params.get("of") else None
    with_forecast = "forecast" in request.query_params
    house = house_of(request)
    who = house.forecaster if with_forecast else house.analyst
    page = await who.ask(make_report, campaign.id, chosen, with_forecast)
    return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY})


def _by_kind() -> dict[str, list[str]]:
    kinds = dict.fromkeys(name.partition(".")[0] for name in FILES)
    return {kind: [name for name in FILES if name.startswith(f"{kind}.")] for kind in kinds}


def _plain(id: str) -> str:
    """A name for files."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", id).strip("-")[:60] or "campaign"
