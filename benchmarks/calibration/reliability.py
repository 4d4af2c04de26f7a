"""Separation, split halves, misfit and agreement, compared with what they estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import CONSISTENT, Crowd, fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.estimators.reliability.agreement import agreement
from hodgerank.estimators.reliability.assess import reliability_of
from hodgerank.graph.answered_graph import AnsweredGraph

SPLITS = 10  # per run: the median of more changes little
SEPARATION = {
    "dense, 5 per pair": Crowd(),
    "dense, 2 per pair": Crowd(per_pair=2),
    "sparse, 30 items, 5 per pair": Crowd(n_items=30, design="sparse"),
    "unbalanced": Crowd(design="unbalanced", n_items=16),
    "weak opinions, 2 per pair": Crowd(spread=0.4, per_pair=2),
    "10 % lapses, spread 3": Crowd(lapses=0.1, spread=3.0),
    "varied tastes": Crowd(tastes=0.7),
    "ties": Crowd(answer="tie"),
    "grades": Crowd(answer="grade"),
    "noiseless": Crowd(link="noiseless"),
    "adaptive, 16 items, 1 per pair": Crowd(n_items=16, per_pair=1, design="adaptive"),
    "adaptive, 30 items, 1 per pair": Crowd(n_items=30, per_pair=1, design="adaptive"),
    "adaptive, weak opinions": Crowd(n_items=16, spread=0.4, per_pair=1, design="adaptive"),
}
DESIGNS = {
    "10 items, 5 per pair": Crowd(),
    "10 items, 20 per pair": Crowd(per_pair=20),
    "30 items, sparse": Crowd(n_items=30, design="sparse"),
    "16 items, unbalanced": Crowd(n_items=16, design="unbalanced"),
}
UNEQUAL_WORKERS = ("coin-tossers", "acuity", "tastes")
UNEQUAL_ITEMS = ("item-specific noise",)
ADAPTIVE = {
    "16 items, 2 per pair": Crowd(n_items=16, per_pair=2, design="adaptive"),
    "16 items, 5 per pair": Crowd(n_items=16, per_pair=5, design="adaptive"),
    "30 items, 1 per pair": Crowd(n_items=30, per_pair=1, design="adaptive"),
}
ESTIMATORS: dict[str, tuple[Callable[..., hr.Ranking], str]] = {
    "bradley_terry": (hr.bradley_terry, "bradley-terry"),
    "thurstone_mosteller": (hr.thurstone_mosteller, "thurstone"),
    "bayes_rank": (hr.bayes_rank, "thurstone"),
}
"""Estimator, and the link of the crowd: the estimator's own, so that scales agree."""


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield all statements."""
    for name, crowd in SEPARATION.items():
        yield from separation(name, crowd, runs, seed)
    for kind, crowd in CONSISTENT.items():
        for name, design in DESIGNS.items():
            shape = {k: getattr(design, k) for k in ("n_items", "per_pair", "design")}
            yield from misfit(f"{kind}, {name}", replace(crowd, **shape), runs, seed)
    for name in ("Bradley-Terry", "20 % coin-tossers", "varied acuity", "varied tastes", "ties"):
        yield from alpha(name, CONSISTENT[name], runs, seed)
    for name, crowd in ADAPTIVE.items():
        yield from intervals(name, crowd, runs, seed)


def assessed(crowd: Crowd, rng: np.random.Generator) -> tuple[hr.Comparisons, hr.Reliability]:
    """Return the votes of one crowd and their reliability."""
    votes = crowd.votes(rng)
    return votes, reliability_of(AnsweredGraph.of(votes), n_splits=SPLITS)


def separation(name: str, crowd: Crowd, runs: int, seed: int) -> Iterator[Row]:
    """Compare SSR and Spearman-Brown with the squared correlation with the truth."""
    rng = fresh_rng(seed, name)
    errors, posterior, halves, covered = [], [], [], []
    for _ in range(runs):
        votes, found = assessed(crowd, rng)
        scores = found.scores
        true = float(np.corrcoef(scores, votes.truth)[0, 1]) ** 2
        told = found.separation
        if told is None:
            continue
        errors.append(told.reliability - true)
        posterior.append(told.posterior_reliability - true)
        if told.lower is not None:
            covered.append(told.lower <= true)
        if found.split_half.correlation is not None:
            halves.append((found.split_half.spearman_brown or 0.0) - true)
    told_by = {"SSR": errors, "bayes_rank": posterior, "Spearman-Brown": halves}
    for what, found_errors in told_by.items():
        if found_errors:
            yield Row(f"{what} - true r^2", name, "0 %", *_mean(found_errors))
            yield Row(f"absolute error of {what}", name, "", *_mean(np.abs(found_errors).tolist()))
    if covered:
        share = float(np.mean(covered))
        yield Row("true r^2 is at least the lower bound", name, "95 %", share, len(covered))


def misfit(name: str, crowd: Crowd, runs: int, seed: int) -> Iterator[Row]:
    """Measure how often an item or worker is flagged, also by the rule of two deviations."""
    rng = fresh_rng(seed, name)
    items, workers, usual = [], [], []
    for _ in range(runs):
        _, found = assessed(crowd, rng)
        items.append(found.items.misfits.any())
        if found.workers is not None:
            workers.append(found.workers.misfits.any())
            usual.append(found.workers.conventional.any())
    for what, found_any, unequal in (
        ("item", items, UNEQUAL_ITEMS),
        ("worker", workers, UNEQUAL_WORKERS),
    ):
        nominal = "(it is true)" if any(word in name for word in unequal) else "at most 8 %"
        yield Row(f"some {what} misfits", name, nominal, float(np.mean(found_any)), runs)
    yield Row("some worker is 2 sd above the mean", name, "", float(np.mean(usual)), runs)


def alpha(name: str, crowd: Crowd, runs: int, seed: int) -> Iterator[Row]:
    """Measure whether the interval covers the alpha of very many such workers on these items."""
    rng = fresh_rng(seed, name)
    held = []
    for _ in range(runs):
        start = int(rng.integers(1 << 31))
        votes = crowd.votes(np.random.default_rng(start))
        found = agreement(AnsweredGraph.of(votes))
        many = replace(crowd, n_workers=200, per_pair=200).votes(np.random.default_rng(start))
        assert np.array_equal(many.truth, votes.truth)  # drawn before anything else
        true = agreement(AnsweredGraph.of(many), found.metric)
        held.append(found.lower <= true.alpha <= found.upper)
    yield Row("interval of alpha covers", name, "at least 95 %", float(np.mean(held)), runs)


def intervals(name: str, crowd: Crowd, runs: int, seed: int) -> Iterator[Row]:
    """Measure coverage of 95% intervals, and inflation of scores, after adaptive sampling."""
    for estimator, (rank, link) in ESTIMATORS.items():
        rng, held, slopes = fresh_rng(seed, name + estimator), [], []
        for _ in range(runs):
            votes = replace(crowd, link=link).votes(rng)
            ranking = rank(votes)
            centred = dict(zip(votes.items, votes.truth - votes.truth.mean(), strict=True))
            truth = np.array([centred[item] for item in ranking.items])
            low, high = ranking.intervals.T
            held.append(float(np.mean((low <= truth) & (truth <= high))))
            slopes.append(float(ranking.scores @ truth / (truth @ truth)))
        of = f"{estimator}, adaptive"
        yield Row(f"interval covers: {of}", name, "95 %", *_mean(held))
        yield Row(f"slope on the truth: {of}", name, "100 %", *_mean(slopes))


def _mean(values: list[float]) -> tuple[float, int, float]:
    """Return the mean, the number of values, and the standard error."""
    return float(np.mean(values)), len(values), float(np.std(values) / np.sqrt(len(values)))
