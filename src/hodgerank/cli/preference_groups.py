"""hodgerank groups: whether workers share one taste, and who belongs to which group."""

from __future__ import annotations

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
    plain_table,
    show_reading,
    show_rest,
    show_table,
    show_warnings,
    show_written,
    verbatim,
)
from hodgerank.cli.files import write_result
from hodgerank.cli.outputs import AsJson, output_option
from hodgerank.cli.progress import doing
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import distinct_answers, reads_votes
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.estimators.preference_groups.find import MOST_GROUPS, find_preference_groups
from hodgerank.estimators.preference_groups.result import PreferenceGroups

OPPOSITE = "Sabotage and the opposite taste cannot be distinguished."
MOST_PAIRS = 10


@dataclass(frozen=True)
class GroupsResult(CommandResult):
    """Groups of workers with the same taste."""

    groups: PreferenceGroups
    report: ReadReport
    top: int
    written: Path | None
    as_json: bool

    def to_table(self) -> pl.DataFrame:
        """Return a row per worker."""
        return cast("pl.DataFrame", self.groups.to_frame("polars"))

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        found = self.groups.to_dict()
        notes = [*self.report.notes, *found.pop("notes")]
        return {**self.report.to_dict(), **found, "notes": notes}

    def cautions(self) -> list[str]:
        """Return warnings about the reading and the groups."""
        return [*cautions_of(self.report), *self.groups.notes]

    def show(self, console: Console) -> None:
        """The result in a sentence, the groups, their rankings, and what they disagree on."""
        found = self.groups
        show_reading(self.report, console)
        # the first note is the reason in the statement
        show_warnings(found.notes[found.count is None :], console)
        console.print()
        console.print(verbatim(f"{found.statement}.", "bold"))
        if found.opposite:
            console.print(verbatim(f"{found.opposite_statement}. {OPPOSITE}"))
        if (found.count or 1) > 1:
            self._show_groups(console)
        show_written(self.written, console)

    def _show_groups(self, console: Console) -> None:
        found = self.groups
        console.print()
        sizes = plain_table()
        add_numbers(sizes, "group", "workers", "membership reliable")
        for g, size in enumerate(found.sizes.tolist(), start=1):
            reliable = int((found.is_reliable & (found.group == g)).sum())
            sizes.add_row(str(g), f"{size:,}", f"{reliable:,}")
        show_table(sizes, console)
        console.print()
        table, numbers = plain_table(), range(1, len(found.scores) + 1)
        add_names(table, "item")
        ranks = {g: {row.item: row for row in found.ranking(g)} for g in numbers}
        for g in numbers:
            add_numbers(table, f"rank, group {g}", f"score {g}")
        items = [row.item for row in found.ranking(1)]
        shown = items[: self.top] if self.top else items
        for item in shown:
            cells = []
            for g in numbers:
                row = ranks[g][item]
                cells += [str(row.rank), f"{row.score:+.2f}±{row.stderr:.2f}"]
            table.add_row(verbatim(item), *cells)
        show_table(table, console, spare=[f"score {g}" for g in reversed(numbers)])
        show_rest(len(shown), len(items), console)
        console.print()
        pairs = plain_table()
        add_names(pairs, "preferred", "to")
        for header in ("by group", "opposite in"):
            pairs.add_column(header)
        add_numbers(pairs, "|z| at least")
        for pair in found.reversed_pairs[:MOST_PAIRS]:
            groups = (", ".join(map(str, side)) for side in (pair.prefer, pair.oppose))
            pairs.add_row(verbatim(pair.item), verbatim(pair.other), *groups, f"{pair.z:.1f}")
        show_table(pairs, console)
        more = found.n_reversed - MOST_PAIRS
        if more > 0:
            console.print(f"... and {more:,} more reversed pairs (--json)", style="dim")
        console.print("±: standard error. Scores are log odds.", style="dim")

    def write(self, path: Path) -> None:
        """Write the members as a table, or the chart of the groups."""
        write_result(self.groups, path)


@partial(reads_votes, reader=distinct_answers)
def groups(
    votes: Comparisons,
    at_most: Annotated[
        int, typer.Option(min=2, max=MOST_GROUPS, metavar="N", help="Try up to N groups.")
    ] = 4,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of folds and starts.")] = 0,
    top: Annotated[int, typer.Option(min=0, help="Show N items; 0 shows all.")] = 50,
    output: Annotated[
        Path | None,
        output_option("Write the members: .csv, .parquet, .json, or a chart", charts=True),
    ] = None,
    as_json: AsJson = False,
) -> GroupsResult:
    """Find groups of workers with different tastes.

    Is there one taste or several, who belongs to which, and what do they disagree on? Groups are
    claimed if they predict held-out votes significantly better and clearly reverse a pair. Careless
    and position-biased workers are no groups. Workers who vote in reverse are counted.
    With --by, each group of votes is analysed separately. To compare populations that you know,
    name their column: hodgerank rank votes.csv --compare COLUMN.

    Examples:
      hodgerank groups votes.csv

      hodgerank groups votes.csv --at-most 3 -o members.csv
    """
    found = find_preference_groups(votes, at_most=at_most, seed=seed, on_stage=doing)
    return GroupsResult(found, votes.report, top, output, as_json)
