"""hodgerank campaign status: progress and ranking of a campaign."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from rich.console import Console

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.results import TrackProgress, ranking_command
from hodgerank.campaign.summaries import CampaignProgress, WorkerSummary
from hodgerank.cli.campaign.arguments import Name, Where
from hodgerank.cli.campaign.output import when
from hodgerank.cli.console import (
    add_names,
    add_numbers,
    count,
    n_shown,
    plain_table,
    show_ranking,
    show_rest,
    show_scale,
    show_table,
    show_warnings,
    verbatim,
)
from hodgerank.cli.outputs import AsJson, TopItems
from hodgerank.cli.progress import doing, telling_progress
from hodgerank.cli.result import CommandResult
from hodgerank.estimators.ranking import Ranking


@dataclass(frozen=True)
class StatusResult(CommandResult):
    """Progress, the rankings of tracks with votes, and the command that repeats them."""

    campaign: str
    database: str
    question: str
    progress: CampaignProgress
    rankings: dict[str, Ranking]
    repeated_by: str
    workers: list[WorkerSummary] | None
    top: int
    as_json: bool
    written = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        content = self.progress.to_dict()
        for track in content["tracks"]:
            track["ranking"] = None
            if ranking := self.rankings.get(track["track"]):
                track["ranking"] = ranking.to_dict()
                if self.top:
                    track["ranking"]["items"] = track["ranking"]["items"][: self.top]
        if self.workers is not None:
            content["workers"] = [worker.to_dict() for worker in self.workers]
        names = {"campaign": self.campaign, "database": self.database, "question": self.question}
        return names | content | {"repeated_by": self.repeated_by}

    def show(self, console: Console) -> None:
        """Print the conclusion, the rankings, the attention checks and the workers."""
        counts = self.progress.counts
        about = (
            f"{self.campaign}: {self.question} ({counts.status}, "
            f"{count(counts.n_items, 'item')}, {count(counts.n_workers, 'worker')}, "
            f"{count(counts.n_out, 'task')} in progress, {when(counts.at)})"
        )
        console.print(verbatim(about, "dim"))
        console.print()
        console.print(verbatim(self.progress.sentence, "bold"))
        for track in self.progress.tracks:
            self._show_track(track, console)
        if self.rankings:
            console.print(
                verbatim(f"to repeat the ranking from exported votes: {self.repeated_by}", "dim")
            )
        self._show_rules(console)
        self._show_workers(console)
        show_warnings(
            (
                f"attention check {rule.rule} failed for {rule.n_failed:,} of "
                f"{count(rule.n_passed + rule.n_failed, 'answer')}: check whether its limit is "
                "right (campaign settings)"
                for rule in self.progress.alarms
            ),
            console,
        )

    def _show_track(self, track: TrackProgress, console: Console) -> None:
        if track.track:
            console.print()
            words = f"{track.track}: {count(track.n_items, 'item')}, {count(track.n_votes, 'vote')}"
            reached = ", target reached" if track.is_enough else ""
            console.print(verbatim(words + reached, "bold"))
        ranking = self.rankings.get(track.track)
        if ranking is None:
            console.print("no votes yet")
            return
        show_scale(ranking, console)
        shown = min(self.top or len(ranking), len(ranking))
        show_ranking(ranking, shown, console)
        show_rest(shown, len(ranking), console)
        console.print(f"expected tau {track.expected_tau:.2f}", style="dim")

    def _show_rules(self, console: Console) -> None:
        rules = self.progress.counts.rules
        if not rules:
            return
        table = plain_table()
        table.add_column("attention check")
        add_numbers(table, "checked", "failed", "share")
        for rule in rules:
            known = rule.n_passed + rule.n_failed
            table.add_row(rule.rule, f"{known:,}", f"{rule.n_failed:,}", f"{rule.share or 0:.1%}")
        console.print()
        show_table(table, console)

    def _show_workers(self, console: Console) -> None:
        if not self.workers:
            return
        table = plain_table()
        add_names(table, "worker")
        add_numbers(table, "answers", "counted", "in progress", "skipped", "expired", "seconds")
        add_numbers(table, "left", "gold", "repeats", "failed checks")
        table.add_column("banned", overflow="fold")
        for who in self.workers:
            table.add_row(
                verbatim(who.worker),
                *(
                    f"{n:,}"
                    for n in (
                        who.n_answers, who.n_counted, who.n_out, who.n_skipped, who.n_expired
                    )
                ),
                "-" if who.median_seconds is None else f"{who.median_seconds:.1f}",
                "-" if who.left_share is None else f"{who.left_share:.0%}",
                f"{who.gold_right}/{who.gold_seen}",
                f"{who.repeats_agreeing}/{who.repeats_seen}",
                f"{sum(who.marks.values()):,}",
                verbatim(who.ban_reason or "yes") if who.is_banned else "",
            )  # fmt: skip
        console.print()
        show_table(
            table,
            console,
            spare=("expired", "in progress", "repeats", "gold", "left", "seconds", "skipped"),
        )


def status(
    where: Where,
    name: Name = None,
    workers: Annotated[
        bool, typer.Option("--workers", help="Also show a table of the workers.")
    ] = False,
    forecast: Annotated[
        bool,
        typer.Option(
            "--forecast/--no-forecast",
            help="Forecast how many more votes the target of --stop needs (takes seconds).",
        ),
    ] = True,
    top: TopItems = None,
    as_json: AsJson = False,
) -> StatusResult:
    """Show the progress and the ranking of a campaign.

    Also shows how often each attention check failed. It changes nothing, and can be used while
    votes are collected.

    Examples:
      hodgerank campaign status campaign.db

      hodgerank campaign status campaign.db --workers --no-forecast

      hodgerank campaign status campaign.db --top 3 --json
    """
    with telling_progress(), Campaign.open(where, name, read_only=True) as campaign:
        doing(f"reading {campaign.id}")
        progress = campaign.progress(with_forecast=forecast)
        return StatusResult(
            campaign=campaign.id,
            database=campaign.database.name,
            question=campaign.settings.question,
            progress=progress,
            rankings={
                track.track: campaign.ranking(track.track)
                for track in progress.tracks
                if track.n_votes
            },
            repeated_by=campaign.log.read(lambda state, now: ranking_command(state)),
            workers=campaign.workers() if workers else None,
            top=n_shown(top, as_json),
            as_json=as_json,
        )
