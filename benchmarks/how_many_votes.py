"""How many votes does a ranking take? Simulated projects, for planning before there are any votes.

`python -m benchmarks.how_many_votes [--seed S] [--items N ...]` prints Markdown tables.

Every project draws true scores, asks pairs one by one, and ranks with `hodgerank.rank` at several
numbers of votes. A cell is a range: half of the projects have reached the target with the first
number of votes, nine in ten with the second.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from scipy.special import expit

import hodgerank as hr
from hodgerank.metrics import kendall_tau
from hodgerank.types import Item, Pair

SIZES = {10: 40, 30: 40, 100: 20}  # items: projects per cell
SPREADS = {"easy": 3.0, "medium": 1.5, "hard": 0.75}  # sd of the true scores, in logits
TARGETS = (0.75, 0.9, 0.95)  # share of the pairs in the right order
VOTES_PER_ITEM = (1, 2, 4, 8, 16, 32)
PROJECTS = (0.5, 0.9)  # ends of a range: share of the projects that reach the target
CAREFUL = {"honest": 20}
AS_GOOD = 0.2  # logits: such an item is chosen over the best one in 45% of the votes
TIE_BELOW = 1.3  # logits: a worker who sees a smaller difference answers "tie"
CROWDS = {
    "careful workers": CAREFUL,
    "1 in 10 workers clicks at random": {"honest": 18, "random": 2},
    "1 in 5 workers clicks at random": {"honest": 16, "random": 4},
    "ties allowed": None,
}
SEED = 2026

Judge = Callable[[Pair], tuple[float, Item]]
Sampler = Callable[[Sequence[Item], int], hr.Sampler]

SAMPLERS: dict[str, Sampler] = {
    "random": lambda items, seed: hr.RandomSampler(items, seed=seed),
    "adaptive": lambda items, seed: hr.AutoSampler(items, seed=seed),
    "best": lambda items, seed: hr.TopKSampler(items, k=1, seed=seed),
}


def with_ties(crowd: hr.SimulatedCrowd) -> Judge:
    """Workers who see the difference with logistic noise, and call small ones a tie."""
    truth = dict(zip(crowd.items, crowd.truth.tolist(), strict=True))

    def answer(pair: Pair) -> tuple[float, Item]:
        left, right = pair
        seen = truth[left] - truth[right] + crowd.rng.logistic()
        worker = crowd.workers[crowd.rng.integers(len(crowd.workers))]
        return float(np.sign(seen) * (abs(seen) >= TIE_BELOW)), worker

    return answer


def project(strategy: str, crowd: hr.SimulatedCrowd, judge: Judge, seed: int) -> np.ndarray:
    """Share of pairs in order, and whether the best, or one as good, is first, at each look."""
    sampler = SAMPLERS[strategy](crowd.items, seed)
    truth = dict(zip(crowd.items, crowd.truth.tolist(), strict=True))
    as_good = max(truth.values()) - AS_GOOD
    found = []
    for look in looks(len(crowd.items)):
        while sampler.n_votes < look:
            pair = sampler.ask()
            outcome, worker = judge(pair)
            sampler.tell(pair, outcome, worker=worker)
        ranking = hr.rank(sampler.votes, components="together")
        scores = dict.fromkeys(truth, 0.0) | ranking.score_by_item
        found.append(((1 + kendall_tau(scores, truth)) / 2, truth[ranking.items[0]] >= as_good))
    return np.array(found)


def looks(n: int) -> np.ndarray:
    """Numbers of votes at which a project of n items ranks."""
    return n * np.array(VOTES_PER_ITEM)


def projects(
    strategy: str, n: int, spread: float, workers: dict[str, int] | None, seed: int
) -> np.ndarray:
    """All projects of one kind: runs x looks x the two results of `project`."""
    found = []
    for run in range(SIZES[n]):
        rng = np.random.default_rng((seed, n, round(100 * spread), run))
        crowd = hr.SimulatedCrowd(n, spread=spread, workers=workers or CAREFUL, rng=rng)
        judge = crowd if workers is not None else with_ties(crowd)
        found.append(project(strategy, crowd, judge, run))
    return np.array(found)


def votes_needed(is_reached: np.ndarray, n: int) -> str:
    """The range of votes with which `PROJECTS` of the rows (runs x looks) are there."""
    votes = looks(n)
    share = np.maximum.accumulate(is_reached.mean(axis=0))
    ends = []
    for goal in PROJECTS:
        if share[-1] < goal:
            ends.append(f"> {_round(votes[-1])}")
        elif share[0] >= goal:
            ends.append(f"≤ {_round(votes[0])}")
        else:
            k = int(np.argmax(share >= goal))
            part = (goal - share[k - 1]) / (share[k] - share[k - 1])
            ends.append(_round(votes[k - 1] * (votes[k] / votes[k - 1]) ** part))
    has_signs = any(not end[0].isdigit() for end in ends)
    return (" to " if has_signs else "–").join(dict.fromkeys(ends))


def _round(votes: float) -> str:
    """Two significant digits: more would pretend precision."""
    return f"{int(float(f'{votes:.2g}')):,}"


def agreement(spread: float) -> float:
    """How often two careful workers give the same answer to a random pair."""
    difference = np.random.default_rng(0).normal(0, spread * np.sqrt(2), 1_000_000)
    p = expit(difference)
    return float(np.mean(p**2 + (1 - p) ** 2))


def run(seed: int = SEED, sizes: Iterable[int] = SIZES) -> str:
    lines = [f"### Votes needed, seed {seed}", ""]
    lines += [f"- {name}: sd {s:g}, agreement {agreement(s):.0%}" for name, s in SPREADS.items()]
    head = [f"{name} pairs, {level}" for name in ("random", "adaptive") for level in SPREADS]
    lines += ["", f"| items | target | {' | '.join(head)} |", "|---:|---|" + "---:|" * len(head)]
    found = {
        (n, strategy, level): projects(strategy, n, spread, CAREFUL, seed)
        for n in sizes
        for strategy in SAMPLERS
        for level, spread in SPREADS.items()
    }
    for n in sizes:
        for target in TARGETS:
            cells = [
                votes_needed(found[n, strategy, level][:, :, 0] >= target, n)
                for strategy in ("random", "adaptive")
                for level in SPREADS
            ]
            lines.append(f"| {n} | {target:.0%} of pairs | {' | '.join(cells)} |")
        cells = [
            votes_needed(found[n, strategy, level][:, :, 1] > 0, n)
            for strategy in ("random", "best")
            for level in SPREADS
        ]
        lines.append(f"| {n} | best item, or as good | {' | '.join(cells)} |")
    lines += ["", f"| votes per item | {' | '.join(head)} |", "|---:|" + "---:|" * len(head)]
    for k, per_item in enumerate(VOTES_PER_ITEM):
        cells = [
            _span([found[n, strategy, level][:, k, 0].mean() for n in sizes])
            for strategy in ("random", "adaptive")
            for level in SPREADS
        ]
        lines.append(f"| {per_item} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *_crowd_table(seed)]) + "\n"


def _span(shares: list[float]) -> str:
    """The range of mean shares over the numbers of items."""
    ends = dict.fromkeys(f"{share:.0%}" for share in (min(shares), max(shares)))
    return "–".join(ends).replace("%–", "–")


def _crowd_table(seed: int, n: int = 30, target: float = 0.9) -> list[str]:
    lines = [f"| {n} items, medium, {target:.0%} of pairs | random pairs | adaptive pairs |"]
    lines.append("|---|---:|---:|")
    for name, workers in CROWDS.items():
        cells = [
            votes_needed(
                projects(strategy, n, SPREADS["medium"], workers, seed)[:, :, 0] >= target, n
            )
            for strategy in ("random", "adaptive")
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    parser = ArgumentParser(description="Votes needed to reach a target, by simulation")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--items", type=int, nargs="+", default=SIZES, choices=SIZES)
    chosen = parser.parse_args()
    print(run(chosen.seed, chosen.items))
