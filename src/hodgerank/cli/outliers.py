"""hodgerank outliers: votes that the common ranking does not explain."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, cast

import polars as pl
import typer
from rich.console import Console

from hodgerank.cli.console import (
    add_names,
    add_numbers,
    cautions_of,
    plain_table,
    show_reading,
    show_rest,
    show_table,
    show_written,
    verbatim,
)
from hodgerank.cli.outputs import AsJson, output_option
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import reads_votes
from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.outliers import Outliers, find_outliers


@dataclass(frozen=True)
class OutliersResult(CommandResult):
    """Outliers, and where their table was written."""

    outliers: Outliers
    top: int
    written: Path | None
    as_json: bool

    def to_table(self) -> pl.DataFrame:
        """Return the outliers."""
        return cast("pl.DataFrame", self.outliers.to_frame("polars"))

    def cautions(self) -> list[str]:
        """Return warnings about the reading."""
        return cautions_of(self.outliers.votes.report)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        found = self.outliers
        return {
            **found.votes.report.to_dict(),
            "penalty": found.penalty,
            "criterion": found.criterion,
            "votes": found.votes.n_votes,
            "share": found.share,
            "expected_share": found.expected.mean,
            "expected_share_std": found.expected.std,
            "mean_excess": found.mean_excess,
            "expected_mean_excess": found.expected.excess_mean,
            "expected_mean_excess_std": found.expected.excess_std,
            "p_value": found.p_value,
            "too_many": found.are_too_many,
            "code": found.code,
            "verdict": found.verdict,
            "flagged": found.to_frame("polars", extra=False).to_dicts(),
        }

    def show(self, console: Console) -> None:
        """Print a table of outliers."""
        found = self.outliers
        show_reading(found.votes.report, console)
        rows = found.to_frame("polars", extra=False).to_dicts()
        shown = rows[: self.top] if self.top else rows
        table = plain_table()
        has_worker = bool(rows) and "worker" in rows[0]
        names = ("left", "right", "worker") if has_worker else ("left", "right")
        add_numbers(table, "row")
        add_names(table, *names)
        add_numbers(table, "outcome", "expected", "entry")
        for row in shown:
            table.add_row(
                f"{row['row']:,}",
                *(verbatim(row[name]) for name in names),
                f"{row['outcome']:+g}",
                f"{row['expected']:+.2f}",
                f"{row['entry']:.2f}",
            )
        console.print()
        show_table(table, console, spare=("entry", "expected", *names[2:]))
        console.print()
        show_rest(len(shown), len(rows), console)
        console.print(
            f"penalty {found.penalty:.2f}: {found.criterion}",
            style="dim",
        )
        console.print(verbatim(found.verdict))
        show_written(self.written, console)


@reads_votes
def outliers(
    votes: Comparisons,
    false_positive_rate: Annotated[
        float, typer.Option(help="Share of votes flagged if all workers were consistent.")
    ] = 0.05,
    top: Annotated[int, typer.Option(min=0, help="Show N votes; 0 shows all.")] = 20,
    output: Annotated[Path | None, output_option("Write the table: .csv, .parquet, .json")] = None,
    as_json: AsJson = False,
) -> OutliersResult:
    """List the votes that the common ranking does not explain.

    The largest residuals come first. The number of outliers is compared with the number expected by
    chance, which is simulated from one ranking plus noise.

    Examples:
      hodgerank outliers votes.csv

      hodgerank outliers votes.csv --false-positive-rate 0.01 -o outliers.csv
    """
    found = find_outliers(votes, false_positive_rate=false_positive_rate)
    return OutliersResult(found, top, output, as_json)
