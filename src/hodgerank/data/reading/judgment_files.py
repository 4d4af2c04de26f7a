"""Published files of judgments on language models: AlpacaEval, MT-Bench and Arena-Hard.

Each is recognised by columns that no other kind of table has. Where a judge saw a pair twice, in
both orders, the two votes are correlated: they carry the number of their row as a ballot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from hodgerank.data.reading.ballots import BALLOT
from hodgerank.data.reading.layouts import (
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
from hodgerank.data.reading.values import numbers
from hodgerank.display import short
from hodgerank.errors import InvalidComparisons

BASELINE = "baseline"  # column of the baseline, and its name where no column names it
GAMES = "games"


@dataclass(frozen=True, kw_only=True)
class AlpacaEval(Company):
    """Annotations of AlpacaEval: 1 prefers output_1, 2 output_2; 1.5 (formerly 0) is a tie."""

    left: str
    right: str
    preference: str

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(self.left, self.right, self.preference)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        return f"{', '.join(self.columns)} (AlpacaEval: 1 prefers the first, 2 the second)"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return the rows with the preference from -1 to 1; the display order is not recorded.

        The outputs were shown in random order, and the file has them in a fixed one.
        """
        cells = table[self.preference].cast(pl.String)
        read = numbers(table[self.preference])
        outcome = pl.select(pl.when(read == 0).then(0.0).otherwise(3 - 2 * read)).to_series()
        text = pl.select(pl.coalesce(outcome.cast(pl.String), cells)).to_series()
        pairs = table.select(
            pl.col(self.left).alias(LEFT),
            pl.col(self.right).alias(RIGHT),
            text.alias(OUTCOME),
            *dict.fromkeys(self.company.values()),
        )
        return PairRows(pairs, made_layout(**self.company), np.arange(1, len(table) + 1))


@dataclass(frozen=True, kw_only=True)
class MTBenchPairs(Company):
    """Judgments of MT-Bench: two games per row, the second with the models in the other order."""

    left: str
    right: str
    games: tuple[str, str]
    skips_invalid: bool = False

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(self.left, self.right, *self.games)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        return f"{', '.join(self.columns)} (MT-Bench: two votes per row, in both orders)"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return two votes per row; the words name models, regardless of where they stood."""
        table = table.with_row_index(ROW, 1)
        parts = []
        for game, (first, second) in zip(
            self.games, ((self.left, self.right), (self.right, self.left)), strict=True
        ):
            cells = table[game].cast(pl.String).str.strip_chars().str.to_lowercase()
            meaning = {first: "1.0", second: "-1.0", "tie": "0.0", "error": "skip"}
            outcome = _outcomes(cells.alias(game), meaning, skips_invalid=self.skips_invalid)
            parts.append(_game(table, self, pl.col(first), pl.col(second), outcome))
        return pair_rows(parts, made_layout(ballot=BALLOT, display_known=True, **self.company))


@dataclass(frozen=True, kw_only=True)
class ArenaHard(Company):
    """Judgments of Arena-Hard: the games of a model against the baseline, in both orders."""

    model: str
    games: str
    baseline: str | None = None
    skips_invalid: bool = False

    @property
    def parts(self) -> list[str]:
        """Columns by role, without the group; none may have two roles."""
        return self.with_company(self.model, self.baseline, self.games)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the report."""
        if self.baseline is not None:
            return ()
        return (f"no column names the baseline: it is the item {BASELINE!r}",)

    def __str__(self) -> str:
        """Return the layout as the report names it."""
        return f"{', '.join(self.columns)} (Arena-Hard: two votes per row, in both orders)"

    def to_pairs(self, table: pl.DataFrame) -> PairRows:
        """Return a vote per game; A is the baseline in the first, the model in the second."""
        games = table[self.games].alias(GAMES)
        if games.dtype in (pl.Null, pl.List(pl.Null)):  # no game of the file has a verdict
            games = games.cast(pl.List(pl.Struct({"score": pl.String})))
        if not _has_scores(games.dtype):
            raise InvalidComparisons(
                f"column {self.games!r} is not a list of games with a score such as 'A>B', as "
                "Arena-Hard writes them: name the columns of the votes (--left, --right, --outcome)"
            )
        n_games = games.list.len().fill_null(0)
        if len(table) and int(n_games.max() or 0) > 2:  # type: ignore[arg-type]
            raise InvalidComparisons(
                f"row {int(n_games.arg_max() or 0) + 1}: a row of Arena-Hard has two games, the "
                "second with A and B swapped: write other rows as votes (left, right, outcome)"
            )
        table = table.with_row_index(ROW, 1)
        baseline = pl.lit(BASELINE)
        if self.baseline is not None:
            baseline = pl.col(self.baseline).cast(pl.String)
        model = pl.col(self.model).cast(pl.String)
        scores = games.list.eval(pl.element().struct.field("score").cast(pl.String))
        parts = []
        for game, (first, second) in enumerate(((baseline, model), (model, baseline))):
            cells = scores.list.get(game, null_on_oob=True).str.strip_chars()
            outcome = _outcomes(cells, VERDICTS, skips_invalid=self.skips_invalid)
            votes = _game(table, self, first, second, outcome)
            parts.append(votes.filter(n_games > game))
        return pair_rows(parts, made_layout(ballot=BALLOT, display_known=True, **self.company))


def _verdicts() -> dict[str, str]:
    """Return the outcome of every verdict: >> is a clear preference, > a slight one."""
    signs = {">>": 1.0, ">": 0.5, "=": 0.0, "<": -0.5, "<<": -1.0}
    return {
        f"{a}{sign}{b}": str(value if a == "A" else -value)
        for sign, value in signs.items()
        for a, b in (("A", "B"), ("B", "A"))
    }


VERDICTS = _verdicts()


def _outcomes(cells: pl.Series, meaning: Mapping[str, str], *, skips_invalid: bool) -> pl.Series:
    """Return the outcome of each word; others are an error, or marked to be left out."""
    words = pl.select(pl.when(cells != "").then(cells)).to_series().alias(cells.name)
    is_known = words.is_null() | words.is_in(list(meaning))
    if not is_known.all() and not skips_invalid:
        row = int(is_known.arg_min() or 0)
        raise InvalidComparisons(
            f"row {row + 1}: {short(repr(words[row]))} in column {cells.name!r} is not one of "
            f"{', '.join(meaning)}: correct it, or leave out invalid rows with skip_invalid=True "
            "(--skip-invalid)"
        )
    # Other words might mean something to the reader of outcomes.
    outcome = (
        words.replace(meaning)
        .alias("cell")
        .to_frame()
        .select(pl.when(is_known).then("cell").otherwise("invalid: " + pl.col("cell")))
    )
    return outcome.to_series().alias(OUTCOME)


def _has_scores(dtype: pl.DataType) -> bool:
    if not (isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Struct)):
        return False
    return "score" in {field.name for field in dtype.inner.fields}


def _game(
    table: pl.DataFrame, shape: Company, left: pl.Expr, right: pl.Expr, outcome: pl.Series
) -> pl.DataFrame:
    return table.select(
        ROW,
        left.alias(LEFT),
        right.alias(RIGHT),
        outcome,
        pl.col(ROW).cast(pl.Int64).alias(BALLOT),
        *dict.fromkeys(shape.company.values()),
    )


def find_judgments(
    columns: Sequence[str], given: ReadOptions
) -> AlpacaEval | MTBenchPairs | ArenaHard | None:
    """Recognise a published file of judgments by its columns."""
    if given.left or given.right or given.outcome or given.winner or given.scale:
        return None
    has, skips = set(columns), bool(given.skip_invalid)
    if {"generator_1", "generator_2", "preference"} <= has:
        taken = ["generator_1", "generator_2", "preference"]
        company = accompanying(columns, given, taken).company
        return AlpacaEval(
            left="generator_1", right="generator_2", preference="preference", **company
        )
    games = ("g1_winner", "g2_winner")
    if {"model_1", "model_2", *games} <= has:
        company = accompanying(columns, given, ["model_1", "model_2", *games]).company
        return MTBenchPairs(
            left="model_1", right="model_2", games=games, skips_invalid=skips, **company
        )
    if {"model", GAMES, "judge"} <= has:
        baseline = BASELINE if BASELINE in has else None
        company = accompanying(columns, given, ["model", GAMES, BASELINE]).company
        return ArenaHard(
            model="model", games=GAMES, baseline=baseline, skips_invalid=skips, **company
        )
    return None
