"""Many pairs in progress: Kendall's tau of `ranking()` while k workers answer at the same time.

Whenever a worker answers, the answer is told and the worker gets the next pair, chosen while the
other k - 1 pairs are in progress. The next to answer is drawn at random.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np

import hodgerank as hr
from benchmarks.crowds import CROWDS, ranking_tau

SIZES = {16: 40, 50: 8, 200: 3}  # items, and runs with each crowd
IN_PROGRESS = (1, 10, 50, 200)
LOOKS = (2.0, 5.0, 10.0)  # votes per item
SPREADS = ("BT spread 0.6", "BT spread 1.5", "BT spread 3")
Build = Callable[[int, int], hr.Sampler]
SAMPLERS: dict[str, Build] = {
    "auto": lambda n, seed: hr.AutoSampler(n, seed=seed),
    "bayesian": lambda n, seed: hr.BayesianSampler(n, seed=seed),
    "rounds": lambda n, seed: hr.RandomSampler(n, seed=seed),
    "random": lambda n, seed: hr.RandomSampler(n, seed=seed, order="independent"),
}


def taus_of(
    name: str, crowd: str, n: int, k: int, run: int, looks: Sequence[float] = LOOKS
) -> list[float]:
    """Return tau at every look; runs of the same number face the same crowd."""
    rng = np.random.default_rng((sum(map(ord, crowd)), n, run))
    truth, answer = CROWDS[crowd](n, rng)
    sampler = SAMPLERS[name](n, run)
    pending: list[hr.Pair] = []
    taus = []
    for look in looks:
        while sampler.n_votes < look * n:
            missing = k - len(pending)
            pending += sampler.ask(missing, pending=pending)
            left, right = pending.pop(int(rng.integers(k)))
            sampler.tell((left, right), answer(left, right))
        taus.append(ranking_tau(sampler, truth))
    return taus


def measure(
    name: str, n: int, k: int, runs: range, crowds: Sequence[str], looks: Sequence[float]
) -> np.ndarray:
    """Return the taus of every run, averaged over the crowds."""
    taus = [[taus_of(name, crowd, n, k, run, looks) for crowd in crowds] for run in runs]
    return np.mean(taus, axis=1)


def main() -> None:
    """Print one row per number of pairs in progress."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="*", default=list(SIZES))
    parser.add_argument("--in-progress", type=int, nargs="*", default=list(IN_PROGRESS))
    parser.add_argument("--samplers", nargs="*", default=["auto", "rounds"], choices=SAMPLERS)
    parser.add_argument("--crowds", nargs="*", default=list(SPREADS), choices=CROWDS)
    parser.add_argument("--looks", type=float, nargs="*", default=list(LOOKS))
    parser.add_argument("--runs", type=int, help="of each crowd; default: fewer for more items")
    parser.add_argument("--first-run", type=int, default=0, help="seed of the first run")
    given = parser.parse_args()
    for n in given.items:
        runs = range(given.first_run, given.first_run + (given.runs or SIZES.get(n, 3)))
        for k in given.in_progress:
            for name in given.samplers:
                taus = measure(name, n, k, runs, given.crowds, given.looks)
                mean, stderr = taus.mean(axis=0), taus.std(axis=0, ddof=1) / np.sqrt(len(taus))
                cells = " | ".join(f"{m:.3f} ± {e:.3f}" for m, e in zip(mean, stderr, strict=True))
                print(f"| {n} | {k} | {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
