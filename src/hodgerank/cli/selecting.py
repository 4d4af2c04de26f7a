"""Votes without the workers and items that are not wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from hodgerank.types import Item

ExcludeWorkers = Annotated[
    str | None,
    typer.Option(
        help="Leave out workers: 'flagged' by hodgerank workers, or those listed in a FILE.",
        metavar="flagged|FILE",
    ),
]


def workers_to_exclude(which: str | None, votes: Callable[[], Any]) -> list[Item]:
    """The workers to leave out: those flagged among the votes, or those of a list."""
    if which is None:
        return []
    from hodgerank.cli.lists import read_workers

    if which != "flagged":
        return read_workers(Path(which))
    from hodgerank.estimators.workers.assess import assess_workers

    return list(assess_workers(votes()).flagged)


def selected(votes: Any, workers: list[Item], min_answers: int, largest: bool) -> Any:
    """The votes without what was not wanted."""
    from hodgerank.data.selecting import exclude_workers, keep_items_with, largest_component

    votes = exclude_workers(votes, workers) if workers else votes
    votes = keep_items_with(votes, min_answers) if min_answers else votes
    return largest_component(votes) if largest else votes
