"""Tables of counts: one row per pair with the wins of each side, or a square matrix of wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hodgerank.data.reading.column_names import (
    TIES,
    item_pairs,
    named_pair,
    tally_pairs,
    words_of,
)
from hodgerank.data.reading.layouts import (
    COUNT,
    LEFT,
    OUTCOME,
    RIGHT,
    ROW,
    Company,
    PairRows,
    accompanying,
    made_layout,
    pair_rows,
)
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.values import numbers, whole_numbers
from hodgerank.data.vote_columns import SIDES
from hodgerank.errors import InvalidComparisons
from hodgerank.types import FloatArray


@dataclass(frozen=True, kw_only=True)
class Tallies(Company):
    """Columns with the numbers of wins and ties; a single 1 in a row is one vote."""

    left: str
    right: str
    wins_left: str
    wins_right: str
    ties: str | None = None

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(self.left, self.right, self.wins_left, self.wins_right, self.ties)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        return ", ".join(self.columns)

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return a row for each side that won at least once, or one without a vote.

        Cells that are not numbers are kept, to be reported later.
        """
        table = table.with_row_index(ROW, 1)
        parts, is_answered, largest = [], np.zeros(len(table), bool), 0.0
        for name, outcome in ((self.wins_left, 1.0), (self.wins_right, -1.0), (self.ties, 0.0)):
            if name is None:
                continue
            cells, counts = (
                table[name].cast(pl.String).str.strip_chars(),
                whole_numbers(table[name]),
            )
            is_counted = ~(cells.is_null() | (cells == "") | (counts == 0).fill_null(value=False))
            text = pl.select(pl.coalesce(counts.cast(pl.String), cells)).to_series()
            parts.append(self._part(table, outcome, text).filter(is_counted))
            is_answered |= is_counted.to_numpy()
            largest = max(largest, float(counts.max() or 0.0))  # type: ignore[arg-type]
        one = pl.repeat("1", len(table), eager=True)
        parts.append(self._part(table, None, one).filter(~is_answered))
        others = {part: name for part, name in self.company.items() if part != "count"}
        # Counts of several votes do not record the display order of each.
        return pair_rows(parts, made_layout(count=COUNT, display_known=largest <= 1, **others))

    def _part(self, table: pl.DataFrame, outcome: float | None, counts: pl.Series) -> pl.DataFrame:
        return table.select(
            ROW,
            pl.col(self.left).alias(LEFT),
            pl.col(self.right).alias(RIGHT),
            pl.lit(outcome, pl.Float64).alias(OUTCOME),
            counts.alias(COUNT),
            *dict.fromkeys(self.company.values()),
        )


def find_tallies(columns: Sequence[str], given: ReadOptions) -> Tallies | None:
    """Recognise a table of counts: left, right, wins_left, wins_right."""
    if given.outcome or given.winner:
        return None
    known, unknown = item_pairs(columns)
    pairs = [*known, *unknown]
    if given.left and given.right:
        pair = named_pair(given.left, given.right)
    elif pairs:
        pair = pairs[0]
    else:
        return None
    left, right = pair.left, pair.right
    sides = {pair.sides, ("ij", "ji")} if pair.sides == ("i", "j") else {pair.sides}
    tallies = [p for p in tally_pairs(columns) if not {p.left, p.right} & {left, right}]
    if given.left and given.right and pair.sides not in SIDES:
        sides = {p.sides for p in tallies}  # columns that the caller named differ in no side
    counts = next((p for p in tallies if p.sides in sides), None)
    if counts is None:
        return None
    taken = [left, right, counts.left, counts.right]
    ties = next((c for c in columns if TIES.intersection(words_of(c)) and c not in taken), None)
    company = accompanying(columns, given, [*taken, *([ties] if ties else [])]).company
    company.pop("count", None)
    return Tallies(
        left=left, right=right, wins_left=counts.left, wins_right=counts.right, ties=ties, **company
    )


@dataclass(frozen=True, kw_only=True)
class WinMatrix:
    """Square matrix of wins: items are the columns, and the rows if there is a column of names."""

    names: str | None
    items: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """Columns to read, each once."""
        return [*([self.names] if self.names is not None else []), *self.items]

    @property
    def parts(self) -> list[str]:
        """Columns by role; none may have two roles."""
        return self.columns

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        what = "losses of the row to" if self.are_losses else "wins of the row over"
        return f"square matrix of {len(self.items):,} items, {what} the column"

    @property
    def are_losses(self) -> bool:
        """Whether the corner of the matrix says that it counts losses."""
        return not LOSSES.isdisjoint(words_of(self.names or ""))

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return rows (winner, loser, count); half a win for both sides is a tie."""
        items = [name.strip() for name in self.items]
        place_of = {name: k for k, name in enumerate(items)}
        rows = items if self.names is None else [str(v).strip() for v in table[self.names]]
        order = [place_of[name] for name in rows]
        wins = np.column_stack([numbers(table[name]).to_numpy() for name in self.items])
        beats = np.zeros((len(self.items), len(self.items)))
        beats[order] = np.nan_to_num(wins, nan=0.0)
        if beats.diagonal()[[item.lower() not in SUMS for item in items]].any():
            raise InvalidComparisons(
                "the diagonal of the matrix is not empty, so it does not hold wins of one item "
                "over another: is it a confusion matrix?"
            )
        np.fill_diagonal(beats, 0.0)
        beats = beats.T if self.are_losses else beats
        for k, item in enumerate(items):
            others = np.arange(len(items)) != k
            if _is_sum(item, beats[k, others], beats[np.ix_(others, others)]):
                beats[k], beats[:, k] = 0.0, 0.0
        if len(items) > 2 and (beats == beats.T).all():
            raise InvalidComparisons(
                "the matrix is symmetric, so it shows no preference: does it hold distances or "
                "correlations? Wins of the row over the column are needed"
            )
        whole, ties = _without_halves(beats)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(1, len(order) + 1)
        parts = []
        for counts, outcome in ((whole, 1.0), (np.triu(ties), 0.0)):
            winner, loser = np.nonzero(counts)
            parts.append(
                pl.DataFrame(
                    {
                        ROW: place[winner].astype(np.uint32),
                        LEFT: [items[k] for k in winner],
                        RIGHT: [items[k] for k in loser],
                        OUTCOME: np.full(len(winner), outcome),
                        COUNT: counts[winner, loser],
                    },
                    schema_overrides={LEFT: pl.String, RIGHT: pl.String},
                )
            )
        return pair_rows(parts, made_layout(count=COUNT))


LOSSES = frozenset({"loss", "losses", "lost", "defeats"})
SUMS = frozenset({"total", "totals", "sum", "sums", "all"})


def _is_sum(item: str, row: FloatArray, others: FloatArray) -> bool:
    """Return whether a row of a matrix is called a sum, and is the sum of the other rows."""
    return item.lower() in SUMS and np.allclose(row, others.sum(axis=0))


def _without_halves(beats: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split cells into whole wins, and ties counted as half a win for each side."""
    whole = np.floor(beats)
    half = beats - whole
    if not ((beats >= 0).all() and np.isin(half, (0.0, 0.5)).all() and (half == half.T).all()):
        raise InvalidComparisons(
            "the matrix does not count wins: cells must be whole numbers from 0, or end in .5 on "
            "both sides of the diagonal if a tie is half a win each"
        )
    return whole, half * 2


def find_win_matrix(columns: Sequence[str], head: pl.DataFrame, n_rows: int) -> WinMatrix | None:
    """Recognise a matrix with as many rows as items, each a column and a row."""
    if n_rows < 2:
        return None
    if len(columns) == n_rows and len(set(columns)) == n_rows and _all_numbers(head, columns):
        diagonal = [numbers(head[name])[k] for k, name in enumerate(columns)]
        return None if any(diagonal) else WinMatrix(names=None, items=tuple(columns))
    if len(columns) != n_rows + 1:
        return None
    first, *items = columns
    names = [str(value).strip() for value in head[first]]
    is_square = len(set(names)) == n_rows and set(names) == {name.strip() for name in items}
    if is_square and _all_numbers(head, items):
        return WinMatrix(names=first, items=tuple(items))
    return None


def _all_numbers(table: pl.DataFrame, columns: Sequence[str]) -> bool:
    """Return whether the cells are numbers or empty; the diagonal may hold dashes."""
    for name in columns:
        cells = table[name].cast(pl.String).alias("cells").str.strip_chars()
        read = numbers(table[name])
        is_empty = cells.is_null() | cells.is_in(["", "-", "–", "x"])
        if not (read.is_not_null() | is_empty).all() or read.is_null().all():
            return False
    return True
