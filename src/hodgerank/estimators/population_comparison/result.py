"""RankingComparison: whether populations rank differently, what moved, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hodgerank.display import Charted, Displayed, Preview, short
from hodgerank.estimators.ranking import Ranking
from hodgerank.types import BoolArray, FloatArray, Item

RANGE = (0.025, 0.975)


class RankAgreement(NamedTuple):
    """Kendall's tau of two populations, and what noise alone would leave of it.

    `expected` is its mean, and `lower` to `upper` 95 % of its values, after what could as well
    have come from the other population was exchanged.
    """

    populations: tuple[Item, Item]
    tau: float
    expected: float
    lower: float
    upper: float


def taus(scores: FloatArray) -> FloatArray:
    """Kendall's tau of every two rows of scores; a tie counts as 0."""
    order = np.sign(scores[:, :, None] - scores[:, None, :])
    n_pairs = scores.shape[1] * (scores.shape[1] - 1)
    return np.array([np.vdot(a, b) / n_pairs for a, b in combinations(order, 2)])


def agreements(
    names: tuple[Item, ...], found: FloatArray, exchanged: FloatArray
) -> tuple[RankAgreement, ...]:
    """Of every two populations, from tau and its values after exchanges, a row each."""
    lower, upper = np.quantile(exchanged, RANGE, axis=0)
    return tuple(
        RankAgreement(pair, *map(float, values))
        for pair, *values in zip(
            combinations(names, 2), found, exchanged.mean(axis=0), lower, upper, strict=True
        )
    )


MOST_NAMES = 4


class ComparedItem(NamedTuple):
    """One item in one population, as a row of `RankingComparison.to_frame`."""

    item: Item
    population: Item
    rank: int
    score: float
    stderr: float
    difference: float
    difference_stderr: float
    p_value: float
    moved: bool


@dataclass(frozen=True, eq=False, repr=False)
class RankingComparison(Displayed, Charted):
    """Rankings of the same items by several populations.

    Iterating gives a `ComparedItem` for every item, best first, and population.

    Attributes
    ----------
    populations
        Their names.
    rankings
        By population, of the items that all can rank.
    common
        The ranking that all share: scores c where those of population g are acuity_g c + d_g.
    acuity
        How decidedly each population answers, relative to the mean of the answers; 1 for all where
        it is not taken into account.
    left_out
        Items that some population did not join to the others by its answers.
    differences
        A row per population, aligned with `items`: its score minus the mean score of the others,
        both without acuity_g c.
    difference_errors
        Standard errors of the differences.
    item_p_values
        Of the differences, adjusted for looking at all items and populations.
    agreement
        Kendall's tau of every two populations, beside what one crowd would show.
    statistic, p_value
        How much better separate rankings explain the answers than a shared one, and how often an
        exchange between the populations explains as much, or sets one item as far apart.
    exchanged, n_permutations
        What was exchanged, and how often.
    confidence
        An item moved, and the populations differ, where p is at most one minus this.
    notes
        What a careful reader should know before using the numbers.
    """

    populations: tuple[Item, ...]
    rankings: dict[Item, Ranking]
    common: Ranking
    acuity: dict[Item, float]
    left_out: tuple[Item, ...]
    differences: FloatArray
    difference_errors: FloatArray
    item_p_values: FloatArray
    agreement: tuple[RankAgreement, ...]
    statistic: float
    p_value: float
    exchanged: str
    n_permutations: int
    confidence: float
    notes: tuple[str, ...]
    backend: str

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that are compared, best first in the common ranking."""
        return self.common.items

    @property
    def _level(self) -> float:
        """The largest p-value that is called a difference, whatever rounding makes of 1 - 0.95."""
        return 1 - self.confidence + 1e-9

    @property
    def differ(self) -> bool:
        """Whether the populations rank differently."""
        return self.p_value <= self._level

    @cached_property
    def has_moved(self) -> BoolArray:
        """Whether an item moved, by population and item."""
        return self.item_p_values <= self._level

    @cached_property
    def moved(self) -> tuple[Item, ...]:
        """Items that some population places elsewhere than the others do, best first."""
        moved = np.flatnonzero(self.has_moved.any(axis=0))
        return tuple(self.items[k] for k in moved.tolist())

    @cached_property
    def verdict(self) -> str:
        """What was found, in one sentence."""
        who = _enumerate(self.populations)
        p = f"p {_equals(self.p_value)}"
        n = len(self.moved)
        counted = f"{n:,} of {len(self.items):,} items moved"
        if self.differ:
            return f"{who} rank differently ({p}): {counted if n else 'no single item stands out'}"
        least = min(self.agreement, key=lambda pair: pair.tau)
        pair = "they" if len(self.populations) == 2 else _enumerate(least.populations)
        agree = "agree" if len(self.populations) == 2 else "agree least,"
        return (
            f"no difference between {who} can be shown ({p}); "
            f"{pair} {agree} with tau {_tau(least.tau)}, "
            f"one crowd of this size would with {_tau(least.lower)} to {_tau(least.upper)}"
        )

    def _headline(self) -> str:
        return self.verdict

    def _preview(self) -> Preview:
        """Items that differ most first, in the population where they do."""
        names = [short(name) for name in self.populations]
        header = ("item", *(f"rank, {name}" for name in names), "difference", "of", "p_value")
        where = self.item_p_values.argmin(axis=0)
        lowest = self.item_p_values.min(axis=0)
        ranks = [self.rankings[name] for name in self.populations]
        rows = (
            (
                self.items[k],
                *(ranking[self.items[k]].rank for ranking in ranks),
                float(self.differences[where[k], k]),
                self.populations[where[k]],
                float(lowest[k]),
            )
            for k in np.argsort(lowest, kind="stable").tolist()
        )
        return Preview(header, rows, len(self.items))

    def __iter__(self) -> Iterator[ComparedItem]:
        for k, item in enumerate(self.items):
            for g, name in enumerate(self.populations):
                row = self.rankings[name][item]
                yield ComparedItem(
                    item,
                    name,
                    row.rank,
                    row.score,
                    row.stderr,
                    float(self.differences[g, k]),
                    float(self.difference_errors[g, k]),
                    float(self.item_p_values[g, k]),
                    bool(self.has_moved[g, k]),
                )

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per item and population, in the dataframe library the votes came in."""
        from hodgerank.data.sources.frames import build_frame

        columns = dict(zip(ComparedItem._fields, map(list, zip(*self, strict=True)), strict=True))
        if len({type(name) for name in self.populations}) > 1:  # a column has one type
            columns["population"] = [str(name) for name in self.populations] * len(self.items)
        return build_frame(columns, backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON; `items` holds the rows of `to_frame`."""
        return {
            "verdict": self.verdict,
            "populations": list(self.populations),
            "p_value": self.p_value,
            "statistic": _finite(self.statistic),
            "exchanged": self.exchanged,
            "n_permutations": self.n_permutations,
            "confidence": self.confidence,
            "moved": list(self.moved),
            "left_out": list(self.left_out),
            "acuity": [self.acuity[name] for name in self.populations],
            "agreement": [
                {**pair._asdict(), "populations": list(pair.populations)} for pair in self.agreement
            ],
            "common": self.common.to_dict(),
            "notes": list(self.notes),
            "items": [
                {name: _finite(value) for name, value in row._asdict().items()} for row in self
            ],
        }


def _finite(value: Any) -> Any:
    """The value, or None where JSON has no number for it."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _enumerate(names: tuple[Item, ...]) -> str:
    if len(names) > MOST_NAMES:
        return f"the {len(names):,} populations"
    shown = [short(name) for name in names]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _equals(p: float) -> str:
    return f"= {p:.3f}" if p < 0.1 else f"= {p:.2f}"


def _tau(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)
