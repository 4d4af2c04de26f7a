"""Results: the ranking as workers see it in the end, where the owner wants that."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import inf
from time import monotonic
from weakref import WeakKeyDictionary

from hodgerank.campaign.campaign import Campaign
from hodgerank.server.house import House
from hodgerank.server.showing import Shown, origins_of, shown

FRESH_SECONDS = 15.0
"""For which a ranking is shown to all who finish: it is not computed for each of them."""
MOST_ITEMS = 100


@dataclass(frozen=True)
class Results:
    """What the answers say so far.

    Attributes
    ----------
    origins
        The other places that media come from.
    tracks
        The name of each track, its items from the best on, and how many more there are.
    """

    n_answers: int
    origins: list[str]
    tracks: list[tuple[str, list[Shown], int]]


_latest: WeakKeyDictionary[Campaign, tuple[float, asyncio.Future[Results]]] = WeakKeyDictionary()


async def results_of(house: House, campaign: Campaign, media: str) -> Results:
    """The ranking of some seconds ago, or a new one."""
    since, found = _latest.get(campaign, (-inf, None))
    is_failed = found is not None and found.done() and found.exception() is not None
    if found is None or is_failed or monotonic() - since > FRESH_SECONDS:
        found = asyncio.ensure_future(house.analyst.ask(rank_for_workers, campaign.id, media))
        _latest[campaign] = monotonic(), found
    return await asyncio.shield(found)


def rank_for_workers(campaign: Campaign, media: str) -> Results:
    """Computed where nobody waits for a pair."""
    items, is_markdown = (
        {item.id: item for item in campaign.items},
        campaign.settings.pages.markdown,
    )
    n_answers, tracks = campaign.counts.n_answers, []
    for track in campaign.tracks if n_answers else []:
        order = campaign.ranking(track).items
        best = [shown(items[item], media, is_markdown) for item in order[:MOST_ITEMS]]
        tracks.append((track, best, max(0, len(order) - MOST_ITEMS)))
    return Results(n_answers, origins_of(items.values()), tracks)
