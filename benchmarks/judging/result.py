"""JudgingResult: calls of every player in every run, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from benchmarks.judging.players import PLAYERS
from benchmarks.judging.reaching import TARGETS
from benchmarks.judging.scenarios import Scenario

REDRAWS = 2000


class Calls(NamedTuple):
    """Calls of one player until a target: the median over runs, and how many runs reached it."""

    median: float
    reached: int


class Saving(NamedTuple):
    """The ratio of one player's calls to another's, and its 95% interval.

    Attributes
    ----------
    bound
        '≥' where the first, '≤' where the second did not get there in half of the runs of some
        scenario, so that the ratio is only a bound; both where it may be either.
    """

    ratio: float
    low: float
    high: float
    bound: str = ""


@dataclass(frozen=True)
class JudgingResult:
    """Calls until each target.

    A run that never gets there is counted with all calls that can be made: medians are right as
    long as fewer than half of the runs are such, and a lower bound from there on.

    Attributes
    ----------
    calls
        By scenario: runs x players x targets; infinite where a target was never reached.
    most
        By scenario: the most calls there are.
    notes
        What was left out, and why.
    """

    seed: int
    scenarios: tuple[Scenario, ...]
    calls: dict[str, np.ndarray]
    most: dict[str, int]
    notes: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """Number of runs of each player in each scenario."""
        return len(next(iter(self.calls.values())))

    def of(self, scenario: str, player: str, target: float) -> Calls:
        """Return the calls of one player."""
        values = self.values(scenario, player, target)
        median = np.median(np.minimum(values, self.most[scenario]))
        return Calls(float(median), int(np.isfinite(values).sum()))

    def gets_there(self, scenario: str, player: str, target: float) -> bool:
        """In at least half of the runs."""
        return 2 * self.of(scenario, player, target).reached >= self.runs

    def saving(
        self, scenarios: Sequence[str], player: str, reference: str, target: float
    ) -> Saving | None:
        """Return the factor by which the reference takes more calls than the player.

        The ratio of medians, and its geometric mean over scenarios, those left out where neither
        gets there. For the interval runs are redrawn, both players' of one number together,
        since they faced the same judges.
        """
        both = (reference, player)
        there = [
            name for name in scenarios if any(self.gets_there(name, who, target) for who in both)
        ]
        if not there:
            return None
        rng = np.random.default_rng(self.seed)
        runs = np.arange(self.runs)
        logs, redrawn = [], []
        for name in there:
            own, other = (
                np.minimum(self.values(name, each, target), self.most[name])
                for each in (player, reference)
            )
            logs.append(_log_ratio(own[runs], other[runs]))
            rows = rng.choice(runs, (REDRAWS, len(runs)))
            redrawn.append(_log_ratio(own[rows], other[rows]))
        low, high = np.exp(np.quantile(np.mean(redrawn, axis=0), [0.025, 0.975]))
        bound = "".join(
            sign
            for sign, who in zip("≥≤", both, strict=True)
            if not all(self.gets_there(name, who, target) for name in there)
        )
        return Saving(float(np.exp(np.mean(logs))), float(low), float(high), bound)

    def values(self, scenario: str, player: str, target: float) -> np.ndarray:
        """Calls in each run."""
        return self.calls[scenario][:, list(PLAYERS).index(player), TARGETS.index(target)]


def _log_ratio(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.log(np.median(other, axis=-1)) - np.log(np.median(own, axis=-1))
