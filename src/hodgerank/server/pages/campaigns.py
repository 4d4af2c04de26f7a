"""Campaigns: the list of them, from which the owner goes on, and where owners are signed in."""

from __future__ import annotations

from typing import NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.facts import CampaignFacts
from hodgerank.errors import HodgeRankError
from hodgerank.server.access import key_of
from hodgerank.server.house import decide, house_of
from hodgerank.server.pages.worker_links import worker_link
from hodgerank.server.problem import Problem
from hodgerank.server.rendering import render, url
from hodgerank.server.standings import Standings


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
    n_answers: int
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
    house = house_of(request)
    ids = await run_in_threadpool(house.database.campaigns)
    known = {campaign.id: campaign for campaign in house.opened()}
    rows = [
        (
            id,
            url(request, "c", id) if has_pages(id) else "",
            await _summary(request, known[id]) if id in known else None,
        )
        for id in reversed(ids)
    ]
    this, sessions = key_of(request).digest, await run_in_threadpool(house.keys.owner_sessions)
    return render(
        request,
        "owner/campaigns.html",
        rows=rows,
        this=this,
        sessions=sorted(sessions, key=lambda key: (key.digest != this, -key.created)),
        n_links=len(await run_in_threadpool(house.keys.owner_links)),
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
        found = await house_of(request).campaign(campaign)
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

    def look(state: CampaignFacts, now: float) -> Summary:
        settings = state.settings
        return Summary(
            id=campaign.id,
            title=settings.title or campaign.id,
            status=state.status,
            n_items=len(state.items),
            n_answers=sum(state.n_counted),
            budget=settings.budget,
            tau=min((one.expected_tau for one in asked if one.n_answers), default=None),
            is_used_up=settings.budget is not None and sum(state.n_counted) >= settings.budget,
            is_enough=bool(asked) and all(one.is_enough for one in asked),
            at=state.at,
            link=worker_link(request, campaign.id, settings),
            address=url(request, "c", campaign.id),
        )

    return await decide(campaign, look)
