"""Tallies: a row per pair, with columns that count how often each side won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hodgerank.data.reading.column_names import TIES, item_pairs, tally_pairs, words_of
from hodgerank.data.reading.layouts import Company, accompanying, each_once
from hodgerank.data.reading.numerals import numbers
from hodgerank.data.reading.options import ReadOptions
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


@dataclass(frozen=True, kw_only=True)
class Tallies(Company):
    """How often left won, right won, and neither did; a single 1 in a row is one answer."""

    left: str
    right: str
    wins_left: str
    wins_right: str
    ties: str | None = None

    @property
    def parts(self) -> list[str]:
        """The columns by the parts they play, the group apart; none may play two."""
        return self.with_company(self.left, self.right, self.wins_left, self.wins_right, self.ties)

    @property
    def columns(self) -> list[str]:
        """The columns to read, each once."""
        return each_once(self.parts, self.group)

    def __str__(self) -> str:
        """The shape as the reading report names it."""
        return ", ".join(self.columns)

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """A row for each side that won at least once, or one without an answer.

        A cell that is no number stays as it is, to be complained about.
        """
        table = table.with_row_index(ROW, 1)
        parts, is_answered, largest = [], np.zeros(len(table), bool), 0.0
        for name, outcome in ((self.wins_left, 1.0), (self.wins_right, -1.0), (self.ties, 0.0)):
            if name is None:
                continue
            cells, counts = table[name].cast(pl.String).str.strip_chars(), numbers(table[name])
            is_counted = ~(cells.is_null() | (cells == "") | (counts == 0).fill_null(value=False))
            text = pl.select(pl.coalesce(counts.cast(pl.String), cells)).to_series()
            parts.append(self._part(table, outcome, text).filter(is_counted))
            is_answered |= is_counted.to_numpy()
            largest = max(largest, float(counts.max() or 0.0))  # type: ignore[arg-type]
        one = pl.repeat("1", len(table), eager=True)
        parts.append(self._part(table, None, one).filter(~is_answered))
        others = {part: name for part, name in self.company.items() if part != "count"}
        # Counts of several answers are not in the order in which each was shown.
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
    """The tallies of a table with such columns: left, right, wins_left, wins_right."""
    if given.outcome or given.winner:
        return None
    known, unknown = item_pairs(columns)
    pairs = [*known, *unknown]
    if given.left and given.right:
        left, right = given.left, given.right
    elif pairs:
        left, right = pairs[0].left, pairs[0].right
    else:
        return None
    counts = next((p for p in tally_pairs(columns) if not {p.left, p.right} & {left, right}), None)
    if counts is None:
        return None
    taken = [left, right, counts.left, counts.right]
    ties = next((c for c in columns if TIES.intersection(words_of(c)) and c not in taken), None)
    company = accompanying(columns, given, [*taken, *([ties] if ties else [])]).company
    company.pop("count", None)
    return Tallies(
        left=left, right=right, wins_left=counts.left, wins_right=counts.right, ties=ties, **company
    )
