"""One column per pair of items and one row per respondent, as in R's package prefmod.

The columns are called `tea:milk`, `tea_milk`, `tea vs milk` and so on. A cell says which of the two
the respondent preferred: 1 or -1 (0 a tie), 1 or 2 (3 or 0 a tie), or the item itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt
from typing import NamedTuple

import numpy as np
import polars as pl

from hodgerank.data.reading.ballots import BALLOT, MOST_PAIRS, numbered
from hodgerank.data.reading.layouts import (
    LEFT,
    OUTCOME,
    RIGHT,
    ROW,
    Company,
    Layout,
    PairRows,
    accompanying,
    pair_rows,
)
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.values import NOT_A_NAME, numbers
from hodgerank.errors import InvalidComparisons

# Separators of two items in the name of a column, the clearest first.
SEPARATORS = (
    r"\s+vs\.?\s+", r"[_.]vs[_.]", r"\s*:\s*", r"\s*>\s*", r"\s*/\s*", r"\s+-\s+", r"-", r"_",
    r"\.",
)  # fmt: skip
FEWEST_PAIRS = 3
COVERED = 0.6  # of all pairs of the items
MOST_ITEMS = 500
UNANSWERED = frozenset({*NOT_A_NAME, ""})
TIES = frozenset({"tie", "equal", "both", "same", "draw"})
FIRST, SECOND = 1.0, 2.0


class Pair(NamedTuple):
    """A column and the two items that its name names."""

    column: str
    first: str
    second: str


@dataclass(frozen=True, kw_only=True)
class PairColumns(Company):
    """One column per pair, one row per respondent; the votes of a row are correlated.

    Attributes
    ----------
    meaning
        What the cells hold, for the report.
    counts_items
        Whether 1 is the first item and 2 the second.
    ties
        Number of a tie in that case, if there are any.
    """

    pairs: tuple[Pair, ...]
    meaning: str
    counts_items: bool = False
    ties: float | None = None

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(*(pair.column for pair in self.pairs))

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        names = (f"{self.pairs[0].column} to {self.pairs[-1].column}", *self.company.values())
        return f"{', '.join(names)}, one column per pair ({self.meaning})"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return a vote for each cell that is filled in."""
        if len(table) * len(self.pairs) > MOST_PAIRS:
            raise InvalidComparisons(
                f"the table holds {len(table) * len(self.pairs):,} votes, more than "
                f"{MOST_PAIRS:,}: select rows with --where (where=...)"
            )
        table = table.with_row_index(ROW, 1)
        kind = pl.Enum(list(dict.fromkeys(name for pair in self.pairs for name in pair[1:])))
        parts = []
        for column, first, second in self.pairs:
            cells = table[column].alias(OUTCOME)
            outcome = self._of_numbers(cells) if self.counts_items else cells.cast(pl.String)
            parts.append(
                table.select(
                    ROW,
                    pl.lit(first, kind).alias(LEFT),
                    pl.lit(second, kind).alias(RIGHT),
                    outcome,
                    pl.col(ROW).cast(pl.Int64).alias(BALLOT),
                    *dict.fromkeys(self.company.values()),
                )
            )
        layout = Layout(
            left=LEFT, right=RIGHT, outcome=OUTCOME, ballot=BALLOT, display_known=False,
            **self.company,
        )  # fmt: skip
        return pair_rows(parts, layout)

    def _of_numbers(self, cells: pl.Series) -> pl.Series:
        """Return 1 for the first item, -1 for the second and 0 for a tie, as text.

        Other cells are kept, to be reported later.
        """
        meaning = {FIRST: "1", SECOND: "-1", self.ties: "0"}
        found = numbers(cells).replace_strict(
            {number: text for number, text in meaning.items() if number is not None},
            default=None,
            return_dtype=pl.String,
        )
        return pl.select(pl.coalesce(found, cells.cast(pl.String))).to_series().alias(OUTCOME)


def find_pair_columns(
    source: str, columns: Sequence[str], head: pl.DataFrame, given: ReadOptions
) -> PairColumns | None:
    """Recognise columns that are named after pairs of a common set of items, by their values."""
    pairs = named_pairs([name for name in columns if name not in given.columns.values()])
    if not pairs:
        return None
    items = {name for pair in pairs for name in pair[1:]}
    found: set[float] = set()
    for pair in pairs:
        cells = {
            str(value).strip()
            for value in head[pair.column].drop_nulls().unique()
        } - UNANSWERED  # fmt: skip
        read = numbers(pl.Series(sorted(cells), dtype=pl.String)).drop_nulls()
        words = {cell.lower() for cell in cells if cell not in (pair.first, pair.second)}
        if len(read) == len(cells) and not cells & items:
            found |= set(read.to_list())
        elif not words <= TIES:
            return None
    company = accompanying(columns, given, [pair.column for pair in pairs]).company
    company.pop("count", None)
    if given.scale is not None:
        low, high = given.scale
        meaning = f"{high:g} the first item, {low:g} the second"
        return PairColumns(pairs=pairs, meaning=meaning, **company)
    if found <= {-1.0, 0.0, 1.0} and found != {0.0, 1.0}:
        meaning = "1 the first item, -1 the second" if found else "the chosen item"
        return PairColumns(pairs=pairs, meaning=meaning, **company)
    if found == {0.0, 1.0}:
        raise InvalidComparisons(
            f"{source}: the columns {pairs[0].column}, {pairs[1].column}, ... hold only 0 and 1, "
            "which has two possible meanings:\n  --scale 0 1 (scale=(0, 1)): 1 prefers the first "
            "item, 0 the second\n  --scale -1 1 (scale=(-1, 1)): 1 prefers the first item, 0 is a "
            "tie\n  (and where 1 prefers the second item: --scale 1 0)"
        )
    ties = found - {FIRST, SECOND}
    if not ties <= {0.0, 3.0} or len(ties) > 1:
        return None
    return PairColumns(
        pairs=pairs,
        meaning="1 the first item, 2 the second",
        counts_items=True,
        ties=next(iter(ties), None),
        **company,
    )


def named_pairs(columns: Sequence[str]) -> tuple[Pair, ...]:
    """Return the columns whose names are most pairs of a set of items; none if they are not.

    >>> [pair[1:] for pair in named_pairs(["age", "tea:milk", "tea:cola", "milk:cola"])]
    [('tea', 'milk'), ('tea', 'cola'), ('milk', 'cola')]
    """
    if len(columns) < FEWEST_PAIRS:
        return ()
    for separator in SEPARATORS:
        split = [(name, re.split(separator, name.strip())) for name in columns]
        pairs = [Pair(name, *parts) for name, parts in split if len(parts) == 2 and all(parts)]
        pairs = [pair for pair in pairs if pair.first != pair.second]
        if len(pairs) >= FEWEST_PAIRS and _cover(pairs):
            return tuple(pairs)
    return ()


def _cover(pairs: Sequence[Pair]) -> bool:
    """Return whether the pairs are most of those of a few items, each once in an order.

    Most items must come first in some pairs and second in others: `q1_a, q1_b, q2_a, q2_b` are
    questions and their parts.
    """
    firsts, seconds = {pair.first for pair in pairs}, {pair.second for pair in pairs}
    n = len(firsts | seconds)
    return (
        3 <= n <= MOST_ITEMS
        and len({pair[1:] for pair in pairs}) == len(pairs)
        and len({frozenset(pair[1:]) for pair in pairs}) >= COVERED * n * (n - 1) / 2
        and len(firsts & seconds) >= (n - 2) / 2
    )


def refuse_numbered_pairs(source: str, columns: Sequence[str], head: pl.DataFrame) -> None:
    """Refuse columns V1, V2, ... of votes on pairs, since they do not say on which."""
    for names in numbered(columns).values():
        n_items = (1 + isqrt(1 + 8 * len(names))) // 2
        if len(names) < FEWEST_PAIRS or n_items * (n_items - 1) // 2 != len(names):
            continue
        read = [numbers(head[name]).drop_nulls() for name in names]
        values = set(np.concatenate([column.to_numpy() for column in read]).tolist())
        if values and values <= {-1.0, 0.0, 1.0} and -1.0 in values:
            raise InvalidComparisons(
                f"{source}: the {len(names)} columns {names[0]} to {names[-1]} look like one "
                f"column for each pair of {n_items} items, but do not say which: rename them to "
                "item:item, such as tea:milk, where 1 prefers the first item"
            )
