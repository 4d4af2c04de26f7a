"""hodgerank workers: assess the workers."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import polars as pl
import typer
from rich.console import Console

from hodgerank.cli.console import (
    add_names,
    add_numbers,
    cautions_of,
    count,
    number,
    plain_table,
    show_reading,
    show_rest,
    show_table,
    show_warnings,
    show_written,
    verbatim,
)
from hodgerank.cli.groups import all_together
from hodgerank.cli.outputs import AsJson, output_option
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import distinct_answers, reads_votes
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.estimators.workers.assess import assess_workers
from hodgerank.estimators.workers.assessment import NOTES, WARNINGS, WORDS, WorkerAssessment

LEGEND = (
    "± is one standard error. agreement: with the preference of all others, 50% is chance. left: "
    "share of votes for the left item. reliability: 1 follows the ranking, 0.5 random, 0 reversed."
)


@dataclass(frozen=True)
class WorkersResult(CommandResult):
    """An assessment of workers."""

    assessment: WorkerAssessment
    report: ReadReport
    top: int
    written: Path | None
    as_json: bool

    def to_table(self) -> pl.DataFrame:
        """Return a row per worker."""
        return cast("pl.DataFrame", self.assessment.to_frame("polars"))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        notes = list(self.report.notes)
        return {**self.report.to_dict(), "notes": notes, **self.assessment.to_dict()}

    def cautions(self) -> list[str]:
        """Return warnings about the reading and the assessment."""
        return [*cautions_of(self.report), *self.assessment.notes]

    def show(self, console: Console) -> None:
        """Print a table of workers, warnings first, then notes, and what the flags mean."""
        found = self.assessment
        show_reading(self.report, console)
        table = plain_table()
        add_names(table, "worker")
        table.add_column("flag")
        add_numbers(
            table, "votes", "position bias", "agreement", "outliers", "ties", "left", "reliability"
        )
        order = found.worst_first
        shown = order[: self.top] if self.top else order
        styles = {"warning": "yellow", "note": "cyan", "none": ""}
        for k in shown:
            stderr = number(found.position_bias_stderr[k], ".2f")
            bias = number(found.position_bias[k], "+.2f")
            table.add_row(
                verbatim(found.workers[k]),
                verbatim(found.flag[k], styles[found.level[k]]),
                f"{found.votes[k]:,}",
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
                number(found.reliability[k], ".2f"),
            )
        console.print()
        show_table(
            table,
            console,
            spare=("ties", "left", "reliability", "outliers", "position bias", "votes"),
        )
        console.print()
        show_rest(len(shown), len(order), console)
        console.print(LEGEND, style="dim")
        show_meanings(found, console)
        show_warnings(found.notes, console)
        show_written(self.written, console)


def show_meanings(found: WorkerAssessment, console: Console) -> None:
    """Print how many workers have a warning or a note, and what the flags mean."""
    warned, noted = len(found.flagged), len(found.noted)
    rate = found.false_discovery_rate
    mistakes = f" (false discovery rate {rate:.0%})"
    console.print(
        f"{count(len(found), 'worker')}: {warned:,} with a warning{mistakes if warned else ''}, "
        f"{noted:,} with a note",
        style="dim",
    )
    for level, flags in (("warning", WARNINGS), ("note", NOTES)):
        for flag in flags:
            if n := found.flag.count(flag):
                console.print(f"  {n:,} {flag} ({level}): {WORDS[flag]}", style="dim")


@partial(reads_votes, reader=distinct_answers, on_groups=all_together)
def workers(
    votes: Comparisons,
    false_discovery_rate: Annotated[
        float,
        typer.Option(
            help=(
                "False discovery rate: expected share of mistakes among the workers with a warning."
            )
        ),
    ] = 0.05,
    top: Annotated[int, typer.Option(min=0, help="Show N workers; 0 shows all.")] = 50,
    output: Annotated[Path | None, output_option("Write the table: .csv, .parquet, .json")] = None,
    as_json: AsJson = False,
) -> WorkersResult:
    """Assess the workers: position bias, agreement, outliers, reliability.

    Warnings come first: position-clicking, adversarial, careless. Check the votes of these workers,
    or leave them out with rank --exclude-workers flagged. Notes follow, which are no reason to
    exclude a worker: tie-happy, left-biased, right-biased, less precise than others. With --by,
    workers are assessed over all groups together. To assess groups of workers, name their column
    with --worker.

    Examples:
      hodgerank workers votes.csv

      hodgerank workers votes.csv --worker country
    """
    assessment = assess_workers(votes, false_discovery_rate=false_discovery_rate)
    return WorkersResult(assessment, votes.report, top, output, as_json)
