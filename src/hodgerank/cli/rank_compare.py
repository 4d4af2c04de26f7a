"""`hodgerank rank --compare`: whether populations rank the same items differently."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    signed,
    verbatim,
)
from hodgerank.cli.files import write_result
from hodgerank.cli.progress import doing
from hodgerank.cli.result import CommandResult
from hodgerank.cli.vote_options import workers_to_exclude
from hodgerank.data.comparisons import ReadReport
from hodgerank.data.groups import VoteGroups
from hodgerank.data.subsets import exclude_workers as without
from hodgerank.estimators.population_comparison.compare import compare_rankings
from hodgerank.estimators.population_comparison.result import RankingComparison

MOST_PAIRS = 12  # of populations
PERMUTATIONS = 999


@dataclass(frozen=True)
class CompareResult(CommandResult):
    """The rankings of several populations, and how far they differ."""

    comparison: RankingComparison
    report: ReadReport
    column: str
    top: int
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        found = self.comparison.to_dict()
        notes = [*self.report.notes, *found.pop("notes")]
        return {"compare": self.column, **self.report.to_dict(), **found, "notes": notes}

    def show(self, console: Console) -> None:
        """The verdict, how far the populations agree, and the items side by side."""
        found = self.comparison
        show_reading(self.report, console)
        show_warnings(found.notes, console)
        verdict = f"{found.verdict[:1].upper()}{found.verdict[1:]}."
        console.print()
        console.print(verbatim(verdict, "bold"))
        console.print(
            f"{found.n_permutations:,} times {found.exchanged} were exchanged between them\n",
            style="dim",
        )
        agreement = plain_table()
        add_names(agreement, "agreement")
        agreement.add_column("Kendall's tau", justify="right")
        agreement.add_column("one crowd would show", justify="right")
        for pair in found.agreement[:MOST_PAIRS]:
            agreement.add_row(
                verbatim(" and ".join(map(str, pair.populations))),
                f"{pair.tau:.2f}",
                f"{pair.lower:.2f} to {pair.upper:.2f}",
            )
        show_table(agreement, console)
        console.print()
        table = plain_table()
        add_names(table, "item")
        ranks_of = [verbatim(f"rank, {name}") for name in found.populations]
        for header in ranks_of:
            table.add_column(header, justify="right", overflow="fold")
        add_numbers(table, "difference", "p")
        table.add_column("")
        shown = found.items[: self.top] if self.top else found.items
        for k in range(len(shown)):
            g = int(found.item_p_values[:, k].argmin())
            ranks = (found.rankings[name][found.items[k]].rank for name in found.populations)
            of = f" ({found.populations[g]})" if len(found.populations) > 2 else ""
            table.add_row(
                verbatim(found.items[k]),
                *map(str, ranks),
                verbatim(
                    f"{signed(found.differences[g, k])}±{found.difference_errors[g, k]:.3f}{of}"
                ),
                f"{found.item_p_values[g, k]:.3f}",
                "moved" if found.has_moved[:, k].any() else "",
            )
        show_table(table, console, spare=("p", *(str(header) for header in reversed(ranks_of))))
        show_rest(len(shown), len(found.items), console)
        if len(found.populations) == 2:
            one, other = found.populations
            console.print(verbatim(f"difference: score of {one} minus {other}", "dim"))
        show_written(self.written, console)

    def cautions(self) -> list[str]:
        """Return warnings about reading and comparison."""
        return [*cautions_of(self.report), *self.comparison.notes]

    def write(self, path: Path) -> None:
        """Write the comparison, as a table or as its chart."""
        write_result(self.comparison, path)


def compared(
    votes: VoteGroups,
    exclude_workers: str | None,
    confidence: float,
    top: int,
    output: Path | None,
    as_json: bool,
) -> CompareResult:
    """Whether populations rank differently."""
    workers = workers_to_exclude(exclude_workers, votes.together)
    parts = {name: without(part, workers) for name, part in votes.items()}
    found = compare_rankings(
        parts,
        n_permutations=PERMUTATIONS,
        confidence=confidence,
        on_permutation=doing("exchanging workers", PERMUTATIONS),
    )
    return CompareResult(found, votes.report, votes.column, top, output, as_json)
