"""Shape: a table whose rows are not answers about two items, and how it becomes one of those."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import polars as pl

from hodgerank.data.reading.layouts import Layout
from hodgerank.data.reading.options import PLAIN_SCALE
from hodgerank.types import IntArray

ROW = "__row__"  # where an answer stood, from 1
LEFT, RIGHT, OUTCOME, COUNT = "left", "right", "outcome", "count"


class PairRows(NamedTuple):
    """Rows that are answers about two items: their layout, and the row each came from."""

    table: pl.DataFrame
    layout: Layout
    row: IntArray


def made_layout(*, display_known: bool = False, **others: Any) -> Layout:
    """The layout of rows that a shape makes; outcomes go from -1 to 1."""
    return Layout(
        left=LEFT,
        right=RIGHT,
        outcome=OUTCOME,
        scale=PLAIN_SCALE,
        display_known=display_known,
        **others,
    )


class Shape(Protocol):
    """What was recognised."""

    @property
    def columns(self) -> list[str]:
        """The columns to read, each once."""

    @property
    def parts(self) -> list[str]:
        """The columns by the parts they play, the group apart; none may play two."""

    def __str__(self) -> str:
        """The shape as the reading report names it."""

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """A row for each answer about two items."""


def pair_rows(parts: list[pl.DataFrame], layout: Layout) -> PairRows:
    """Parts one below the other, in the order of the rows they came from."""
    table = pl.concat(parts).sort(ROW, maintain_order=True)
    return PairRows(table.drop(ROW), layout, table[ROW].cast(pl.Int64).to_numpy())
