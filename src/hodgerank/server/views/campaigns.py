"""Campaigns over HTTP: list, create, read, pause, resume, reset and close."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from fastapi import Query as InQuery
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import owner
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.state import CampaignState
from hodgerank.campaign.summaries import Counts, RuleRate, counts
from hodgerank.display import short
from hodgerank.errors import HodgeRankError, InvalidArgument
from hodgerank.server.auth import key_of
from hodgerank.server.context import context_of, read, transact
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render, url
from hodgerank.server.standings import Standings
from hodgerank.server.views.items import ItemRequest, items_of
from hodgerank.server.views.layout import worker_link
from hodgerank.server.views.live import EventWaiter
from hodgerank.server.views.media import naming
from hodgerank.server.views.openapi import operation
from hodgerank.server.views.request_fields import (
    MOST_ITEMS,
    Body,
    Name,
    Named,
    Query,
    Seq,
    example,
    model_of,
)
from hodgerank.server.views.settings import AllSettings, SomeSettings

EXAMPLE = {
    "status": "open",
    "seq": 171,
    "at": 1767225600.0,
    "n_items": 12,
    "n_retired": 0,
    "n_votes": 78,
    "n_given": 80,
    "n_out": 3,
    "n_workers": 5,
    "n_banned": 0,
    "budget": 400,
    "rules": [],
}


class RuleRateResponse(model_of(RuleRate)):  # type: ignore[misc]
    """How often an attention check failed."""

    share: float | None = Field(description="Failed, of those checked.", ge=0, le=1)


class CountsResponse(model_of(Counts)):  # type: ignore[misc]
    """Counts of a campaign, as of event `seq` of its log."""

    model_config = example(**EXAMPLE)

    status: Literal["open", "paused", "closed"]
    rules: list[RuleRateResponse]


def numbers(state: CampaignSnapshot, now: float) -> dict[str, Any]:
    """Return the counts after a command."""
    return numbers_of(counts(state))


def numbers_of(found: Counts) -> dict[str, Any]:
    """Return the counts as plain values for JSON."""
    return {**vars(found), "rules": [rule.to_dict() for rule in found.rules]}


MOST_SECONDS = 30.0
FOR_THE_OWNER = ("gold", "joining", "panel", "pages")
"""Settings that are hidden from judges: right answers, codes, the entrance."""


class CampaignName(Body):
    """A campaign, by its id."""

    id: str = Field(examples=["animals"])


class CampaignNames(Body):
    """Campaigns that a token allows, oldest first."""

    campaigns: list[CampaignName]


class NewCampaign(Body):
    """A new campaign."""

    model_config = example(
        id="animals",
        items=[{"item": "cat", "text": "A cat"}, {"item": "dog", "text": "A dog"}],
        settings={"question": "Which do you like better?", "budget": 400},
    )

    id: Name = Field(description="Its name in addresses, without slashes.")
    items: list[ItemRequest] = Field(min_length=2, max_length=MOST_ITEMS)
    settings: SomeSettings = Field(
        description="The question, and settings that differ from the defaults."
    )


class CampaignResponse(Body):
    """A campaign with its settings and counts.

    The settings gold, joining, panel and pages are hidden from judges.
    """

    id: str = Field(examples=["animals"])
    tracks: list[str] = Field(
        description="Tracks, which are ranked separately; one without a name if there are none.",
        examples=[[""]],
    )
    settings: AllSettings | SomeSettings
    counts: CountsResponse = Field(examples=[EXAMPLE])


class Patience(Query):
    """How long to wait for changes."""

    after: Seq = Field(0, description="Wait until the log has passed this position.")
    seconds: float = Field(0.0, ge=0, le=MOST_SECONDS, description="Maximum waiting time.")


@operation(CampaignNames)
async def list_campaigns(request: Request) -> Response:
    """List the campaigns.

    A token for one campaign sees only that one.
    """
    key, database = key_of(request), context_of(request).database
    known = await run_in_threadpool(database.campaigns)
    shown = [{"id": id} for id in known if key.campaign in (None, id)]
    return JSONResponse({"campaigns": shown})


@operation(CampaignResponse, 201, with_location=True)
async def create_campaign(request: Request, given: NewCampaign) -> Response:
    """Create a campaign.

    Needs a token for all campaigns. Settings have the same names as in the Python library and in
    `hodgerank campaign`; those not given have defaults. Without `pages.entrance`, the link for
    workers gets a random key; it is in the settings of the response.
    """
    context = context_of(request)
    if key_of(request).campaign is not None:
        raise Problem(403, "this token is for one campaign and cannot create another")
    if "/" in given.id or given.id in (".", ".."):
        raise InvalidArgument(f"{short(given.id)} cannot be used in an address: choose another id")
    items = items_of(given.items)
    wanted = _as_given(given.settings)
    settings = CampaignSettings.of(wanted).behind_key(wanted)

    def create() -> None:
        Campaign.create(context.database, items, settings, id=given.id)

    async with naming(request, [item.media for item in items]):
        await run_in_threadpool(create)
    campaign = await context.campaign(given.id)
    assert campaign is not None
    content = await read(campaign, lambda state, now: _found(campaign, state, now, "owner"))
    where = url(request, "api", "v1", "campaigns", given.id)
    return JSONResponse(content, 201, {"Location": where})


@operation(CampaignResponse)
async def get_campaign(request: Request, campaign: Named) -> Response:
    """Read a campaign.

    Returns its settings, tracks and counts.
    """
    role = key_of(request).role
    found = await read(campaign, lambda state, now: _found(campaign, state, now, role))
    return JSONResponse(found)


@operation(CountsResponse)
async def get_counts(
    request: Request, campaign: Named, query: Annotated[Patience, InQuery()]
) -> Response:
    """Read the counts, or wait for changes.

    With `after` and `seconds`, the response comes when the log has passed that position, or when
    the time is over.
    """
    if query.seconds:
        news: EventWaiter = request.app.state.news
        await news.wait(campaign, query.after, query.seconds)
    return JSONResponse(await read(campaign, numbers))


@operation(AllSettings)
async def change_settings(request: Request, campaign: Named, given: SomeSettings) -> Response:
    """Change settings.

    Settings that are not given stay unchanged; of groups, single values may be given.
    """

    def change(state: CampaignState, now: float) -> dict[str, Any]:
        owner.change_settings(state, now, _as_given(given))
        return state.settings.to_dict()

    return JSONResponse(await transact(campaign, change))


@operation(CountsResponse)
async def pause_campaign(campaign: Named) -> Response:
    """Pause a campaign.

    No new tasks are assigned; answers to tasks in progress are accepted.
    """
    return await _do(campaign, owner.pause)


@operation(CountsResponse)
async def resume_campaign(campaign: Named) -> Response:
    """Resume a campaign.

    Changes nothing if it is not paused.
    """
    return await _do(campaign, owner.resume)


@operation(CountsResponse)
async def close_campaign(campaign: Named) -> Response:
    """Close a campaign permanently.

    It assigns no more tasks, accepts no more answers, and cannot be reopened.
    """
    return await _do(campaign, owner.close)


@operation(CountsResponse)
async def reset_campaign(campaign: Named) -> Response:
    """Reset a campaign.

    Votes are discarded; items, settings, workers, bans and the log stay.
    """
    return await _do(campaign, owner.reset)


async def _do(campaign: Campaign, what: Any) -> Response:
    def change(state: CampaignState, now: float) -> dict[str, Any]:
        what(state, now)
        return numbers(state, now)

    return JSONResponse(await transact(campaign, change))


def _found(campaign: Campaign, state: CampaignSnapshot, now: float, role: str) -> dict[str, Any]:
    settings = state.settings.to_dict()
    if role == "judge":
        settings = {name: value for name, value in settings.items() if name not in FOR_THE_OWNER}
    return {
        "id": campaign.id,
        "tracks": list(state.items.tracks),
        "settings": settings,
        "counts": numbers(state, now),
    }


def _as_given(settings: Body) -> dict[str, Any]:
    """Return only the settings that were given: a limit given as null means no limit."""
    return settings.model_dump(exclude_unset=True)


class Summary(NamedTuple):
    """A campaign in the list.

    Attributes
    ----------
    is_used_up
        Whether the budget is.
    tau
        The lowest of its tracks; None where nobody has looked yet.
    is_enough
        Whether the stopping rule is reached.
    """

    id: str
    title: str
    status: str
    n_items: int
    n_votes: int
    budget: int | None
    is_used_up: bool
    tau: float | None
    is_enough: bool
    at: float
    link: str
    address: str


async def campaigns_page(request: Request) -> Response:
    """All campaigns, the newest first; those that are not open yet are asked for by the script.

    Below them the browsers in which an owner is signed in, this one first.
    """
    context = context_of(request)
    ids = await run_in_threadpool(context.database.campaigns)
    known = {campaign.id: campaign for campaign in context.opened()}
    rows = [
        (
            id,
            url(request, "c", id) if has_pages(id) else "",
            await _summary(request, known[id]) if id in known else None,
        )
        for id in reversed(ids)
    ]
    this, sessions = key_of(request).digest, await run_in_threadpool(context.keys.owner_sessions)
    return render(
        request,
        "owner/campaigns.html",
        rows=rows,
        this=this,
        sessions=sorted(sessions, key=lambda key: (key.digest != this, -key.created)),
        n_links=len(await run_in_threadpool(context.keys.owner_links)),
        done=request.query_params.get("done", ""),
    )


def has_pages(id: str) -> bool:
    """Whether the name of a campaign can stand in an address.

    >>> has_pages("my cups"), has_pages("a/b"), has_pages("..")
    (True, False, False)
    """
    return "/" not in id and id not in (".", "..")


async def campaign_row(request: Request, campaign: str) -> Response:
    """One of them, which is opened for it."""
    try:
        found = await context_of(request).campaign(campaign)
    except HodgeRankError as error:
        return render(request, "owner/campaign_row.html", id=campaign, row=None, why=str(error))
    if found is None:
        raise Problem(404, "")
    row = await _summary(request, found)
    return render(request, "owner/campaign_row.html", id=campaign, row=row, why="")


async def _summary(request: Request, campaign: Campaign) -> Summary:
    standings: Standings = request.app.state.standings
    standing = standings.latest(campaign.id)
    asked = [] if standing is None else [one for one in standing.progress.tracks if one.n_items > 1]

    def look(state: CampaignSnapshot, now: float) -> Summary:
        settings = state.settings
        return Summary(
            id=campaign.id,
            title=settings.title or campaign.id,
            status=state.status,
            n_items=len(state.items),
            n_votes=sum(state.n_counted),
            budget=settings.budget,
            tau=min((one.expected_tau for one in asked if one.n_votes), default=None),
            is_used_up=settings.budget is not None and sum(state.n_counted) >= settings.budget,
            is_enough=bool(asked) and all(one.is_enough for one in asked),
            at=state.at,
            link=worker_link(request, campaign.id, settings),
            address=url(request, "c", campaign.id),
        )

    return await read(campaign, look)
