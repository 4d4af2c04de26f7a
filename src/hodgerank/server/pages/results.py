"""Results: the ranking as workers see it in the end, where the owner wants that."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from math import inf
from time import monotonic
from weakref import WeakKeyDictionary

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.standing import TrackStanding, standing_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.server.house import House
from hodgerank.server.showing import Shown, origins_of, shown

FRESH_SECONDS = 15.0
"""For which a ranking is shown to all who finish: it is not computed for each of them."""
MOST_ITEMS = 100


@dataclass(frozen=True)
class TrackResults:
    """One track, or why it has no ranking.

    Attributes
    ----------
    why_not
        'not_joined' where answers do not join all items, 'no_ranking' where coin tosses would give
        as much, and '' where there is a ranking.
    best
        Ranks and items from the best on; items that share a rank are as good as each other.
    """

    track: str
    why_not: str = ""
    best: tuple[tuple[int, Shown], ...] = ()
    n_more: int = 0


@dataclass(frozen=True)
class Results:
    """What the answers say so far.

    Attributes
    ----------
    origins
        The other places that media come from.
    """

    n_answers: int
    origins: list[str]
    tracks: list[TrackResults]


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
    n_answers, standings = campaign.desk.decide(
        lambda state, now: (
            sum(state.n_counted),
            [standing_of(state, track) for track in state.items.tracks],
        )
    )

    def of_track(standing: TrackStanding) -> TrackResults:
        why_not = _why_not(standing)
        if why_not:
            return TrackResults(standing.track, why_not)
        ranking = standing.ranking
        best = tuple(
            (int(rank), shown(items[item], media, is_markdown))
            for rank, item in zip(ranking.ranks, ranking.items[:MOST_ITEMS], strict=False)
        )
        return TrackResults(standing.track, "", best, len(ranking) - len(best))

    tracks = [of_track(standing) for standing in standings] if n_answers else []
    return Results(n_answers, origins_of(items.values()), tracks)


def _why_not(standing: TrackStanding) -> str:
    """Why there is no ranking to show, if so; one item alone has nothing to be compared with."""
    if not ComparisonGraph.from_comparisons(standing.votes).is_connected:
        return "not_joined"
    return "no_ranking" if standing.is_doubtful else ""
