"""hodgerank workers: who answers how."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hodgerank.cli.reading import VOTES, distinct_votes, reads_votes

if TYPE_CHECKING:
    from hodgerank.data.comparisons import Comparisons
    from hodgerank.estimators.worker_assessment import WorkerAssessment


@dataclass(frozen=True)
class WorkersResult:
    """An assessment of workers."""

    assessment: "WorkerAssessment"
    top: int
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """For --json."""
        return self.assessment.to_dict()


@partial(reads_votes, reader=distinct_votes, about_file=VOTES)
def workers(
    votes: "Comparisons",
    false_discovery_rate: Annotated[
        float, typer.Option(help="Share of innocent workers among those flagged.")
    ] = 0.05,
    top: Annotated[int, typer.Option(min=0, help="Show N workers, 0 shows all.")] = 50,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the table: .csv, .parquet, .json.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> WorkersResult:
    """Assess each worker: position bias, agreement with the others, outliers, ties, reliability.

    Flagged workers come first. To compare other groups, name their column as the worker.

    Examples:
      hodgerank workers votes.csv

      hodgerank workers votes.csv --worker country
    """
    from hodgerank.cli.tables import table_writer
    from hodgerank.estimators.workers import assess_workers

    write = None if output is None else table_writer(output, votes.report.source)
    assessment = assess_workers(votes, false_discovery_rate=false_discovery_rate)
    if write is not None:
        write(assessment.to_frame("polars"))
    return WorkersResult(assessment, top, output, as_json)
