"""RankingComparison: whether populations rank differently, which items moved, and the evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hodgerank.display import Charted, Displayed, Preview, p_words, short
from hodgerank.estimators.ranking import Ranking
from hodgerank.types import BoolArray, FloatArray, Item

RANGE = (0.025, 0.975)


class RankAgreement(NamedTuple):
    """Kendall's tau of two populations, and its distribution expected by chance.

    `expected` is the mean over permutations; `lower` and `upper` bound the central 95%.
    """

    populations: tuple[Item, Item]
    tau: float
    expected: float
    lower: float
    upper: float


def taus(scores: FloatArray) -> FloatArray:
    """Return Kendall's tau of every two rows of scores; a tie counts as 0."""
    order = np.sign(scores[:, :, None] - scores[:, None, :])
    n_pairs = scores.shape[1] * (scores.shape[1] - 1)
    return np.array([np.vdot(a, b) / n_pairs for a, b in combinations(order, 2)])


def agreements(
    names: tuple[Item, ...], found: FloatArray, exchanged: FloatArray
) -> tuple[RankAgreement, ...]:
    """Return the agreement of every two populations, from tau and its permutation values."""
    lower, upper = np.quantile(exchanged, RANGE, axis=0)
    return tuple(
        RankAgreement(pair, *map(float, values))
        for pair, *values in zip(
            combinations(names, 2), found, exchanged.mean(axis=0), lower, upper, strict=True
        )
    )


MOST_NAMES = 4


class ComparedItem(NamedTuple):
    """One item in one population: a row of `RankingComparison.to_frame`."""

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
    """Comparison of the rankings of the same items by several populations.

    Iteration yields a `ComparedItem` for every item, best first, and population.

    Attributes
    ----------
    populations
        Names of the populations.
    rankings
        Ranking by population, of the items that all can rank.
    common
        The common ranking: scores c, where population g has scores acuity_g c + d_g.
    acuity
        How consistently each population follows the common ranking, relative to the mean over
        votes; 1 for all if acuity is shared.
    left_out
        Items that the votes of some population do not connect to the others.
    differences
        One row per population, aligned with `items`: its score minus the mean score of the others,
        both without acuity_g c.
    difference_errors
        Standard errors of the differences.
    item_p_values
        p-values of the differences, adjusted for testing all items and populations.
    agreement
        Kendall's tau of every two populations, with the range expected by chance.
    statistic, p_value
        Improvement of the fit by separate rankings, and the share of permutations that improve it
        as much or move one item as far.
    exchanged, n_permutations
        What was exchanged, and the number of permutations.
    confidence
        Differences are significant if p is at most one minus this.
    notes
        Limits of the comparison.
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
        """The compared items, best first in the common ranking."""
        return self.common.items

    @property
    def _level(self) -> float:
        """The significance level, with a margin for rounding of 1 - 0.95."""
        return 1 - self.confidence + 1e-9

    @property
    def differ(self) -> bool:
        """Whether the populations rank significantly differently."""
        return self.p_value <= self._level

    @cached_property
    def has_moved(self) -> BoolArray:
        """Whether an item moved, by population and item."""
        return self.item_p_values <= self._level

    @cached_property
    def moved(self) -> tuple[Item, ...]:
        """Items that some population ranks significantly differently, best first."""
        moved = np.flatnonzero(self.has_moved.any(axis=0))
        return tuple(self.items[k] for k in moved.tolist())

    @cached_property
    def verdict(self) -> str:
        """The result in one sentence."""
        who = _enumerate(self.populations)
        p = p_words(self.p_value)
        n = len(self.moved)
        counted = f"{n:,} of {len(self.items):,} items moved"
        if self.differ:
            return f"{who} rank differently ({p}): {counted if n else 'no single item stands out'}"
        least = min(self.agreement, key=lambda pair: pair.tau)
        pair = "they" if len(self.populations) == 2 else _enumerate(least.populations)
        agree = "agree" if len(self.populations) == 2 else "agree least,"
        return (
            f"no significant difference between {who} ({p}); "
            f"{pair} {agree} with tau = {_tau(least.tau)}, "
            f"expected by chance {_tau(least.lower)} to {_tau(least.upper)}"
        )

    def _headline(self) -> str:
        return self.verdict

    def _preview(self) -> Preview:
        """Return the items with the most significant differences first, with their population."""
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
        """Return one row per item and population, in the dataframe library of the votes."""
        from hodgerank.data.sources.frames import build_frame

        columns = dict(zip(ComparedItem._fields, map(list, zip(*self, strict=True)), strict=True))
        if len({type(name) for name in self.populations}) > 1:  # a column has one type
            columns["population"] = [str(name) for name in self.populations] * len(self.items)
        return build_frame(columns, backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON; `items` holds the rows of `to_frame`."""
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
    """Return the value, or None if it is not finite, which JSON cannot express."""
    return None if isinstance(value, float) and not np.isfinite(value) else value


def _enumerate(names: tuple[Item, ...]) -> str:
    if len(names) > MOST_NAMES:
        return f"the {len(names):,} populations"
    shown = [short(name) for name in names]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def _tau(value: float) -> str:
    return f"{value:.2f}".replace("0.", ".", 1)
