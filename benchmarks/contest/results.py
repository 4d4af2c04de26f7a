"""ContestResult: everything that was measured, and how players differ in the same runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from scipy.stats import t as student

from benchmarks.contest.measuring import Measures
from benchmarks.contest.regimes import PARTS, Part, Regime, Setting
from benchmarks.contest.tasks import Task

CLEAR = 2.0  # standard errors
DIGITS = 12  # of an error; smaller ones are rounding


class Entry(NamedTuple):
    """Something to compare: a measure of a player, and what it is called in a table."""

    label: str
    player: str
    measured: str


class Paired(NamedTuple):
    """Mean difference over runs, its standard error, and the number of runs."""

    mean: float
    stderr: float
    runs: int = 0

    @property
    def z(self) -> float:
        """How many standard errors it is away from 0; 0 if all runs differ by the same."""
        return self.mean / self.stderr if self.stderr else 0.0

    @property
    def is_missing(self) -> bool:
        """Whether nothing was measured."""
        return bool(np.isnan(self.mean))

    @property
    def is_ahead(self) -> bool:
        """Whether it is above 0 by more than two standard errors."""
        return self.z > CLEAR

    @property
    def is_behind(self) -> bool:
        """Whether it is below 0 by more than two standard errors."""
        return self.z < -CLEAR

    @property
    def chance(self) -> float:
        """Probability to be ahead by chance if the two are equal."""
        return 0.0 if self.is_missing else float(student.sf(CLEAR, self.runs - 1))


MISSING = Paired(np.nan, np.nan)


def paired(values: np.ndarray, reference: np.ndarray | float) -> Paired:
    """Return the paired difference of runs that faced the same crowds."""
    difference = values - reference
    n = len(difference)
    error = round(float(difference.std(ddof=1) / np.sqrt(n)), DIGITS)
    return Paired(float(difference.mean()), error, n)


def mean_of(found: Sequence[Paired], weights: Sequence[int]) -> Paired:
    """Weighted mean of independent differences; those with nothing measured do not count."""
    kept = [(each, w) for each, w in zip(found, weights, strict=True) if not each.is_missing]
    if not kept:
        return MISSING
    total = sum(weight for _, weight in kept)
    error = np.sqrt(sum((weight * each.stderr) ** 2 for each, weight in kept)) / total
    return Paired(sum(weight * each.mean for each, weight in kept) / total, float(error))


@dataclass(frozen=True)
class ContestResult:
    """Measures of every player in every regime that it played.

    Attributes
    ----------
    notes
        What was left out, and why.
    """

    setting: Setting
    regimes: tuple[Regime, ...]
    players: tuple[str, ...]
    measures: dict[tuple[str, str], Measures]
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> list[tuple[Part, Self]]:
        """Results with the same looks and runs."""
        found = []
        for part in PARTS:
            regimes = tuple(each for each in self.regimes if each.part == part)
            if regimes:
                found.append((part, replace(self, regimes=regimes)))
        return found

    @property
    def looks(self) -> tuple[float, ...]:
        """Of the first part."""
        return self.regimes[0].part.looks(self.setting)

    def values(self, regime: str, entry: Entry) -> np.ndarray | None:
        """Return what was measured, by run and look; None for a player that did not play."""
        measures = self.measures.get((regime, entry.player))
        return None if measures is None else measures[entry.measured]

    def mean(self, regime: str, entry: Entry) -> np.ndarray:
        """Over runs, at each look."""
        values = self.values(regime, entry)
        return np.full(len(self.looks), np.nan) if values is None else values.mean(axis=0)

    def ahead(self, regime: str, entry: Entry, reference: Entry) -> list[Paired]:
        """Return how far one is ahead of another in the same runs, at each look."""
        own, other = (self.values(regime, each) for each in (entry, reference))
        if own is None or other is None:
            return [MISSING] * len(self.looks)
        return [paired(a, b) for a, b in zip(own.T, other.T, strict=True)]

    def mean_over_regimes(self, entry: Entry) -> np.ndarray:
        """At each look, over the regimes that get there."""
        found = np.array([self.mean(regime.name, entry) for regime in self.regimes])
        is_there = ~np.isnan(found)
        total = np.where(is_there, found, 0.0).sum(axis=0)
        with np.errstate(invalid="ignore"):  # nobody gets there: NaN
            return np.asarray(total / is_there.sum(axis=0))

    def ahead_over_regimes(self, entry: Entry, reference: Entry) -> list[Paired]:
        """Return the mean differences over the regimes that both played, at each look.

        Regimes that differ in the number of pairs in progress have the same crowds: their mean in
        each run is one difference.
        """
        differences = defaultdict(list)
        for regime in self.regimes:
            own, other = (self.values(regime.name, each) for each in (entry, reference))
            if own is not None and other is not None:
                differences[regime.crowd_name].append(own - other)
        by_crowd = [np.mean(found, axis=0) for found in differences.values()]
        weights = [len(found) for found in differences.values()]
        return [
            mean_of([paired(each[:, look], 0.0) for each in by_crowd], weights)
            for look in range(len(self.looks))
        ]

    def n_played(self, player: str) -> int:
        """Number of regimes that a player played."""
        return sum((regime.name, player) in self.measures for regime in self.regimes)


def collected(done: Iterable[tuple[Task, Measures]]) -> dict[tuple[str, str], Measures]:
    """Runs of the same player in the same regime put together; blocks come in order."""
    blocks: dict[tuple[str, str], list[Measures]] = {}
    for task, measures in done:
        blocks.setdefault((task.regime.name, task.player), []).append(measures)
    return {
        which: {name: np.concatenate([block[name] for block in found]) for name in found[0]}
        for which, found in blocks.items()
    }
