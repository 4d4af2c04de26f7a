"""The pairs to ask next, on the screen and as a sheet to be filled in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hodgerank.cli.result import CommandResult

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console

    from hodgerank.collecting.forecast import Forecast
    from hodgerank.data.comparisons import ReadReport
    from hodgerank.types import Item, Pair

AGAIN = "another person"  # a pair that stands in the list twice


@dataclass(frozen=True)
class PlanResult(CommandResult):
    """The pairs to ask next, best first."""

    pairs: list[Pair]
    gains: list[float]
    strategy: str
    report: ReadReport
    n_items: int
    n_answers: int
    asked_by: str
    forecast: Forecast | None
    for_worker: Item | None
    n_shown: int
    written: Path | None
    as_json: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for --json."""
        rows = [
            {"left": pair.left, "right": pair.right, "gain": gain}
            for pair, gain in zip(self.pairs, self.gains, strict=True)
        ]
        return {
            **self.report.to_dict(),
            "notes": list(self.report.notes),
            "strategy": self.strategy,
            "items": self.n_items,
            "answers": self.n_answers,
            "forecast": None if self.forecast is None else self.forecast.to_dict(),
            "pairs": rows,
        }

    def cautions(self) -> list[str]:
        """What was dropped or doubtful in the reading."""
        from hodgerank.cli.console import cautions_of

        return cautions_of(self.report)

    def to_table(self) -> pl.DataFrame:
        """A sheet to be filled in."""
        import polars as pl

        items_are_mixed = len({type(item) for pair in self.pairs for item in pair}) > 1
        names = [[str(item) if items_are_mixed else item for item in pair] for pair in self.pairs]
        left, right = zip(*names, strict=True) if names else ((), ())
        seen: set[frozenset[Item]] = set()
        notes = []
        for pair in self.pairs:
            notes.append(AGAIN if frozenset(pair) in seen else None)
            seen.add(frozenset(pair))
        return pl.DataFrame(
            {
                "pair": range(1, len(names) + 1),
                "left": left,
                "right": right,
                "answer": pl.Series([None] * len(names), dtype=pl.String),
                "worker": pl.Series([self.for_worker] * len(names), strict=False),
                "note": pl.Series(notes, dtype=pl.String),
                "asked_by": pl.Series([self.asked_by] * len(names), dtype=pl.String),
            }
        )

    def show(self, console: Console) -> None:
        """The pairs, best first, and what they lead to."""
        from hodgerank.cli.console import show_reading, show_rest, show_written, verbatim
        from hodgerank.cli.fitting import add_names, add_numbers, plain_table, show_table

        show_reading(self.report, console)
        console.print(
            f"{self.n_items:,} items, {self.n_answers:,} answers so far; strategy {self.strategy}",
            style="dim",
        )
        table = plain_table()
        add_numbers(table, "pair")
        add_names(table, "left", "right")
        add_numbers(table, "gain")
        shown = min(self.n_shown or len(self.pairs), len(self.pairs))
        for k in range(shown):
            pair = self.pairs[k]
            table.add_row(
                str(k + 1), verbatim(pair.left), verbatim(pair.right), f"{self.gains[k]:.3g}"
            )
        console.print()
        show_table(table, console, spare=("gain",))
        console.print()
        show_rest(shown, len(self.pairs), console, "--show")
        if self.forecast is not None:
            console.print(f"forecast: {self.forecast}")
        show_written(self.written, console)
