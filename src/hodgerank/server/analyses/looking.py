"""look: how far a campaign is, and what of it is shown to those who watch."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.standing import TrackProgress, TrackStanding, standing_of
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
    tracks = [_with_outlook(one, foreseen.get(one.track)) for one in standings]
    shown: list[TrackStanding] = [one for one in standings if one.track in watched]
    outlooks = {track.track: track.forecast for track in tracks}
    views = {one.track: view_of(one, outlooks[one.track]) for one in shown}
    return Look(CampaignProgress(number, tuple(tracks)), others, views)


def _with_outlook(standing: TrackStanding, known: Foreseen | None) -> TrackProgress:
    """How far a track is, with what was foreseen of it if that still holds."""
    progress = standing.progress(with_forecast=False)
    if known is None or standing.is_enough or (outlook := known.from_here(standing)) is None:
        return progress
    return replace(progress, forecast=outlook, is_doubtful=known.is_doubtful)
