"""hodgerank campaign import and export: votes as tables, and complete logs."""

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
from hodgerank.cli.console import count, verbatim
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
            help="Log of a campaign (.jsonl), or votes in any format that rank reads.",
            show_default=False,
        ),
    ],
    name: Name = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            help="File or postgresql:// address: a log becomes a new campaign there, votes are "
            "added to an existing one.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Import votes again that were imported before.")
    ] = False,
    as_json: AsJson = False,
) -> Done:
    """Create a campaign from an exported log, or import votes into one.

    Imported votes must be about items of the campaign. They are added to its own votes.

    Examples:
      hodgerank campaign import log.jsonl -o copy.db

      hodgerank campaign import votes.csv -o campaign.db
    """
    if output is None:
        raise InvalidArgument("the campaign is missing: -o campaign.db")
    if is_log(file):
        if again:
            raise InvalidArgument("--again applies to votes, and this is a log: leave it out")
        with Campaign.load(output, file, id=name) as campaign:
            counts = campaign.counts
            words = (
                f"{campaign.id} imported into {campaign.database.name}: "
                f"{count(counts.n_items, 'item')}, {count(counts.n_votes, 'vote')}"
            )
            numbers = {"n_items": counts.n_items, "n_votes": counts.n_votes}
            return done(campaign, words, as_json, is_created=True, **numbers)
    votes = read_ungrouped(file)
    with Campaign.open(output, name) as campaign:
        items = known_items(map(str, votes.items), [item.id for item in campaign.items])
        n = campaign.import_votes(replace(votes, items=tuple(items)), again=again)
        n_votes = campaign.counts.n_votes
        words = (
            f"{count(n, 'vote')} imported from {file} into {campaign.id}, which now has "
            f"{count(n_votes, 'vote')}"
        )
        numbers = {"n_imported": n, "n_votes": n_votes}
        return done(campaign, words, as_json, is_created=False, **numbers)


FORMATS = (".csv", ".parquet", ".jsonl")


@dataclass(frozen=True)
class ExportResult(CommandResult):
    """Where votes or the log were written; `table` is printed if no file was named."""

    campaign: str
    what: str
    written: Path
    table: bytes
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {"campaign": self.campaign, "exported": self.what, "written": str(self.written)}

    def show(self, console: Console) -> None:
        """Print what was written, and where."""
        console.print(verbatim(f"{self.what} of {self.campaign} written to {self.written}"))

    def write(self, path: Path) -> None:
        """Print the table."""
        print_bytes(self.table)


def export(
    where: Where,
    everything: Annotated[
        bool,
        typer.Option(
            "--everything",
            help=("All answers, with whether and why they do not count, and failed checks."),
        ),
    ] = False,
    name: Name = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=(
                "Votes as .csv or .parquet, or the log as .jsonl; - writes CSV to standard output."
            ),
        ),
    ] = None,
    as_json: AsJson = False,
) -> ExportResult:
    """Export the votes or the complete log.

    The votes that count can be read by all other commands. The log restores the whole campaign
    (import). Both can be exported while votes are collected.

    Examples:
      hodgerank campaign export campaign.db -o votes.csv

      hodgerank campaign export campaign.db -o log.jsonl

      hodgerank campaign export campaign.db --everything -o answers.parquet

      hodgerank campaign export campaign.db -o - | hodgerank rank -
    """
    if output is None:
        raise InvalidArgument(
            "a file is needed: -o votes.csv, votes.parquet or log.jsonl, or - to print"
        )
    require_one_printed(output, as_json)
    is_printed = goes_to_standard_output(output)
    if not is_printed:
        check_output_name(output, FORMATS)
        keep_apart([output], [where])
    is_log = output.suffix.lower() == ".jsonl"
    if is_log and everything:
        raise InvalidArgument("a log always holds everything: leave out --everything")
    what = "log" if is_log else "all answers" if everything else "votes"
    with Campaign.open(where, name, read_only=True) as campaign:
        table = b""
        if is_printed:
            table = table_of(campaign.answers(), ".csv", everything=everything)
        else:
            campaign.export(output, everything=everything)
        return ExportResult(campaign.id, what, output, table, as_json)
