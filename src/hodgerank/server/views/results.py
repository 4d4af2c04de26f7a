"""Results over HTTP: the ranking, how far it can be trusted, and whether it is enough yet."""

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
"""For which progress is kept back until the campaign has noted that it is enough."""


class OfTrack(Query):
    """Which track."""

    track: Text | None = Field(None, description="May be omitted if there is only one.")


class OfProgress(Query):
    """What to look at."""

    track: Text | None = Field(None, description="Tell of this one only.")
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
    rank_lower: int = Field(ge=1, description="The best rank that it may have.")
    rank_upper: int = Field(ge=1, description="The worst one.")
    comparisons: int = Field(ge=0)
    component: int | None = Field(
        None, description="Where groups of items were never compared with each other: which."
    )


class RankingResponse(Body):
    """Items from best to worst, as in `Ranking.to_dict`, where `comparisons` is called `votes`."""

    as_of: Seq = Field(description="The place in the log.", examples=[171])
    track: str
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
    notes: list[str] = Field(description="What a careful reader should know.")
    items: list[RankedResponse]


class StatementResponse(Body):
    """What may be said of the votes, a sentence."""

    about: str
    words: str
    concern: bool


class TrustResponse(Body):
    """Trust report, as in `TrustReport.to_dict`, where `answers` is called `votes`."""

    as_of: Seq = Field(description="The place in the log.", examples=[171])
    track: str
    verdict: str = Field(description="One sentence about what needs attention.")
    statements: list[StatementResponse]
    items: int
    answers: int
    beta_0: int = Field(description="Number of connected components.")
    beta_1: int = Field(description="Number of unfilled loops.")
    energy: dict[str, float] = Field(description="Shares of what the votes are made of.")
    expected: dict[str, Any] = Field(description="Expected by chance.")
    consistency: dict[str, Any]
    position_bias: dict[str, Any]
    triangles: list[dict[str, Any]]
    loops: list[dict[str, Any]]
    outliers: dict[str, Any]
    workers: dict[str, Any] | None
    reliability: dict[str, Any]


class ForecastResponse(Body):
    """How many more answers it will take; null is more than can be foreseen."""

    rule: str = Field(examples=["expected tau 0.9"])
    target: float
    now: float
    answers: float | None
    lower: float | None
    upper: float | None


class TrackResponse(Body):
    """How far one track is."""

    track: str
    items: int
    answers: int
    expected_tau: float
    is_enough: bool
    forecast: ForecastResponse | None
    is_doubtful: bool = Field(
        description="Whether the votes contain a significant ranking; computed with a forecast."
    )


class ProgressResponse(CountsResponse):
    """How far a campaign is."""

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

    as_of: Seq = Field(description="The place in the log.")
    sentence: str = Field(description="Progress in words, with the forecast if requested.")
    code: Literal["closed", "target_reached", "budget_used", "in_progress"]
    is_enough: bool
    tracks: list[TrackResponse]


@operation(RankingResponse)
async def get_ranking(
    request: Request, campaign: Named, query: Annotated[OfTrack, InQuery()]
) -> Response:
    """Rank the items of a track.

    From the answers that count as of place `as_of` of the log, plain or robust as set. It is
    computed beside those who answer, which takes a moment.
    """
    found = await context_of(request).analysis.ask(ranking_of, campaign.id, query.track)
    return JSONResponse(found)


@operation(TrustResponse)
async def get_trust(
    request: Request, campaign: Named, query: Annotated[OfTrack, InQuery()]
) -> Response:
    """Say how far the ranking can be trusted.

    What the votes are made of, cycles, sides, outliers and workers; there has to be an answer.
    """
    found = await context_of(request).analysis.ask(trust_of, campaign.id, query.track)
    return JSONResponse(found)


@operation(ProgressResponse)
async def get_progress(
    request: Request, campaign: Named, query: Annotated[OfProgress, InQuery()]
) -> Response:
    """Say whether it is enough yet.

    And how many more answers it takes, if a forecast is wanted. Where the stopping rule is reached,
    the campaign is told so.
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
