"""Careless workers in campaigns whose pairs a sampler chooses: who is found, and who is wronged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import Crowd, Members, fresh_rng
from benchmarks.calibration.table import Row
from benchmarks.calibration.workers import COIN, HONEST, LEFT, OPPOSITE, behaving, misbehaved
from hodgerank.estimators.workers.assessment import CLICKING, OK, TOO_FEW, WARNINGS
from hodgerank.metrics import kendall_tau

Array = np.ndarray
CROWD = Crowd(n_items=40, n_workers=20, acuities=0.5, leans=0.5)
SHARES = {COIN: 0.1, LEFT: 0.1, OPPOSITE: 0.1}
PER_WORKER = (20, 26, 40, 50, 80)
SAMPLERS: Mapping[str, Any] = {
    "random pairs": partial(hr.RandomSampler, order="independent"),
    "adaptive": hr.AutoSampler,
    "adaptive, vetting=8": partial(hr.AutoSampler, vetting=8),
    "adaptive, easy_share=0.2": partial(hr.AutoSampler, easy_share=0.2),
}


@dataclass(frozen=True)
class Played:
    """Votes of a campaign in which all workers have the same number of votes at any time."""

    votes: hr.Comparisons
    kinds: Array

    def after(self, per_worker: int) -> hr.Comparisons:
        """Return the first votes of each worker."""
        return self.votes.select(np.arange(per_worker * len(self.kinds)))


def played(
    build: Any, crowd: Crowd, shares: Mapping[str, float], per_worker: int, rng: np.random.Generator
) -> Played:
    """Let a sampler ask every worker once per round, in random order."""
    members = Members(crowd, rng)
    sampler = build(members.items, seed=int(rng.integers(1 << 31)))
    codes = {item: code for code, item in enumerate(members.items)}
    kinds = behaving(crowd.n_workers, shares, rng)
    names = [f"w{k:03d}" for k in range(crowd.n_workers)]
    for _ in range(per_worker):
        for worker in rng.permutation(crowd.n_workers):
            pair = sampler.ask(worker=names[worker])
            left, right = (np.array([codes[item]]) for item in pair)
            honest = members.answers(left, right, np.array([worker]))
            outcome = misbehaved(honest, kinds[[worker]], rng)
            sampler.tell(pair, float(outcome[0]), names[worker])
    votes = sampler.votes
    order = [codes[item] for item in votes.items]
    kinds = kinds[[names.index(name) for name in votes.workers]]
    return Played(replace(votes, truth=members.truth[order]), kinds)
