"""look: how far a campaign is, and what of it is shown to those who watch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.standing import TrackStanding, standing_of
from hodgerank.campaign.summaries import CampaignProgress, counts, not_counted
from hodgerank.server.analyses.foreseeing import Foreseen
from hodgerank.server.analyses.track_view import TrackView, view_of


@dataclass(frozen=True)
class Look:
    """A campaign as of one place in its log.

    Attributes
    ----------
    not_counted
        Answers that are no votes: how many, by why not.
    views
        Of the tracks that somebody watches.
    """

    progress: CampaignProgress
    not_counted: Mapping[str, int]
    views: Mapping[str, TrackView]


def look(campaign: Campaign, watched: Collection[str], foreseen: Mapping[str, Foreseen]) -> Look:
    """Rank every track; draw those that are watched."""
    number, others, standings = campaign.desk.decide(
        lambda state, now: (
            counts(state),
            not_counted(state),
            [standing_of(state, track) for track in state.items.tracks],
        )
    )
    tracks = []
    for standing in standings:
        known = None if standing.is_enough else foreseen.get(standing.track)
        outlook = None if known is None else known.from_here(standing)
        is_doubtful = known is not None and outlook is not None and known.is_doubtful
        tracks.append(
            replace(
                standing.progress(with_forecast=False), forecast=outlook, is_doubtful=is_doubtful
            )
        )
    shown: list[TrackStanding] = [one for one in standings if one.track in watched]
    outlooks = {track.track: track.forecast for track in tracks}
    views = {one.track: view_of(one, outlooks[one.track]) for one in shown}
    return Look(CampaignProgress(number, tuple(tracks)), others, views)
