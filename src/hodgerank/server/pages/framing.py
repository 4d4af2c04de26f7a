"""Framing: what stands around every page about a campaign."""

from __future__ import annotations

import secrets
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.facts import CampaignFacts
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.server.house import decide, house_of
from hodgerank.server.pages.worker_links import trial_link, worker_link
from hodgerank.server.rendering import render, url
from hodgerank.server.showing import origins_of

TABS = {"live": [], **{name: [name] for name in ("workers", "items", "settings", "export")}}
MOST_SHOWN = 100
"""Rows of a table of items or workers; others come by a word that they have, or by a click."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class Frame(NamedTuple):
    """What every page about a campaign shows of it."""

    id: str
    title: str
    status: str
    settings: CampaignSettings
    items: list[CampaignItem]
    retired: frozenset[int]
    tracks: list[str]
    n_answers: int

    def track(self, wanted: str | None) -> str:
        """A track by name; the first one where there is none of that name."""
        return wanted if wanted is not None and wanted in self.tracks else self.tracks[0]


async def frame_of(campaign: Campaign) -> Frame:
    """Look at a campaign."""

    def look(state: CampaignFacts, now: float) -> Frame:
        settings = state.settings
        return Frame(
            id=campaign.id,
            title=settings.title or campaign.id,
            status=state.status,
            settings=settings,
            items=list(state.items.items),
            retired=frozenset(state.items.retired),
            tracks=list(state.items.tracks),
            n_answers=sum(state.n_counted),
        )

    return await decide(campaign, look)


def framed(request: Request, template: str, frame: Frame, tab: str, **values: Any) -> HTMLResponse:
    """A page about a campaign, under one of its tabs."""
    trial = f"trial-{secrets.token_hex(3)}"
    return render(
        request,
        template,
        origins=origins_of(frame.items),
        frame=frame,
        tab=tab,
        tabs={name: url(request, "c", frame.id, *path) for name, path in TABS.items()},
        link=worker_link(request, frame.id, frame.settings),
        trial=trial_link(request, frame.id, frame.settings, trial),
        trial_name="" if frame.settings.panel.kind == "none" else trial,
        is_here_only=is_here_only(request),
        done=request.query_params.get("done", ""),
        **values,
    )


def is_here_only(request: Request) -> bool:
    """Whether the addresses that are shown work on this machine alone."""
    public = house_of(request).rules.public_url
    return public is None and request.url.hostname in LOOPBACK


def go_back(request: Request, *parts: str, **query: str) -> RedirectResponse:
    """To another page, after something was done there."""
    words = f"?{urlencode(query)}" if query else ""
    return RedirectResponse(url(request, *parts) + words, 303)
