"""Calibration of the expected tau after adaptive campaigns."""

from __future__ import annotations

import numpy as np

import hodgerank as hr
from benchmarks.crowds import CROWDS
from hodgerank.metrics import kendall_tau

SEED = 12
SIZES = {16: 120, 50: 60, 200: 16, 1_000: 4}  # items, and campaigns for each crowd
LOOKS = (2, 3, 5)  # votes per item
NAMES = ("uniform", "BT spread 0.6", "BT spread 1", "BT spread 1.5", "BT spread 3")


def run(sizes: dict[int, int] | None = None) -> str:
    looks = " ".join(map(str, LOOKS))
    lines = ["### Expected tau after AutoSampler campaigns", ""]
    lines += [f"Bias (expected minus true) at {looks} answers per item; | | is the mean size.", ""]
    lines += ["| items | probes | " + " | ".join(NAMES) + " | size | true tau |"]
    lines += ["|---:|---" + "|---" * (len(NAMES) + 2) + "|"]
    for n, runs in (sizes or SIZES).items():
        for probes in (False, True) if n < 1_000 else (False,):
            found = np.array([_crowd(name, n, runs, probes) for name in NAMES])
            bias, true = found[:, :, 0], found[:, :, 1]
            cells = [" ".join(f"{value:+.3f}" for value in row) for row in bias]
            size = " ".join(f"{value:.3f}" for value in np.abs(bias).mean(axis=0))
            reached = " ".join(f"{value:.3f}" for value in true.mean(axis=0))
            row = " | ".join([*cells, size, reached])
            lines.append(f"| {n:,} | {'yes' if probes else 'no'} | {row} |")
    return "\n".join(lines) + "\n"


def _crowd(name: str, n: int, runs: int, probes: bool) -> np.ndarray:
    """Bias and true tau at each look."""
    found = np.empty((runs, len(LOOKS), 2))
    for k in range(runs):
        rng = np.random.default_rng((SEED, n, k, sum(map(ord, name))))
        truth, answer = CROWDS[name](n, rng)
        sampler = hr.AutoSampler(n, seed=1000 * SEED + k, probes=probes)
        for place, look in enumerate(LOOKS):
            while sampler.n_votes < look * n:
                left, right = sampler.ask()
                sampler.tell((left, right), answer(left, right))
            ranking = sampler.ranking()
            tau = kendall_tau(ranking, dict(enumerate(truth.tolist())))
            found[k, place] = hr.expected_tau(ranking) - tau, tau
    return found.mean(axis=0)
