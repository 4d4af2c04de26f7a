"""The k best with about one vote per item: TopKSampler told the budget, and not.

`python -m benchmarks.top_k_small_budget [--runs R] [--seed S]` prints a Markdown table. Every run
draws normal scores of a spread, and probit votes; both samplers see the same seeds.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr

import hodgerank as hr
from hodgerank.metrics import kendall_tau

CASES = ((50, 1, 1.0), (50, 5, 1.0), (50, 5, 3.0), (50, 5, 0.3), (100, 10, 1.0))
VOTES_PER_ITEM = (1.0, 1.25)  # with more the tournament is not played
RUNS = 40
SEED = 20261118


def project(n: int, k: int, spread: float, budget: int | None, n_votes: int, seed: int) -> list:
    """Whether the best is first, recall of the k best, and tau, of one run."""
    rng = np.random.default_rng(seed)
    truth = spread * rng.standard_normal(n)
    sampler = hr.TopKSampler(n, k, seed=seed, budget=budget)
    while sampler.n_votes < n_votes:
        a, b = sampler.ask()
        sampler.tell((a, b), 1 if rng.random() < ndtr(truth[a] - truth[b]) else -1)
    ranking, best = sampler.ranking(), np.argsort(-truth).tolist()
    recall = len({*ranking.items[:k]} & {*best[:k]}) / k
    scores = dict(enumerate(truth.tolist()))
    return [ranking.items[0] == best[0], recall, kendall_tau(ranking, scores)]


def run(runs: int = RUNS, seed: int = SEED) -> str:
    """Return the table: results without the budget, and the difference that it makes."""
    lines = [
        "| items, k, spread | votes per item | best first | recall | tau "
        "| best first, budget known | recall | tau |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for n, k, spread in CASES:
        for per_item in VOTES_PER_ITEM:
            n_votes = round(per_item * n)
            seeds = range(seed, seed + runs)
            plain, told = (
                np.array([project(n, k, spread, budget, n_votes, each) for each in seeds], float)
                for budget in (None, n_votes)
            )
            gain = told - plain
            error = gain.std(axis=0, ddof=1) / np.sqrt(runs)
            cells = [f"{value:.3f}" for value in plain.mean(axis=0)]
            cells += [
                f"{value:+.3f} ± {se:.3f}"
                for value, se in zip(gain.mean(axis=0), error, strict=True)
            ]
            lines.append(f"| {n:,}, {k}, {spread:g} | {per_item:g} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(arguments)
    print(run(options.runs, options.seed))


if __name__ == "__main__":
    main()
