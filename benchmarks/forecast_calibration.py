"""Calibration of forecasts: votes needed, compared with the forecast, over many campaigns."""

from __future__ import annotations

import numpy as np

import hodgerank as hr
from benchmarks.crowds import CROWDS
from benchmarks.sampling_accuracy import SAMPLERS

SEED = 8
SETTINGS = (  # sampler, crowd, items, votes before, target, campaigns
    ("auto", "BT spread 1.5", 16, 64, 0.8, 40),
    ("rounds", "BT spread 1.5", 16, 64, 0.8, 40),
    ("auto", "BT spread 1", 16, 80, 0.75, 40),
    ("auto", "BT spread 0.6", 16, 80, 0.6, 40),
    ("auto", "BT spread 1.5", 40, 160, 0.75, 40),
    ("auto", "BT spread 1.5", 1_200, 6_000, 0.8, 10),
    ("auto", "BT spread 1.5", 5_000, 25_000, 0.8, 10),
    ("rounds", "BT spread 1.5", 5_000, 25_000, 0.7, 10),
)


def run() -> str:
    lines = ["### Forecasts of the answers still needed", ""]
    lines += [
        "| sampler | crowd | items | after | target | campaigns | needed / foreseen, median | "
        "in the 90 % interval | sooner | later | true tau when stopped |"
    ]
    lines += ["|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for name, crowd, n, start, target, runs in SETTINGS:
        rows = [row for k in range(runs) if (row := _one(name, crowd, n, start, target, k))]
        ratio, sooner, later, tau = np.array(rows).T
        lines.append(
            f"| {name} | {crowd} | {n} | {start} | {target} | {runs} | {np.median(ratio):.2f} | "
            f"{1 - sooner.mean() - later.mean():.0%} | {sooner.mean():.0%} | {later.mean():.0%} | "
            f"{tau.mean():.3f} |"
        )
    return "\n".join(lines) + "\n"


def _one(name: str, crowd: str, n: int, start: int, target: float, run: int):
    rng = np.random.default_rng((SEED, n, run))
    truth, answer = CROWDS[crowd](n, rng)
    sampler = SAMPLERS[name](n, SEED * 1000 + run)
    sampler.prepare_to_stop()
    outlook = None
    while sampler.n_votes < start + 50 * n:
        left, right = sampler.ask()
        sampler.tell((left, right), answer(left, right))
        if sampler.n_votes == start:
            outlook = hr.forecast(sampler, target)
            if outlook.votes == 0:
                return None
        if outlook is not None and (sampler.n_votes - start) % max(1, n // 10) == 0:
            ranking = sampler.ranking()
            if hr.expected_tau(ranking) >= target:
                break
    needed = sampler.n_votes - start
    scores = dict(zip(ranking.items, ranking.scores.tolist(), strict=True))
    tau = hr.metrics.kendall_tau(scores, dict(enumerate(truth.tolist())))
    return needed / outlook.votes, needed < outlook.lower, needed > outlook.upper, tau
