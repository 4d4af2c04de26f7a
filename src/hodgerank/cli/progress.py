"""Progress on standard error, for a person who watches."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from hodgerank.display import cut, visible

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

BESIDE = 22  # columns of spinner, bar and clock
_shown: list[tuple[Progress, TaskID]] = []  # what is on the screen: one line, or none


def is_watched() -> bool:
    """Return whether a changing line can be seen: not in a file, a pipe, or a plain terminal."""
    return sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


@contextmanager
def telling_progress() -> Iterator[None]:
    """Show a progress line, and remove it at the end."""
    if not is_watched():
        yield
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from hodgerank.cli.console import complaints

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=10),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=complaints(), transient=True) as progress:
        _shown.append((progress, progress.add_task("starting", total=None)))
        try:
            yield
        finally:
            _shown.pop()


def doing(words: str, total: int | None = None) -> Callable[[], None]:
    """Name the current task; call the returned function after each of `total` steps."""
    if not _shown:
        return lambda: None
    progress, task = _shown[-1]
    room = max(10, progress.console.width - BESIDE)
    progress.reset(task, description=cut(visible(words), room), total=total)
    return lambda: progress.advance(task)
