"""hodgerank campaign new: items and a question become a campaign."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import Console

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import ItemsRead, read_campaign_items
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.cli.campaign.arguments import (
    DEFAULT_NAME,
    Assignments,
    ContextColumn,
    Encoding,
    IdColumn,
    ImageColumn,
    Items,
    StopRule,
    TextColumn,
    TrackColumn,
    command_line,
    merged,
    read_assignments,
    read_gold,
    read_settings_file,
)
from hodgerank.cli.campaign.output import answers_words, end_words
from hodgerank.cli.console import count, show_warnings, verbatim
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.result import CommandResult
from hodgerank.display import short
from hodgerank.errors import InvalidArgument


@dataclass(frozen=True)
class NewResult(CommandResult):
    """A campaign that was created, or would be; then there is no database."""

    campaign: str
    database: str | None
    read: ItemsRead
    settings: CampaignSettings
    as_json: bool
    written = None

    @property
    def tracks(self) -> dict[str, int]:
        """How many items each has; empty where there are none."""
        return dict(Counter(item.track for item in self.read.items if item.track))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "campaign": self.campaign,
            "database": self.database,
            "is_created": self.database is not None,
            "n_items": len(self.read.items),
            "tracks": self.tracks,
            "left_out": self.read.left_out,
            "settings": self.settings.to_dict(),
        }

    def show(self, console: Console) -> None:
        """What was understood, and what to do next."""
        how = self.settings
        tracks = [f"{short(track)} ({n:,})" for track, n in list(self.tracks.items())[:20]]
        console.print(verbatim(f"{len(self.read.items):,} items"))
        if tracks:
            console.print(verbatim(f"{len(self.tracks):,} tracks: {', '.join(tracks)}"))
        if n := len(self.read.left_out):
            names = ", ".join(self.read.left_out[:5]) + (" ..." if n > 5 else "")
            show_warnings([f"left out: {names}"], console)
        console.print(verbatim(f"question: {how.question}"))
        console.print(verbatim(f"answers:  {answers_words(how)}"))
        console.print(verbatim(f"until:    {end_words(how)}"))
        if how.gold:
            pairs = count(len(how.gold), "pair")
            console.print(f"gold:     {pairs}, in {how.gold_share:.0%} of tasks")
        console.print()
        if self.database is None:
            console.print("nothing was created (--dry-run)")
            return
        console.print(verbatim(f"created {self.campaign} in {self.database}", "bold"))
        console.print("next:")
        for command, more in (("answer", ("--worker", "NAME")), ("status", ())):
            line = command_line(command, self.database, self.campaign, *more)
            console.print(verbatim(f"  {line}"), soft_wrap=True)


Question = Annotated[
    str | None, typer.Option("--question", "-q", help="Which of the two? Asked of every pair.")
]
Title = Annotated[str | None, typer.Option(help="What workers read above it.")]
Ties = Annotated[bool | None, typer.Option("--ties/--no-ties", help="Whether a tie is an answer.")]
Grades = Annotated[
    int | None, typer.Option(help="Steps on either side: 3 asks how much better, 1 only which.")
]
Budget = Annotated[int | None, typer.Option(help="Most answers that count.")]
SamplerName = Annotated[
    str | None, typer.Option(help="How pairs are chosen, as in plan: auto, top-5, random ...")
]
RankingKind = Annotated[
    Literal["robust", "plain"] | None,
    typer.Option(help="Weigh answers by trust in their workers, or count all alike."),
]
Position = Annotated[
    Literal["common", "worker"] | None,
    typer.Option(help="Measure the pull of the left side: one for all, or of each worker."),
]
AnswersPerWorker = Annotated[int | None, typer.Option(help="Most answers of one worker.")]
LeaseSeconds = Annotated[
    float | None, typer.Option(help="Time for a task before it goes to somebody else.")
]
RepeatShare = Annotated[
    float | None, typer.Option(help="Share of tasks that repeat an earlier pair.")
]
Gold = Annotated[
    Path | None,
    typer.Option(help="Pairs with a known answer: a table with columns better and worse."),
]
SettingsFile = Annotated[
    Path | None, typer.Option(help="A TOML file of settings; options have the last word.")
]
NewName = Annotated[
    str, typer.Option("--name", metavar="ID", help="Its name among others in the same place.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what was understood; create nothing.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Makes the choice of pairs repeatable.")]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        help="A file, which is made if it is not there, or a postgresql:// address. What it holds "
        "stays.",
    ),
]


def new(
    items: Items,
    question: Question = None,
    title: Title = None,
    ties: Ties = None,
    grades: Grades = None,
    budget: Budget = None,
    stop: StopRule = None,
    sampler: SamplerName = None,
    ranking: RankingKind = None,
    position_bias: Position = None,
    answers_per_worker: AnswersPerWorker = None,
    lease_seconds: LeaseSeconds = None,
    repeat_share: RepeatShare = None,
    gold: Gold = None,
    settings: SettingsFile = None,
    assignments: Assignments = None,
    name: NewName = DEFAULT_NAME,
    dry_run: DryRun = False,
    id_column: IdColumn = None,
    text_column: TextColumn = None,
    context_column: ContextColumn = None,
    image_column: ImageColumn = None,
    track_column: TrackColumn = None,
    encoding: Encoding = None,
    seed: Seed = None,
    output: Output = None,
    as_json: AsJson = False,
) -> NewResult:
    """Begin a campaign: items, a question, and a place where every answer is kept.

    What the settings file and the options do not say has a usual value; `hodgerank campaign
    settings` shows all, and changes them later.

    Examples:
      hodgerank campaign new images/ -q "Which is sharper?" -o campaign.db

      hodgerank campaign new texts.csv -q "Which is clearer?" --ties --budget 500
      --stop "tau >= 0.9" -o campaign.db

      hodgerank campaign new texts.csv --settings settings.toml --gold gold.csv --dry-run

      hodgerank campaign new texts.csv -q "Which is clearer?" -o postgresql://localhost/votes
    """
    flags = {
        "question": question, "title": title, "ties": ties, "grades": grades, "budget": budget,
        "stop": stop, "sampler": sampler, "ranking": ranking, "position_bias": position_bias,
        "answers_per_worker": answers_per_worker, "lease_seconds": lease_seconds,
        "repeat_share": repeat_share, "seed": seed,
        "gold": None if gold is None else read_gold(gold),
    }  # fmt: skip
    given = {} if settings is None else read_settings_file(settings)
    given |= {option: value for option, value in flags.items() if value is not None}
    proper = CampaignSettings.of(merged(given, read_assignments(assignments or ())))
    columns = {
        "id": id_column, "text": text_column, "context": context_column, "image": image_column,
        "track": track_column,
    }  # fmt: skip
    read = read_campaign_items(items, columns, encoding)
    Campaign.create(None, read.items, proper, id=name).leave()  # what is wrong leaves no file
    if dry_run:
        return NewResult(name, None, read, proper, as_json)
    if output is None:
        raise InvalidArgument("name a file for the campaign: -o campaign.db")
    with Campaign.create(output, read.items, proper, id=name) as campaign:
        return NewResult(name, campaign.database.name, read, proper, as_json)
