"""Rankings of several items, best-worst and best-of-several choices, split into pairs.

The pairs of one ballot are correlated: they carry its number, by which errors are clustered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from hodgerank.data.reading.column_names import (
    HIGHER,
    ITEM_WORDS,
    LOWER,
    base_word,
    is_measure,
    words_of,
)
from hodgerank.data.reading.layouts import (
    LEFT,
    OUTCOME,
    RIGHT,
    ROW,
    Company,
    PairRows,
    accompanying,
    made_layout,
    outcome_columns,
    pair_rows,
)
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.values import numbers
from hodgerank.errors import InvalidComparisons

BALLOTS = ("ballot", "ranking", "trial", "task", "questionnaire", "set", "list", "question")
PLACES = ("rank", "place", "ranking")
ORDERS = ("position", "order")  # beside a rating or choice, this is where an item was shown
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
LETTERS = "abcdefgh"  # option_a, option_b, option_c
ENDINGS = ("st", "nd", "rd", "th")
ORDINAL_WORDS = frozenset(ORDINALS + ENDINGS)
RANKED = frozenset({"rank", "position", "place", "pos", "preference"})
MOST_PAIRS = 200_000_000
BALLOT = "__ballot__"


@dataclass(frozen=True, kw_only=True)
class LongBallots(Company):
    """One row per item of a ballot, with its place; place 1 is the best."""

    ballot: str | None
    item: str
    place: str

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(self.ballot, self.item, self.place)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        return f"{', '.join(self.columns)}, a ranking of several items, {self.place} 1 is the best"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return every pair of items of a ballot; equal places are a tie."""
        # Ballots of different workers or groups may have the same number.
        keys = [name for name in (self.ballot, self.worker, self.group) if name is not None]
        place = numbers(table[self.place])
        entries = table.with_row_index(ROW, 1).with_columns(
            pl.struct(keys).rank("dense").alias(BALLOT), place.alias("__place__")
        )
        n_pairs = entries.group_by(BALLOT).len().select((pl.col("len") * (pl.col("len") - 1)).sum())
        if int(n_pairs.item() or 0) // 2 > MOST_PAIRS:
            raise InvalidComparisons(
                f"the ballots hold {int(n_pairs.item()) // 2:,} pairs of items, more than "
                f"{MOST_PAIRS:,}: is {self.ballot or self.worker!r} the column of the ballot?"
            )
        company = list(dict.fromkeys(self.company.values()))
        left = entries.select(ROW, BALLOT, pl.col(self.item).alias(LEFT), "__place__", *company)
        right = entries.select(
            BALLOT,
            pl.col(ROW).alias("__other__"),
            pl.col(self.item).alias(RIGHT),
            pl.col("__place__").alias("__behind__"),
        )
        pairs = left.join(right, on=BALLOT).filter(pl.col(ROW) < pl.col("__other__"))
        pairs = pairs.with_columns(
            (pl.col("__behind__") - pl.col("__place__")).sign().alias(OUTCOME)
        )
        return _ballot_rows([pairs.select(ROW, LEFT, RIGHT, OUTCOME, BALLOT, *company)], self)


@dataclass(frozen=True, kw_only=True)
class WideBallots(Company):
    """One row per ballot, with a column for each place: rank1 is the best."""

    ranks: tuple[str, ...]

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(*self.ranks)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        names = (f"{self.ranks[0]} to {self.ranks[-1]}", *self.company.values())
        return f"{', '.join(names)}, a ranking of several items"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return every pair of places that are filled in."""
        never = pl.lit(value=False)
        return _beating(table, self, [(a, b, never) for a, b in combinations(self.ranks, 2)])


@dataclass(frozen=True, kw_only=True)
class Choices(Company):
    """One row per choice among several items: the best, perhaps the worst, and all shown."""

    best: str
    worst: str | None
    shown: tuple[str, ...]

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(self.best, self.worst, *self.shown)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        kind = "best" if self.worst is None else "best and worst"
        return f"{', '.join(self.columns)}, the {kind} of several items"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Let the best beat all others, and all others the worst; best and worst are one pair."""
        table = self._with_named_choices(table)
        is_best = pl.col(self.best)
        pairs = [(self.best, name, pl.col(name) == is_best) for name in self.shown]
        if self.worst is not None:
            worst = pl.col(self.worst)
            pairs += [
                (name, self.worst, (pl.col(name) == is_best) | (pl.col(name) == worst))
                for name in self.shown
            ]
        return _beating(table, self, pairs)

    def _with_named_choices(self, table: pl.DataFrame) -> pl.DataFrame:
        """Replace the places of the best and worst among those shown, from 1, by the items."""
        shown = pl.concat([table[name].cast(pl.String) for name in self.shown], rechunk=False)
        names = set(shown.drop_nulls().str.strip_chars().str.to_lowercase().unique())
        for choice in (self.best, self.worst):
            if choice is None:
                continue
            cells = table[choice].cast(pl.String).str.strip_chars().str.to_lowercase()
            found = set(cells.drop_nulls().unique()) - {""}
            numbers_from_1 = [str(place) for place in range(1, len(self.shown) + 1)]
            for places in (numbers_from_1, [*LETTERS[: len(self.shown)]]):
                if found and found <= set(places) and not found & names:
                    item = pl.coalesce(
                        pl.when(cells == place).then(pl.col(name).cast(pl.String))
                        for place, name in zip(places, self.shown, strict=False)
                    )
                    table = table.with_columns(item.alias(choice))
        return table


@dataclass(frozen=True, kw_only=True)
class RatedItems(Company):
    """One row per ballot, with several items and a number for each: `system1, rank1, ...`."""

    shown: tuple[str, ...]
    numbers: tuple[str, ...]
    higher_is_better: bool

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(*self.shown, *self.numbers)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        better = "higher" if self.higher_is_better else "lower"
        names = f"{self.shown[0]} to {self.shown[-1]}, {self.numbers[0]} to {self.numbers[-1]}"
        return f"{names}, several items with a number each; {better} is better"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return every pair of items that have a number; negative places are missing."""
        table = table.with_row_index(ROW, 1)
        sign = 1 if self.higher_is_better else -1
        values = {name: sign * numbers(table[name]) for name in self.numbers}
        if not self.higher_is_better:
            values = {name: column.set(column > 0, None) for name, column in values.items()}
        rated = list(zip(self.shown, self.numbers, strict=True))
        parts = [
            table.select(
                ROW,
                pl.col(left).alias(LEFT),
                pl.col(right).alias(RIGHT),
                (values[first] - values[second]).sign().alias(OUTCOME),
                pl.col(ROW).alias(BALLOT),
                *dict.fromkeys(self.company.values()),
            ).filter(pl.col(OUTCOME).is_not_null())
            for (left, first), (right, second) in combinations(rated, 2)
        ]
        return _ballot_rows(parts, self)


def _beating(
    table: pl.DataFrame, shape: WideBallots | Choices, pairs: list[tuple[str, str, pl.Expr]]
) -> PairRows:
    """Let the first column of a pair beat the second in each ballot, unless excluded."""
    table = table.with_row_index(ROW, 1)
    parts = []
    for winner, loser, unless in pairs:
        is_there = [
            pl.col(name).is_not_null() & (pl.col(name).cast(pl.String).str.strip_chars() != "")
            for name in (winner, loser)
        ]
        part = table.filter(*is_there, ~unless.fill_null(value=False))
        parts.append(
            part.select(
                ROW,
                pl.col(winner).alias(LEFT),
                pl.col(loser).alias(RIGHT),
                pl.lit(1.0).alias(OUTCOME),
                pl.col(ROW).alias(BALLOT),
                *dict.fromkeys(shape.company.values()),
            )
        )
    return _ballot_rows(parts, shape)


def _ballot_rows(parts: list[pl.DataFrame], shape: Company) -> PairRows:
    return pair_rows(parts, made_layout(ballot=BALLOT, **shape.company))


def find_rankings(columns: Sequence[str], given: ReadOptions) -> LongBallots | WideBallots | None:
    """Recognise rankings by the columns of a table."""
    if given.left or given.right or given.outcome or given.winner:
        return None
    if given.item or given.place or given.ballot:
        return _long(columns, given)
    return _wide(columns, given) or _long(columns, given)


def _long(columns: Sequence[str], given: ReadOptions) -> LongBallots | None:
    """Recognise the columns ballot (or worker), item and place."""
    item = given.item or _called(("item", *ITEM_WORDS), columns)
    free = [name for name in columns if name != item]
    place = given.place or _called(PLACES, free)
    if place is None:
        place = _called(ORDERS, free)
        if any(is_measure(words_of(name)) for name in free if name != place):
            place = None
    free = [name for name in free if name != place]
    if item is None or place is None:
        return None
    ballot = given.ballot or _called(BALLOTS, free)
    company = accompanying(columns, given, [c for c in (ballot, item, place) if c]).company
    if ballot is None and "worker" not in company:
        return None
    company.pop("count", None)
    return LongBallots(ballot=ballot, item=item, place=place, **company)


def _called(names: Sequence[str], columns: Sequence[str]) -> str | None:
    by_word = {base_word(name): name for name in reversed(columns)}
    return next((by_word[name] for name in names if name in by_word), None)


def _wide(columns: Sequence[str], given: ReadOptions) -> WideBallots | None:
    """Recognise the columns rank1, rank2, ..., or first_choice, second_choice, ..."""
    for stem, names in numbered(columns).items():
        is_ordinal = len(names) > 2 and not ORDINAL_WORDS.isdisjoint(words_of(names[0]))
        if (len(stem) == 1 and stem[0] in RANKED) or (is_ordinal and stem in ((), ("choice",))):
            company = accompanying(columns, given, names).company
            company.pop("count", None)
            return WideBallots(ranks=tuple(names), **company)
    return None


def find_rated_items(columns: Sequence[str], given: ReadOptions) -> RatedItems | None:
    """Recognise three or more items in a row with a rank or score each."""
    if given.left or given.right or given.outcome or given.winner:
        return None
    families = {stem: names for stem, names in numbered(columns).items() if len(names) > 2}
    for stem, rated in families.items():
        better = HIGHER.intersection(stem) or LOWER.intersection(stem)
        for other, shown in families.items():
            is_item = other and all(word in ITEM_WORDS for word in other)
            if better and is_item and len(shown) == len(rated):
                company = accompanying(columns, given, [*shown, *rated]).company
                company.pop("count", None)
                return RatedItems(
                    shown=tuple(shown), numbers=tuple(rated),
                    higher_is_better=bool(HIGHER.intersection(stem)), **company,
                )  # fmt: skip
    return None


def find_choices(columns: Sequence[str], given: ReadOptions) -> Choices | None:
    """Recognise the columns best and worst, or a winner, beside three or more items shown."""
    if given.left or given.right or given.outcome or given.loser:
        return None
    families = numbered(columns)
    shown = next(
        (
            names
            for stem, names in families.items()
            if len(names) >= 3
            and stem
            and all(word in ITEM_WORDS for word in stem)
            and ORDINAL_WORDS.isdisjoint(words_of(names[0]))
        ),
        None,
    )
    if shown is None:
        return None
    free = [name for name in columns if name not in shown]
    worst = next((name for name in free if "worst" in words_of(name)), None)
    best = given.winner or next((name for name in free if "best" in words_of(name)), None)
    if best is None and worst is None:
        best = next(iter(outcome_columns(free)), None)
    if best is None:
        return None
    taken = [*shown, best, *([worst] if worst else [])]
    company = accompanying(columns, given, taken).company
    company.pop("count", None)
    return Choices(best=best, worst=worst, shown=tuple(shown), **company)


def _place(word: str) -> int:
    """Return the number that a word means; 0 if it is not a number."""
    if word in ORDINALS:
        return ORDINALS.index(word) + 1
    if word in LETTERS:
        return LETTERS.index(word) + 1
    return int(word) if word.isdecimal() and len(word) < 4 else 0


def numbered(columns: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """Return columns that count from 1, by common words: option1, option2; first, second, third.

    >>> numbered(["judge", "rank_2", "rank_1"])
    {('rank',): ['rank_1', 'rank_2']}
    """
    families: dict[tuple[str, ...], dict[int, str]] = {}
    for name in columns:
        words = [word for word in words_of(name) if word not in ENDINGS]
        places = [(k, place) for k, word in enumerate(words) if (place := _place(word))]
        if len(places) == 1:
            ((k, place),) = places
            families.setdefault((*words[:k], *words[k + 1 :]), {}).setdefault(place, name)
    return {
        stem: [names[k] for k in sorted(names)]
        for stem, names in families.items()
        if sorted(names) == list(range(1, len(names) + 1)) and len(names) > 1
    }
