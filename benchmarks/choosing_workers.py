"""Choosing the worker, the pair, or both: tau by votes per item, for several crowds.

`python -m benchmarks.choosing_workers [--runs R] [--seed S]` prints tables. Every run draws 30
normal scores and 20 workers, of whom 4 random ones are available for every vote. 'pair' asks
D-optimal pairs of a random available worker, 'worker' lets the sampler choose the worker for an
independent random pair, 'both' the triplet. With `--campaigns` all workers are active in a
campaign, with the setting `choose_workers` and without.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from heapq import heapify, heappop, heappush

import numpy as np

import hodgerank as hr
from hodgerank.errors import NoTask
from hodgerank.metrics import kendall_tau

N, N_WORKERS, N_AVAILABLE, SPREAD = 30, 20, 4, 1.0
PER_ITEM = (5, 10, 20)
RUNS, SEED = 60, 20261119
CROWDS = {
    "half careless": {"honest": 10, "random": 10},
    "equally good": {"honest": 20},
    "half position-biased": {"honest": 10, "position-biased": 10},
    "a fifth adversarial": {"honest": 16, "adversarial": 4},
}
random = partial(hr.RandomSampler, order="independent")
MODES: dict[str, tuple[Callable[..., hr.Sampler], bool]] = {
    "random": (random, False),
    "pair": (hr.FisherSampler, False),
    "worker": (random, True),
    "both": (hr.FisherSampler, True),
    "both, auto": (hr.AutoSampler, True),
    "pair, auto": (hr.AutoSampler, False),
    "both, easy": (partial(hr.AutoSampler, easy_share=0.2), True),
    "pair, easy": (partial(hr.AutoSampler, easy_share=0.2), False),
}
DIFFERENCES = (
    ("worker", "random"),
    ("both", "pair"),
    ("both, auto", "pair, auto"),
    ("both, easy", "pair, easy"),
)
MEASURES = ("tau", "tau, slope weights", "share of votes by honest workers")


def _tau(ranking: hr.Ranking, truth: dict) -> float:
    scores = dict(zip(ranking.items, ranking.scores.tolist(), strict=True))
    return kendall_tau(scores, truth)


def project(mode: str, crowd: str, seed: int) -> np.ndarray:
    """Tau of `ranking()`, tau with slope weights and the share of honest votes of one run."""
    build, is_choosing = MODES[mode]
    simulated = hr.SimulatedCrowd(
        N, spread=SPREAD, workers=CROWDS[crowd], n_available=N_AVAILABLE, rng=seed
    )
    truth = dict(zip(simulated.items, simulated.truth.tolist(), strict=True))
    sampler, found, n_honest = build(simulated.items, seed=seed), [], 0
    for t in range(1, max(PER_ITEM) * N + 1):
        available = simulated.available_workers()
        if is_choosing:
            worker, pair = sampler.assign(available)
        else:
            worker = available[0]
            pair = sampler.ask(worker=worker)
        sampler.tell(pair, *simulated(pair, worker))
        n_honest += str(worker).startswith("honest")
        if t % N == 0 and t // N in PER_ITEM:
            weighted = sampler.ranking(worker_weights="slopes")
            found.append([_tau(sampler.ranking(), truth), _tau(weighted, truth), n_honest / t])
    return np.array(found).T


def campaign(is_choosing: bool, crowd: str, seed: int) -> np.ndarray:
    """Tau, the share of honest votes and the seconds of a campaign, all workers active.

    A worker answers within 2 to 8 seconds, and asks again after 5 if told to wait.
    """
    simulated = hr.SimulatedCrowd(N, spread=SPREAD, workers=CROWDS[crowd], rng=seed)
    truth = dict(zip(simulated.items, simulated.truth.tolist(), strict=True))
    rng, now = np.random.default_rng(seed), 0.0
    opened = hr.Campaign.create(
        None, list(simulated.items), question="Which?", sampler="d-optimal", seed=seed,
        choose_workers=is_choosing, clock=lambda: now,
    )  # fmt: skip
    queue = [(float(rng.uniform(0, 8)), k, "") for k in range(len(simulated.workers))]
    heapify(queue)
    tasks, n_votes, n_honest, found = {}, 0, 0, []
    while n_votes < max(PER_ITEM) * N:
        now, k, holds = heappop(queue)
        worker = simulated.workers[k]
        if holds:
            task = tasks.pop(holds)
            opened.answer(task, simulated(task.pair, worker)[0])
            n_votes, n_honest = n_votes + 1, n_honest + str(worker).startswith("honest")
            if n_votes % N == 0 and n_votes // N in PER_ITEM:
                found.append([_tau(opened.ranking(), truth), n_honest / n_votes, now])
        try:
            [task] = opened.lease(str(worker))
        except NoTask:
            heappush(queue, (now + 5, k, ""))
        else:
            tasks[task.id] = task
            heappush(queue, (now + float(rng.uniform(2, 8)), k, task.id))
    opened.leave()
    return np.array(found).T


def run_campaigns(runs: int = RUNS, seed: int = SEED) -> str:
    """Return the table of campaigns with the setting `choose_workers` and without."""
    measures = ("tau", "share of votes by honest workers", "seconds")
    head = [f"{measure}: {k}" for measure in measures for k in PER_ITEM]
    lines = ["| | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
    for crowd in CROWDS:
        found = {
            name: np.array([campaign(on, crowd, each) for each in range(seed, seed + runs)])
            for name, on in (("nobody waits", False), ("choose_workers", True))
        }
        for name, values in found.items():
            cells = _cells(values.reshape(runs, -1))
            lines.append(f"| {crowd}, {name} | " + " | ".join(cells) + " |")
        gain = found["choose_workers"][:, 0] - found["nobody waits"][:, 0]
        lines.append(f"| {crowd}, difference | " + " | ".join(_cells(gain, "+")) + " |" + " |" * 6)
    return "\n".join(lines) + "\n"


def _cells(values: np.ndarray, sign: str = "") -> list[str]:
    stderr = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return [f"{m:{sign}.3f} ± {e:.3f}" for m, e in zip(values.mean(axis=0), stderr, strict=True)]


def run(runs: int = RUNS, seed: int = SEED) -> str:
    """Return the tables."""
    lines = [
        f"### Choosing workers, {N} items, {N_AVAILABLE} of {N_WORKERS} available, {runs} runs"
    ]
    for crowd in CROWDS:
        seeds = range(seed, seed + runs)
        found = {mode: np.array([project(mode, crowd, each) for each in seeds]) for mode in MODES}
        lines += ["", f"{crowd}:", ""]
        head = [f"{measure}: {k}" for measure in MEASURES for k in PER_ITEM]
        lines += ["| | " + " | ".join(head) + " |", "|---" * (len(head) + 1) + "|"]
        for mode, values in found.items():
            cells = _cells(values.reshape(runs, -1))
            lines.append(f"| {mode} | " + " | ".join(cells) + " |")
        for better, worse in DIFFERENCES:
            cells = _cells(found[better][:, 0] - found[worse][:, 0], "+")
            lines.append(f"| {better} − {worse} | " + " | ".join(cells) + " |" + " |" * 6)
        cells = _cells(found["pair"][:, 1] - found["pair"][:, 0], "+")
        lines.append("| slope weights − trust, pair | " + " | ".join(cells) + " |" + " |" * 6)
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--campaigns", action="store_true", help="campaigns instead of samplers")
    options = parser.parse_args(arguments)
    print((run_campaigns if options.campaigns else run)(options.runs, options.seed))


if __name__ == "__main__":
    main()
