"""Pieces of text and tables that several commands print."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from hodgerank.data.comparisons import ReadReport


def complain(error: Exception) -> None:
    """Print an error where it does not mix with results."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"[bold red]error:[/] {escape(str(error))}")


def show_reading(report: ReadReport, console: Console) -> None:
    """What was read, and what was left out."""
    console.print(escape(str(report)), style="dim")
    show_warnings((f"dropped: {reason}" for reason in report.rejections), console)
    show_warnings(report.notes, console)


def show_warnings(warnings: Iterable[str], console: Console) -> None:
    """What a careful reader should know."""
    for warning in warnings:
        console.print(f"[yellow]![/] {escape(warning)}")


def show_rest(shown: int, total: int, console: Console) -> None:
    """How many rows of a table were not shown."""
    if shown < total:
        console.print(f"... and {total - shown:,} more (--top 0 shows all)", style="dim")


def show_written(path: Path | None, console: Console) -> None:
    """Where a result was written, if it was."""
    if path is not None:
        console.print(Text(f"written to {path}", style="dim"))


def plain_table() -> Table:
    """A table without lines."""
    return Table(box=None, header_style="bold", pad_edge=False)


def count(n: int, what: str) -> str:
    """A number with its noun."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def number(value: float, form: str) -> str:
    """A number, or a dash where it cannot be said."""
    return "-" if math.isnan(value) else format(value, form)
