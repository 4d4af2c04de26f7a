"""Lists of items and of pairs on disk."""

from __future__ import annotations

import re
from pathlib import Path

from hodgerank.data.sources.files import open_file
from hodgerank.errors import InvalidComparisons, UnknownItem
from hodgerank.types import Item

HEADERS = ("item", "items", "name", "id", "model", "option", "title", "label", "object")


def read_items(path: Path) -> list[Item] | None:
    """The items of a file that lists them, or None where it holds votes.

    One per line in a .txt; a table with one column, whose header is an item too unless it is a
    usual name for a column; or a table with a column called item, such as a written ranking.
    """
    if str(path) == "-":
        return None
    if path.suffix.lower() == ".txt" and path.is_file():
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise InvalidComparisons(f"{path} is not UTF-8 text: {error.reason}") from None
        if lines and "\t" in lines[0]:
            return None  # a table of votes
        return _typed([line.strip() for line in lines if line.strip()], path)
    raw = open_file(path)
    if len(raw.columns) > 1 and "item" not in raw.columns:
        return None
    column = raw.columns[0] if len(raw.columns) == 1 else "item"
    table, _ = raw.rows([column])
    first = [] if column.lower() in HEADERS else [column]
    return _typed([*first, *(str(value).strip() for value in table[column].drop_nulls())], path)


def read_pairs(path: Path, items: tuple[Item, ...]) -> list[tuple[Item, Item]]:
    """Pairs of known items from a table whose columns are left and right, or its first two.

    A header of two items is a pair.
    """
    raw = open_file(path)
    if len(raw.columns) < 2:
        raise InvalidComparisons(f"{path}: pairs need two columns, left and right")
    names = ["left", "right"] if {"left", "right"} <= set(raw.columns) else raw.columns[:2]
    table, _ = raw.rows(names)
    known = {str(item): item for item in items}
    rows = [(str(a).strip(), str(b).strip()) for a, b in table.rows()]
    if set(names) <= known.keys():
        rows.insert(0, (names[0], names[1]))
    if not rows:
        raise InvalidComparisons(f"{path}: there are no pairs, only a header")
    for name in (name for row in rows for name in row):
        if name not in known:
            raise InvalidComparisons(f"{path}: {UnknownItem(name, items)}")
    return [(known[a], known[b]) for a, b in rows]


def match_item(name: Item, items: tuple[Item, ...]) -> Item:
    """The item of that name, whatever its type; the name itself if there is none."""
    return next((item for item in items if str(item) == str(name)), name)


def _typed(names: list[str], path: Path) -> list[Item]:
    distinct = list(dict.fromkeys(names))
    if len(distinct) < len(names):
        twice = next(name for name in distinct if names.count(name) > 1)
        raise InvalidComparisons(f"{path}: the item {twice!r} is listed twice")
    if distinct and all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) for name in distinct):
        return [int(name) for name in distinct]
    return list(distinct)
