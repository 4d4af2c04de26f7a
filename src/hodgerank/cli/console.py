"""Texts and tables that several commands print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from hodgerank.display import cut, short, visible

if TYPE_CHECKING:
    from hodgerank.data.comparisons import ReadReport
    from hodgerank.estimators.ranking import Ranking

LONGEST_LINE = 1000
MOST_LINES = 30


class _PlainConsole(Console):
    def on_broken_pipe(self) -> None:
        """Leave a closed pipe to the caller; rich would end the program."""
        raise


def results() -> Console:
    """Return the console for results; names of items are printed without emoji or highlighting."""
    return _PlainConsole(emoji=False, highlight=False)


def complaints() -> Console:
    """Return the console for errors and progress, which must not mix with results."""
    return _PlainConsole(stderr=True, emoji=False, highlight=False, soft_wrap=True)


def verbatim(value: object, style: str = "") -> Text:
    """Return foreign text as one line: shortened, without markup or control sequences."""
    return Text(cut(visible(str(value)), LONGEST_LINE), style)


def complain(error: object) -> None:
    """Print an error on standard error."""
    lines = str(error).split("\n")
    message = Text("error: ", "bold red")
    for line in lines[:MOST_LINES]:
        message.append(verbatim(line, "not bold default")).append("\n")
    if len(lines) > MOST_LINES:
        message.append(f"... and {len(lines) - MOST_LINES:,} more lines\n", "not bold dim")
    complaints().print(message, end="")


def show_reading(report: ReadReport, console: Console) -> None:
    """Print what was read and left out; of one group among several, that was printed before."""
    if not report.layout:
        return
    console.print(verbatim(report, "dim"))
    show_warnings(cautions_of(report), console)


def cautions_of(report: ReadReport) -> list[str]:
    """Return warnings about how the votes were read."""
    return [*(f"left out: {reason}" for reason in report.rejections), *report.notes]


def show_warnings(warnings: Iterable[str], console: Console) -> None:
    """Print warnings, one per line."""
    for warning in warnings:
        console.print(Text.assemble(("! ", "yellow"), verbatim(warning)))


def show_rest(shown: int, total: int, console: Console, option: str = "--top") -> None:
    """Print how many rows of a table were not shown."""
    if shown < total:
        console.print(f"... and {total - shown:,} more ({option} 0 shows all)", style="dim")


def show_written(path: Path | None, console: Console) -> None:
    """Print where the result was written, if anywhere."""
    if path is not None:
        console.print(verbatim(f"written to {path}", "dim"))


def count(n: int, what: str) -> str:
    """Return a number with its noun in the singular or plural."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def number(value: float, form: str) -> str:
    """Return a formatted number, or a dash for NaN."""
    return "-" if math.isnan(value) else format(value, form)


GAP = 2  # between columns
ROOM = 10  # columns; names are not folded into less


def plain_table(*columns: Column, show_header: bool = True) -> Table:
    """Return a table without lines."""
    return Table(*columns, box=None, header_style="bold", pad_edge=False, show_header=show_header)


def add_names(table: Table, *headers: str) -> None:
    """Add columns of names, which may be folded anywhere."""
    for header in headers:
        table.add_column(header, overflow="fold")


def add_numbers(table: Table, *headers: str) -> None:
    """Add columns of numbers, which are shown whole or left out."""
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)


def show_table(table: Table, console: Console, spare: Sequence[str] = ()) -> None:
    """Print a table.

    In a narrow terminal, columns are left out in the order of `spare`, and a line names them. If
    that does not suffice, cells are folded.
    """
    missing = []
    for header in spare:
        if sum(map(_least, table.columns)) + GAP * (len(table.columns) - 1) <= console.width:
            break
        table = _without(header, table)
        missing.append(header)
    _share_out(console.width - GAP * (len(table.columns) - 1), table.columns)
    console.print(table)
    if missing:
        console.print(
            f"{console.width} columns are too narrow for {', '.join(missing)}: use a wider "
            "terminal, or --json",
            style="dim",
            markup=False,
        )


def _without(header: str, table: Table) -> Table:
    columns = (column for column in table.columns if str(column.header) != header)
    narrower = plain_table(*columns, show_header=table.show_header)
    narrower.rows = table.rows
    return narrower


def _share_out(width: int, columns: Sequence[Column]) -> None:
    """Give every column its minimum, then share the rest among columns that want more."""
    widths, wanted = [_least(column) for column in columns], [_most(column) for column in columns]
    if sum(widths) > width:
        for column in columns:
            column.no_wrap, column.overflow = False, "fold"
        return
    for _ in range(min(width, sum(wanted)) - sum(widths)):
        narrow = min((w, k) for k, w in enumerate(widths) if w < wanted[k])[1]
        widths[narrow] += 1
    for column, given in zip(columns, widths, strict=True):
        column.width = given


def _most(column: Column) -> int:
    """Return the width in which nothing is folded."""
    return max(1, *(cell_len(text) for text in _texts(column)))


def _least(column: Column) -> int:
    """Return the smallest readable width: words and numbers whole, names in pieces."""
    if column.no_wrap:
        return _most(column)
    if column.overflow == "fold":
        return min(_most(column), ROOM)
    return max(1, *(cell_len(word) for text in _texts(column) for word in text.split()), 1)


def _texts(column: Column) -> list[str]:
    return [str(column.header), *map(str, column.cells)]


MOST_SHOWN = 50  # items shown by default


def n_shown(top: int | None, as_json: bool) -> int:
    """Return how many items to show; 0 means all."""
    return top if top is not None else (0 if as_json else MOST_SHOWN)


def show_scale(ranking: Ranking, console: Console) -> None:
    """Print what the scores mean, unless they are the model's."""
    if words := ranking.scale.explanation:
        if ranking.residual_sd is not None:
            noise = f"{ranking.residual_sd:.{ranking.scale.decimals}f}"
            words += f"; margins scatter around it with a standard deviation of {noise}"
        console.print(verbatim(words, "dim"))


def show_ranking(ranking: Ranking, shown: int, console: Console) -> None:
    """Print the best items as a table."""
    table, scale = plain_table(), ranking.scale
    several = ranking.n_components > 1
    interval = f"{100 * ranking.confidence:g}% interval"
    add_numbers(table, *(["group"] if several else []), "rank")
    add_names(table, "item")
    add_numbers(table, scale.column, interval, "ranks", "votes")
    for k in range(shown):
        (low, high), (best, worst) = ranking.intervals[k], ranking.rank_intervals[k]
        if several and k and ranking.components[k] != ranking.components[k - 1]:
            table.add_section()
        table.add_row(
            *([str(ranking.components[k] + 1)] if several else []),
            str(ranking.ranks[k]),
            verbatim(ranking.items[k]),
            scale.text(ranking.scores[k]),
            f"{scale.text(low)} to {scale.text(high)}",
            str(best) if best == worst else f"{best} to {worst}",
            f"{ranking.votes[k]:,}",
        )
    console.print()
    show_table(table, console, spare=("votes", interval, "ranks"))
    console.print()


MOST_TERMS = 10  # position biases that are shown


def show_position_bias(ranking: Ranking, console: Console, remedy: str) -> None:
    """Print the position biases in the model, the largest first; `remedy` is where all are."""
    terms = ranking.position_bias
    if terms is None or not len(terms):
        return
    level, rates = f"{100 * terms.confidence:g}%", terms.left_rates
    intervals = [f"{low:+.2f} to {high:+.2f}" for low, high in terms.intervals.tolist()]
    scale = "" if ranking.scale.name == "model" else " on the scale of the model"
    for k, name in enumerate(terms.grouping):
        if name == "common":
            console.print(
                f"Position bias{scale}: {terms.values[k]:+.2f} ({level} interval {intervals[k]})."
                + f" The left one of two equal items gets {rates[k]:.0%} of the votes."
                * (terms.margin_unit is None)
            )
    rows = [k for k in terms.largest_first.tolist() if terms.grouping[k] != "common"]
    if not rows:
        return
    names = list(dict.fromkeys(terms.grouping[k] for k in sorted(rows)))
    also = " (added to the common one)" if len(rows) < len(terms) else ""
    console.print(verbatim(f"Position bias{scale} by {' and '.join(names)}{also}, largest first:"))
    table = plain_table()
    add_names(table, *(["grouping"] if len(names) > 1 else []), "group")
    add_numbers(table, "bias", f"{level} interval", "left if equal", "votes")
    for k in rows[:MOST_TERMS]:
        group = terms.groups[k]
        table.add_row(
            *([verbatim(terms.grouping[k])] if len(names) > 1 else []),
            verbatim("(none)" if group is None else group),
            f"{round(terms.values[k], 2) + 0.0:+.2f}",
            intervals[k],
            number(rates[k], ".0%"),
            f"{terms.votes[k]:,}",
        )
    show_table(table, console, spare=("votes", "left if equal", f"{level} interval"))
    if len(rows) > MOST_TERMS:
        console.print(
            f"... and {len(rows) - MOST_TERMS:,} more ({remedy}). The largest of many values are "
            "partly due to chance.",
            style="dim",
        )


def show_covariates(ranking: Ranking, shown: int, console: Console) -> None:
    """Print the effects of covariates, and both orders side by side where they differ."""
    terms, controlled = ranking.covariates, ranking.controlled
    if terms is None:
        return
    for sentence in terms.sentences:
        console.print(verbatim(sentence))
    if controlled is None:
        return
    named = " and ".join(short(name) for name in terms.control or terms.estimated)
    written = ranking.as_written
    places = dict(zip(controlled.items, controlled.ranks.tolist(), strict=True))
    moves = [
        rank - places[item]
        for item, rank in zip(written.items, written.ranks.tolist(), strict=True)
    ]
    if not any(moves):
        console.print(verbatim(f"Controlled for {named}, the ranks are the same."))
        return
    console.print(
        verbatim(
            f"Ranks as written, and as if all items were equal in {named}. If good items have more "
            "of it because they say more, the second takes merit away; only human votes can tell."
        )
    )
    table, scale = plain_table(), ranking.scale
    add_numbers(table, "rank as written", "rank if equal", "change")
    add_names(table, "item")
    add_numbers(table, f"{scale.column} as written", f"{scale.column} if equal")
    scores = controlled.score_by_item
    for k, item in enumerate(written.items[:shown]):
        table.add_row(
            str(written.ranks[k]),
            str(places[item]),
            f"{moves[k]:+d}" if moves[k] else "",
            verbatim(item),
            scale.text(written.scores[k]),
            scale.text(scores[item]),
        )
    show_table(table, console, spare=("change",))


def signed(value: float) -> str:
    """Return a score with its sign."""
    return f"{round(value, 3) + 0.0:+.3f}"  # -0.000 is 0
