"""The frame of every page about a campaign."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.page_settings import PARAMETERS
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.estimators.ranking import RankedItem
from hodgerank.estimators.score_scale import MODEL_SCALE, ScoreScale
from hodgerank.server.context import context_of, read
from hodgerank.server.item_view import origins_of
from hodgerank.server.media.library import MediaLibrary
from hodgerank.server.rendering import render, url
from hodgerank.server.uploads.file_names import is_address

FILLED_IN = {"prolific": "{{%%%s%%}}"}
"""How a panel wants the places written that it fills in for each worker."""


def worker_link(request: Request, id: str, settings: CampaignSettings) -> str:
    """The address for those who compare, or for the panel that they come from."""
    place = FILLED_IN.get(settings.panel.kind)
    address = _address(request, id, settings.pages.entrance)
    if place is None:
        return address
    names = PARAMETERS[settings.panel.kind].values()
    return f"{address}?" + "&".join(f"{name}={place % name}" for name in names)


def trial_link(request: Request, id: str, settings: CampaignSettings, name: str) -> str:
    """The address for an owner who tries it under a made-up name."""
    address, parameters = _address(request, id, settings.pages.entrance), PARAMETERS
    told = {key: name for part, key in parameters[settings.panel.kind].items() if part != "return"}
    return f"{address}?{urlencode(told)}" if told else address


def _address(request: Request, id: str, entrance: str) -> str:
    home = context_of(request).rules.public_url or str(request.base_url)
    parts = ["j", id, *([entrance] if entrance else [])]
    return "/".join([home.rstrip("/"), *(quote(part, safe="") for part in parts)])


TABS = {"live": [], **{name: [name] for name in ("workers", "items", "settings", "export")}}
MOST_SHOWN = 100
"""Rows of a table of items or workers; others come by a word that they have, or by a click."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class PageLayout(NamedTuple):
    """Parts of a campaign that all its pages show."""

    id: str
    title: str
    status: str
    settings: CampaignSettings
    items: list[CampaignItem]
    retired: frozenset[int]
    tracks: list[str]
    n_votes: int

    def track(self, wanted: str | None) -> str:
        """A track by name; the first one where there is none of that name."""
        return wanted if wanted is not None and wanted in self.tracks else self.tracks[0]


async def layout_of(campaign: Campaign) -> PageLayout:
    """Look at a campaign."""

    def look(state: CampaignSnapshot, now: float) -> PageLayout:
        settings = state.settings
        return PageLayout(
            id=campaign.id,
            title=settings.title or campaign.id,
            status=state.status,
            settings=settings,
            items=list(state.items.items),
            retired=frozenset(state.items.retired),
            tracks=list(state.items.tracks),
            n_votes=sum(state.n_counted),
        )

    return await read(campaign, look)


def in_layout(
    request: Request, template: str, layout: PageLayout, tab: str, **values: Any
) -> HTMLResponse:
    """A page about a campaign, under one of its tabs."""
    trial = f"trial-{secrets.token_hex(3)}"
    return render(
        request,
        template,
        origins=origins_of(layout.items),
        layout=layout,
        tab=tab,
        tabs={name: url(request, "c", layout.id, *path) for name, path in TABS.items()},
        link=worker_link(request, layout.id, layout.settings),
        trial=trial_link(request, layout.id, layout.settings, trial),
        trial_name="" if layout.settings.panel.kind == "none" else trial,
        is_here_only=is_here_only(request),
        done=request.query_params.get("done", ""),
        **values,
    )


def is_here_only(request: Request) -> bool:
    """Whether the addresses that are shown work on this machine alone."""
    public = context_of(request).rules.public_url
    return public is None and request.url.hostname in LOOPBACK


def go_back(request: Request, *parts: str, **query: str) -> RedirectResponse:
    """To another page, after something was done there."""
    words = f"?{urlencode(query)}" if query else ""
    return RedirectResponse(url(request, *parts) + words, 303)


MARGIN = 0.04  # of the width, on either side


@dataclass(frozen=True)
class IntervalScale:
    """From the lowest end of all intervals to the highest, and how scores are written."""

    low: float
    high: float
    scores: ScoreScale = MODEL_SCALE

    @classmethod
    def of(cls, rows: Sequence[RankedItem], scores: ScoreScale) -> Self:
        """The scale on which all rows can be drawn."""
        low = min((row.lower for row in rows), default=0.0)
        high = max((row.upper for row in rows), default=0.0)
        return cls(low, high, scores) if high > low else cls(low - 1.0, high + 1.0, scores)

    def at(self, score: float) -> str:
        """A place as SVG has it.

        >>> IntervalScale(-1.0, 1.0).at(0.0)
        '50.0%'
        """
        share = (score - self.low) / (self.high - self.low)
        return f"{100 * (MARGIN + (1 - 2 * MARGIN) * share):.1f}%"

    def text(self, score: float) -> str:
        """A score on a page, where there is room for two decimals.

        >>> IntervalScale(-1.0, 1.0).text(0.123)
        '+0.12'
        """
        if self.scores == MODEL_SCALE:
            return f"{round(score, 2) + 0.0:+.2f}"
        return self.scores.text(score)


def missing_media(library: MediaLibrary, items: Sequence[CampaignItem]) -> frozenset[int]:
    """Return the numbers of items whose file is not in the library; addresses are not checked."""
    return frozenset(
        number
        for number, item in enumerate(items)
        if item.media and not is_address(item.media) and item.media not in library
    )
