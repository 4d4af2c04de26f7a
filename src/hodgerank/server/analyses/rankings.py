"""The ranking of every track, item by item."""

from __future__ import annotations

from dataclasses import dataclass

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.facts import CampaignFacts
from hodgerank.campaign.standing import TrackStanding, standing_of
from hodgerank.estimators.ranking import RankedItem
from hodgerank.types import Item


@dataclass(frozen=True)
class Rankings:
    """All items by name, each ranked within its track; none of tracks without an answer."""

    n_answers: int
    at: float
    places: dict[Item, RankedItem]


def rankings(campaign: Campaign) -> Rankings:
    """Rank what has been answered."""

    def read(state: CampaignFacts, now: float) -> tuple[float, list[TrackStanding]]:
        return state.at, [standing_of(state, track) for track in state.items.tracks]

    at, standings = campaign.desk.decide(read)
    answered = [one for one in standings if one.n_answers]
    places = {place.item: place for one in answered for place in one.ranking}
    return Rankings(sum(one.n_answers for one in answered), at, places)
