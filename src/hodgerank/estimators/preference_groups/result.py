"""PreferenceGroups: how many groups there are, who belongs to them, and what they disagree on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hodgerank.display import Charted, Displayed, Preview, p_words
from hodgerank.types import BoolArray, FloatArray, IntArray, Item

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
RELIABLE = 0.95  # probability of the group
ENOUGH_POWER = 0.8
LEVEL = 0.05


class PredictionGain(NamedTuple):
    """How much better several groups predict held-out votes than one.

    Attributes
    ----------
    groups
        The number of groups: that which was found, or else the best rejected one.
    per_vote, lower, upper
        Gain of the log likelihood per vote, in nats, and its 95% confidence interval.
    p_value
        One-sided, multiplied by the number of numbers of groups that were tried.
    correct, correct_of_one
        Share of held-out votes that these groups, and a single one, predict correctly.
    """

    groups: int
    per_vote: float
    lower: float
    upper: float
    p_value: float
    correct: float
    correct_of_one: float


class GroupItem(NamedTuple):
    """An item in one group: a row of `PreferenceGroups.scores_frame`."""

    item: Item
    group: int
    rank: int
    score: float
    stderr: float


class ReversedPair(NamedTuple):
    """Two items that the groups `prefer` and the groups `oppose` order oppositely.

    `prefer` are those that prefer `item` to `other`; z is the smallest |difference| of the scores
    in these groups, in standard errors.
    """

    item: Item
    other: Item
    prefer: tuple[int, ...]
    oppose: tuple[int, ...]
    z: float


@dataclass(frozen=True, eq=False, repr=False)
class PreferenceGroups(Displayed, Charted):
    """Groups of workers with the same taste.

    Arrays of workers are aligned with `workers`, arrays of scores have one row per group and are
    aligned with `items`. Groups are numbered from 1, the largest first.

    Attributes
    ----------
    count
        Number of groups; None if it cannot be determined.
    at_most
        Largest number that was tried.
    gain
        How much better several groups predict held-out votes; None if it cannot be determined.
    workers, n_votes
        The workers, and how many votes each gave.
    group, probability
        Most probable group of each worker, and its probability, without the worker's own effect on
        the scores of the groups.
    acuity
        How consistently a worker follows the scores of the group: 0 is random.
    is_opposite
        Whether a worker votes in reverse (negative acuity; false discovery rate 5%). Sabotage and
        the opposite taste cannot be distinguished.
    items, scores, errors
        Scores of each group in log odds (of a worker of acuity 1), and their standard errors
        (clustered by worker).
    reversed_pairs
        Pairs that groups order oppositely, with |z| > 2.58 in both, clearest first; at most 1,000.
    n_reversed
        Number of all such pairs.
    power
        Share of simulations with two equal groups on the same pairs in which these were found; NaN
        if there are several groups, or it cannot be determined.
    n_simulations
        Number of these simulations.
    notes
        Limits of the result.
    """

    count: int | None
    at_most: int
    gain: PredictionGain | None
    workers: tuple[Item, ...]
    n_votes: IntArray
    group: IntArray
    probability: FloatArray
    acuity: FloatArray
    is_opposite: BoolArray
    items: tuple[Item, ...]
    scores: FloatArray
    errors: FloatArray
    reversed_pairs: tuple[ReversedPair, ...]
    n_reversed: int
    power: float
    n_simulations: int
    notes: tuple[str, ...]
    backend: str

    @property
    def is_reliable(self) -> BoolArray:
        """Whether the group of a worker is known with a probability of at least 95%."""
        return np.asarray(self.probability >= RELIABLE)

    @property
    def sizes(self) -> IntArray:
        """Number of workers in each group."""
        return np.bincount(self.group - 1, minlength=len(self.scores))

    @property
    def n_pairs(self) -> int:
        """Number of pairs of items."""
        return len(self.items) * (len(self.items) - 1) // 2

    @property
    def opposite(self) -> tuple[Item, ...]:
        """Workers who vote in reverse."""
        return tuple(self.workers[k] for k in np.flatnonzero(self.is_opposite).tolist())

    def members(self, group: int) -> tuple[Item, ...]:
        """Return the workers of a group, from 1."""
        return tuple(self.workers[k] for k in np.flatnonzero(self.group == group).tolist())

    def ranking(self, group: int) -> tuple[GroupItem, ...]:
        """Return the items of a group (from 1), best first."""
        score, error = self.scores[group - 1], self.errors[group - 1]
        order = np.argsort(-score, kind="stable").tolist()
        return tuple(
            GroupItem(self.items[k], group, rank, float(score[k]), float(error[k]))
            for rank, k in enumerate(order, start=1)
        )

    @cached_property
    def statement(self) -> str:
        """The result in one sentence."""
        if self.count is None:
            return f"The number of preference groups cannot be determined: {self.notes[0]}"
        if self.count == 1:
            return f"No evidence of more than one preference group{self._power_words}"
        gain = self.gain
        assert gain is not None  # there is one where there are groups
        better = p_words(gain.p_value)
        if gain.correct > gain.correct_of_one:
            better = f"{gain.correct:.1%} correct instead of {gain.correct_of_one:.1%}, {better}"
        number = WORDS[self.count]
        number = f"At least {number}" if self.count > 2 else number.capitalize()
        return (
            f"{number} preference groups predict new votes better ({better}); they reverse "
            f"{self.n_reversed:,} of {self.n_pairs:,} pairs"
        )

    @property
    def lacks_reversals(self) -> bool:
        """Whether several groups predict significantly better, but reverse no pair clearly."""
        return self.count == 1 and self.gain is not None and self.gain.p_value < LEVEL

    @property
    def opposite_statement(self) -> str:
        """How many workers vote in reverse; empty if none do."""
        n = len(self.opposite)
        if not n:
            return ""
        return f"{n:,} worker{' votes' if n == 1 else 's vote'} in reverse"

    @property
    def _power_words(self) -> str:
        if np.isnan(self.power):
            return ""
        found = f"{self.power * self.n_simulations:.0f} of {self.n_simulations} simulations"
        if self.power >= ENOUGH_POWER:
            return f" (two equal groups were found in {found})"
        votes = float(np.median(self.n_votes))
        return (
            f" (with {votes:,.0f} vote{'' if votes == 1 else 's'} per worker two groups would "
            f"often be missed: they were found in {found})"
        )

    def _headline(self) -> str:
        return self.statement

    def _preview(self) -> Preview:
        rows = (
            (
                self.workers[k],
                int(self.group[k]),
                float(self.probability[k]),
                "yes" if self.is_reliable[k] else "no",
                int(self.n_votes[k]),
            )
            for k in range(len(self.workers))
        )
        header = ("worker", "group", "probability", "reliable", "votes")
        return Preview(header, rows, len(self.workers))

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row per worker."""
        from hodgerank.data.sources.frames import build_frame

        return build_frame(self._members(), backend or self.backend)

    def scores_frame(self, backend: str | None = None) -> Any:
        """Return one row per group and item, the best of each group first."""
        from hodgerank.data.sources.frames import build_frame

        rows = [row for g in range(1, len(self.scores) + 1) for row in self.ranking(g)]
        columns = zip(GroupItem._fields, map(list, zip(*rows, strict=True)), strict=True)
        return build_frame(dict(columns), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        members = self._members()
        rows = zip(*(values.tolist() for values in members.values()), strict=True)
        return {
            "statement": self.statement,
            "opposite_statement": self.opposite_statement or None,
            "count": self.count,
            "at_most": self.at_most,
            "gain": None if self.gain is None else _plain(self.gain),
            "power": None if np.isnan(self.power) else self.power,
            "n_simulations": self.n_simulations,
            "notes": list(self.notes),
            "groups": [
                {
                    "group": g,
                    "size": int(size),
                    "items": [
                        {"item": r.item, "rank": r.rank, "score": r.score, "stderr": r.stderr}
                        for r in self.ranking(g)
                    ],
                }
                for g, size in enumerate(self.sizes.tolist(), start=1)
            ],
            "n_pairs": self.n_pairs,
            "n_reversed": self.n_reversed,
            "reversed_pairs": [
                {**pair._asdict(), "prefer": list(pair.prefer), "oppose": list(pair.oppose)}
                for pair in self.reversed_pairs
            ],
            "opposite": list(self.opposite),
            "workers": [dict(zip(members, row, strict=True)) for row in rows],
        }

    def _members(self) -> dict[str, Any]:
        return {
            "worker": np.array(self.workers, dtype=object),
            "group": self.group,
            "probability": self.probability,
            "is_reliable": self.is_reliable,
            "votes": self.n_votes,
            "acuity": self.acuity,
            "is_opposite": self.is_opposite,
        }


def _plain(gain: PredictionGain) -> dict[str, Any]:
    """Return plain values; nothing can be predicted correctly if all votes are ties."""
    return {k: None if np.isnan(value) else value for k, value in gain._asdict().items()}
