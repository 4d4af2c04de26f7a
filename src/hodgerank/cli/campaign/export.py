"""hodgerank campaign export: votes as a table, or everything that happened."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.campaign.naming import Name, Where
from hodgerank.cli.outputs import (
    AsJson,
    check_output_name,
    goes_to_standard_output,
    keep_apart,
    require_one_printed,
)
from hodgerank.cli.result import CommandResult
from hodgerank.errors import InvalidArgument

if TYPE_CHECKING:
    from rich.console import Console

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

    def show(self, console: "Console") -> None:
        """What it was, and where it is."""
        from hodgerank.cli.console import verbatim

        console.print(verbatim(f"{self.what} of {self.campaign} written to {self.written}"))

    def write(self, path: Path) -> None:
        """Print the table."""
        from hodgerank.cli.standard_output import print_bytes

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
    from hodgerank.campaign.campaign import Campaign
    from hodgerank.campaign.vote_table import table_of

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
