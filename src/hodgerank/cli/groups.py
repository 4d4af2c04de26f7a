"""Results by group, in one result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console

from hodgerank.cli.console import cautions_of, show_reading, show_warnings, show_written, verbatim
from hodgerank.cli.outputs import TABLES, goes_to_standard_output
from hodgerank.cli.result import BAD_INPUT, NOT_UNIQUE, CommandResult
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.data.groups import VoteGroups
from hodgerank.errors import (
    DisconnectedGraph,
    HodgeRankError,
    InvalidArgument,
    InvalidComparisons,
)
from hodgerank.types import Item


@dataclass(frozen=True)
class GroupedResult(CommandResult):
    """The result of each group, and the problems of groups without one."""

    column: str
    results: dict[Item, CommandResult]
    problems: dict[Item, HodgeRankError]
    report: ReadReport
    written: Path | None
    as_json: bool

    @property
    def exit_status(self) -> int:
        """Not 0 if a group has no result."""
        return status_of(self.problems)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        return {
            "by": self.column,
            **self.report.to_dict(),
            "notes": list(self.report.notes),
            "groups": [{self.column: k, **result.to_dict()} for k, result in self.results.items()],
            "problems": {str(group): str(problem) for group, problem in self.problems.items()},
        }

    def show(self, console: Console) -> None:
        """Print the groups one below the other, each with its name."""
        show_reading(self.report, console)
        for group, result in self.results.items():
            console.print()
            console.print(verbatim(f"{self.column} {group}", "bold"))
            result.show(console)
        show_warnings(problem_lines(self.column, self.problems), console)
        show_written(self.written, console)

    def cautions(self) -> list[str]:
        """Return warnings about the reading and groups without a result."""
        return [*cautions_of(self.report), *problem_lines(self.column, self.problems)]

    def write(self, path: Path) -> None:
        """Write one table of all groups."""
        if path.suffix.lower() not in TABLES and not goes_to_standard_output(path):
            raise InvalidArgument(
                f"{path}: charts of several groups cannot be written to one file; write a table "
                f"({', '.join(TABLES)})"
            )
        super().write(path)

    def to_table(self) -> pl.DataFrame:
        """Return the tables of all groups, with the group in the first column."""
        if not self.results:
            raise next(iter(self.problems.values()))
        tables = []
        for group, result in self.results.items():
            table = result.to_table()
            name = pl.Series(self.column, [group] * len(table), pl.Series([group]).dtype)
            tables.append(table.drop(self.column, strict=False).insert_column(0, name))
        return pl.concat(tables, how="diagonal_relaxed")


def each_group(command: Callable[..., CommandResult]) -> Callable[..., GroupedResult]:
    """Make a command on votes a command on groups of votes."""

    def on_groups(groups: VoteGroups, **arguments: Any) -> GroupedResult:
        results: dict[Item, CommandResult] = {}
        problems: dict[Item, HodgeRankError] = {}
        silent = {**arguments, "output": None} if "output" in arguments else arguments
        for group, votes in groups.items():
            try:
                results[group] = command(votes, **silent)
            except (DisconnectedGraph, InvalidComparisons) as problem:
                problems[group] = problem
        return GroupedResult(
            column=groups.column,
            results=results,
            problems=problems,
            report=groups.report,
            written=arguments.get("output"),
            as_json=bool(arguments.get("as_json")),
        )

    return on_groups


def all_together(command: Callable[..., CommandResult]) -> Callable[..., CommandResult]:
    """Make a command on votes a command on all groups together, with items separated by group."""

    def on_groups(groups: VoteGroups, **arguments: Any) -> CommandResult:
        votes: Comparisons = groups.together()
        return command(votes, **arguments)

    return on_groups


def status_of(problems: Mapping[Item, HodgeRankError]) -> int:
    """Return the exit status if some groups have no result."""
    if not problems:
        return 0
    unjoined = any(isinstance(problem, DisconnectedGraph) for problem in problems.values())
    return NOT_UNIQUE if unjoined else BAD_INPUT


def problem_lines(column: str, problems: Mapping[Item, HodgeRankError]) -> list[str]:
    """Return one line for each group without a result."""
    return [f"{column} {group}: {problem}" for group, problem in problems.items()]
