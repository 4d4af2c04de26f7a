"""hodgerank workers: who answers how."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hodgerank.cli.groups import all_together
from hodgerank.cli.outputs import output_option
from hodgerank.cli.result import CommandResult
from hodgerank.cli.votes import distinct_answers, reads_votes

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from hodgerank.data.comparisons import Comparisons
    from hodgerank.estimators.workers.assessment import WorkerAssessment


@dataclass(frozen=True)
class WorkersResult(CommandResult):
    """An assessment of workers."""

    assessment: "WorkerAssessment"
    top: int
    written: Path | None
    as_json: bool

    def to_table(self) -> "pl.DataFrame":
        """A row per worker."""
        return cast("pl.DataFrame", self.assessment.to_frame("polars"))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return self.assessment.to_dict()

    def show(self, console: "Console") -> None:
        """A table of workers, flagged ones first."""
        from hodgerank.cli.console import (
            number,
            plain_table,
            show_rest,
            show_warnings,
            show_written,
            verbatim,
        )
        from hodgerank.estimators.workers.assessment import OK, TOO_FEW

        found = self.assessment
        table = plain_table()
        table.add_column("worker", overflow="fold")
        table.add_column("flag")
        for name in ("answers", "bias", "agree", "out", "tie", "left", "rely"):
            table.add_column(name, justify="right", no_wrap=True)
        order = sorted(range(len(found)), key=lambda k: (found.flag[k] in (OK, TOO_FEW), k))
        shown = order[: self.top] if self.top else order
        for k in shown:
            stderr = number(found.position_bias_stderr[k], ".2f")
            bias = number(found.position_bias[k], "+.2f")
            table.add_row(
                verbatim(found.workers[k]),
                verbatim(found.flag[k], "" if found.flag[k] in (OK, TOO_FEW) else "yellow"),
                f"{found.answers[k]:,}",
                f"{bias}±{stderr}" if bias != "-" else "-",
                *(
                    number(values[k], ".0%")
                    for values in (
                        found.agreement,
                        found.outlier_share,
                        found.tie_share,
                        found.left_rate,
                    )
                ),
                f"{found.reliability[k]:.2f}",
            )
        console.print(table)
        show_rest(len(shown), len(order), console)
        innocent = (
            f"; at most {found.false_discovery_rate:.0%} of these are expected to be innocent"
        )
        n_flagged = len(found.flagged)
        console.print(
            f"{n_flagged:,} of {len(found):,} flagged{innocent if n_flagged else ''}", style="dim"
        )
        show_warnings(found.notes, console)
        show_written(self.written, console)


@partial(reads_votes, reader=distinct_answers, on_groups=all_together)
def workers(
    votes: "Comparisons",
    false_discovery_rate: Annotated[
        float, typer.Option(help="Share of innocent workers among those flagged.")
    ] = 0.05,
    top: Annotated[int, typer.Option(min=0, help="Show N workers, 0 shows all.")] = 50,
    output: Annotated[
        Path | None, output_option("Write the table: .csv, .parquet, .json.", "--output", "-o")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> WorkersResult:
    """Assess each worker: position bias, agreement with the others, outliers, ties, reliability.

    Flagged workers come first. With --by they are assessed over all groups together. To look at
    other groups of people, name their column as the worker.

    Examples:
      hodgerank workers votes.csv

      hodgerank workers votes.csv --worker country
    """
    from hodgerank.estimators.workers.assess import assess_workers

    assessment = assess_workers(votes, false_discovery_rate=false_discovery_rate)
    return WorkersResult(assessment, top, output, as_json)
