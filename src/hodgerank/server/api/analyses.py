"""Analyses: what the analyst computes for programs. Nothing of the web is loaded for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.standing import TrackStanding, standing_of
from hodgerank.campaign.summaries import CampaignProgress
from hodgerank.campaign.vote_table import format_of, table_of
from hodgerank.errors import CampaignError
from hodgerank.estimators.trust.assess import assess_trust
from hodgerank.writing import write_file


def ranking_of(campaign: Campaign, track: str | None) -> dict[str, Any]:
    """The ranking of a track, and as of which place of the log."""
    seq, standing = _standing(campaign, track)
    return {"as_of": seq, "track": standing.track, **standing.ranking.to_dict()}


def trust_of(campaign: Campaign, track: str | None) -> dict[str, Any]:
    """How far that can be trusted."""
    seq, standing = _standing(campaign, track)
    if not standing.n_answers:
        raise CampaignError("there are no answers yet to be assessed")
    return {"as_of": seq, "track": standing.track, **assess_trust(standing.votes).to_dict()}


def progress_of(campaign: Campaign, with_forecast: bool) -> CampaignProgress:
    """How far the campaign is."""
    return campaign.progress(with_forecast=with_forecast)


def write_votes(campaign: Campaign, path: Path, track: str | None, everything: bool) -> None:
    """A file of votes, of all tracks or one; or the log, by the ending of its name."""
    form = format_of(path)
    if form == ".jsonl":
        campaign.export(path)
        return
    rows = campaign.answers()
    if track is not None:
        campaign.desk.decide(lambda state, now: state.items.track_number(track))  # or says so
        rows = [row for row in rows if row["track"] == track]
    write_file(path, table_of(rows, form, everything=everything))


def _standing(campaign: Campaign, track: str | None) -> tuple[int, TrackStanding]:
    return campaign.desk.decide(lambda state, now: (state.seq, standing_of(state, track)))
