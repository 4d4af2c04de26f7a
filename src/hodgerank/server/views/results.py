"""Results over HTTP: ranking, trust and progress."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import Query as InQuery
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.display import short
from hodgerank.errors import CampaignError
from hodgerank.server.analyses.results import progress_of, ranking_of, trust_of
from hodgerank.server.context import context_of
from hodgerank.server.views.campaigns import EXAMPLE, CountsResponse
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.request_fields import Body, Named, Query, Seq, Text, example

NOTE_SECONDS = 0.5
"""Seconds for which progress waits until the campaign has recorded a reached target."""


class OfTrack(Query):
    """Track."""

    track: Text | None = Field(None, description="May be omitted if there is only one.")


class OfProgress(Query):
    """Options of the progress."""

    track: Text | None = Field(None, description="Only this track.")
    forecast: bool = Field(
        False, description="Forecast how many more votes the target takes (a few seconds)."
    )


class RankedResponse(Body):
    """An item of a ranking."""

    item: int | str
    score: float
    stderr: float
    lower: float
    upper: float
    rank: int = Field(ge=1)
    rank_lower: int = Field(ge=1, description="Best rank in its rank interval.")
    rank_upper: int = Field(ge=1, description="Worst rank in its rank interval.")
    comparisons: int = Field(ge=0)
    component: int | None = Field(
        None, description="Component of the item, if the items are not all connected."
    )


class ScaleResponse(Body):
    """Scale of the scores, as set for the campaign."""

    name: str = Field(examples=["elo"])
    unit: str = Field(examples=["Elo points"])
    anchor: None = Field(description="Campaigns have no anchor.")
    baseline: None = Field(description="Campaigns have no baseline.")


class RankingResponse(Body):
    """Items from best to worst, as in `Ranking.to_dict`, where `comparisons` is called `votes`."""

    as_of: Seq = Field(description="Position in the log.", examples=[171])
    track: str
    scale: ScaleResponse
    model: str
    link: str
    confidence: float
    ridge: float
    dispersion: float
    freedom: float | None
    temperature: float | None
    iterations: int
    residual: float
    solver: str
    converged: bool
    uncertainty: str
    components: int
    undefeated: list[int | str]
    winless: list[int | str]
    no_votes: list[int | str]
    not_connected: list[int | str]
    is_weighted_by_worker: bool
    notes: list[str] = Field(description="Notes on the estimate.")
    items: list[RankedResponse]


class StatementResponse(Body):
    """A statement about the votes."""

    about: str
    code: str = Field(description="Stable name of the statement.")
    words: str
    concern: bool


class TrustResponse(Body):
    """Trust report, as in `TrustReport.to_dict`, where `answers` is called `votes`."""

    as_of: Seq = Field(description="Position in the log.", examples=[171])
    track: str
    verdict: str = Field(description="One sentence about what needs attention.")
    statements: list[StatementResponse]
    items: int
    answers: int
    beta_0: int = Field(description="Number of connected components.")
    beta_1: int = Field(description="Number of unfilled loops.")
    energy: dict[str, float] = Field(description="Shares of the parts of the votes.")
    expected: dict[str, Any] = Field(description="Expected by chance.")
    consistency: dict[str, Any]
    position_bias: dict[str, Any]
    triangles: list[dict[str, Any]]
    loops: list[dict[str, Any]]
    outliers: dict[str, Any]
    workers: dict[str, Any] | None
    reliability: dict[str, Any]


class ForecastResponse(Body):
    """Forecast of the votes still needed; null means beyond the range of the forecast.

    `lower` and `upper` are a 90% interval. The median, `answers`, says little unless `upper` is at
    most three times `lower`.
    """

    rule: str = Field(examples=["expected tau 0.9"])
    target: float
    now: float
    answers: float | None
    lower: float | None
    upper: float | None
    spread_is_unknown: bool = Field(
        description="Whether the spread of quality among the items is the main unknown."
    )


class TrackResponse(Body):
    """Progress of one track."""

    track: str
    items: int
    answers: int
    expected_tau: float
    is_enough: bool
    forecast: ForecastResponse | None
    is_doubtful: bool = Field(
        description="Whether the votes contain no significant ranking; computed with a forecast."
    )


class ProgressResponse(CountsResponse):
    """Progress of a campaign."""

    model_config = example(
        as_of=171,
        sentence="In progress: 78 votes of at most 400.",
        code="in_progress",
        is_enough=False,
        tracks=[
            {
                "track": "",
                "items": 12,
                "answers": 78,
                "expected_tau": 0.81,
                "is_enough": False,
                "forecast": None,
                "is_doubtful": False,
            }
        ],
        **EXAMPLE,
    )

    as_of: Seq = Field(description="Position in the log.")
    sentence: str = Field(description="Progress in words, with the forecast if requested.")
    code: Literal["closed", "target_reached", "budget_used", "in_progress"]
    is_enough: bool
    tracks: list[TrackResponse]


@operation(RankingResponse)
async def get_ranking(
    request: Request, campaign: Named, query: Annotated[OfTrack, InQuery()]
) -> Response:
    """Rank the items of a track.

    By the votes that count at position `as_of` of the log, plain or robust as set. It is computed
    in another process, which takes a moment.
    """
    found = await context_of(request).analysis.ask(ranking_of, campaign.id, query.track)
    return JSONResponse(found)


@operation(TrustResponse)
async def get_trust(
    request: Request, campaign: Named, query: Annotated[OfTrack, InQuery()]
) -> Response:
    """Assess how far the ranking can be trusted.

    Decomposition of the votes, cycles, position bias, outliers and workers. Needs at least one
    vote.
    """
    found = await context_of(request).analysis.ask(trust_of, campaign.id, query.track)
    return JSONResponse(found)


@operation(ProgressResponse)
async def get_progress(
    request: Request, campaign: Named, query: Annotated[OfProgress, InQuery()]
) -> Response:
    """Read the progress.

    With a forecast of the votes still needed, if requested. A reached target is recorded in the
    campaign.
    """
    progress = await context_of(request).analysis.ask(progress_of, campaign.id, query.forecast)
    noting = await run_in_threadpool(campaign.begin_noting, progress)
    if noting is not None:  # who looks on does not wait for another process that writes
        await asyncio.wait([asyncio.wrap_future(noting)], timeout=NOTE_SECONDS)
    found = progress.to_dict()
    if query.track is not None:
        found["tracks"] = [one for one in found["tracks"] if one["track"] == query.track]
        if not found["tracks"]:
            raise CampaignError(f"there is no track {short(repr(query.track))}")
    return JSONResponse({"as_of": progress.counts.seq, **found})
