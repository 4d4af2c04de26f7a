"""Campaigns over HTTP: those there are, new ones, and what their owners do with them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query as InQuery
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hodgerank.campaign import owning
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.state import CampaignState
from hodgerank.errors import InvalidArgument
from hodgerank.notebook import short
from hodgerank.server.access import key_of
from hodgerank.server.api.counting import EXAMPLE, Numbers, numbers
from hodgerank.server.api.describing import operation
from hodgerank.server.api.items import ItemGiven, items_of
from hodgerank.server.api.news import News
from hodgerank.server.api.sent_media import naming
from hodgerank.server.api.setting_models import AllSettings, SomeSettings
from hodgerank.server.api.values import MOST_ITEMS, Body, Name, Named, Query, Seq, example
from hodgerank.server.house import decide, house_of
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import url

MOST_SECONDS = 30.0
FOR_THE_OWNER = ("gold", "joining", "panel", "pages")
"""Settings that who answers is not told: right answers, codes, the way in."""


class CampaignName(Body):
    """A campaign, by its id."""

    id: str = Field(examples=["animals"])


class CampaignNames(Body):
    """The campaigns that a token is good for, oldest first."""

    campaigns: list[CampaignName]


class NewCampaign(Body):
    """What a campaign begins with."""

    model_config = example(
        id="animals",
        items=[{"item": "cat", "text": "A cat"}, {"item": "dog", "text": "A dog"}],
        settings={"question": "Which do you like better?", "budget": 400},
    )

    id: Name = Field(description="Its name in addresses, without slashes.")
    items: list[ItemGiven] = Field(min_length=2, max_length=MOST_ITEMS)
    settings: SomeSettings = Field(description="The question, and what else is not as usual.")


class CampaignFound(Body):
    """A campaign: what was decided about it, and how it stands.

    A judge is not told the settings gold, joining, panel and pages.
    """

    id: str = Field(examples=["animals"])
    tracks: list[str] = Field(
        description="Groups of items that are ranked apart; one without a name where there are "
        "none.",
        examples=[[""]],
    )
    settings: AllSettings | SomeSettings
    counts: Numbers = Field(examples=[EXAMPLE])


class Patience(Query):
    """How long to wait for news."""

    after: Seq = Field(0, description="Wait until the log goes beyond this place.")
    seconds: float = Field(0.0, ge=0, le=MOST_SECONDS, description="No longer than this.")


@operation(CampaignNames)
async def list_campaigns(request: Request) -> Response:
    """List the campaigns.

    A token that is good for one campaign is shown that one.
    """
    key, database = key_of(request), house_of(request).database
    known = await run_in_threadpool(database.campaigns)
    shown = [{"id": id} for id in known if key.campaign in (None, id)]
    return JSONResponse({"campaigns": shown})


@operation(CampaignFound, 201, with_location=True)
async def create_campaign(request: Request, given: NewCampaign) -> Response:
    """Begin a campaign.

    A token that is good for one campaign only cannot. Settings are those of the Python library and
    of `hodgerank campaign`, by the same names; what is not given is as usual.
    """
    house = house_of(request)
    if key_of(request).campaign is not None:
        raise Problem(403, "this token is good for one campaign, not for a new one")
    if "/" in given.id or given.id in (".", ".."):
        raise InvalidArgument(f"{short(given.id)} cannot be part of an address: choose another id")
    items = items_of(given.items)
    settings = _as_given(given.settings)

    def create() -> None:
        Campaign.create(house.database, items, settings, id=given.id)

    async with naming(request, [item.media for item in items]):
        await run_in_threadpool(create)
    campaign = await house.campaign(given.id)
    assert campaign is not None
    content = await decide(campaign, lambda state, now: _found(campaign, state, now, "owner"))
    where = url(request, "api", "v1", "campaigns", given.id)
    return JSONResponse(content, 201, {"Location": where})


@operation(CampaignFound)
async def get_campaign(request: Request, campaign: Named) -> Response:
    """Look at a campaign.

    Its settings, its tracks, and how it stands in numbers.
    """
    role = key_of(request).role
    found = await decide(campaign, lambda state, now: _found(campaign, state, now, role))
    return JSONResponse(found)


@operation(Numbers)
async def get_counts(
    request: Request, campaign: Named, query: Annotated[Patience, InQuery()]
) -> Response:
    """Count, or wait for news.

    With `after` and `seconds` the answer comes when something has happened beyond that place of
    the log, or when the time is over.
    """
    if query.seconds:
        news: News = request.app.state.news
        await news.wait(campaign, query.after, query.seconds)
    return JSONResponse(await decide(campaign, numbers))


@operation(AllSettings)
async def change_settings(request: Request, campaign: Named, given: SomeSettings) -> Response:
    """Change settings, from now on.

    Those that are not named stay as they are; of groups, single values may be given.
    """

    def change(state: CampaignState, now: float) -> dict[str, Any]:
        owning.change_settings(state, now, _as_given(given))
        return state.settings.to_dict()

    return JSONResponse(await decide(campaign, change))


@operation(Numbers)
async def pause_campaign(campaign: Named) -> Response:
    """Give out no more tasks for now.

    Answers to those that are out are still taken.
    """
    return await _do(campaign, owning.pause)


@operation(Numbers)
async def resume_campaign(campaign: Named) -> Response:
    """Give out tasks again.

    After a pause; else it changes nothing.
    """
    return await _do(campaign, owning.resume)


@operation(Numbers)
async def close_campaign(campaign: Named) -> Response:
    """End a campaign for good.

    It gives out no more tasks, takes no more answers, and cannot be opened again.
    """
    return await _do(campaign, owning.close)


@operation(Numbers)
async def reset_campaign(campaign: Named) -> Response:
    """Begin anew with the same items.

    Votes go; items, settings, workers and bans stay, and so does the log.
    """
    return await _do(campaign, owning.reset)


async def _do(campaign: Campaign, what: Any) -> Response:
    def change(state: CampaignState, now: float) -> dict[str, Any]:
        what(state, now)
        return numbers(state, now)

    return JSONResponse(await decide(campaign, change))


def _found(campaign: Campaign, state: CampaignState, now: float, role: str) -> dict[str, Any]:
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
    """What was said, and nothing else: a limit that is null is none."""
    return settings.model_dump(exclude_unset=True)
