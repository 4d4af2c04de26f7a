"""How verdicts look on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from hodgerank.cli.reproduce import ReproduceResult
from hodgerank.reproduce.verdict import Status

MARKS = {
    Status.HOLDS: "[green]✓[/]",
    Status.IN_PART: "[yellow]~[/]",
    Status.FAILS: "[red]✗[/]",
    Status.UNDECIDED: "[dim]?[/]",
}


def show_reproduction(result: ReproduceResult, console: Console) -> None:
    """Each figure with its claims and the evidence."""
    for report in result.reproduction.reports:
        published = report.published
        tally = f" ({report.tally})" if report.tally else ""
        console.print(f"\n[bold]{published.source}, {report.name}[/]: {report.verdict}{tally}")
        table = Table(box=None, show_header=False, pad_edge=False)
        if report.obstacle:
            console.print(Padding(f"[red]{escape(report.obstacle)}[/]", (0, 0, 0, 2)))
        for verdict in report.verdicts:
            table.add_row(
                MARKS[verdict.status],
                f"{escape(verdict.claim.text)}\n[dim]{escape(verdict.evidence)}[/]",
            )
        console.print(Padding(table, (0, 0, 0, 2)))
    console.print(f"\nwritten to {escape(str(result.reproduction.page))}", style="dim")
