"""A ranking as a table on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from hodgerank.estimators.ranking import Ranking

MOST_SHOWN = 50  # items, where nobody says how many


def n_shown(top: int | None, as_json: bool) -> int:
    """How many items to show; 0 is all."""
    return top if top is not None else (0 if as_json else MOST_SHOWN)


def show_ranking(ranking: Ranking, shown: int, console: Console) -> None:
    """The best items as a table."""
    from hodgerank.cli.console import verbatim
    from hodgerank.cli.fitting import add_names, add_numbers, plain_table, show_table

    table = plain_table()
    several = ranking.n_components > 1
    interval = f"{100 * ranking.confidence:g}% interval"
    add_numbers(table, *(["group"] if several else []), "rank")
    add_names(table, "item")
    add_numbers(table, "score", interval, "ranks", "comparisons")
    for k in range(shown):
        (low, high), (best, worst) = ranking.intervals[k], ranking.rank_intervals[k]
        if several and k and ranking.components[k] != ranking.components[k - 1]:
            table.add_section()
        table.add_row(
            *([str(ranking.components[k] + 1)] if several else []),
            str(ranking.ranks[k]),
            verbatim(ranking.items[k]),
            signed(ranking.scores[k]),
            f"{signed(low)} to {signed(high)}",
            str(best) if best == worst else f"{best} to {worst}",
            f"{ranking.comparisons[k]:,}",
        )
    console.print()
    show_table(table, console, spare=("comparisons", interval, "ranks"))
    console.print()


def signed(value: float) -> str:
    """A score with its sign."""
    return f"{round(value, 3) + 0.0:+.3f}"  # -0.000 is 0
