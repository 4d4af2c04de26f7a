"""How often the votes a campaign took lie within the forecast interval.

A forecast is right or wrong only when the target is reached, so each campaign continues until then.
Campaigns that had reached a target before a forecast are left out of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

import hodgerank as hr
from benchmarks.calibration.crowds import Array, fresh_rng
from benchmarks.calibration.table import Row
from benchmarks.sampling_accuracy import SAMPLERS
from hodgerank.collecting.forecast import continuations
from hodgerank.sampling.sampler import Sampler

PER_ITEM = (3, 5, 10)  # votes per item when the forecast is made
TARGETS = (0.8, 0.9)  # expected tau
LONGEST = 150  # votes per item
# Campaigns look at their ranking after another 1, 3 or 8% of votes, by how far the target is.
LOOKS = ((1.15, 0.01), (1.4, 0.03), (np.inf, 0.08))


@dataclass(frozen=True)
class Setting:
    """A kind of campaign; the spread is the standard deviation of the true scores, in logits."""

    sampler: str
    n_items: int
    shape: str
    spread: float = 1.5

    def __str__(self) -> str:
        return f"{self.sampler}, {self.n_items} items, {self.shape}, spread {self.spread:g}"

    def truth(self, rng: np.random.Generator) -> Array:
        """Return true scores."""
        if self.shape == "normal":
            return rng.normal(0, self.spread, self.n_items)
        even = rng.permutation(np.linspace(-1, 1, self.n_items))
        return np.asarray(even * self.spread / even.std())


SETTINGS = (
    *(Setting("auto", n, shape) for n in (12, 30) for shape in ("normal", "evenly spaced")),
    Setting("rounds", 12, "normal"),
    Setting("auto", 12, "normal", 0.75),
    Setting("auto", 12, "normal", 3.0),
)


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield the coverage at each number of votes per item and each target."""
    for setting in SETTINGS:
        found: dict[tuple[int, float], list[tuple[bool, bool]]] = {}
        for run in range(runs):
            for cell, ends in campaign(setting, fresh_rng(seed, f"{setting}, {run}")):
                found.setdefault(cell, []).append(ends)
        for (per_item, target), ends in sorted(found.items()):
            crowd = f"{setting}; {per_item} votes per item; expected tau {target:g}"
            sooner, later = np.mean(ends, axis=0).tolist()
            n = len(ends)
            yield Row("forecast interval covers", crowd, "90%", 1 - sooner - later, n)
            yield Row("fewer votes than the interval", crowd, "5%", sooner, n)


def campaign(
    setting: Setting, rng: np.random.Generator
) -> Iterator[tuple[tuple[int, float], tuple[bool, bool]]]:
    """Yield, for each forecast, whether the target came sooner, or later, than the interval."""
    n, truth = setting.n_items, setting.truth(rng)
    sampler = SAMPLERS[setting.sampler](n, int(rng.integers(2**31)))
    sampler.prepare_to_stop()
    states, reached, next_look = {}, dict[float, int](), min(PER_ITEM) * n
    while len(reached) < len(TARGETS) and sampler.n_votes < LONGEST * n:
        left, right = sampler.ask()
        wins = rng.random() < expit(truth[left] - truth[right])
        sampler.tell((left, right), 1 if wins else -1)
        votes = sampler.n_votes
        if votes in (per_item * n for per_item in PER_ITEM):
            states[votes // n] = deepcopy(sampler)
        if votes >= next_look:
            tau = hr.expected_tau(sampler.ranking())
            reached |= {t: votes for t in TARGETS if t not in reached and tau >= t}
            short = (1 - tau) / (1 - min((t for t in TARGETS if t not in reached), default=tau))
            share = next(share for upto, share in LOOKS if short < upto)
            next_look = votes + max(1, n // 10, int(share * votes))
    for per_item, state in states.items():
        wanted = [t for t in TARGETS if reached.get(t, np.inf) > state.n_votes]
        if not wanted:
            continue
        took = np.array([reached.get(t, LONGEST * n) - state.n_votes for t in wanted])
        for target, ends in zip(wanted, outside(state, wanted, took), strict=True):
            yield (per_item, target), ends


def outside(state: Sampler, targets: list[float], took: Array) -> list[tuple[bool, bool]]:
    """Return whether each target was reached sooner, and later, than the forecast interval.

    The interval is the range of the simulated continuations, so that two of them decide if they lie
    on either side of the votes that were taken, and none has to go beyond these.
    """
    sooner, later = np.full((2, len(targets)), fill_value=True)
    rules = [hr.ExpectedTau(target) for target in targets]
    for takes in continuations(state, state.ranking(), rules, max(took, default=0)):
        takes = np.maximum(np.ceil(takes), 1.0)
        sooner &= took < takes
        later &= took > takes
        if not np.any(sooner | later):
            break
    return list(zip(sooner.tolist(), later.tolist(), strict=True))
