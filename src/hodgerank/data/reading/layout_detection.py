"""Detect the layout of a table by its column names and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple, cast

import polars as pl

from hodgerank.data.reading.ballots import (
    LongBallots,
    WideBallots,
    find_choices,
    find_rankings,
    find_rated_items,
)
from hodgerank.data.reading.column_names import ITEM_WORDS, decided_pairs, item_pairs, words_of
from hodgerank.data.reading.column_values import (
    are_repeated,
    is_numeric,
    may_be_outcome,
    objection,
    prefer_labels,
)
from hodgerank.data.reading.count_tables import Tallies, find_tallies, find_win_matrix
from hodgerank.data.reading.derived_columns import Derived, DerivedTable, with_derived_columns
from hodgerank.data.reading.layouts import (
    Layout,
    Shape,
    outcome_columns,
    pair_layout,
    pair_layouts,
)
from hodgerank.data.reading.options import PLAIN_SCALE, ReadOptions
from hodgerank.data.reading.values import number, numbers
from hodgerank.data.sources.table import Table
from hodgerank.data.sources.text_table import TextTable
from hodgerank.data.vote_columns import BALLOTS, LAYOUTS, MARGIN_UNITS
from hodgerank.display import short
from hodgerank.errors import InvalidComparisons, did_you_mean

# Columns of published files that no other table has; shapes are imported when they may be needed.
PUBLISHED = frozenset({"generator_1", "g1_winner", "games"})
# Columns of these words hold what was compared rather than its name.
TEXT_WORDS = frozenset({
    "output", "response", "answer", "completion", "text", "generation", "reply", "summary",
    "translation", "story", "essay", "passage", "document", "sentence", "continuation",
})  # fmt: skip
# Options that name columns beside the votes; others say which columns hold the items.
ACCOMPANYING = frozenset({"worker", "weight", "time", "count", "group", "unit"})
LOOKED_AT = 2000  # rows on which layouts and options are tried; also the most items of a matrix


VAGUE_COUNTS = frozenset({"n", "count", "counts"})
ITEMS = frozenset({"left", "right", "winner", "loser"})  # columns of items that a caller names


class NotRecognised(InvalidComparisons):
    """The layout of a table was not recognised.

    Attributes
    ----------
    table
        The table.
    reason
        Why its values contradict the layout that its names show, if they show one.
    """

    def __init__(self, table: Table, reason: str | None = None) -> None:
        self.table, self.reason = table, reason
        super().__init__(f"{table.name}: the layout was not recognised")


class DetectedLayout(NamedTuple):
    """A table, with or without a header, and its layout.

    `others` are layouts with the same items whose outcome is in another column.
    """

    table: Table
    shape: Layout | Shape
    notes: tuple[str, ...] = ()
    others: tuple[Layout, ...] = ()


def detect_layout(table: Table, given: ReadOptions) -> DetectedLayout:
    """Detect the layout, or raise `NotRecognised`."""
    if given.header is False:
        return _without_header(table, given)
    table = with_derived_columns(table, given)
    columns = table.columns
    for name in given.columns.values():
        if name not in columns:
            raise no_such_column(table.name, name, columns)
    if given.loser and not given.winner:
        raise InvalidComparisons(f"{table.name}: --loser also needs --winner")
    doubt = None
    for found in _shapes(table, given):
        _require_one_part_each(found, given, table.name)
        detected = _with_difference(table, found)._replace(notes=getattr(found, "notes", ()))
        is_certain = given.columns.keys() & ITEMS or _is_written(found)
        detected = _with_ballots(detected)
        objects = None if is_certain else _objection(detected)
        if objects is None:
            return detected._replace(others=_with_other_outcomes(found, columns, given))
        doubt = doubt or objects
    if not given.columns and len(columns) <= LOOKED_AT and not _duplicates(columns):
        head = table.head(columns, LOOKED_AT)
        matrix = None if table.nested else find_win_matrix(columns, head, len(head))
        if matrix is not None:
            return DetectedLayout(table, matrix)
        _refuse_numbered_pairs(table.name, columns, head)
    if not given.columns and isinstance(table, TextTable) and _is_data(table):
        return _without_header(table, given)
    raise NotRecognised(table, doubt)


def _published(columns: list[str], given: ReadOptions) -> Shape | None:
    if PUBLISHED.isdisjoint(columns):
        return None
    from hodgerank.data.reading.judgment_files import find_judgments

    return find_judgments(columns, given)


def _with_labels(layout: Layout, table: Table, given: ReadOptions) -> Layout:
    """Return the layout with the columns that name the items, if it took their long texts."""
    if TEXT_WORDS.isdisjoint(words_of(layout.left)):
        return layout
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
    if not pairs or _duplicates(columns) or next(_by_names(others, given), None) is not None:
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


def _shapes(table: Table, given: ReadOptions) -> Iterator[Layout | Shape]:
    """Yield layouts that names and cells show, the likeliest first."""
    pairs = _pair_columns(table, given)
    if pairs is not None:
        yield pairs
    without_places = []
    for found in _by_names(table.columns, given):
        if isinstance(found, LongBallots) and not _has_places(table, found):
            without_places.append(found)
        elif isinstance(found, Layout) and not (given.left or given.right):
            yield _with_labels(found, table, given)
        else:
            yield found
    cells = _by_cells(table, given)
    yield from without_places if cells is None else [cells]


def _with_difference(table: Table, shape: Layout | Shape) -> DetectedLayout:
    """Complete a layout whose outcome is the difference of two columns."""
    if not isinstance(shape, Layout) or shape.outcome is None:
        return DetectedLayout(table, shape)
    if shape.difference is not None:  # found by the names of the columns
        column = Derived(shape.outcome, shape.difference, is_difference=True)
        return DetectedLayout(DerivedTable(table, (column,)), shape)
    named = [c for c in getattr(table, "derived", ()) if c.name == shape.outcome]
    if not named:
        return DetectedLayout(table, shape)
    return DetectedLayout(
        table, replace(shape, difference=named[0].parts, scale=shape.scale or PLAIN_SCALE)
    )


def _with_other_outcomes(
    found: Layout | Shape, columns: list[str], given: ReadOptions
) -> tuple[Layout, ...]:
    """Return the layouts that differ from one in the outcome column only."""
    if not isinstance(found, Layout) or found.outcome is None or _is_written(found):
        return ()
    others = (o for o in pair_layouts(columns, given) if o.outcome and o.difference is None)
    return tuple(o for o in others if o.left == found.left and o.outcome != found.outcome)


def no_such_column(source: str, name: str, columns: Sequence[str]) -> InvalidComparisons:
    """Return the error for a column that does not exist."""
    return InvalidComparisons(
        f"{source}: there is no column {short(repr(name))}{did_you_mean(name, columns)}. The "
        f"columns are {listed(columns)}"
    )


def is_pattern(name: str) -> bool:
    """Return whether polars would take the name of a column for several columns."""
    return name == "*" or (name.startswith("^") and name.endswith("$"))


def listed(columns: Sequence[str], most: int = 20) -> str:
    """List names of columns, but not too many."""
    more = f", ... ({len(columns):,} in all)" if len(columns) > most else ""
    return ", ".join(name[:40] for name in columns[:most]) + more


def _by_names(columns: list[str], given: ReadOptions) -> Iterator[Layout | Shape]:
    """Yield the layouts that the names of the columns show, the likeliest first."""
    if given.item or given.place or given.ballot:
        found: Iterable[Layout | Shape | None] = [find_rankings(columns, given)]
    else:
        written = _as_written(columns, given)
        found = chain(
            pair_layouts(columns, written) if written else (),
            [_published(columns, given)],
            # the first two of several columns are not a pair
            (find(columns, given) for find in (find_choices, find_rated_items)),
            # beside an outcome, counts are those of something else
            (find_tallies(columns, given) for _ in [0] if not outcome_columns(columns)),
            pair_layouts(columns, given),
            (find(columns, given) for find in (find_tallies, find_rankings)),
        )
    return (shape for shape in found if shape is not None)


def _as_written(columns: list[str], given: ReadOptions) -> ReadOptions | None:
    """Return options for a table with the columns that we write; others may look like anything.

    Two columns of items take precedence over winner and loser: they may be the display order.
    """
    if any((given.left, given.right, given.outcome, given.margin, given.winner, given.loser)):
        return None
    for name, layout in LAYOUTS.items():
        if not set(layout.names) <= set(columns):
            continue
        if name == "margins":
            others = outcome_columns([name for name in columns if name not in layout.names])
            is_ours = not set(MARGIN_UNITS).isdisjoint(columns)
            if not is_ours and (others or decided_pairs(columns)):
                continue  # margins beside another outcome
            return replace(given, left=layout.left, right=layout.right, margin=layout.outcome)
        if layout.outcome is not None:
            return replace(given, left=layout.left, right=layout.right, outcome=layout.outcome)
        if not item_pairs(columns)[0]:
            return replace(given, winner=layout.left, loser=layout.right)
    return None


def _with_ballots(detected: DetectedLayout) -> DetectedLayout:
    """Return a table that we wrote with the column of its ballots."""
    table, shape, *_ = detected
    is_ours = isinstance(shape, Layout) and (_is_written(shape) or shape.left == "winner")
    (name,) = BALLOTS
    if not is_ours or table.is_lazy or table.columns.count(name) != 1:
        return detected
    if not is_numeric(table.head([name], LOOKED_AT)[name]):
        return detected
    return detected._replace(shape=replace(cast(Layout, shape), ballot=name))


def _is_written(shape: Layout | Shape) -> bool:
    """Return whether a table has exactly the columns of left, right and outcome that we write."""
    if not isinstance(shape, Layout) or shape.outcome is None:
        return False
    names = (shape.left, shape.right, shape.outcome)
    return any(names == layout.names for layout in LAYOUTS.values())


def _objection(detected: DetectedLayout) -> str | None:
    """Return why the values contradict a layout that names show, if they do."""
    table, shape, *_ = detected
    if isinstance(shape, Layout):
        return objection(table, shape)
    if isinstance(shape, Tallies):
        is_vague = VAGUE_COUNTS.intersection(words_of(shape.wins_left)) and not table.is_lazy
        if is_vague and are_repeated(table.head([shape.left, shape.right], LOOKED_AT)):
            return (
                f"{shape.wins_left} may count something other than wins: the same pairs occur in "
                "several rows"
            )
        return objection(table, Layout(left=shape.left, right=shape.right))
    if isinstance(shape, WideBallots) and not table.is_lazy:
        others = [name for name in table.columns if name not in shape.columns]
        names = [name for name in others if not set(ITEM_WORDS).isdisjoint(words_of(name))]
        names += [pair.left for pair in chain(*item_pairs(others))]
        ranks = table.head(list(shape.ranks), LOOKED_AT)
        if names and all(map(is_numeric, ranks)):
            return f"{shape.ranks[0]} holds numbers, while {names[0]} may name the items"
        if all(map(is_numeric, ranks)) and any(len(set(row)) < len(row) for row in ranks.rows()):
            return f"{shape.ranks[0]} and the other ranks hold equal numbers, not items"
        return objection(table, Layout(left=shape.ranks[0], right=shape.ranks[1]))
    return None


def _require_one_part_each(shape: Layout | Shape, given: ReadOptions, source: str) -> None:
    """Raise an error if a column has two roles; judges and samplers may be the items compared."""
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
    body = with_derived_columns(table.without_header(), given)
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
    if layout is not None and not given.columns and layout.outcome is not None:
        guessed = body.head([layout.right, layout.outcome], LOOKED_AT)
        is_outcome = may_be_outcome(guessed[layout.outcome], guessed[layout.right])
        layout = layout if is_outcome else None
    if layout is None:
        raise InvalidComparisons(
            f"{table.name} has no header, and its columns do not show their roles: give them by "
            f"number, from 1 to {len(columns)}: --no-header --left N --right N --outcome N "
            "(header=False, left='N', ...)"
        )
    _require_one_part_each(layout, given, table.name)
    parts = "the winner, the loser" if layout.outcome is None else "left, right, outcome"
    parts += ", worker" if layout.worker else ""
    note = f"no header found: columns {', '.join(layout.columns)} are taken as {parts}"
    return _with_difference(body, layout)._replace(notes=(note,))
