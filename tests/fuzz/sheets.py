"""Sheet: votes as the rows of a table, and what is in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz.names import WORDS, is_whole_number
from fuzz.tally import Tally
from fuzz.votes import Crowd

Cell = str | float | None


@dataclass
class Sheet:
    """A table and what is in it.

    Attributes
    ----------
    tally
        None where a person could not tell either.
    company
        The columns beside the answer, by what they hold.
    options
        What the command must be told to read it.
    is_refused
        Whether it must not be read without further options.
    """

    layout: str
    header: list[str]
    rows: list[list[Cell]]
    tally: Tally | None
    company: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    has_header: bool = True
    is_refused: bool = False


def sheet_of(
    layout: str, header: list[str], rows: list[list[Cell]], tally: Tally, crowd: Crowd
) -> Sheet:
    """A sheet; where an item is called like an answer or a column, nobody knows what it says."""
    answers = {name.lower() for name in (*WORDS, *header)}
    is_clear = not any(" ".join(name.lower().split()) in answers for name in crowd.items)
    return Sheet(layout, header, rows, tally if is_clear else None)


def mixes_types(sheets: list[Sheet]) -> bool:
    """Whether items are integers in one sheet, and text in another."""
    names = {name for sheet in sheets if sheet.tally for name in sheet.tally.items}
    return any(is_whole_number(name) for name in names)


def is_tame(sheet: Sheet) -> bool:
    """Whether every program would write and read the cells the same way."""
    cells = [*sheet.header, *(cell for row in sheet.rows for cell in row if isinstance(cell, str))]
    return all(cell.isascii() and cell.isprintable() and len(cell) < 200 for cell in cells)
