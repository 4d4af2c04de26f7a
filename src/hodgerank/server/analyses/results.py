"""Results of a campaign for the API, computed in the analysis process."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hodgerank.atomic_write import write_file
from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.results import TrackStanding, standing_of
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.summaries import CampaignProgress
from hodgerank.campaign.votes import format_of, table_of
from hodgerank.errors import CampaignError
from hodgerank.estimators.ranking import RankedItem
from hodgerank.estimators.score_scale import ScoreScale
from hodgerank.estimators.trust import assess_trust
from hodgerank.types import Item


def ranking_of(campaign: Campaign, track: str | None) -> dict[str, Any]:
    """Return the ranking of a track, and its place in the log."""
    seq, standing = _standing(campaign, track)
    found = _with_api_names(standing.ranking.to_dict(), "comparisons")
    del found["worker_weights"]  # who counts less is for the owner alone
    return {"as_of": seq, "track": standing.track, **found}


def trust_of(campaign: Campaign, track: str | None) -> dict[str, Any]:
    """Return the trust report of a track."""
    seq, standing = _standing(campaign, track)
    if not standing.n_votes:
        raise CampaignError("there are no votes to assess yet")
    found = _with_api_names(assess_trust(standing.votes).to_dict(), "answers")
    return {"as_of": seq, "track": standing.track, **found}


def progress_of(campaign: Campaign, with_forecast: bool) -> CampaignProgress:
    """Return the progress of the campaign."""
    return campaign.progress(with_forecast=with_forecast)


def write_votes(campaign: Campaign, path: Path, track: str | None, everything: bool) -> None:
    """Write votes of one or all tracks, or the log, in the format of the file name."""
    form = format_of(path)
    if form == ".jsonl":
        campaign.export(path)
        return
    rows = campaign.answers()
    if track is not None:
        campaign.log.read(
            lambda state, now: state.items.track_number(track)
        )  # raises an error for an unknown track
        rows = [row for row in rows if row["track"] == track]
    write_file(path, table_of(rows, form, everything=everything))


def _with_api_names(found: Any, name: str) -> Any:
    """Return plain values with every key `votes` under the name that it has in the HTTP API."""
    if isinstance(found, dict):
        return {
            name if key == "votes" else key: _with_api_names(value, name)
            for key, value in found.items()
        }
    if isinstance(found, list):
        return [_with_api_names(value, name) for value in found]
    return found


def _standing(campaign: Campaign, track: str | None) -> tuple[int, TrackStanding]:
    return campaign.log.read(lambda state, now: (state.seq, standing_of(state, track)))


@dataclass(frozen=True)
class Rankings:
    """All items by name, each ranked within its track; tracks without votes are left out."""

    n_votes: int
    at: float
    scale: ScoreScale
    places: dict[Item, RankedItem]


def rankings(campaign: Campaign) -> Rankings:
    """Rank all tracks with votes."""

    def read(state: CampaignSnapshot, now: float) -> tuple[float, list[TrackStanding]]:
        return state.at, [standing_of(state, track) for track in state.items.tracks]

    at, standings = campaign.log.read(read)
    answered = [one for one in standings if one.n_votes]
    places = {place.item: place for one in answered for place in one.ranking}
    scale = ScoreScale(campaign.settings.score_scale)
    return Rankings(sum(one.n_votes for one in answered), at, scale, places)
