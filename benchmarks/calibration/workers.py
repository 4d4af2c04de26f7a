"""Warnings, notes and repetitions of workers, and outliers: false positives and power."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import Crowd
from benchmarks.calibration.table import Row
from hodgerank.estimators.workers.assessment import IMPRECISE, TIE_HAPPY, TOO_FEW, WARNINGS
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.repetitions import repeat_themselves

Array = np.ndarray
COIN, OPPOSITE, LEFT, TIES, HONEST = "coin", "opposite", "left", "ties", "honest"
FLAGS = {OPPOSITE: "adversarial", LEFT: "position-clicking", TIES: TIE_HAPPY}


def misbehave(
    votes: hr.Comparisons, shares: Mapping[str, float], rng: np.random.Generator
) -> tuple[hr.Comparisons, Array]:
    """Make some of the workers random, adversarial, left-clicking or tie-happy; and say which."""
    kinds = behaving(votes.n_workers, shares, rng)
    return replace(votes, outcome=misbehaved(votes.outcome, kinds[votes.worker], rng)), kinds


def behaving(n_workers: int, shares: Mapping[str, float], rng: np.random.Generator) -> Array:
    """Return the kind of each worker."""
    kinds = np.full(n_workers, HONEST, object)
    order, start = rng.permutation(n_workers), 0
    for kind, share in shares.items():
        n = round(share * n_workers)
        kinds[order[start : start + n]] = kind
        start += n
    return kinds


def misbehaved(honest: Array, who: Array, rng: np.random.Generator) -> Array:
    """Return outcomes by workers of these kinds, from those that they would give if honest."""
    often = rng.random(len(honest))
    y = np.where(who == OPPOSITE, -honest, honest)
    y = np.where(who == COIN, np.abs(y) * rng.choice([-1.0, 1.0], len(y)), y)
    y = np.where((who == LEFT) & (often < 0.8), 1.0, y)
    return np.where((who == TIES) & (often < 0.6), 0.0, y)


@dataclass
class Assessed:
    """Flags of many crowds: shares of false positives among warnings, and flags of each kind."""

    false_warnings: list[float] = field(default_factory=list)
    flags: dict[str, Counter[str]] = field(default_factory=dict)

    def add(self, found: hr.WorkerAssessment, kinds: Array, anybody: bool) -> None:
        """Add one crowd; with `anybody`, every warning is a false positive."""
        faulty = np.isin(np.array(found.flag, object).astype(str), WARNINGS)
        wrong = faulty & (np.isin(kinds.astype(str), (HONEST, TIES)) | anybody)
        self.false_warnings.append(wrong.sum() / max(faulty.sum(), 1))
        for kind, flag in zip(kinds, found.flag, strict=True):
            self.flags.setdefault(kind, Counter())[flag] += 1

    def share(self, kind: str, *flags: str) -> tuple[float, int]:
        """Return the share of workers of a kind with enough votes, and their number."""
        counts = self.flags[kind]
        n = counts.total() - counts[TOO_FEW]
        return sum(counts[flag] for flag in flags) / max(n, 1), n


def assessed(
    crowd: Crowd, shares: Mapping[str, float], runs: int, rng: np.random.Generator
) -> Assessed:
    """Assess the workers of many such crowds."""
    found = Assessed()
    for _ in range(runs):
        votes, kinds = misbehave(crowd.votes(rng), shares, rng)
        found.add(hr.assess_workers(votes), kinds, anybody=shares.get(COIN) == 1)
    return found


VARIED = Crowd(per_pair=20, acuities=0.5)  # 45 answers per worker
HONEST_CROWDS = {
    "Bradley-Terry": Crowd(per_pair=20),
    "varied acuity": VARIED,
    "varied acuity, 11 answers each": replace(VARIED, per_pair=5),
    "varied acuity, 150 answers each": replace(VARIED, n_items=16, per_pair=25),
    "varied acuity, 100 workers": replace(VARIED, n_items=20, n_workers=100),
    "varied acuity, 3 workers": replace(VARIED, per_pair=5, n_workers=3),
    "acuity varied by e^+-.8": replace(VARIED, acuities=0.8),
    "varied acuity and tastes": replace(VARIED, tastes=0.7),
    "tastes as varied as items": replace(VARIED, acuities=0.0, tastes=1.5),
    "varied acuity, ties": replace(VARIED, answer="tie"),
    "varied acuity, grades": replace(VARIED, answer="grade"),
    "varied acuity, sparse": replace(VARIED, n_items=30, per_pair=10, design="sparse"),
    "varied acuity, unbalanced": replace(VARIED, design="unbalanced"),
    "varied acuity, every answer five times": replace(VARIED, repeats=5),
    "varied acuity, sorted display": replace(VARIED, display="first"),
    "varied acuity, better item left": replace(VARIED, display="better"),
    "varied acuity, winner left": replace(VARIED, display="winner"),
    "varied acuity, slight leans": replace(VARIED, leans=0.3),
    "varied acuity, 10 % lapses": replace(VARIED, lapses=0.1, spread=3.0),
    "noiseless": Crowd(per_pair=20, link="noiseless"),
}
MIXED: dict[str, tuple[Crowd, dict[str, float]]] = {
    "20 % coins": (Crowd(per_pair=20), {COIN: 0.2}),
    "20 % coins, varied acuity": (VARIED, {COIN: 0.2}),
    "20 % coins, varied acuity, 150 answers each": (
        replace(VARIED, n_items=16, per_pair=25),
        {COIN: 0.2},
    ),
    "5 % coins, varied acuity": (VARIED, {COIN: 0.05}),
    "40 % coins, varied acuity": (VARIED, {COIN: 0.4}),
    "20 % coins, varied acuity, ties": (replace(VARIED, answer="tie"), {COIN: 0.2}),
    "20 % coins, varied acuity, grades": (replace(VARIED, answer="grade"), {COIN: 0.2}),
    "1 coin of 3 workers": (Crowd(per_pair=10, n_workers=3), {COIN: 1 / 3}),
    "20 % opposite, varied acuity": (VARIED, {OPPOSITE: 0.2}),
    "10 % each: coins, opposite, left": (VARIED, {COIN: 0.1, OPPOSITE: 0.1, LEFT: 0.1}),
    "10 % tie-happy": (VARIED, {TIES: 0.1}),
    "40 % tie-happy": (VARIED, {TIES: 0.4}),
    "40 % tie-happy among ties": (replace(VARIED, answer="tie"), {TIES: 0.4}),
}
NOBODY_KNOWS = {
    "all coins": (Crowd(per_pair=20), {COIN: 1.0}),
    "all coins, 11 answers each": (Crowd(per_pair=5), {COIN: 1.0}),
    "all coins, every answer five times": (Crowd(per_pair=20, repeats=5), {COIN: 1.0}),
    "one worker": (Crowd(n_workers=1), {}),
    "two workers": (Crowd(n_workers=2), {}),
}
CONSISTENT = {
    "Bradley-Terry": Crowd(),
    "Bradley-Terry, 20 per pair": Crowd(per_pair=20),
    "Bradley-Terry, spread 3": Crowd(per_pair=20, spread=3.0),
    "Bradley-Terry, one per pair": Crowd(n_items=30, per_pair=1),
    "Thurstone": Crowd(link="thurstone", per_pair=20),
    "uniform": Crowd(link="uniform", per_pair=20),
    "ties": Crowd(answer="tie"),
    "grades": Crowd(answer="grade"),
    "noiseless": Crowd(link="noiseless"),
    "sparse": Crowd(n_items=30, design="sparse"),
    "sparse, two per pair": Crowd(n_items=30, design="sparse", per_pair=2),
    "sparse ties": Crowd(n_items=30, design="sparse", answer="tie"),
    "sparse grades": Crowd(n_items=30, design="sparse", answer="grade"),
    "unbalanced": Crowd(design="unbalanced", per_pair=20),
}
SMALL = Crowd(n_items=6, per_pair=15, n_workers=5)
INDEPENDENT = {
    "6 items, 15 per pair, 5 workers": SMALL,
    "5 items, 6 per pair, 3 workers": Crowd(n_items=5, per_pair=6, n_workers=3),
    "6 items, 40 per pair, 2 workers": replace(SMALL, per_pair=40, n_workers=2),
    "6 items, 40 per pair, 3 workers": replace(SMALL, per_pair=40, n_workers=3),
    "6 items, 40 per pair, 3 workers, spread 3": replace(
        SMALL, per_pair=40, n_workers=3, spread=3.0
    ),
    "6 items, 40 per pair, 10 workers": replace(SMALL, per_pair=40, n_workers=10),
    "6 items, 40 per pair, 50 workers": replace(SMALL, per_pair=40, n_workers=50),
    "5 workers, coins": replace(SMALL, spread=0.0),
    "5 workers, everybody leans": replace(SMALL, lean=1.0),
    "5 workers, 20 % lapses": replace(SMALL, lapses=0.2),
    "5 workers, ties": replace(SMALL, answer="tie"),
    "5 workers, grades": replace(SMALL, answer="grade"),
}
"""Few workers who are asked again, and answer as if they had not been asked before."""
DIFFERENT = {
    "5 workers, varied acuity": (replace(SMALL, acuities=0.5), {}),
    "5 workers, 1 coin, 15 per pair": (SMALL, {COIN: 0.2}),
    "5 workers, 1 coin, 40 per pair": (replace(SMALL, per_pair=40), {COIN: 0.2}),
    "5 workers, 1 clicks left, 40 per pair": (replace(SMALL, per_pair=40), {LEFT: 0.2}),
    "5 workers, 1 opposite, 15 per pair": (SMALL, {OPPOSITE: 0.2}),
    "20 workers, 4 coins, 40 per pair": (replace(SMALL, per_pair=40, n_workers=20), {COIN: 0.2}),
    "5 workers, varied tastes": (replace(SMALL, tastes=0.7), {}),
}
"""The same of workers of different kinds: what one says again is not what the others say."""


def share_called_correlated(
    crowd: Crowd, shares: Mapping[str, float], runs: int, rng: np.random.Generator
) -> float:
    """Return how often votes of a worker are called correlated."""
    crowds = (misbehave(crowd.votes(rng), shares, rng)[0] for _ in range(runs))
    return sum(repeat_themselves(AnsweredGraph.of(votes)) for votes in crowds) / runs


def share_with_excess_outliers(
    crowd: Crowd, flipped: float, runs: int, rng: np.random.Generator
) -> float:
    """Return how often outliers are called too many, with this share of the votes reversed."""
    said = 0
    for _ in range(runs):
        votes = crowd.votes(rng)
        turn = np.where(rng.random(len(votes)) < flipped, -1.0, 1.0)
        said += hr.find_outliers(replace(votes, outcome=turn * votes.outcome)).are_too_many
    return said / runs


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield false warnings, power on each kind of worker, outliers, and repetitions."""
    rng = np.random.default_rng(seed)
    for name, crowd in HONEST_CROWDS.items():
        found = assessed(crowd, {}, runs, rng)
        yield _false_warnings(name, found)
        yield Row("less precise", name, "where true", *found.share(HONEST, IMPRECISE))
    for name, (crowd, shares) in {**NOBODY_KNOWS, **MIXED}.items():
        found = assessed(crowd, shares, runs, rng)
        yield _false_warnings(name, found)
        if name in NOBODY_KNOWS:
            continue
        for kind in shares:
            if kind == COIN:
                flags = found.share(kind, "careless", "adversarial")
                yield Row("careless", name, "high", *flags)
                more = found.share(kind, "careless", "adversarial", IMPRECISE)
                yield Row("careless or less precise", name, "high", *more)
            else:
                yield Row(FLAGS[kind], name, "high", *found.share(kind, FLAGS[kind]))
    for name, crowd in CONSISTENT.items():
        share = share_with_excess_outliers(crowd, 0.0, runs, rng)
        yield Row("more outliers than expected by chance", name, "at most 5 %", share, runs)
    for n_items in (10, 20):
        for spread in (1.5, 2.0, 3.0):
            crowd = Crowd(n_items=n_items, per_pair=20, spread=spread)
            name = f"20 % reversed, {n_items} items, spread {spread:g}"
            yield Row(
                "more outliers than expected by chance",
                name,
                "high",
                share_with_excess_outliers(crowd, 0.2, runs, rng),
                runs,
            )
    yield from repetitions(runs, rng)


def repetitions(runs: int, rng: np.random.Generator) -> Iterator[Row]:
    """Measure the statement that repeated votes are correlated, in crowds with and without it."""
    said = "correlated votes of a worker"
    for name, crowd in INDEPENDENT.items():
        yield Row(said, name, "at most 1 %", share_called_correlated(crowd, {}, runs, rng), runs)
    for name, (crowd, shares) in DIFFERENT.items():
        yield Row(
            said, name, "workers differ", share_called_correlated(crowd, shares, runs, rng), runs
        )
    for n_workers in (3, 5, 20):
        for repeats in (3, 5, 10):
            crowd = Crowd(n_items=5, per_pair=30, n_workers=n_workers, repeats=repeats)
            name = f"each answer {repeats} times, 5 items, 30 per pair, {n_workers} workers"
            yield Row(said, name, "high", share_called_correlated(crowd, {}, runs, rng), runs)


def _false_warnings(name: str, found: Assessed) -> Row:
    shares = np.array(found.false_warnings)
    error = float(shares.std() / np.sqrt(len(shares)))
    mean = float(shares.mean())
    return Row(
        "honest workers among those with a warning", name, "at most 5 %", mean, len(shares), error
    )
