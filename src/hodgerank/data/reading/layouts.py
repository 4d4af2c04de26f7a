"""Layouts of tables: one row per vote, or other shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

import polars as pl

from hodgerank.data.reading.column_names import (
    SidedPair,
    base_word,
    compared_measures,
    decided_pairs,
    favoured_side,
    item_pairs,
    label_columns,
    named_pair,
    words_of,
)
from hodgerank.data.reading.options import PLAIN_SCALE, ReadOptions
from hodgerank.data.vote_columns import (
    ASKERS,
    COUNTS,
    DISPLAY_KNOWN,
    MARGIN_UNITS,
    TIMES,
    WEIGHTS,
    WORKERS,
)
from hodgerank.types import IntArray

# Names of outcomes, the most telling first: a label or result may also be that of something else.
OUTCOMES = (
    "outcome", "winner", "preferred", "preference", "chosen", "choice", "selected", "selection",
    "picked", "better", "winning", "vote", "verdict", "decision", "judgement", "judgment",
    "sieger", "gewinner", "gagnant", "vainqueur", "ganador", "label", "result", "answer", "grade",
    "rating", "response", "urteil", "ergebnis", "antwort", "résultat", "réponse", "resultado",
    "respuesta", "auswahl", "choix", "elección", "scelta",
)  # fmt: skip
# Beside a word for the outcome these add nothing: winner_id, preferred_item, user_choice.
_QUALIFIERS = frozenset({
    "id", "name", "item", "side", "label", "position", "key", "index", "user", "worker",
    "participant", "judge", "final", "model", "option", "candidate", "image", "stimulus",
    "human", "which", "is", "the", "one",
})  # fmt: skip
# Such columns are often the label, answer or result of something else.
VAGUE_OUTCOMES = frozenset({"label", "result", "answer", "grade", "rating", "response"})

# A column of this name most likely holds the chosen item, not a number.
NAMES_AN_ITEM = frozenset({
    "winner", "chosen", "choice", "preferred", "selected", "picked", "sieger", "gewinner",
    "gagnant", "vainqueur", "ganador",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Company:
    """Columns that may accompany a vote in any layout."""

    worker: str | None = None
    weight: str | None = None
    time: str | None = None
    count: str | None = None
    group: str | None = None
    unit: str | None = None
    asked_by: str | None = None
    is_display_known: str | None = None
    margin_unit: str | None = None

    @property
    def company(self) -> dict[str, Any]:
        """Columns present, by role."""
        named = {part.name: getattr(self, part.name) for part in fields(Company)}
        return {part: name for part, name in named.items() if name is not None}

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company()

    @property
    def columns(self) -> list[str]:
        """Columns to read, each once, the group last."""
        return list(dict.fromkeys([*self.parts, *([self.group] if self.group else [])]))

    def with_company(self, *own: str | None) -> list[str]:
        """Combine columns with those that accompany them, except the group."""
        others = (name for part, name in self.company.items() if part != "group")
        return [name for name in (*own, *others) if name is not None]


@dataclass(frozen=True, kw_only=True)
class Layout(Company):
    """Columns by role; `outcome` is None if `left` beat `right` by definition.

    Attributes
    ----------
    scale
        Numbers for right and left, if the name of the outcome determines them.
    sides
        Words by which the two item columns differ; they are valid outcomes too.
    labels
        Columns of ids, each with the column of the items' names beside it.
    difference
        Columns whose difference is the outcome: left is better where the first is larger.
    ballot
        Column of the ballot, whose votes are correlated.
    display_known
        Whether left and right are the display order.
    is_margin
        Whether the outcome is a margin. Winners come first if the display order is not known.
    """

    left: str
    right: str
    outcome: str | None = None
    ballot: str | None = None
    scale: tuple[float, float] | None = None
    sides: tuple[str, str] | None = None
    labels: tuple[tuple[str, str], ...] = ()
    difference: tuple[str, str] | None = None
    display_known: bool = True
    is_margin: bool = False

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        own = [self.left, self.right, self.outcome, self.ballot]
        beside = [name for pair in self.labels for name in pair if name not in own]
        return self.with_company(*own, *beside)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        return ", ".join(self.columns)


def accompanying(columns: Sequence[str], given: ReadOptions, taken: Iterable[str]) -> Company:
    """Find the columns of worker, time, count, weight, group, unit and sampler."""
    free = [name for name in columns if name not in {*taken, given.unit}]
    named = {name for part, name in given.columns.items() if part != "group"}
    others = [name for name in free if name not in named]
    return Company(
        worker=given.worker or _first(WORKERS, free, base_word),
        weight=given.weight or _first(WEIGHTS, free, str.lower),
        time=given.time or _first(TIMES, free, str.lower),
        count=given.count or _first(COUNTS, free, str.lower),
        group=given.group,
        unit=given.unit,
        asked_by=_first(ASKERS, others, str.lower),
        is_display_known=_first(DISPLAY_KNOWN, others, str.lower),
        margin_unit=_first(MARGIN_UNITS, others, str.lower) if given.margin else None,
    )


def pair_layout(columns: Sequence[str], given: ReadOptions) -> Layout | None:
    """Return the likeliest layout of a table with one row per vote, None if there is none.

    >>> layout = pair_layout(["Model_A", "Model_B", "winner", "judge_id"], ReadOptions())
    >>> str(layout)
    'Model_A, Model_B, winner, judge_id'
    """
    return next(pair_layouts(columns, given), None)


def pair_layouts(columns: Sequence[str], given: ReadOptions) -> Iterator[Layout]:
    """Yield layouts of a table with one row per vote that the names show, the likeliest first."""
    if given.winner and given.loser:
        yield _won(columns, given, given.winner, given.loser)
        return
    if given.left and given.right:
        yield from _shown(columns, given, named_pair(given.left, given.right))
        return
    known, unknown = item_pairs(
        [name for name in columns if name not in (given.outcome, given.margin)]
    )
    if given.left or given.right:
        known = [pair for pair in (*known, *unknown) if _fits(pair, given)]
        unknown = []
    for pair in known:
        yield from _shown(columns, given, pair)
    if given.outcome is None:
        for winner, loser in decided_pairs(columns):
            yield _won(columns, given, winner, loser)
    layouts = [layout for pair in unknown for layout in _shown(columns, given, pair)]
    if len({layout.left for layout in layouts}) == 1:
        yield from layouts


def _fits(pair: SidedPair, given: ReadOptions) -> bool:
    return given.left in (None, pair.left) and given.right in (None, pair.right)


def _shown(columns: Sequence[str], given: ReadOptions, pair: SidedPair) -> Iterator[Layout]:
    """Yield layouts of two item columns with each column that may be the outcome."""
    free = [name for name in columns if name not in (pair.left, pair.right)]
    named = given.outcome or given.margin or given.winner
    outcomes: list[str] = [named] if named else outcome_columns(free)
    shown = partial(
        _with_company, columns, given, left=pair.left, right=pair.right, sides=pair.sides
    )
    for outcome in outcomes:
        yield shown(outcome=outcome)
    if not outcomes:
        flags = [(name, side) for name in free if (side := favoured_side(name, pair.sides))]
        measures = [found for found in compared_measures(free, pair.sides) if found.sign]
        if len(flags) == 1:
            outcome, side = flags[0]
            yield shown(outcome=outcome, scale=(0.0, 1.0) if side > 0 else (1.0, 0.0))
        elif len(measures) == 1:
            first, second, sign = measures[0]
            difference = (first, second) if sign > 0 else (second, first)
            layout = shown(outcome="-".join(difference), scale=PLAIN_SCALE)
            yield replace(layout, difference=difference)


def _won(columns: Sequence[str], given: ReadOptions, winner: str, loser: str) -> Layout:
    """Return the layout of winners and losers, which may have the margin of the winner."""
    found = _with_company(columns, given, left=winner, right=loser, outcome=given.margin)
    return replace(found, display_known=False)


def outcome_columns(columns: Sequence[str]) -> list[str]:
    """Return columns that may be the outcome by their names, the likeliest first.

    A name may have a word that adds nothing: 'preferred_item', 'winner_id'.
    """
    plain: dict[str, str] = {}
    for name in columns:
        plain.setdefault(" ".join(words_of(name.strip())), name)
    found = [plain[word] for word in OUTCOMES if word in plain]
    by_word: dict[str, list[str]] = {}
    for name in columns:
        words = words_of(name)
        for word in set(words).intersection(OUTCOMES):
            if all(w in _QUALIFIERS for w in words if w != word):
                by_word.setdefault(word, []).append(name)
    found += [name for word in OUTCOMES for name in by_word.get(word, ())]
    return list(dict.fromkeys(found))


def _with_company(
    columns: Sequence[str],
    given: ReadOptions,
    *,
    left: str,
    right: str,
    outcome: str | None = None,
    scale: tuple[float, float] | None = None,
    sides: tuple[str, str] | None = None,
) -> Layout:
    taken = [name for name in (left, right, outcome) if name is not None]
    labels = label_columns(columns, left, right)
    taken += [name for pair in labels for name in pair]
    return Layout(
        left=left,
        right=right,
        outcome=outcome,
        scale=scale,
        sides=sides,
        labels=labels,
        display_known=outcome is not None,
        is_margin=given.margin is not None,
        **accompanying(columns, given, taken).company,
    )


def _first(candidates: Iterable[str], columns: Sequence[str], key: Any) -> str | None:
    """Return the column of the likeliest name, as it is spelled."""
    spelled: dict[str, str] = {}
    for name in columns:
        spelled.setdefault(key(name.strip()), name)
    return next((spelled[name] for name in candidates if name in spelled), None)


ROW = "__row__"  # row of a vote, from 1
LEFT, RIGHT, OUTCOME, COUNT = "left", "right", "outcome", "count"


class PairRows(NamedTuple):
    """Rows that are votes on two items: their layout, and the source row of each."""

    table: pl.DataFrame
    layout: Layout
    row: IntArray


def made_layout(*, display_known: bool = False, **others: Any) -> Layout:
    """Return the layout of rows made from another shape; outcomes go from -1 to 1."""
    return Layout(
        left=LEFT,
        right=RIGHT,
        outcome=OUTCOME,
        scale=PLAIN_SCALE,
        display_known=display_known,
        **others,
    )


class Shape(Protocol):
    """A table of another shape than one row per vote."""

    @property
    def columns(self) -> list[str]:
        """Columns to read, each once."""

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""

    def __str__(self) -> str:
        """Return the layout as the report names it."""

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return a row for each vote on two items."""


def pair_rows(parts: list[pl.DataFrame], layout: Layout) -> PairRows:
    """Concatenate parts in the order of their source rows."""
    table = pl.concat(parts).sort(ROW, maintain_order=True)
    return PairRows(table.drop(ROW), layout, table[ROW].cast(pl.Int64).to_numpy())
