"""Choosing pairs among many items: time and memory per answer, and what the pairs are worth."""

from __future__ import annotations

import time
from math import exp

import numpy as np

import hodgerank as hr
from hodgerank.kernels.matrix_free import search
from hodgerank.kernels.selection.tie_breaking import stream
from hodgerank.metrics import kendall_tau
from hodgerank.sampling.designs.design import Vote
from hodgerank.sampling.designs.matrix_free_posterior import MatrixFreePosterior

SIZES = {10_000: 20, 100_000: 20, 1_000_000: 5}  # answers per item
SPREADS = {"strong opinions": 3.0, "weak opinions": 0.3}
NOTHING = np.zeros(0, np.int64)


def _answer(rng: np.random.Generator, difference: float) -> float:
    return 1.0 if rng.random() < 1 / (1 + exp(-difference)) else -1.0


def _speed(n: int, per_item: int) -> str:
    """Sampler with Python around it, and kernels alone, over whole runs."""
    rng = np.random.default_rng(1)
    truth = rng.normal(0, 3, n).tolist()
    sampler = hr.BayesianSampler(n, seed=1)
    sampler.tell(sampler.ask(), 1)
    compiled, start = 0.0, time.perf_counter()
    design = sampler._design
    assert isinstance(design, MatrixFreePosterior)
    for _ in range(per_item * n - 1):
        pair = sampler.ask()
        sampler.tell(pair, _answer(rng, truth[pair.left] - truth[pair.right]))
    total = time.perf_counter() - start
    compiled = _compiled(n, per_item, truth)
    m = per_item * n
    tau = kendall_tau(design.mean.round(4), truth)
    return (
        f"| {n:,} | {per_item} | {1e6 * total / m:.0f} | {1e6 * compiled / m:.0f} "
        f"| {design.n_bytes / 1e6:,.0f} MB | {tau:.3f} |"
    )


def _compiled(n: int, per_item: int, truth: list[float]) -> float:
    """Seconds in the kernels, checkpoints included."""
    rng = np.random.default_rng(1)
    design = MatrixFreePosterior(np.zeros(n), 1.0, seed=1)
    spent = 0.0
    for t in range(per_item * n):
        state, settings = design._state, design._settings
        start = time.perf_counter()
        i, j = search.best_pair(state, settings, NOTHING, stream(1, t))
        spent += time.perf_counter() - start
        outcome = _answer(rng, truth[i] - truth[j])
        start = time.perf_counter()
        design.learn(Vote(i, j, outcome, 1.0))
        spent += time.perf_counter() - start
    return spent


def _warm_start(n: int, votes: int) -> str:
    rng = np.random.default_rng(1)
    left = rng.integers(0, n, votes)
    right = (left + rng.integers(1, n, votes)) % n
    log = hr.Comparisons(
        items=tuple(range(n)),
        left=left.astype(np.int32),
        right=right.astype(np.int32),
        outcome=rng.choice([-1.0, 1.0], votes),
    )
    sampler = hr.BayesianSampler(n, seed=1)
    start = time.perf_counter()
    sampler._design.learn_many(_answers(log))
    seconds = time.perf_counter() - start
    return f"Warm start of {n:,} items from {votes:,} votes: {seconds:.1f} s."


def _answers(log: hr.Comparisons) -> object:
    from hodgerank.sampling.designs.design import VoteBatch

    low, high = np.minimum(log.left, log.right), np.maximum(log.left, log.right)
    outcome = np.where(log.left > log.right, -log.outcome, log.outcome)
    return VoteBatch(
        low.astype(np.int64), high.astype(np.int64), outcome, np.ones(len(log)), [], np.zeros(0)
    )


def _worth(n: int, spread: float, per_item: int, looks: int = 24, each: int = 8) -> str:
    """Gain of the pairs asked over the largest gain there is, from the dense inverse."""
    rng = np.random.default_rng(1)
    truth = rng.normal(0, spread, n)
    design = MatrixFreePosterior(np.zeros(n), 1.0, seed=1)
    precision, force = np.eye(n), np.zeros(n)
    shares = []
    marks = np.unique(np.linspace(n // 2, per_item * n, looks).astype(int)).tolist()
    m = 0

    def step() -> tuple[int, int]:
        nonlocal m
        i, j = search.best_pair(design._state, design._settings, NOTHING, stream(1, m))
        outcome = _answer(rng, truth[i] - truth[j])
        design.learn(Vote(i, j, outcome, 1.0))
        precision[[i, j], [i, j]] += 1
        precision[[i, j], [j, i]] -= 1
        force[[i, j]] += outcome, -outcome
        m += 1
        return int(i), int(j)

    for mark in marks:
        while m < mark:
            step()
        S = np.linalg.inv(precision)
        for _ in range(each):
            mean = S @ force
            best = _largest_gain(S, mean)
            i, j = step()
            C = S[i, i] + S[j, j] - 2 * S[i, j]
            shares.append(_gain(C, mean[i] - mean[j]) / best)
            s = S[:, i] - S[:, j]
            S -= np.outer(s, s / (1 + C))
    return f"| {n:,} | {spread:g} | {np.mean(shares):.3f} | {np.min(shares):.3f} |"


def _gain(C: np.ndarray, D: np.ndarray) -> np.ndarray:
    v = np.clip(1 - D**2, 0, 1)
    return 0.5 * (v * C / (1 + C) ** 2 + np.log1p(C) - C / (1 + C))


def _largest_gain(S: np.ndarray, mean: np.ndarray) -> float:
    d = np.diag(S)
    best = 0.0
    for a in range(len(d) - 1):  # by rows: the whole matrix would not fit a second time
        C = d[a] + d[a + 1 :] - 2 * S[a, a + 1 :]
        best = max(best, float(_gain(C, mean[a] - mean[a + 1 :]).max()))
    return best


def run(sizes: dict[int, int] = SIZES) -> str:
    """All of it; the dense check of ten thousand items takes most of the time."""
    lines = ["### 10,000 to 1,000,000 items, matrix-free", ""]
    lines += ["| items | answers per item | µs per ask + tell | compiled | state | tau |"]
    lines += ["|---:|---:|---:|---:|---:|---:|"]
    lines += [_speed(n, per_item) for n, per_item in sizes.items()]
    lines += ["", _warm_start(1_000_000, 10_000_000), ""]
    lines += ["| items | spread | gain of the pair asked / largest, mean | minimum |"]
    lines += ["|---:|---:|---:|---:|"]
    lines += [_worth(2000, spread, 20) for spread in SPREADS.values()]
    lines += [_worth(10_000, 3.0, 20, looks=3)]
    return "\n".join(lines) + "\n"
