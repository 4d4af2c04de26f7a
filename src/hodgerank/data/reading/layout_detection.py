"""Detect the layout of a table by its column names and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from hodgerank.data.reading.ballots import LongBallots, find_choices, find_rankings
from hodgerank.data.reading.column_names import words_of
from hodgerank.data.reading.count_tables import find_tallies, find_win_matrix
from hodgerank.data.reading.layouts import Layout, Shape, pair_layout
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.suggestions import cannot_be_recognised, is_pattern, no_such_column
from hodgerank.data.reading.values import number, numbers
from hodgerank.data.sources.table import Table
from hodgerank.data.sources.text_table import TextTable
from hodgerank.errors import InvalidComparisons

# Columns of published files that no other table has; shapes are imported when they may be needed.
PUBLISHED = frozenset({"generator_1", "g1_winner", "games"})
# Columns of these words hold what was compared rather than its name.
TEXT_WORDS = frozenset({
    "output", "response", "answer", "completion", "text", "generation", "reply", "summary",
    "translation", "story", "essay", "passage", "document", "sentence", "continuation",
})  # fmt: skip
# Options that name columns beside the votes; others say which columns hold the items.
ACCOMPANYING = frozenset({"worker", "weight", "time", "count", "group", "unit"})
LOOKED_AT = 2000  # rows inspected for the values of columns; also the most items of a matrix


class DetectedLayout(NamedTuple):
    """A table, with or without a header, and its layout."""

    table: Table
    shape: Layout | Shape
    notes: tuple[str, ...] = ()


def detect_layout(table: Table, given: ReadOptions) -> DetectedLayout:
    """Detect the layout, or raise an error that proposes options that fit the columns."""
    if given.header is False:
        return _without_header(table, given)
    columns = table.columns
    for name in given.columns.values():
        if name not in columns:
            raise no_such_column(table.name, name, columns)
    if given.loser and not given.winner:
        raise InvalidComparisons(f"{table.name}: --loser also needs --winner")
    found = _pair_columns(table, given) or _by_names(columns, given)
    if isinstance(found, Layout) and not (given.left or given.right):
        found = _with_labels(found, table, given)
    if found is None or (isinstance(found, LongBallots) and not _has_places(table, found)):
        found = _by_cells(table, given) or found
    if found is not None:
        _require_one_part_each(found, given, table.name)
        return DetectedLayout(table, found, getattr(found, "notes", ()))
    if not given.columns and len(columns) <= LOOKED_AT and not _duplicates(columns):
        head = table.head(columns, LOOKED_AT)
        is_flat = len(table.flat(columns)) == len(columns)
        matrix = find_win_matrix(columns, head, len(head)) if is_flat else None
        if matrix is not None:
            return DetectedLayout(table, matrix)
        _refuse_numbered_pairs(table.name, columns, head)
    if not given.columns and isinstance(table, TextTable) and _is_data(table):
        return _without_header(table, given)
    raise cannot_be_recognised(table, given)


def _published(columns: list[str], given: ReadOptions) -> Shape | None:
    if PUBLISHED.isdisjoint(columns):
        return None
    from hodgerank.data.reading.judgment_files import find_judgments

    return find_judgments(columns, given)


def _with_labels(layout: Layout, table: Table, given: ReadOptions) -> Layout:
    """Return the layout with the columns that name the items, if it took their long texts."""
    if TEXT_WORDS.isdisjoint(words_of(layout.left)):
        return layout
    from hodgerank.data.reading.judgment_files import prefer_labels

    return prefer_labels(layout, table, given)


def _refuse_numbered_pairs(source: str, columns: list[str], head: pl.DataFrame) -> None:
    from hodgerank.data.reading.pair_columns import refuse_numbered_pairs

    refuse_numbered_pairs(source, columns, head)


def _pair_columns(table: Table, given: ReadOptions) -> Shape | None:
    """Recognise one column per pair; the names decide whether any value is inspected."""
    columns = table.columns
    may_name_pairs = sum(not name.isalnum() for name in columns) >= 3
    if not may_name_pairs or len(columns) > LOOKED_AT or not given.columns.keys() <= ACCOMPANYING:
        return None
    from hodgerank.data.reading.pair_columns import find_pair_columns, named_pairs

    pairs = {pair.column for pair in named_pairs(columns)}
    others = [name for name in columns if name not in pairs]
    if not pairs or _duplicates(columns) or _by_names(others, given) is not None:
        return None
    return find_pair_columns(table.name, columns, table.head(columns, LOOKED_AT), given)


def _has_places(table: Table, found: LongBallots) -> bool:
    """Return whether the places are numbers, not rankings in one cell."""
    if _duplicates(table.columns):
        return True
    return bool(numbers(table.head([found.place], LOOKED_AT)[found.place]).is_not_null().any())


def _by_cells(table: Table, given: ReadOptions) -> Shape | None:
    """Recognise cells that hold several items."""
    columns = table.columns
    if len(columns) > LOOKED_AT or _duplicates(columns):
        return None
    from hodgerank.data.reading.list_cells import find_list_cells

    usable = [name for name in columns if not is_pattern(name)]
    return find_list_cells(table.name, usable, table.head(usable, LOOKED_AT), given)


def _by_names(columns: list[str], given: ReadOptions) -> Layout | Shape | None:
    if given.item or given.place or given.ballot:
        return find_rankings(columns, given)
    return (
        _published(columns, given)
        or find_choices(columns, given)  # the first two of several columns are not a pair
        or find_tallies(columns, given)
        or pair_layout(columns, given)
        or find_rankings(columns, given)
    )


def _require_one_part_each(shape: Layout | Shape, given: ReadOptions, source: str) -> None:
    """Return whether no column has two roles; judges and samplers may be the items compared."""
    parts = Counter(shape.parts)
    may_be_groups = (getattr(shape, "worker", None), getattr(shape, "asked_by", None))
    if given.group in parts and given.group not in may_be_groups:
        parts[str(given.group)] += 1
    pattern = next((name for name in shape.columns if is_pattern(name)), None)
    if pattern is not None:
        raise InvalidComparisons(f"{source}: a column cannot be called {pattern!r}: rename it")
    twice = next((name for name, times in parts.items() if times > 1), None)
    if twice is not None:
        raise InvalidComparisons(
            f"{source}: column {twice!r} cannot have two roles: name another column"
        )


def _duplicates(columns: list[str]) -> bool:
    return len(set(columns)) < len(columns)


def _is_data(table: TextTable) -> bool:
    """Return whether the first line is not a header: it holds a number, or items of later lines."""
    if any(number(name) == number(name) for name in table.columns):
        return True
    body = table.without_header()
    first_two = body.columns[:2]
    if len(first_two) < 2:
        return False
    rows = body.head(first_two, LOOKED_AT)[1:]
    below = {str(value).strip() for name in first_two for value in rows[name]}
    return all(name.strip() in below for name in table.columns[:2])


def _without_header(table: Table, given: ReadOptions) -> DetectedLayout:
    """Take columns 1, 2, 3 ... as left, right, outcome and worker, or winner and loser."""
    if not isinstance(table, TextTable):
        raise InvalidComparisons(
            f"{table.name} has named columns: leave out --no-header (header=False)"
        )
    body = table.without_header()
    columns = body.columns
    if given.columns:
        for name in given.columns.values():
            if name not in columns:
                raise no_such_column(table.name, name, columns)
        layout = pair_layout(columns, given)
    elif len(columns) == 2:
        layout = Layout(left="1", right="2", display_known=False)
    elif len(columns) in (3, 4):
        layout = Layout(left="1", right="2", outcome="3", worker="4" if len(columns) == 4 else None)
    else:
        layout = None
    if layout is None:
        raise InvalidComparisons(
            f"{table.name} has no header: give its columns by number, e.g. --no-header --left 1 "
            f"--right 2 --outcome 3 (header=False, left='1', ...); it has {len(columns)}"
        )
    _require_one_part_each(layout, given, table.name)
    parts = "the winner, the loser" if layout.outcome is None else "left, right, outcome"
    parts += ", worker" if layout.worker else ""
    note = f"no header found: columns {', '.join(layout.columns)} are taken as {parts}"
    return DetectedLayout(body, layout, (note,))


GROUP_WORDS = frozenset({
    "topic", "scene", "track", "attribute", "prompt", "category", "task", "question",
    "criterion", "criteria", "dimension", "aspect", "content", "reference", "source", "dataset",
    "domain", "group", "genre", "language", "block", "round", "contest", "class", "theme",
})  # fmt: skip
MOST_GROUPS = 200
FEW_ROWS = 200_000  # in which every column is inspected


def group_candidates(unused: Sequence[str], n_rows: int) -> list[str]:
    """Return the columns to inspect: those named like groups, and all of a small table."""
    if n_rows <= FEW_ROWS:
        return list(unused)
    return [name for name in unused if GROUP_WORDS.intersection(words_of(name))]


def point_out_groups(pairs: pl.DataFrame, layout: Layout, unused: pl.DataFrame) -> list[str]:
    """Return a note on the first column that seems to hold groups."""
    for name in unused.columns:
        column = unused[name].alias("group")
        if not (column.dtype == pl.String or column.dtype.is_integer()):
            continue
        n_values = column.drop_nulls().n_unique()
        if not 2 <= n_values <= min(MOST_GROUPS, max(2, len(column) // 2)):
            continue
        is_named_so = bool(GROUP_WORDS.intersection(words_of(name)))
        if is_named_so or _splits_items(pairs, layout, column):
            return [
                f"column {name!r} looks like {n_values:,} groups, which are pooled here: rank "
                f"each group separately with --by {name} (group={name!r})"
            ]
    return []


def _splits_items(pairs: pl.DataFrame, layout: Layout, column: pl.Series) -> bool:
    """Return whether no item is in two groups."""
    sides = [
        pl.DataFrame({"item": pairs[name].cast(pl.String), "group": column})
        for name in (layout.left, layout.right)
    ]
    seen = pl.concat(sides).drop_nulls()
    per_item = seen.group_by("item").agg(pl.col("group").n_unique())
    comes_again = len(seen) >= 2 * len(per_item)  # an item seen once is in one group anyway
    return len(per_item) > 3 and comes_again and bool((per_item["group"] == 1).all())
