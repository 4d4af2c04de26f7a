"""hodgerank trust: how far the ranking can be trusted, on one screen."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from hodgerank.atomic_write import write_file
from hodgerank.cli.console import (
    add_numbers,
    cautions_of,
    count,
    number,
    plain_table,
    show_reading,
    show_table,
    show_written,
    verbatim,
)
from hodgerank.cli.files import write_table
from hodgerank.cli.groups import GroupedResult, each_group
from hodgerank.cli.outputs import AsJson, output_option
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import reads_votes
from hodgerank.data.comparisons import Comparisons
from hodgerank.data.groups import VoteGroups
from hodgerank.display import p_words
from hodgerank.estimators.trust import TrustReport, assess_trust
from hodgerank.estimators.trust_statements import Statement, about_workers
from hodgerank.estimators.workers.assess import assess_workers
from hodgerank.estimators.workers.assessment import WARNINGS, WorkerAssessment
from hodgerank.graph.decomposition import PART_WORDS

EXPECTED_OF = (
    "expected: by chance. Position bias: if the display order were random. Ranking: from random "
    "votes. Others: from one ranking plus noise. Some inconsistency arises without cycles. "
    "Position bias is measured here only where a worker saw a pair in both orders."
)


def show_trust(report: TrustReport, console: Console) -> None:
    """Print the verdict, the decomposition, the cycles and all other statements."""
    show_reading(report.votes.report, console)
    parts = report.decomposition
    console.print(
        f"{report.votes.n_items:,} items, {len(report.votes):,} votes, "
        f"{parts.graph.n_edges:,} pairs; "
        f"{count(parts.betti.beta_0, 'component')}, {count(parts.betti.beta_1, 'unfilled loop')}",
        style="dim",
    )
    console.print()
    console.print(verbatim(f"{report.verdict[:1].upper()}{report.verdict[1:]}.", "bold"))
    console.print()
    show_table(_energy_table(report), console)
    console.print(EXPECTED_OF, style="dim")
    _show_cycles(report, console)
    console.print()
    show_statements([said for said in report.statements if not said.concern], console)


def show_statements(statements: list[Statement], console: Console) -> None:
    """Print each statement beside its subject."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    previous = ""
    for said in statements:
        label = "" if said.about == previous else said.about.replace("_", " ")
        table.add_row(label, verbatim(str(said)))
        previous = said.about
    console.print(table)


def _show_cycles(report: TrustReport, console: Console) -> None:
    """Print significant cycles of three with their votes, and the strongest loops."""
    if report.triangles:
        console.print(
            "\n[bold]cycles of three[/] with mean vote, number of votes, and p corrected for "
            "multiple testing"
        )
    for cycle in report.triangles:
        a, b, c = cycle.items
        votes = ", ".join(
            f"{flow:+.2f} ({n:,})" for flow, n in zip(cycle.flows, cycle.votes, strict=True)
        )
        words = f"  {a} > {b} > {c} > {a}: {votes}; {p_words(cycle.p_value)}"
        console.print(verbatim(words), soft_wrap=True)
    more = report.consistency.n_named - len(report.triangles)
    if more > 0:
        console.print(f"  and {more:,} more", style="dim")
    if report.loops and _is_small(report.p_value("harmonic")):
        console.print("\n[bold]longer loops[/] and the sum of their mean votes")
        for loop in report.loops:
            round_trip = " > ".join(str(item) for item in (*loop.items, loop.items[0]))
            console.print(verbatim(f"  {round_trip}: {loop.flow:+.2f}"), soft_wrap=True)


def _is_small(p_value: float | None) -> bool:
    return p_value is not None and p_value < 0.01


def _energy_table(report: TrustReport) -> Table:
    table = plain_table()
    table.add_column("part of the votes")
    add_numbers(table, "share")
    table.add_column("expected", justify="right")
    add_numbers(table, "p")
    for part, words in PART_WORDS.items():
        noise, p_value = report.decomposition.noise(part), report.p_value(part)
        row = [words, f"{report.decomposition.energy[part]:.1%}"]
        unseen = report.decomposition.unseen_bias
        if part == "bias" and unseen is not None:
            row = [words, "not measurable", unseen]
        elif p_value is not None:
            expected = "-" if noise is None else f"{noise.mean:.1%} ± {noise.std:.1%}"
            row += [expected, p_words(p_value).removeprefix("p ").removeprefix("= ")]
        table.add_row(*row)
    return table


def show_workers(assessment: WorkerAssessment, most: int, console: Console) -> None:
    """Print the first workers with a warning."""
    warned = [k for k, flag in enumerate(assessment.flag) if flag in WARNINGS]
    if warned:
        console.print("\n[bold]workers with a warning[/]")
    for k in warned[:most]:
        console.print(
            verbatim(
                f"  {assessment.workers[k]}: {assessment.flag[k]} "
                f"({count(int(assessment.votes[k]), 'vote')}, agreement "
                f"{number(assessment.agreement[k], '.0%')})"
            )
        )
    if len(warned) > most:
        console.print(f"  and {len(warned) - most:,} more: hodgerank workers", style="dim")


@dataclass(frozen=True)
class TrustResult(CommandResult):
    """A trust report, as the command prints it."""

    report: TrustReport
    with_workers: bool
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        content = {**self.report.votes.report.to_dict(), **self.report.to_dict()}
        if not self.with_workers:
            del content["workers"]
        return content

    def show(self, console: Console) -> None:
        """Print everything on one screen."""
        show_trust(self.report, console)
        if self.report.workers is not None:
            show_workers(self.report.workers, self.report.n_shown, console)
        show_written(self.written, console)

    def cautions(self) -> list[str]:
        """Return warnings about the reading."""
        return cautions_of(self.report.votes.report)

    def to_table(self) -> pl.DataFrame:
        """Return the decomposition of the votes."""
        return cast("pl.DataFrame", self.report.to_frame("polars"))

    def write(self, path: Path) -> None:
        """Write the whole report as JSON, or the decomposition as a table."""
        write_report(self, path)


@dataclass(frozen=True)
class GroupedTrustResult(GroupedResult):
    """A trust report of each group, and the workers of all groups."""

    workers: WorkerAssessment | None
    n_shown: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        workers = None if self.workers is None else self.workers.to_dict()
        return {**super().to_dict(), "workers": workers}

    def show(self, console: Console) -> None:
        """Print group by group, then the workers."""
        super().show(console)
        console.print("\n[bold]all groups[/]")
        n_workers = 0 if self.workers is None else len(self.workers)
        show_statements(about_workers(self.workers, n_workers), console)
        if self.workers is not None:
            show_workers(self.workers, self.n_shown, console)

    def write(self, path: Path) -> None:
        """Write the whole report as JSON, or the decomposition as a table."""
        write_report(self, path)


def write_report(result: CommandResult, path: Path) -> None:
    """Write everything as JSON, or the table of `to_table`."""
    if path.suffix.lower() != ".json":
        write_table(result.to_table(), path)
        return
    text = json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    write_file(path, text.encode())


def _trust_each(command: Callable[..., TrustResult]) -> Callable[..., GroupedTrustResult]:
    """Make `trust` assess each group, and the workers of all groups together."""

    def on_groups(groups: VoteGroups, **arguments: Any) -> GroupedTrustResult:
        together = groups.together()
        each = each_group(partial(_assessed, with_workers=False))(groups, **arguments)
        return GroupedTrustResult(
            **vars(each),
            workers=assess_workers(together) if together.n_workers else None,
            n_shown=arguments["top"],
        )

    return on_groups


def _assessed(
    votes: Comparisons,
    top: int,
    split_half: bool,
    output: Path | None,
    as_json: bool,
    with_workers: bool = True,
) -> TrustResult:
    report = assess_trust(
        votes,
        n_shown=top,
        with_workers=with_workers,
        with_split_half=split_half,
        with_votes_to_win=True,
    )
    return TrustResult(report, with_workers, output, as_json)


@partial(reads_votes, on_groups=_trust_each)
def trust(
    votes: Comparisons,
    split_half: Annotated[
        bool,
        typer.Option("--split-half", help="Also compute the split-half reliability."),
    ] = False,
    top: Annotated[
        int, typer.Option(min=0, help="Show N cycles, loops and workers; 0 shows none.")
    ] = 5,
    output: Annotated[
        Path | None,
        output_option(
            "Write the whole report (.json), or the decomposition as a table (.csv, .parquet)"
        ),
    ] = None,
    as_json: AsJson = False,
) -> TrustResult:
    """Assess how far the ranking can be trusted.

    Decomposes the votes into position bias, disagreement within pairs, the ranking, and triangular
    and harmonic inconsistency (cycles), and compares each share with the share expected by chance.
    Tests whether one ranking explains the votes, and lists significant cycles, outliers, workers
    with a warning and the reliability of the scores. Up to 100 items and 10,000 votes it also says
    how few votes decide which item is first (more: hodgerank winners).

    Examples:
      hodgerank trust votes.csv

      hodgerank trust votes.csv --json | jq .verdict

      hodgerank trust votes.csv --by scene -o trust.json
    """
    return _assessed(votes, top, split_half, output, as_json)
