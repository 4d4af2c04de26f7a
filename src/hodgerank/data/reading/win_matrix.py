"""WinMatrix: a square table of how often the item of the row beat the item of the column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hodgerank.data.reading.numerals import numbers
from hodgerank.data.reading.shapes import (
    COUNT,
    LEFT,
    OUTCOME,
    RIGHT,
    ROW,
    PairRows,
    made_layout,
    pair_rows,
)
from hodgerank.errors import InvalidComparisons
from hodgerank.types import FloatArray


@dataclass(frozen=True, kw_only=True)
class WinMatrix:
    """Items name the columns, and the rows too if there is a column of names."""

    names: str | None
    items: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        """The columns to read, each once."""
        return [*([self.names] if self.names is not None else []), *self.items]

    @property
    def parts(self) -> list[str]:
        """The columns by the parts they play; none may play two."""
        return self.columns

    def __str__(self) -> str:
        """The shape as the reading report names it."""
        return f"a square matrix, how often the row beat the column of {len(self.items):,} items"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Rows (winner, loser, count); two halves facing each other are a tie."""
        items = [name.strip() for name in self.items]
        place_of = {name: k for k, name in enumerate(items)}
        rows = items if self.names is None else [str(v).strip() for v in table[self.names]]
        order = [place_of[name] for name in rows]
        wins = np.column_stack([numbers(table[name]).to_numpy() for name in self.items])
        beats = np.zeros((len(self.items), len(self.items)))
        beats[order] = np.nan_to_num(wins, nan=0.0)
        np.fill_diagonal(beats, 0.0)
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


def _without_halves(beats: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Whole wins, and ties that were counted as half a win each."""
    whole = np.floor(beats)
    half = beats - whole
    if not ((beats >= 0).all() and np.isin(half, (0.0, 0.5)).all() and (half == half.T).all()):
        raise InvalidComparisons(
            "the matrix does not count wins: its cells are whole numbers from 0, or end in .5 on "
            "both sides of the diagonal where a tie is half a win each"
        )
    return whole, half * 2


def find_win_matrix(columns: Sequence[str], head: pl.DataFrame, n_rows: int) -> WinMatrix | None:
    """The matrix of a table with as many rows as items, each a column and a row."""
    if n_rows < 2:
        return None
    if len(columns) == n_rows and len(set(columns)) == n_rows and _all_numbers(head, columns):
        return WinMatrix(names=None, items=tuple(columns))
    if len(columns) != n_rows + 1:
        return None
    first, *items = columns
    names = [str(value).strip() for value in head[first]]
    is_square = len(set(names)) == n_rows and set(names) == {name.strip() for name in items}
    if is_square and _all_numbers(head, items):
        return WinMatrix(names=first, items=tuple(items))
    return None


def _all_numbers(table: pl.DataFrame, columns: Sequence[str]) -> bool:
    """Whether the cells are numbers or empty; that no item meets itself may be said by a dash."""
    for name in columns:
        cells = table[name].cast(pl.String).alias("cells").str.strip_chars()
        read = numbers(table[name])
        is_empty = cells.is_null() | cells.is_in(["", "-", "–", "x"])
        if not (read.is_not_null() | is_empty).all() or read.is_null().all():
            return False
    return True
