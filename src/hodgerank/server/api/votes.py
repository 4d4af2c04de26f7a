"""Votes over HTTP: files of them, out and in."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Annotated, Literal

from fastapi import Query as InQuery
from pydantic import Field
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.errors import InvalidArgument, InvalidComparisons
from hodgerank.server.api.analyses import write_votes
from hodgerank.server.api.describing import operation
from hodgerank.server.api.values import Body, Named, Query, Text
from hodgerank.server.api.vote_lines import read_vote_lines
from hodgerank.server.house import house_of
from hodgerank.server.problem import Problem

VOTE_TYPES = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "jsonl": "application/jsonl",
}
FILE_TYPES = {**VOTE_TYPES, "json": "application/json"}


class OfVotes(Query):
    """Which votes, and how."""

    format: Literal["csv", "parquet", "jsonl"] = Field(
        "csv", description="A table that every command reads, or the log, which holds everything."
    )
    track: Text | None = Field(None, description="Of this track only; a log has all.")
    everything: bool = Field(
        False, description="All answers with what became of them, instead of those that count."
    )


class OfImport(Query):
    """How to count them."""

    again: bool = Field(False, description="Count votes that were imported before once more.")


class NumberImported(Body):
    """How many votes were counted."""

    n_imported: int = Field(ge=0, examples=[240])


@operation(tuple(VOTE_TYPES.values()))
async def get_votes(
    request: Request, campaign: Named, query: Annotated[OfVotes, InQuery()]
) -> Response:
    """Download the votes.

    As CSV or Parquet, or the whole log as JSON lines, from which `Campaign.load` makes the same
    campaign again.
    """
    if query.format == "jsonl" and (query.everything or query.track is not None):
        raise InvalidArgument("a log holds everything anyway: leave track and everything out")
    path = _new_file(f".{query.format}")
    try:
        await house_of(request).analyst.ask(
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
    """Count votes that were collected elsewhere.

    The body is a file of votes about items of this campaign: CSV or Parquet in any layout that
    `read_comparisons` understands, or lines of JSON with left, right, outcome and, where they are
    known, worker, weight and is_display_known. Votes that were imported before are refused.
    """
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    ending = next((ending for ending, kind in VOTE_TYPES.items() if kind == given), None)
    if ending is None:
        raise Problem(415, f"votes are sent as {', '.join(VOTE_TYPES.values())}")
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
