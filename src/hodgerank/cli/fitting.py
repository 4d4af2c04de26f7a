"""Tables that fit the terminal: names fold, numbers stay whole, and what is left out is said."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table

GAP = 2  # between columns
ROOM = 10  # a name is folded into no narrower column


def plain_table(*columns: Column, show_header: bool = True) -> Table:
    """A table without lines."""
    return Table(*columns, box=None, header_style="bold", pad_edge=False, show_header=show_header)


def add_names(table: Table, *headers: str) -> None:
    """Columns of somebody else's text, which folds anywhere."""
    for header in headers:
        table.add_column(header, overflow="fold")


def add_numbers(table: Table, *headers: str) -> None:
    """Columns of numbers, which are shown whole or not at all."""
    for header in headers:
        table.add_column(header, justify="right", no_wrap=True)


def show_table(table: Table, console: Console, spare: Sequence[str] = ()) -> None:
    """Print a table.

    Where the terminal is too narrow, columns are left out in the order in which `spare` names them,
    and a line says so. Where that is not enough, everything folds.
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
            f"no room in {console.width} columns for {', '.join(missing)}: --json shows all",
            style="dim",
            markup=False,
        )


def _without(header: str, table: Table) -> Table:
    columns = (column for column in table.columns if str(column.header) != header)
    narrower = plain_table(*columns, show_header=table.show_header)
    narrower.rows = table.rows
    return narrower


def _share_out(width: int, columns: Sequence[Column]) -> None:
    """Give every column what it needs, and what is left to the narrowest of those that want it."""
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
    """The width in which nothing is folded."""
    return max(1, *(cell_len(text) for text in _texts(column)))


def _least(column: Column) -> int:
    """The width in which it can be read: words and numbers whole, names in pieces."""
    if column.no_wrap:
        return _most(column)
    if column.overflow == "fold":
        return min(_most(column), ROOM)
    return max(1, *(cell_len(word) for text in _texts(column) for word in text.split()), 1)


def _texts(column: Column) -> list[str]:
    return [str(column.header), *map(str, column.cells)]
