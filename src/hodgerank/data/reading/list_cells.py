"""Cells that hold several items: a ranking best first, or the two items of a pair.

A cell is a list, the text of a list (`["a", "b"]`), or items with separators (`a > b = c`, `a;b`).
A column is read so only if all its cells that are not empty have this form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from hodgerank.data.reading.ballots import BALLOT, MOST_PAIRS
from hodgerank.data.reading.column_names import words_of
from hodgerank.data.reading.layouts import (
    LEFT,
    OUTCOME,
    RIGHT,
    ROW,
    Company,
    Layout,
    PairRows,
    accompanying,
    made_layout,
    outcome_columns,
    pair_rows,
)
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.values import numbers_rows, read_counts
from hodgerank.display import short
from hodgerank.errors import InvalidComparisons
from hodgerank.types import IntArray

# Names of columns whose lists are rankings; other lists may be tags, or in any order.
RANKING_WORDS = frozenset({
    "ranking", "rankings", "ranked", "rank", "ranks", "order", "ordering", "ordered", "ballot",
    "preferences", "preference",
})  # fmt: skip
# Names of columns in which > stands between a whole and its part, or in a condition.
PATH_WORDS = frozenset({
    "category", "categories", "path", "breadcrumb", "breadcrumbs", "taxonomy", "hierarchy", "menu",
    "section", "condition", "filter", "query", "rule", "formula", "expression",
})  # fmt: skip
LONGEST_CELL = 1 << 20  # characters
_LIST = re.compile(r"\s*[\[(].*[\])]\s*", re.DOTALL)
_TIE = re.compile(r"\s*[=~]\s*")
_OTHER_SIGNS = re.compile(r"<|[-=]>")  # arrows, markup and the like
# Two items of these names are sides of a verdict on items named elsewhere.
_SIDES = ({"a", "b"}, {"left", "right"}, {"1", "2"}, {"model_a", "model_b"})

Tiers = list[list[Any]]  # items of a cell, best first; those of one tier are tied


def tiers_in(text: str) -> Tiers | None:
    """Return the items of a text best first, tied ones together; None if it has another form.

    >>> tiers_in("a > b = c"), tiers_in("['a', 'b']"), tiers_in("a;b")
    ([['a'], ['b', 'c']], [['a'], ['b']], [['a'], ['b']])
    """
    if len(text) > LONGEST_CELL:
        return None
    if _LIST.fullmatch(text):
        return _listed(text)
    if _OTHER_SIGNS.search(text):
        return None
    if ">" in text:
        tiers = [_TIE.split(tier.strip()) for tier in text.split(">")]
    elif ";" in text:
        tiers = [[part.strip()] for part in text.rstrip("; \t").split(";")]
    else:
        tiers = [_TIE.split(text.strip())]
    is_proper = sum(map(len, tiers)) > 1 and all(item for tier in tiers for item in tier)
    return tiers if is_proper else None


def _listed(text: str) -> Tiers | None:
    """Return the items of a list in JSON or Python; a list in it is a tie."""
    import ast

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            return None
    if not isinstance(found, list | tuple):
        return None
    tiers = [list(tier) if isinstance(tier, list | tuple) else [tier] for tier in found]
    items = [item for tier in tiers for item in tier]
    if not all(isinstance(item, str | int) and not isinstance(item, bool) for item in items):
        return None
    return [[str(item) for item in tier] for tier in tiers]


class Entries(NamedTuple):
    """Items of all cells, one after the other: row from 0, item and place of each."""

    row: IntArray
    item: pl.Series
    place: IntArray


def entries_of(column: pl.Series) -> Entries | None:
    """Return the items in the cells of a column; None if a cell has another form."""
    column = column.alias("cell")
    if column.dtype == pl.String:
        return _entries_of_text(column)
    if not isinstance(column.dtype, pl.List):
        return None
    cells = column.to_frame().with_row_index("row")
    cells = cells.filter(pl.col("cell").list.len() > 0)
    inner = column.dtype.inner
    if isinstance(inner, pl.Struct):
        if {field.name for field in inner.fields} != {"item", "place"}:
            return None
        entries = cells.explode("cell").unnest("cell").rename({"item": "cell"})
    else:
        entries = cells.explode("cell").with_columns(
            pl.int_range(pl.len()).over("row").alias("place")
        )
        if isinstance(inner, pl.List):
            entries = entries.filter(pl.col("cell").list.len() > 0).explode("cell")
    items = entries["cell"]
    if not entries["place"].dtype.is_integer() or entries["place"].null_count():
        return None
    if not (items.dtype == pl.String or items.dtype.is_integer()) or items.null_count():
        return None
    return Entries(_as_integers(entries["row"]), items, _as_integers(entries["place"]))


def _as_integers(column: pl.Series) -> IntArray:
    return column.cast(pl.Int64).to_numpy()


def _entries_of_text(column: pl.Series) -> Entries | None:
    """Interpret each distinct text once."""
    text = column.fill_null("").str.strip_chars()
    distinct = text.unique(maintain_order=True)
    parsed: dict[str, Tiers] = {"": []}
    for cell in distinct.to_list():
        if cell:
            tiers = tiers_in(cell)
            if tiers is None:
                return None
            parsed[cell] = tiers
    rows: list[int] = []
    items: list[str] = []
    places: list[int] = []
    for row, cell in enumerate(text.to_list()):
        for place, tier in enumerate(parsed[cell]):
            rows += repeat(row, len(tier))
            items += tier
            places += repeat(place, len(tier))
    series = pl.Series(items, dtype=pl.String)
    return Entries(np.array(rows, np.int64), series, np.array(places, np.int64))


@dataclass(frozen=True, kw_only=True)
class RankingCells(Company):
    """One row per ballot, with the whole ranking in one cell."""

    ranking: str

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(self.ranking)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        return f"{', '.join(self.columns)}, a ranking of several items in one cell, best first"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return every pair of items of a ballot; a ballot of several voters is repeated."""
        entries = entries_of(table[self.ranking])
        if entries is None:
            raise _not_all(table[self.ranking], "rankings such as 'a > b = c'", _has_items)
        listed = pl.DataFrame({"row": entries.row, "item": entries.item})
        twice = listed.filter(listed.is_duplicated())
        if len(twice):
            row, item = twice.row(0)
            raise InvalidComparisons(f"row {row + 1}: the ranking lists {short(repr(item))} twice")
        counts = self._counts(table)
        sizes = np.bincount(entries.row, minlength=len(table))
        n_pairs = int((counts.astype(float) * sizes * (sizes - 1) / 2).sum())
        if n_pairs > MOST_PAIRS:
            raise InvalidComparisons(
                f"the ballots hold {n_pairs:,} pairs of items, more than {MOST_PAIRS:,}: select "
                "rows with --where (where=...), or draw a sample of the ballots"
            )
        if not n_pairs:
            raise InvalidComparisons(
                f"no ballot in column {self.ranking!r} lists two items: nothing is compared"
            )
        labels = entries.item
        if labels.dtype == pl.String:  # short codes: pairs repeat every name many times
            labels = labels.cast(pl.Enum(labels.unique(maintain_order=True)))
        firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
        # One entry per voter, of whom several may have given the same ballot.
        ballots = np.repeat(np.arange(len(table)), np.where(sizes > 1, counts, 0))
        parts = []
        for size in np.unique(sizes[ballots]).tolist():
            voters = np.flatnonzero(sizes[ballots] == size)
            own = ballots[voters]
            parts.append(self._part(table, entries, labels, voters, own, firsts[own], size))
        company = {part: name for part, name in self.company.items() if part != "count"}
        return pair_rows(parts, made_layout(ballot=BALLOT, **company))

    def _counts(self, table: pl.DataFrame) -> IntArray:
        if self.count is None:
            return np.ones(len(table), np.int64)
        is_own = isinstance(table[self.ranking].dtype, pl.List)
        if not is_own and numbers_rows(table[self.count]):
            return np.ones(len(table), np.int64)
        counts, is_wrong = read_counts(table[self.count])
        if is_wrong.any():
            row = int(np.flatnonzero(is_wrong)[0])
            raise InvalidComparisons(
                f"row {row + 1}: the count {short(repr(table[self.count][row]))} in column "
                f"{self.count!r} is not a whole number: correct it"
            )
        return counts

    def _part(
        self,
        table: pl.DataFrame,
        entries: Entries,
        labels: pl.Series,
        voters: IntArray,
        ballots: IntArray,
        starts: IntArray,
        size: int,
    ) -> pl.DataFrame:
        """Return the pairs of all ballots of one size, one ballot per voter."""
        first, second = (side.astype(np.int32) for side in np.triu_indices(size, 1))
        begin = starts.astype(np.int32)[:, None]  # the pairs are many: small numbers save memory
        left, right = (begin + first).ravel(), (begin + second).ravel()
        ahead = np.sign(entries.place[right] - entries.place[left]).astype(np.float64)
        row = np.repeat(ballots.astype(np.uint32), len(first))
        company = [name for part, name in self.company.items() if part != "count"]
        return pl.DataFrame(
            [
                pl.Series(ROW, row + np.uint32(1)),
                labels.gather(left).alias(LEFT),
                labels.gather(right).alias(RIGHT),
                pl.Series(OUTCOME, ahead),
                pl.Series(BALLOT, np.repeat(voters, len(first))),
                *(table[name].gather(row) for name in dict.fromkeys(company)),
            ]
        )


@dataclass(frozen=True, kw_only=True)
class PairCells(Company):
    """One row per vote, with both items in one cell, beside an outcome."""

    pair: str
    outcome: str
    others: tuple[str, ...] = ()  # columns that may be the outcome too

    @property
    def notes(self) -> tuple[str, ...]:
        """Doubts about the layout."""
        if not self.others:
            return ()
        return (
            f"{self.outcome!r} is taken as the outcome: check that it is not {self.others[0]!r}",
        )

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(self.pair, self.outcome)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        return f"{', '.join(self.columns)}, both items in one cell, left first"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return the rows with the two items apart; empty cells stay empty."""
        entries = entries_of(table[self.pair])
        sizes = np.bincount(entries.row, minlength=len(table)) if entries else np.zeros(1)
        if entries is None or not np.isin(sizes, (0, 2)).all():
            raise _not_all(table[self.pair], "two items such as 'a;b'", _has_two_items)
        first = np.flatnonzero(np.diff(entries.row, prepend=-1))
        place = pl.Series(np.where(sizes == 2, np.cumsum(sizes == 2) - 1, -1))
        place = pl.select(pl.when(place >= 0).then(place)).to_series()
        left, right = (
            entries.item.gather(first + side).gather(place).alias(name)
            for side, name in ((0, LEFT), (1, RIGHT))
        )
        others = table.select(*dict.fromkeys([self.outcome, *self.company.values()]))
        pairs = pl.DataFrame([left, right, *others.get_columns()])
        layout = Layout(
            left=LEFT, right=RIGHT, outcome=self.outcome, sides=("1", "2"), **self.company
        )
        return PairRows(pairs, layout, np.arange(1, len(table) + 1))


def _has_items(cell: pl.Series) -> bool:
    return entries_of(cell) is not None


def _has_two_items(cell: pl.Series) -> bool:
    entries = entries_of(cell)
    return entries is not None and len(entries.row) == 2


def _is_empty(cell: Any) -> bool:
    return cell is None or len(cell) == 0 or (isinstance(cell, str) and not cell.strip())


def _not_all(column: pl.Series, form: str, fits: Callable[[pl.Series], bool]) -> InvalidComparisons:
    """Return the error for a column in which later rows have another form than the first."""
    row, cell = next(
        (row, cell)
        for row, cell in enumerate(column.to_list(), start=1)
        if not _is_empty(cell) and not fits(pl.Series([cell], dtype=column.dtype))
    )
    return InvalidComparisons(
        f"row {row}: the cell {short(repr(cell))} in column {column.name!r} has another form than "
        f"the first ones, which hold {form}: correct it, or leave it empty"
    )


PAIR_WORDS = frozenset({
    "pair", "pairs", "items", "stimuli", "options", "models", "images", "candidates", "choices",
    "alternatives", "comparison", "videos", "systems", "players", "teams",
})  # fmt: skip


def find_list_cells(
    source: str, columns: Sequence[str], head: pl.DataFrame, given: ReadOptions
) -> RankingCells | PairCells | None:
    """Recognise a column of rankings, or of pairs beside an outcome, by its first cells."""
    if given.left or given.right or given.loser or given.place or given.ballot:
        return None
    roles = {name for part, name in given.columns.items() if part != "item"}
    for name in [given.item] if given.item else columns:
        if name is None or name in roles or not (form := _form(head[name])):
            continue
        if form.is_ranking and ">" in name and tiers_in(name) is not None:
            raise InvalidComparisons(
                f"{source}: the first line {short(repr(name))} is a ranking, not a header: add a "
                "header such as 'ranking'"
            )
        if given.item is None and PATH_WORDS.intersection(words_of(name)):
            continue
        free = [other for other in columns if other != name]
        outcome = given.outcome or given.winner or next(iter(outcome_columns(free)), None)
        # The name of one item may hold a semicolon: only a list or the column shows a pair.
        is_list = not isinstance(cell := head[name].drop_nulls()[0], str) or cell.startswith("[")
        may_be_pair = is_list or PAIR_WORDS.intersection(words_of(name))
        if form.is_pair and outcome is not None and may_be_pair:
            company = accompanying(columns, given, [name, outcome]).company
            others = [other for other in outcome_columns(free) if other != outcome]
            return PairCells(pair=name, outcome=outcome, others=tuple(others), **company)
        is_named = given.item is not None or RANKING_WORDS.intersection(words_of(name))
        if (form.is_ranking or is_named) and not (given.outcome or given.winner):
            return RankingCells(ranking=name, **accompanying(columns, given, [name]).company)
    return None


class _Form(NamedTuple):
    """Form of the cells of a column."""

    is_pair: bool  # two items in every cell, in no stated order
    is_ranking: bool  # the cells themselves say which item is better


def _form(column: pl.Series) -> _Form | None:
    if column.dtype == pl.String:
        # Most columns of text are ruled out by their first cell.
        first = column.drop_nulls().head(1).to_list()
        if not first or (first[0].strip() and tiers_in(first[0].strip()) is None):
            return None
    entries = entries_of(column)
    if entries is None or not len(entries.row):
        return None
    sizes = np.bincount(entries.row, minlength=len(column))
    is_nested = isinstance(column.dtype, pl.List) and isinstance(column.dtype.inner, pl.Struct)
    is_ordered = column.dtype == pl.String and bool(column.str.contains(">", literal=True).any())
    is_listed = column.dtype == pl.String and bool(column.str.contains(r"^\s*[\[(]").any())
    is_ranking = is_nested or (is_ordered and not is_listed)
    are_sides = is_ordered and {str(item).lower() for item in entries.item.unique()} in _SIDES
    is_separated = is_ranking or is_listed or _is_separated(column)
    if not is_separated:
        return None
    is_pair = not is_ranking and bool((sizes[sizes > 0] == 2).all())
    # Items are compared several times; remarks with a semicolon are mostly different.
    is_pair = is_pair and entries.item.n_unique() <= max(2, 0.75 * len(entries.row))
    return _Form(is_pair=is_pair, is_ranking=is_ranking and not are_sides)


def _is_separated(column: pl.Series) -> bool:
    """Return whether the items are in lists, or in texts with a semicolon."""
    return column.dtype != pl.String or bool(column.str.contains(";", literal=True).any())
