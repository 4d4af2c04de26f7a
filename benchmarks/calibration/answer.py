"""The first sentences of a report: the best item, its certainty, and significant differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import CONSISTENT, Crowd, fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.estimators.certainty import certainty_over_next
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.metrics import pairwise_accuracy
from hodgerank.reporting.options import ReportOptions
from hodgerank.reporting.verdict import reach_verdict

DESIGNS = {
    "10 items, 5 per pair": Crowd(),
    "10 items, 2 per pair": Crowd(per_pair=2),
    "30 items, sparse": Crowd(n_items=30, design="sparse"),
    "16 items, adaptive, 1 per pair": Crowd(n_items=16, per_pair=1, design="adaptive"),
}
OTHERS = {
    "two equally best": Crowd(leaders=2),
    "two equally best, 20 per pair": Crowd(leaders=2, per_pair=20),
    "two equally best, weak opinions": Crowd(leaders=2, spread=0.3, per_pair=2),
    "two equally best, adaptive": Crowd(leaders=2, n_items=16, per_pair=1, design="adaptive"),
    "four equally best": Crowd(leaders=4),
    "all equal (coins)": Crowd(spread=0.0),
    "weak opinions": Crowd(spread=0.3),
    "answers given five times": Crowd(repeats=5, per_pair=10),
    "rotation": Crowd(cycles="rotation", per_pair=20),
    "diffuse cycles": Crowd(cycles="diffuse"),
    "three quarters of the better left, lean": Crowd(display="mostly better", lean=0.7),
    "3 items, 5 per pair": Crowd(n_items=3),
    "3 items, two equally best": Crowd(n_items=3, leaders=2),
}
LEVEL = 0.95
SETTINGS = ReportOptions(options={"confidence": LEVEL}, with_forecast=False, seed=0)


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield all statements."""
    for kind, crowd in CONSISTENT.items():
        for name, design in DESIGNS.items():
            shape = {k: getattr(design, k) for k in ("n_items", "per_pair", "design")}
            yield from said_first(f"{kind}, {name}", replace(crowd, **shape), runs, seed)
    for name, crowd in OTHERS.items():
        yield from said_first(name, crowd, runs, seed)


class Voters(Protocol):
    """A crowd that votes."""

    def votes(self, rng: np.random.Generator) -> hr.Comparisons:
        """Return votes, with the true scores."""


def said_first(
    name: str, crowd: Voters, runs: int, seed: int, settings: ReportOptions = SETTINGS
) -> Iterator[Row]:
    """Measure how often the best item is named, and wrongly; and the accuracy of expected order."""
    rng = fresh_rng(seed, name)
    named, wrong, promised, kept, apart, in_order = [], [], [], [], [], []
    for _ in range(runs):
        votes = crowd.votes(rng)
        ranking = hr.rank(votes, **settings.options)
        truth = dict(zip(votes.items, votes.truth.tolist(), strict=True))
        best = [item for item in votes.items if truth[item] == max(truth.values())]
        sides = settings.position_bias is not None
        is_named = reach_verdict(
            ranking, ComparisonGraph.from_comparisons(votes), sides=sides
        ).is_settled
        named.append(is_named)
        wrong.append(is_named and best != [ranking.items[0]])
        scores = np.array([truth[item] for item in ranking.items])
        if np.ptp(scores):
            promised.append((1 + hr.expected_tau(ranking)) / 2)
            kept.append(pairwise_accuracy(ranking, truth))
        sure = certainty_over_next(ranking)[:-1] >= LEVEL
        apart.append(int(sure.sum()))
        in_order.append(int((sure & (scores[:-1] > scores[1:])).sum()))
    yield Row("the best item is named", name, "high", float(np.mean(named)), runs)
    yield Row(
        "an item is named that is not the only best",
        name,
        "at most 5 %",
        float(np.mean(wrong)),
        runs,
    )
    if promised:
        off = np.array(promised) - kept
        yield Row(
            "pairs in the right order: expected minus true", name, "0 %", float(off.mean()), runs,
            float(off.std(ddof=1) / np.sqrt(runs)),
        )  # fmt: skip
    if sum(apart):
        shares = np.array(in_order) / np.maximum(apart, 1)
        share = sum(in_order) / sum(apart)
        spread = np.array(apart) * (shares - share)
        error = float(np.sqrt((spread**2).sum()) / sum(apart))
        yield Row(
            "significantly different neighbours are in order",
            name,
            "at least 95 %",
            share,
            sum(apart),
            error,
        )
