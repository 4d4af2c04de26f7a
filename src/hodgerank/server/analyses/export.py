"""Exported files of a campaign, and its report."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import polars as pl

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.log_file import log_lines
from hodgerank.campaign.results import TrackStanding, rank_options, standing_of
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.groups import VoteGroups
from hodgerank.data.sources.formula_guard import with_guards
from hodgerank.errors import DisconnectedGraph, InvalidArgument
from hodgerank.reporting.report import report
from hodgerank.types import Item

FILES = (
    "votes.csv",
    "votes.parquet",
    "answers.csv",
    "answers.parquet",
    "ranking.csv",
    "ranking.parquet",
    "ranking.json",
    "log.jsonl",
)
"""Names of files: votes that count, all answers, the ranking, and the log."""


def write_export(campaign: Campaign, name: str, path: Path) -> None:
    """Write one of `FILES` to a path."""
    if name not in FILES:
        raise InvalidArgument(f"there is no file {name}")
    what, _, form = name.partition(".")
    if what == "log":
        with path.open("wb") as file:
            file.writelines(log_lines(campaign.id, campaign.events()))
    elif what == "ranking":
        _write_rankings(_standings(campaign), form, path)
    else:
        written = path.with_suffix(f".{form}")
        campaign.export(written, everything=what == "answers")
        written.replace(path)


def make_report(campaign: Campaign, track: str | None, with_forecast: bool) -> str:
    """Return the report on one track, or all of them."""
    standings = [one for one in _standings(campaign) if one.n_votes]
    if track is not None:
        standings = [one for one in standings if one.track == track]
    if not standings:
        raise InvalidArgument("there are no votes to report on")
    settings = standings[0].settings
    title = settings.title or campaign.id
    votes: Comparisons | VoteGroups = standings[0].votes
    if len(standings) > 1:
        parts: dict[Item, Comparisons] = {one.track: one.votes for one in standings}
        votes = VoteGroups("track", parts, standings[0].votes.report)
    elif standings[0].track:
        title = f"{title}: {standings[0].track}"
    make = partial(
        report,
        votes,
        title=title,
        question=settings.question,
        **rank_options(settings, *(one.votes for one in standings)),
        score_scale=settings.score_scale,
        seed=settings.seed,
        with_forecast=with_forecast,
        command=f"hodgerank serve (campaign {campaign.id})",
    )
    try:
        return make().to_html()
    except DisconnectedGraph:  # an early campaign: the report says which pairs connect the items
        return make(components="together").to_html()


def _standings(campaign: Campaign) -> list[TrackStanding]:
    return campaign.log.read(
        lambda state, now: [standing_of(state, track) for track in state.items.tracks]
    )


def _write_rankings(standings: list[TrackStanding], form: str, path: Path) -> None:
    if form == "json":
        tracks = [{"track": one.track, "ranking": one.ranking.to_dict()} for one in standings]
        words = json.dumps({"tracks": tracks}, ensure_ascii=False, allow_nan=False)
        path.write_text(words, encoding="utf-8")
        return
    tables = [
        one.ranking.to_frame("polars").select(pl.lit(one.track).alias("track"), pl.all())
        for one in standings
    ]
    table = pl.concat(tables)
    if len(standings) == 1 and not standings[0].track:
        table = table.drop("track")
    if form == "parquet":
        table.write_parquet(path)
        return
    with_guards(table).write_csv(path)
