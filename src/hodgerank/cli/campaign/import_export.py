"""hodgerank campaign import and export: votes as tables, and whole logs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.log_file import is_log
from hodgerank.campaign.votes import table_of
from hodgerank.cli.campaign.arguments import Name, Where, known_items
from hodgerank.cli.campaign.output import Done, done
from hodgerank.cli.console import verbatim
from hodgerank.cli.outputs import (
    AsJson,
    check_output_name,
    goes_to_standard_output,
    keep_apart,
    print_bytes,
    require_one_printed,
)
from hodgerank.cli.result import CommandResult
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.errors import InvalidArgument


def import_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The log of a campaign (.jsonl), or votes as rank reads them.",
            show_default=False,
        ),
    ],
    name: Name = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="The file or postgresql:// address: where a log becomes a new campaign, or votes "
            "join one that is there.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Count votes that were imported before once more.")
    ] = False,
    as_json: AsJson = False,
) -> Done:
    """Make a campaign of a log that was exported, or count votes that were collected elsewhere.

    Votes are about items of the campaign, and count on top of its own.

    Examples:
      hodgerank campaign import log.jsonl -o copy.db

      hodgerank campaign import votes.csv -o campaign.db
    """
    if output is None:
        raise InvalidArgument("name the campaign that the file goes into: -o campaign.db")
    if is_log(file):
        if again:
            raise InvalidArgument("--again is about votes, and this is a log: leave it out")
        with Campaign.load(output, file, id=name) as campaign:
            counts = campaign.counts
            words = (
                f"{campaign.id} is in {campaign.database.name}: {counts.n_items:,} items, "
                f"{counts.n_votes:,} answers"
            )
            numbers = {"n_items": counts.n_items, "n_votes": counts.n_votes}
            return done(campaign, words, as_json, is_created=True, **numbers)
    votes = read_ungrouped(file)
    with Campaign.open(output, name) as campaign:
        items = known_items(map(str, votes.items), [item.id for item in campaign.items])
        n = campaign.import_votes(replace(votes, items=tuple(items)), again=again)
        n_votes = campaign.counts.n_votes
        words = f"{n:,} votes of {file} join {campaign.id}, which has {n_votes:,} answers"
        numbers = {"n_imported": n, "n_votes": n_votes}
        return done(campaign, words, as_json, is_created=False, **numbers)


FORMATS = (".csv", ".parquet", ".jsonl")


@dataclass(frozen=True)
class ExportResult(CommandResult):
    """Where votes or the log went; `table` is what is printed where no file was named."""

    campaign: str
    what: str
    written: Path
    table: bytes
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {"campaign": self.campaign, "exported": self.what, "written": str(self.written)}

    def show(self, console: Console) -> None:
        """What it was, and where it is."""
        console.print(verbatim(f"{self.what} of {self.campaign} written to {self.written}"))

    def write(self, path: Path) -> None:
        """Print the table."""
        print_bytes(self.table)


def export(
    where: Where,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything", help="All answers, with whether they count and why not, and marks."
        ),
    ] = False,
    name: Name = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Votes as .csv or .parquet, or the log as .jsonl; - for CSV on standard output.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> ExportResult:
    """Write the votes that count, for any other command, or the log, which holds everything.

    From a log the same campaign can be made again (import). Both can be written while another
    process collects.

    Examples:
      hodgerank campaign export campaign.db -o votes.csv

      hodgerank campaign export campaign.db -o log.jsonl

      hodgerank campaign export campaign.db --everything -o answers.parquet

      hodgerank campaign export campaign.db -o - | hodgerank rank -
    """
    if output is None:
        raise InvalidArgument(
            "name a file: -o votes.csv, votes.parquet or log.jsonl, or - to print"
        )
    require_one_printed(output, as_json)
    is_printed = goes_to_standard_output(output)
    if not is_printed:
        check_output_name(output, FORMATS)
        keep_apart([output], [where])
    is_log = output.suffix.lower() == ".jsonl"
    if is_log and everything:
        raise InvalidArgument("a log holds everything anyway: leave --everything out")
    what = "log" if is_log else "all answers" if everything else "votes"
    with Campaign.open(where, name, read_only=True) as campaign:
        table = b""
        if is_printed:
            table = table_of(campaign.answers(), ".csv", everything=everything)
        else:
            campaign.export(output, everything=everything)
        return ExportResult(campaign.id, what, output, table, as_json)
