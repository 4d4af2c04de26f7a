"""Pieces of text and tables that several commands print."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from hodgerank.notebook import cut, visible

if TYPE_CHECKING:
    from hodgerank.data.comparisons import ReadReport

LONGEST_LINE = 1000
MOST_LINES = 30


class _PlainConsole(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to who opened the pipe; rich would end the program."""
        raise


def results() -> Console:
    """The console for results. Names are data: no emoji, no colours of its own invention."""
    return _PlainConsole(emoji=False, highlight=False)


def complaints() -> Console:
    """The console for what must not mix with results."""
    return _PlainConsole(stderr=True, emoji=False, highlight=False, soft_wrap=True)


def verbatim(value: object, style: str = "") -> Text:
    """Somebody else's text in one line: not too long, no markup, and no orders to the terminal."""
    return Text(cut(visible(str(value)), LONGEST_LINE), style)


def complain(error: object) -> None:
    """Print an error where it does not mix with results."""
    lines = str(error).split("\n")
    message = Text("error: ", "bold red")
    for line in lines[:MOST_LINES]:
        message.append(verbatim(line, "not bold default")).append("\n")
    if len(lines) > MOST_LINES:
        message.append(f"... and {len(lines) - MOST_LINES:,} more lines\n", "not bold dim")
    complaints().print(message, end="")


def show_reading(report: ReadReport, console: Console) -> None:
    """What was read, and what was left out; of one group among several that is said above."""
    if not report.layout:
        return
    console.print(verbatim(report, "dim"))
    show_warnings(cautions_of(report), console)


def cautions_of(report: ReadReport) -> list[str]:
    """What a careful reader should know of how the votes were read."""
    return [*(f"dropped: {reason}" for reason in report.rejections), *report.notes]


def show_warnings(warnings: Iterable[str], console: Console) -> None:
    """What a careful reader should know."""
    for warning in warnings:
        console.print(Text.assemble(("! ", "yellow"), verbatim(warning)))


def show_rest(shown: int, total: int, console: Console, option: str = "--top") -> None:
    """How many rows of a table were not shown."""
    if shown < total:
        console.print(f"... and {total - shown:,} more ({option} 0 shows all)", style="dim")


def show_written(path: Path | None, console: Console) -> None:
    """Where a result was written, if it was."""
    if path is not None:
        console.print(verbatim(f"written to {path}", "dim"))


def count(n: int, what: str) -> str:
    """A number with its noun."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def number(value: float, form: str) -> str:
    """A number, or a dash where it cannot be said."""
    return "-" if math.isnan(value) else format(value, form)
