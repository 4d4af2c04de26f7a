"""hodgerank convert: votes in another format or layout."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import polars as pl
import typer
from rich.console import Console

from hodgerank.cli.console import (
    cautions_of,
    count,
    show_reading,
    show_warnings,
    verbatim,
)
from hodgerank.cli.files import writable, write_table
from hodgerank.cli.outputs import VOTE_TABLES, AsJson, goes_to_standard_output, output_option
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import reads_votes
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.groups import VoteGroups
from hodgerank.data.sources.formula_guard import with_guards
from hodgerank.data.subsets import join_comparisons

Layout = Literal["pairs", "winners", "arena", "margins"]


@dataclass(frozen=True)
class ConvertResult(CommandResult):
    """Votes in a layout, and where they were written."""

    votes: Comparisons
    layout: Layout
    lossy: bool
    written: Path
    as_json: bool

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row per vote that the layout can express."""
        frame = self.votes.to_frame("polars", layout=self.layout, lossy=self.lossy)
        return cast("pl.DataFrame", frame)

    @property
    def n_left_out(self) -> int:
        """Number of votes that the layout cannot express."""
        return self.votes.inexpressible(self.layout)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            **self.votes.report.to_dict(),
            "notes": self._notes(),
            "votes": len(self.table),
            "left_out": self.n_left_out,
            "columns": self.table.columns,
            "written": str(self.written),
        }

    def show(self, console: Console) -> None:
        """Print how the votes were read, and what was written."""
        show_reading(self.votes.report, console)
        show_warnings(self._losses(), console)
        names = ", ".join(self.table.columns)
        written = f"{count(len(self.table), 'vote')} written to {self.written} as {names}"
        console.print(verbatim(written))

    def cautions(self) -> list[str]:
        """Return warnings about votes and columns that are not in the table."""
        return [*cautions_of(self.votes.report), *self._losses()]

    def write(self, path: Path) -> None:
        """Write the votes; text in CSV is safe for spreadsheets."""
        is_text = goes_to_standard_output(path) or path.suffix.lower() == ".csv"
        write_table(with_guards(writable(self.table, ".csv")) if is_text else self.table, path)

    def _notes(self) -> list[str]:
        return [*self.votes.report.notes, *self._losses()]

    def _losses(self) -> list[str]:
        losses = []
        if self.n_left_out:
            lost = count(self.n_left_out, "vote")
            losses.append(f"left out: {lost} that the layout {self.layout} cannot express")
        missing = [name for name in self.votes.report.unused if name not in self.votes.extra]
        if missing:
            losses.append(
                f"columns not kept: {', '.join(missing)}. Rename columns of equal names; name "
                "Parquet files one by one instead of a pattern in quotes"
            )
        return losses


def pooled(command: Callable[..., CommandResult]) -> Callable[..., CommandResult]:
    """Make a command on votes a command on all groups, whose column stays with the votes."""

    def on_groups(groups: VoteGroups, **arguments: Any) -> CommandResult:
        votes = join_comparisons(list(groups.values()))
        return command(replace(votes, report=groups.report), **arguments)

    return on_groups


@partial(reads_votes, on_groups=pooled)
def convert(
    votes: Comparisons,
    to: Annotated[
        Layout | None,
        typer.Option(
            help="Columns to write: left, right, outcome (pairs); winner, loser (winners); "
            "model_a, model_b, winner, judge as in Chatbot Arena (arena); left, right, margin "
            "(margins). Default: pairs; margins for margins."
        ),
    ] = None,
    lossy: Annotated[
        bool,
        typer.Option(
            "--lossy",
            help="Leave out and count votes that the columns cannot express: grades, and ties of "
            "winners.",
        ),
    ] = False,
    *,
    output: Annotated[
        Path,
        output_option("Write the votes: .csv, .parquet, .json, .jsonl", suffixes=VOTE_TABLES),
    ],
    as_json: AsJson = False,
) -> ConvertResult:
    """Convert a file of votes to another format or layout.

    All layouts can be read by every other command. Columns that ranking does not use are kept.

    Examples:
      hodgerank convert votes.xlsx -o votes.csv

      hodgerank convert votes.csv --to arena -o battles.jsonl

      hodgerank convert rankings.csv --to winners --lossy -o winners.csv

      hodgerank convert votes.csv --where "seconds > 2" -o - | hodgerank rank -
    """
    to = to or ("pairs" if votes.report.margin_unit is None else "margins")
    result = ConvertResult(votes, to, lossy, output, as_json)
    _ = result.table  # so that an error comes before anything is written
    return result
