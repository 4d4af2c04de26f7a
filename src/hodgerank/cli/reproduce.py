"""hodgerank reproduce: every figure and table of the paper, with a verdict."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from hodgerank.cli.console import complaints, count, show_written, verbatim
from hodgerank.cli.outputs import AsJson
from hodgerank.cli.progress import is_watched, report_step
from hodgerank.cli.result import BAD_INPUT, CommandResult
from hodgerank.reproduce import Reproduction
from hodgerank.reproduce import reproduce as run
from hodgerank.reproduce.reproduction import OnProgress

LINE_SECONDS = 30  # between lines of progress, where no bar can be seen
MARKS = {
    "HOLDS": "[green]✓[/]",
    "IN_PART": "[yellow]~[/]",
    "FAILS": "[red]✗[/]",
    "UNDECIDED": "[dim]?[/]",
}


@dataclass(frozen=True)
class ReproduceResult(CommandResult):
    """Verdicts, and the path of the page."""

    reproduction: Reproduction
    as_json: bool
    written = None

    @property
    def exit_status(self) -> int:
        """3 if data were missing."""
        return BAD_INPUT if any(r.obstacle for r in self.reproduction.reports) else 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "page": str(self.reproduction.page),
            "experiments": {
                report.name: {
                    "source": report.published.source,
                    "verdict": report.verdict,
                    "tally": report.tally,
                    "caveat": report.caveat,
                    "obstacle": report.obstacle,
                    "claims": [
                        {
                            "id": verdict.claim.id,
                            "claim": verdict.claim.text,
                            "is_ours": verdict.claim.is_ours,
                            "status": verdict.status.value,
                            "evidence": verdict.evidence,
                        }
                        for verdict in report.verdicts
                    ],
                }
                for report in self.reproduction.reports
            },
        }

    def show(self, console: Console) -> None:
        """Print each figure with its claims and the evidence."""
        for report in self.reproduction.reports:
            published = report.published
            tally = f" ({report.tally})" if report.tally else ""
            caveat = f"; {report.caveat}" if report.caveat else ""
            console.print(
                f"\n[bold]{published.source}, {report.name}[/]: {report.verdict}{tally}{caveat}"
            )
            table = Table(box=None, show_header=False, pad_edge=False)
            if report.obstacle:
                console.print(Padding(verbatim(report.obstacle, "red"), (0, 0, 0, 2)))
            for found in report.verdicts:
                ours = "(ours) " if found.claim.is_ours else ""
                table.add_row(
                    MARKS[found.status.name],
                    f"{ours}{escape(found.claim.text)}\n[dim]{escape(found.evidence)}[/]",
                )
            console.print(Padding(table, (0, 0, 0, 2)))
        console.print()
        show_written(self.reproduction.page, console)


def reproduce(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="fiedler, betti, simulated, cost-simulated, budget, vqa, iqa, reading, "
            "cost-real; claims of the text: outliers, ridge; beyond the paper: samplers, careless, "
            "judges, larger. Default: all.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        int | None,
        typer.Option(min=1, help=("Number of runs, instead of the default of each figure.")),
    ] = None,
    full: Annotated[
        bool,
        typer.Option("--full", help=("Use the numbers of runs of the paper; takes about an hour.")),
    ] = False,
    smoke: Annotated[
        bool,
        typer.Option("--smoke", help="Two small runs, to check that everything works."),
    ] = False,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1 uses all cores.")] = -1,
    restart: Annotated[
        bool,
        typer.Option("--restart", help="Discard the results of earlier runs, and start over."),
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 0,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder for charts, data and index.html.")
    ] = Path("out"),
    as_json: AsJson = False,
) -> ReproduceResult:
    """Reproduce the figures and tables of the HodgeRank paper.

    Each comes with a chart, its data, and verdicts on the paper's claims, computed from the runs.
    All are shown in index.html. If interrupted, run it again: it resumes.

    Examples:
      hodgerank reproduce

      hodgerank reproduce fiedler vqa -o figures

      hodgerank reproduce --full --jobs 8
    """
    # so that the processes stop too, and their results are kept
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if full and smoke:
        raise typer.BadParameter("--full and --smoke cannot be combined: choose one")
    with _bars() if is_watched() else _lines() as on_progress:
        found = run(
            names or (),
            output=output,
            effort="full" if full else "smoke" if smoke else "quick",
            runs=runs,
            jobs=jobs,
            seed=seed,
            restart=restart,
            on_progress=on_progress,
        )
    return ReproduceResult(found, as_json)


@contextmanager
def _bars() -> Iterator[OnProgress]:
    """Show a bar for each figure."""
    columns = (
        TextColumn("{task.description:15}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=complaints()) as bar:
        tasks: dict[str, Any] = {}

        def on_progress(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total)
            bar.update(tasks[name], completed=done)

        yield on_progress


@contextmanager
def _lines() -> Iterator[OnProgress]:
    """Print a line when a figure begins, when it is done, and every half minute."""
    starts: dict[str, float] = {}
    last = 0.0

    def on_progress(name: str, done: int, total: int) -> None:
        nonlocal last
        now = monotonic()
        is_first = name not in starts
        start = starts.setdefault(name, now)
        if is_first or done == total or now - last >= LINE_SECONDS:
            last = now
            kept = " from an earlier run" if is_first and done else ""
            elapsed = "" if is_first else f", {now - start:.0f} s"
            report_step(f"{name}: {done:,} of {count(total, 'task')} done{kept}{elapsed}")

    yield on_progress
