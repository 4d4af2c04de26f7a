"""Import and export of votes over HTTP."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from fastapi import Query as InQuery
from pydantic import Field, ValidationError
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.results import ranking_command
from hodgerank.data.comparisons import NO_WORKER, Comparisons, ReadReport
from hodgerank.display import cut, visible
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.reporting.html import POLICY
from hodgerank.sampling.answers import MOST_WEIGHT
from hodgerank.server.analyses.export import FILES, make_report, write_export
from hodgerank.server.analyses.results import write_votes
from hodgerank.server.context import campaign_of, context_of, read
from hodgerank.server.problem import Problem
from hodgerank.server.views.layout import go_back, in_layout, layout_of
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.request_fields import Body, ItemId, Name, Named, Query, Text, example
from hodgerank.types import Item


class VoteLine(Body):
    """One vote."""

    model_config = example(left="cat", right="dog", outcome=1, worker="ann")

    left: ItemId
    right: ItemId
    outcome: float = Field(ge=-1, le=1, description="1 prefers left, -1 right, 0 is a tie.")
    worker: Name | None = None
    weight: float = Field(1.0, ge=1 / MOST_WEIGHT, le=MOST_WEIGHT)
    is_display_known: bool = Field(
        True, description="Whether left and right are the display order."
    )


def read_vote_lines(path: Path) -> Comparisons:
    """Parse votes, one per line."""
    with path.open("rb") as file:
        votes = [_vote(number, line) for number, line in enumerate(file, 1) if line.strip()]
    items: dict[Item, int] = {}
    workers: dict[Item, int] = {}
    left = [items.setdefault(vote.left, len(items)) for vote in votes]
    right = [items.setdefault(vote.right, len(items)) for vote in votes]
    worker = [
        NO_WORKER if vote.worker is None else workers.setdefault(vote.worker, len(workers))
        for vote in votes
    ]
    return Comparisons(
        items=tuple(items),
        left=np.array(left, np.int32),
        right=np.array(right, np.int32),
        outcome=np.array([vote.outcome for vote in votes], float),
        workers=tuple(workers),
        worker=np.array(worker, np.int32),
        display_known=np.array([vote.is_display_known for vote in votes], bool),
        weight=np.array([vote.weight for vote in votes], float),
        report=ReadReport(source="lines of JSON", rows=len(votes)),
    )


def _vote(number: int, line: bytes) -> VoteLine:
    try:
        return VoteLine.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "/".join(map(str, first["loc"]))
        words = cut(visible(f"{where}: {first['msg']}" if where else first["msg"]), 300)
        raise InvalidComparisons(f"line {number:,}: {words}") from None


VOTE_TYPES = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "jsonl": "application/jsonl",
}
FILE_TYPES = {**VOTE_TYPES, "json": "application/json"}


class OfVotes(Query):
    """Which votes to export, and in which format."""

    format: Literal["csv", "parquet", "jsonl"] = Field(
        "csv", description="A table of votes, or the log (jsonl), which holds everything."
    )
    track: Text | None = Field(None, description="Only this track; a log has all tracks.")
    everything: bool = Field(
        False, description="All answers with their status, instead of the votes that count."
    )


class OfImport(Query):
    """How to import votes."""

    again: bool = Field(False, description="Import votes again that were imported before.")


class NumberImported(Body):
    """Number of votes imported."""

    n_imported: int = Field(ge=0, examples=[240])


@operation(tuple(VOTE_TYPES.values()))
async def get_votes(
    request: Request, campaign: Named, query: Annotated[OfVotes, InQuery()]
) -> Response:
    """Export the votes.

    As CSV or Parquet, or the complete log as JSON lines, from which `Campaign.load` restores the
    campaign.
    """
    if query.format == "jsonl" and (query.everything or query.track is not None):
        raise InvalidArgument("a log always holds everything: leave out track and everything")
    path = _new_file(f".{query.format}")
    try:
        await context_of(request).analysis.ask(
            write_votes, campaign.id, path, query.track, query.everything
        )
    except BaseException:
        path.unlink()
        raise
    what = "log" if query.format == "jsonl" else "answers" if query.everything else "votes"
    return FileResponse(
        path,
        media_type=VOTE_TYPES[query.format],
        filename=f"{campaign.id} {what}.{query.format}",
        background=BackgroundTask(path.unlink),
    )


@operation(NumberImported, accepts=tuple(VOTE_TYPES.values()))
async def import_votes(
    request: Request, campaign: Named, query: Annotated[OfImport, InQuery()]
) -> Response:
    """Import votes.

    The body is a file of votes on items of this campaign: CSV or Parquet in any layout that
    `read_comparisons` reads, or lines of JSON with left, right, outcome and optionally worker,
    weight and is_display_known. Votes that were imported before are refused.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    ending = next((ending for ending, kind in VOTE_TYPES.items() if kind == given), None)
    if ending is None:
        raise Problem(415, f"send votes as {', '.join(VOTE_TYPES.values())}")
    path = _new_file(f".{ending}")
    try:
        with path.open("wb") as file:
            async for piece in request.stream():
                await run_in_threadpool(file.write, piece)
        n_imported = await run_in_threadpool(_import, campaign, path, query.again)
    except InvalidComparisons as error:  # which names the file, and the file is nobody's
        raise InvalidComparisons(str(error).replace(str(path), "the file")) from None
    finally:
        path.unlink()
    return JSONResponse({"n_imported": n_imported})


def _import(campaign: Campaign, path: Path, again: bool) -> int:
    votes = read_vote_lines(path) if path.suffix == ".jsonl" else path
    return campaign.import_votes(votes, again=again)


def _new_file(ending: str) -> Path:
    """A file for a moment, which nobody else can read."""
    descriptor, name = tempfile.mkstemp(ending, "hodgerank-")
    os.close(descriptor)
    return Path(name)


REPORT_POLICY = f"{POLICY}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
"""Of the report, which has its styles in it; it runs nothing and asks for nothing."""
OF_TRACK = "track "
"""What stands before the name of a track, which may be called anything."""


async def export_page(request: Request) -> Response:
    """Show the page of files to download."""
    campaign = await campaign_of(request)
    command = await read(campaign, lambda state, now: ranking_command(state))
    layout = await layout_of(campaign)
    return in_layout(
        request, "owner/export.html", layout, "export", files=_by_kind(), command=command
    )


async def export_file(request: Request, name: str) -> Response:
    """One file, which is written for it."""
    campaign = await campaign_of(request)
    if name not in FILES:
        raise Problem(404, "")
    path = await run_in_threadpool(_new_file, "")
    try:
        await context_of(request).analysis.ask(write_export, campaign.id, name, path)
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
    layout = await layout_of(campaign)
    if not layout.n_votes:
        return go_back(request, "c", campaign.id, "export", done="no_report")
    wanted = request.query_params.get("of", "").removeprefix(OF_TRACK)
    chosen = wanted if OF_TRACK + wanted == request.query_params.get("of") else None
    with_forecast = "forecast" in request.query_params
    context = context_of(request)
    who = context.forecaster if with_forecast else context.analysis
    page = await who.ask(make_report, campaign.id, chosen, with_forecast)
    return HTMLResponse(page, headers={"Content-Security-Policy": REPORT_POLICY})


def _by_kind() -> dict[str, list[str]]:
    kinds = dict.fromkeys(name.partition(".")[0] for name in FILES)
    return {kind: [name for name in FILES if name.startswith(f"{kind}.")] for kind in kinds}


def _plain(id: str) -> str:
    """A name for files."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", id).strip("-")[:60] or "campaign"
