"""Names for items that a table refers to by id: in columns beside the ids, or in a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.column_names import words_of
from hodgerank.data.sources.open_table import open_table
from hodgerank.data.sources.table import Table
from hodgerank.data.sources.text_table import TextTable
from hodgerank.display import short
from hodgerank.errors import InvalidArgument
from hodgerank.types import Item

NAME_WORDS = ("name", "label", "title", "text", "caption", "description", "item", "model")


def labels_beside(
    items: tuple[Item, ...], columns: Sequence[tuple[pl.Series, pl.Series]]
) -> tuple[Item, ...]:
    """Return the names of items from columns beside columns of their ids.

    Ids are kept if an id has two names: then the columns hold something else.
    """
    by_id = {str(item): item for item in items}
    seen = (
        pl.concat(pl.DataFrame({"id": _text(ids), "label": _text(label)}) for ids, label in columns)
        .filter(pl.col("id").is_in(list(by_id)), pl.col("label") != "")
        .unique()
    )
    if seen["id"].n_unique() < len(seen):
        return items
    return _named(items, {by_id[name]: label for name, label in seen.iter_rows()})


def _text(column: pl.Series) -> pl.Series:
    return column.cast(pl.String, strict=False).str.strip_chars()


def read_names(path: str) -> Table:
    """Open a table of ids and names."""
    return open_table(path, encoding=None, separator=None, sheet=None)


def with_names(votes: Comparisons, table: Table) -> Comparisons:
    """Return the same votes with the names of a table; items that it lacks keep their ids."""
    names = _names_of(table, {str(item) for item in votes.items})
    unnamed = [item for item in votes.items if str(item) not in names]
    report = votes.report
    if unnamed:
        shown = ", ".join(short(str(item)) for item in unnamed[:5])
        note = f"{table.name} has no name for {len(unnamed):,} of {votes.n_items:,} items: {shown}"
        report = replace(report, notes=(*report.notes, note))
    found = {item: names[str(item)] for item in votes.items if str(item) in names}
    return replace(votes, items=_named(votes.items, found), report=report)


def _names_of(table: Table, items: set[str]) -> dict[str, str]:
    """Return the name of each id; the id column is the one that holds most items."""
    if isinstance(table, TextTable) and items.intersection(map(str.strip, table.columns)):
        table = table.without_header()
    columns = table.columns
    if len(columns) < 2:
        raise InvalidArgument(f"{table.name} needs a column of ids and a column of names")
    cells = table.rows(list(dict.fromkeys(columns)))[0]
    cells = cells.select(pl.all().cast(pl.String, strict=False).str.strip_chars())
    known = {name: len(items.intersection(cells[name].drop_nulls())) for name in cells.columns}
    ids = max(known, key=lambda name: known[name])
    if not known[ids]:
        shown = ", ".join(short(item) for item in sorted(items)[:3])
        raise InvalidArgument(
            f"{table.name} has no column with the ids of the items, such as {shown}"
        )
    others = [name for name in cells.columns if name != ids]
    by_word = {word: name for name in reversed(others) for word in words_of(name)}
    label = next((by_word[word] for word in NAME_WORDS if word in by_word), others[0])
    pairs = cells.select(id=ids, label=label).drop_nulls().filter(pl.col("label") != "")
    pairs = pairs.unique(maintain_order=True)
    twice = pairs.filter(pl.col("id").is_in(items) & pl.col("id").is_duplicated())
    if len(twice):
        raise InvalidArgument(f"{table.name} gives the id {short(twice['id'][0])} two names")
    return dict(pairs.iter_rows())


def _named(items: tuple[Item, ...], names: Mapping[Item, str]) -> tuple[Item, ...]:
    """Return items by name; the id is added where two items have the same name."""
    labels = [names.get(item, str(item)) for item in items]
    times = Counter(labels)
    unique = [
        label if times[label] == 1 else f"{label} ({item})"
        for item, label in zip(items, labels, strict=True)
    ]
    return tuple(unique) if len(set(unique)) == len(unique) else items
