"""ContestResult: everything that was measured, and how players differ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmarks.contest.measuring import Measures
from benchmarks.contest.paired import Paired, mean_of, paired
from benchmarks.contest.setting import Setting
from benchmarks.contest.tasks import Task


class Entry(NamedTuple):
    """Something to compare: a measure of a player, and what it is called in a table."""

    label: str
    player: str
    measured: str


@dataclass(frozen=True)
class ContestResult:
    """Measures of every player in every regime.

    Attributes
    ----------
    notes
        What was left out, and why.
    """

    setting: Setting
    runs: int
    regimes: tuple[str, ...]
    players: tuple[str, ...]
    measures: dict[tuple[str, str], Measures]
    notes: tuple[str, ...] = ()

    def mean(self, regime: str, entry: Entry) -> np.ndarray:
        """Over runs, at each look."""
        return np.asarray(self._values(regime, entry).mean(axis=0))

    def ahead(self, regime: str, entry: Entry, reference: Entry) -> list[Paired]:
        """Return how far one is ahead of another in the same runs, at each look."""
        own, other = (self._values(regime, each).T for each in (entry, reference))
        return [paired(a, b) for a, b in zip(own, other, strict=True)]

    def mean_over_regimes(self, entry: Entry) -> np.ndarray:
        """At each look, over the regimes that get there."""
        found = np.array([self.mean(regime, entry) for regime in self.regimes])
        is_there = ~np.isnan(found)
        total = np.where(is_there, found, 0.0).sum(axis=0)
        with np.errstate(invalid="ignore"):  # nobody gets there: NaN
            return np.asarray(total / is_there.sum(axis=0))

    def ahead_over_regimes(self, entry: Entry, reference: Entry) -> list[Paired]:
        """Return the mean differences over regimes, at each look."""
        found = (self.ahead(regime, entry, reference) for regime in self.regimes)
        return [mean_of(cells) for cells in zip(*found, strict=True)]

    def _values(self, regime: str, entry: Entry) -> np.ndarray:
        return self.measures[regime, entry.player][entry.measured]


def collected(done: Iterable[tuple[Task, Measures]]) -> dict[tuple[str, str], Measures]:
    """Runs of the same player in the same regime put together; blocks come in order."""
    blocks: dict[tuple[str, str], list[Measures]] = {}
    for task, measures in done:
        blocks.setdefault((task.regime.name, task.player), []).append(measures)
    return {
        which: {name: np.concatenate([block[name] for block in found]) for name in found[0]}
        for which, found in blocks.items()
    }
