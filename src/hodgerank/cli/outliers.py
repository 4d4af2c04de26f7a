"""hodgerank outliers: answers no common ranking explains."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.reading import reads_votes

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons
    from hodgerank.estimators.outliers import Outliers


@dataclass(frozen=True)
class OutliersResult:
    """Outlying answers."""

    outliers: "Outliers"
    top: int
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        found = self.outliers
        return {
            "penalty": found.penalty,
            "criterion": found.criterion,
            "answers": len(found.flagged),
            "share": found.share,
            "flagged": found.to_frame("polars").to_dicts(),
        }


@reads_votes
def outliers(
    votes: "Comparisons",
    false_positive_rate: Annotated[
        float, typer.Option(help="Share of a consistent crowd's answers that would be flagged.")
    ] = 0.05,
    top: Annotated[int, typer.Option(min=0, help="Show N answers, 0 shows all.")] = 20,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table: .csv, .parquet, .json.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> OutliersResult:
    """List the answers that a common ranking cannot explain, most outlying first.

    Examples:
      hodgerank outliers votes.csv

      hodgerank outliers votes.csv --false-positive-rate 0.01 -o outliers.csv
    """
    from hodgerank.cli.tables import table_writer
    from hodgerank.estimators.outliers import find_outliers

    write = None if output is None else table_writer(output, votes.report.source)
    found = find_outliers(votes, false_positive_rate=false_positive_rate)
    if write is not None:
        write(found.to_frame("polars"))
    return OutliersResult(found, top, output, as_json)
