"""Careless workers in campaigns whose pairs a sampler chooses: who is found, and who is wronged."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import Crowd, Members, fresh_rng
from benchmarks.calibration.table import Row
from benchmarks.calibration.workers import COIN, HONEST, LEFT, OPPOSITE, behaving, misbehaved
from hodgerank.estimators.workers.assessment import CLICKING, IMPRECISE, WARNINGS
from hodgerank.metrics import kendall_tau

Array = np.ndarray
CROWD = Crowd(n_items=30, n_workers=20, spread=2.5, acuities=0.5, leans=0.5)
"""Clear preferences, so that an adaptive design asks close pairs."""
HONEST_CROWDS = (
    replace(CROWD, n_items=16, n_workers=3),
    replace(CROWD, n_workers=6),
    replace(CROWD, n_items=50, n_workers=10, spread=1.5),
)
"""Of which each worker gives about 25 votes, 5 per item in all."""
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


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Power on each kind, false warnings, the power that is told, and what it costs."""
    found: dict[tuple[str, int], Found] = {}
    for sampler, build in SAMPLERS.items():
        for run in range(runs):
            rng = fresh_rng(seed + run, sampler)
            campaign = played(build, CROWD, SHARES, max(PER_WORKER), rng)
            for per_worker in PER_WORKER:
                cell = found.setdefault((sampler, per_worker), Found())
                cell.add(campaign.kinds, hr.assess_workers(campaign.after(per_worker)))
    for (sampler, per_worker), cell in found.items():
        yield from cell.rows(f"{sampler}, {per_worker} votes each")
    yield from costs(runs, seed)


@dataclass
class Found:
    """Flags of all workers of many campaigns, with their kinds, and the powers that were told."""

    kinds: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    powers: list[float] = field(default_factory=list)

    def add(self, kinds: Array, found: hr.WorkerAssessment) -> None:
        """Add one campaign."""
        self.kinds += kinds.tolist()
        self.flags += found.flag
        self.powers.append(found.power)

    def share(self, kind: str, flags: Collection[str]) -> tuple[float, int]:
        """Return the share of the workers of a kind with one of these flags, and their number."""
        mine = [
            flag in flags for flag, of in zip(self.flags, self.kinds, strict=True) if of == kind
        ]
        return sum(mine) / len(mine), len(mine)

    def rows(self, name: str) -> Iterator[Row]:
        """Yield what was found."""
        for kind in SHARES:
            yield Row(f"warning: {kind}", name, "high", *self.share(kind, WARNINGS))
        noticed = self.share(COIN, (*WARNINGS, IMPRECISE))
        yield Row("warning or less precise: coin", name, "high", *noticed)
        yield Row("warning: honest", name, "at most 2 %", *self.share(HONEST, WARNINGS))
        yield Row("position-clicking: honest", name, "at most 2 %", *self.share(HONEST, [CLICKING]))
        powers = np.array(self.powers)
        error = float(powers.std() / np.sqrt(len(powers)))
        told = float(powers.mean())
        yield Row(
            "stated power: warning or less precise", name, "as measured", told, len(powers), error
        )


def costs(runs: int, seed: int) -> Iterator[Row]:
    """Compare tau of honest crowds after 5 votes per item with that of the plain sampler."""
    for crowd in HONEST_CROWDS:
        per_worker = 5 * crowd.n_items // crowd.n_workers
        taus: dict[str, Array] = {}
        for sampler, build in SAMPLERS.items():
            taus[sampler] = np.array(
                [
                    tau_of(played(build, crowd, {}, per_worker, fresh_rng(seed + run, "honest")))
                    for run in range(5 * runs)
                ]
            )
        for sampler in list(SAMPLERS)[2:]:
            lost = taus["adaptive"] - taus[sampler]
            error = float(lost.std() / np.sqrt(len(lost)))
            name = f"{sampler}, {crowd.n_items} items, spread {crowd.spread:g}"
            yield Row(
                "loss of tau at 5 votes per item", name, "small", lost.mean(), len(lost), error
            )


def tau_of(campaign: Played) -> float:
    """Return Kendall's tau of the ranking against the truth."""
    votes = campaign.votes
    truth = dict(zip(votes.items, votes.truth.tolist(), strict=True))
    return float(kendall_tau(hr.bayes_rank(votes), truth))
