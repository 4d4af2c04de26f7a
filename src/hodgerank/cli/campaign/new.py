"""hodgerank campaign new: create a campaign."""

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
from hodgerank.sampling.samplers.auto import MOST_EASY

ANONYMOUS = ("prolific", "connect")
"""Panels of people whom the owner of a campaign does not know."""


@dataclass(frozen=True)
class NewResult(CommandResult):
    """A campaign that was created, or with --dry-run would be (then without a database)."""

    campaign: str
    database: str | None
    read: ItemsRead
    settings: CampaignSettings
    as_json: bool
    written = None

    @property
    def tracks(self) -> dict[str, int]:
        """Number of items in each track; empty without tracks."""
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
        """Print the settings, and what to do next."""
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
            console.print(f"gold:     {pairs}, in {how.gold_share:.0%} of the tasks")
        console.print()
        if how.panel.kind in ANONYMOUS and not how.vetting and how.sampler == "auto":
            advice = f"workers from {how.panel.kind} are not known to you: consider --vetting 8"
            show_warnings([advice], console)
        if self.database is None:
            console.print("nothing created (--dry-run)")
            return
        console.print(verbatim(f"created {self.campaign} in {self.database}", "bold"))
        console.print("next:")
        for command, more in (("answer", ("--worker", "NAME")), ("status", ())):
            line = command_line(command, self.database, self.campaign, *more)
            console.print(verbatim(f"  {line}"), soft_wrap=True)


Question = Annotated[
    str | None,
    typer.Option(
        "--question", "-q", help=("Question asked about every pair, e.g. 'Which is sharper?'.")
    ),
]
Title = Annotated[str | None, typer.Option(help="Instructions shown above the question.")]
Ties = Annotated[bool | None, typer.Option("--ties/--no-ties", help="Allow ties.")]
Grades = Annotated[
    int | None,
    typer.Option(help=("Grades on each side: 3 asks how much better, 1 only which is better.")),
]
Budget = Annotated[int | None, typer.Option(help="Maximum number of votes that count.")]
SamplerName = Annotated[
    str | None, typer.Option(help="How pairs are chosen: auto, top-5, random ... (see plan).")
]
RankingKind = Annotated[
    Literal["robust", "plain"] | None,
    typer.Option(
        help=("Weight votes by the reliability of their worker (robust), or all equally (plain).")
    ),
]
Vetting = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="First votes of each worker on pairs that show random voting; 8 for people you do not "
        "know.",
    ),
]
EasyShare = Annotated[
    float | None,
    typer.Option(
        min=0, max=MOST_EASY, help="Share of easy pairs, good against bad, e.g. 0.2; see --vetting."
    ),
]
Position = Annotated[
    Literal["common", "worker"] | None,
    typer.Option(help="Model position bias: one shared term (common), or one per worker."),
]
AnswersPerWorker = Annotated[int | None, typer.Option(help="Maximum number of answers per worker.")]
LeaseSeconds = Annotated[
    float | None, typer.Option(help="Seconds until an unanswered task goes to another worker.")
]
RepeatShare = Annotated[
    float | None,
    typer.Option(help=("Share of tasks that repeat an earlier pair, to measure consistency.")),
]
Gold = Annotated[
    Path | None,
    typer.Option(help="Gold pairs with a known answer: a table with the columns better and worse."),
]
SettingsFile = Annotated[
    Path | None, typer.Option(help="TOML file with settings; options take precedence.")
]
NewName = Annotated[
    str,
    typer.Option(
        "--name",
        metavar="ID",
        help=("Name of the campaign, if several share the file or database."),
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help=("Print the settings without creating anything."))
]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of the random choices.")]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        help="File, created if it does not exist, or postgresql:// address; existing campaigns "
        "there are kept.",
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
    vetting: Vetting = None,
    easy_share: EasyShare = None,
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
    """Create a campaign from items and a question.

    The link for workers gets a random key, which the pages of its owner show; with
    --set pages.entrance="" there is none.

    Settings that are not given have defaults; `hodgerank campaign settings` shows and changes them.

    Examples:
      hodgerank campaign new images/ -q "Which is sharper?" -o campaign.db

      hodgerank campaign new texts.csv -q "Which is clearer?" --ties --budget 500
      --stop "tau >= 0.9" -o campaign.db

      hodgerank campaign new texts.csv -q "Which is clearer?" --vetting 8 --easy-share 0.2
      -o campaign.db

      hodgerank campaign new texts.csv --settings settings.toml --gold gold.csv --dry-run

      hodgerank campaign new texts.csv -q "Which is clearer?" -o postgresql://localhost/votes
    """
    flags = {
        "question": question, "title": title, "ties": ties, "grades": grades, "budget": budget,
        "stop": stop, "sampler": sampler, "ranking": ranking, "position_bias": position_bias,
        "vetting": vetting, "easy_share": easy_share, "answers_per_worker": answers_per_worker,
        "lease_seconds": lease_seconds, "repeat_share": repeat_share, "seed": seed,
        "gold": None if gold is None else read_gold(gold),
    }  # fmt: skip
    given = {} if settings is None else read_settings_file(settings)
    given |= {option: value for option, value in flags.items() if value is not None}
    given = merged(given, read_assignments(assignments or ()))
    proper = CampaignSettings.of(given)
    columns = {
        "id": id_column, "text": text_column, "context": context_column, "image": image_column,
        "track": track_column,
    }  # fmt: skip
    read = read_campaign_items(items, columns, encoding)
    Campaign.create(
        None, read.items, proper, id=name
    ).leave()  # invalid settings leave no file behind
    if dry_run:
        return NewResult(name, None, read, proper, as_json)
    if output is None:
        raise InvalidArgument("a file for the campaign is needed: -o campaign.db")
    proper = proper.behind_key(given)
    with Campaign.create(output, read.items, proper, id=name) as campaign:
        return NewResult(name, campaign.database.name, read, proper, as_json)
