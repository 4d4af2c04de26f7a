"""hodgerank trust: how far the ranking can be trusted, on one screen."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hodgerank.cli.groups import GroupedResult, each_group
from hodgerank.cli.outputs import AsJson, output_option
from hodgerank.cli.result import CommandResult
from hodgerank.cli.votes import reads_votes

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from hodgerank.data.comparisons import Comparisons
    from hodgerank.data.groups import VoteGroups
    from hodgerank.estimators.trust.report import TrustReport
    from hodgerank.estimators.workers.assessment import WorkerAssessment


@dataclass(frozen=True)
class TrustResult(CommandResult):
    """A trust report, as the command shows it."""

    report: "TrustReport"
    with_workers: bool
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        content = {**self.report.votes.report.to_dict(), **self.report.to_dict()}
        if not self.with_workers:
            del content["workers"]
        return content

    def show(self, console: "Console") -> None:
        """The whole story on one screen."""
        from hodgerank.cli.console import show_written
        from hodgerank.cli.trust_screen import show_trust, show_workers

        show_trust(self.report, console)
        if self.report.workers is not None:
            show_workers(self.report.workers, self.report.n_shown, console)
        show_written(self.written, console)

    def cautions(self) -> list[str]:
        """What was dropped or doubtful in the reading."""
        from hodgerank.cli.console import cautions_of

        return cautions_of(self.report.votes.report)

    def to_table(self) -> "pl.DataFrame":
        """What the votes are made of."""
        return cast("pl.DataFrame", self.report.to_frame("polars"))

    def write(self, path: Path) -> None:
        """Write the whole report as JSON, or what the votes are made of as a table."""
        write_report(self, path)


@dataclass(frozen=True)
class GroupedTrustResult(GroupedResult):
    """A trust report of each group, and the workers of all of them."""

    workers: "WorkerAssessment | None"
    n_shown: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        workers = None if self.workers is None else self.workers.to_dict()
        return {**super().to_dict(), "workers": workers}

    def show(self, console: "Console") -> None:
        """Group by group, then the workers."""
        from hodgerank.cli.trust_screen import show_statements, show_workers
        from hodgerank.estimators.trust.statements import about_workers

        super().show(console)
        console.print("\n[bold]all groups[/]")
        n_workers = 0 if self.workers is None else len(self.workers)
        show_statements(about_workers(self.workers, n_workers), console)
        if self.workers is not None:
            show_workers(self.workers, self.n_shown, console)

    def write(self, path: Path) -> None:
        """Write the whole report as JSON, or what the votes are made of as a table."""
        write_report(self, path)


def write_report(result: CommandResult, path: Path) -> None:
    """As JSON everything, as a table what `to_table` gives."""
    from hodgerank.cli.tables import write_table
    from hodgerank.writing import write_file

    if path.suffix.lower() != ".json":
        write_table(result.to_table(), path)
        return
    text = json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    write_file(path, text.encode())


def _trust_each(command: Callable[..., TrustResult]) -> Callable[..., GroupedTrustResult]:
    """`trust` on groups: what the votes are made of in each, workers over all together."""

    def on_groups(groups: "VoteGroups", **arguments: Any) -> GroupedTrustResult:
        from hodgerank.estimators.workers.assess import assess_workers

        together = groups.together()
        each = each_group(partial(_assessed, with_workers=False))(groups, **arguments)
        return GroupedTrustResult(
            **vars(each),
            workers=assess_workers(together) if together.n_workers else None,
            n_shown=arguments["top"],
        )

    return on_groups


def _assessed(
    votes: "Comparisons",
    top: int,
    split_half: bool,
    output: Path | None,
    as_json: bool,
    with_workers: bool = True,
) -> TrustResult:
    from hodgerank.estimators.trust.assess import assess_trust

    report = assess_trust(votes, n_shown=top, with_workers=with_workers, with_split_half=split_half)
    return TrustResult(report, with_workers, output, as_json)


@partial(reads_votes, on_groups=_trust_each)
def trust(
    votes: "Comparisons",
    split_half: Annotated[
        bool,
        typer.Option("--split-half", help="Rank halves of the votes too: split-half reliability."),
    ] = False,
    top: Annotated[
        int, typer.Option(min=0, help="Show N cycles, loops and workers, 0 shows none.")
    ] = 5,
    output: Annotated[
        Path | None,
        output_option(
            "Write the whole report: .json; or the table of what the votes are made of: .csv, "
            ".parquet"
        ),
    ] = None,
    as_json: AsJson = False,
) -> TrustResult:
    """Say how far a ranking of these votes can be trusted.

    Splits the votes into position bias, disagreement on the same pair, the ranking, triangles and
    longer loops that do not add up, each beside what noise alone would give. Says whether one
    ranking explains the answers and names the cycles that it does not; whether answers lean to a
    side, how many are outlying, which workers to look at, and how reliable the scores are.

    Examples:
      hodgerank trust votes.csv

      hodgerank trust votes.csv --json | jq .verdict

      hodgerank trust votes.csv --by scene -o trust.json
    """
    return _assessed(votes, top, split_half, output, as_json)
