"""Which model should rank by default? Accuracy, calibration and time, from few votes to millions.

`python -m benchmarks.default_model [--runs N] [--seed S] [--large]` prints Markdown tables.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import NamedTuple

import numpy as np

import hodgerank as hr
from hodgerank.estimators.certainty import certainties
from hodgerank.metrics import kendall_tau

MODELS: dict[str, Callable[..., hr.Ranking]] = {
    "hodge_rank": hr.hodge_rank,
    "bradley_terry": hr.bradley_terry,
    "robust_rank": hr.robust_rank,
    "bayes_rank, equal weights": partial(hr.bayes_rank, worker_weights=False),
    "rank (default)": hr.rank,
}
CROWDS: dict[str, dict[str, object]] = {
    "honest": {"workers": {"honest": 15}},
    "honest, uniform link": {"workers": {"honest": 15}, "link": "uniform", "spread": 0.4},
    "1 in 5 random": {"workers": {"honest": 12, "random": 3}},
    "1 in 5 adversarial": {"workers": {"honest": 12, "adversarial": 3}},
    "1 in 5 position-biased": {"workers": {"honest": 12, "position-biased": 3}},
    "1 in 5 tie-happy": {"workers": {"honest": 12, "tie-happy": 3}},
    "2 workers": {"workers": {"honest": 2}},
    "1 vote per worker": {"workers": None},
}
SIZES = {3: (4, 20), 10: (3, 10, 40), 30: (3, 10, 40), 100: (3, 10, 40)}  # items: votes per item
SPREAD = 1.0
LARGE = ((1_000, 20_000), (1_000, 1_000_000), (100_000, 1_000_000))  # items, votes


def simulated(crowd: dict[str, object], n: int, m: int, rng: np.random.Generator) -> hr.Comparisons:
    """Votes on random pairs, enough of them to connect all items."""
    options = {"spread": SPREAD, **crowd}
    if options["workers"] is None:
        options["workers"] = {"honest": m}
    for _ in range(100):
        votes = hr.simulate_comparisons(n, m, rng=rng, **options)
        if hr.ComparisonGraph.from_comparisons(votes).is_connected:
            return votes
    raise SystemExit(f"{n} items are not connected by {m} votes: ask for more votes per item")


class Measured(NamedTuple):
    """One ranking beside the truth; `n_right` of `n_certain` pairs are in the right order."""

    tau: float
    in_interval: float
    n_right: float
    n_certain: float
    excess: float  # of expected over true tau
    seconds: float


def measure(fit: Callable[..., hr.Ranking], votes: hr.Comparisons) -> Measured:
    """Rank votes whose true scores are known."""
    began = process_time()
    ranking = fit(votes)
    best, worst = ranking.rank_intervals.T
    seconds = process_time() - began
    truth = dict(zip(votes.items, votes.truth.tolist(), strict=True))
    true = np.array([truth[item] for item in ranking.items])
    tau = kendall_tau(ranking.scores, true)
    place = 1 + np.argsort(np.argsort(-true))
    in_interval = float(((best <= place) & (place <= worst)).mean())
    rng, n = np.random.default_rng(0), len(true)
    a, b = np.triu_indices(n, 1) if n <= 300 else np.sort(rng.integers(0, n, (2, 20_000)), axis=0)
    certain = certainties(ranking, a, b) >= 0.95
    n_right = float((true[a] > true[b])[certain].sum())
    excess = hr.expected_tau(ranking) - tau
    return Measured(tau, in_interval, n_right, float(certain.sum()), excess, seconds)


HEADER = "model | tau ± se | true rank in 95% interval | right if 95% certain | expected − true tau"


def table(runs: int, seed: int) -> str:
    """Means over all sizes, a row for each crowd and model; then tau by size for honest workers."""
    lines = [f"| crowd | {HEADER} |", "|---|---|---:|---:|---:|---:|"]
    by_size = ["| items | votes per item | " + " | ".join(MODELS) + " |"]
    by_size += ["|---:|---:" + "|---:" * len(MODELS) + "|"]
    for crowd, options in CROWDS.items():
        found: dict[str, list[list[Measured]]] = {name: [] for name in MODELS}
        for n, looks in SIZES.items():
            for per_item in looks:
                cells = _cells(options, n, per_item, runs if n < 100 else runs // 4 + 1, seed)
                for name, rows in cells.items():
                    found[name].append(rows)
                if crowd == "honest":
                    taus = [f"{np.mean([row.tau for row in cells[name]]):.3f}" for name in MODELS]
                    by_size.append(f"| {n} | {per_item} | {' | '.join(taus)} |")
        lines += [f"| {crowd} | {name} | {_summary(found[name])} |" for name in MODELS]
    return "\n".join([*lines, "", *by_size])


def _cells(
    crowd: dict[str, object], n: int, per_item: int, runs: int, seed: int
) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {name: [] for name in MODELS}
    for run in range(runs):
        rng = np.random.default_rng((seed, n, per_item, run))
        votes = simulated(crowd, n, n * per_item, rng)
        for name, fit in MODELS.items():
            found[name].append(measure(fit, votes))
    return found


def _summary(cells: list[list[Measured]]) -> str:
    taus = [np.array([row.tau for row in rows]) for rows in cells]
    error = np.sqrt(sum(tau.var(ddof=1) / len(tau) for tau in taus)) / len(cells)
    rows = [row for cell in cells for row in cell]
    right = sum(row.n_right for row in rows) / sum(row.n_certain for row in rows)
    inside = np.mean([np.mean([row.in_interval for row in cell]) for cell in cells])
    excess = np.mean([np.mean([row.excess for row in cell]) for cell in cells])
    mean = np.mean([tau.mean() for tau in taus])
    return f"{mean:.3f} ± {error:.3f} | {inside:.3f} | {right:.3f} | {excess:+.3f}"


def large(seed: int) -> str:
    """Accuracy and time where there are many votes; the faster of two runs."""
    lines = ["| items | votes | crowd | model | tau | right if 95% certain | s |",
             "|---:|---:|---|---|---:|---:|---:|"]  # fmt: skip
    for n, m in LARGE:
        for crowd in ("honest", "1 in 5 adversarial"):
            rng = np.random.default_rng((seed, n, m))
            workers = {kind: 20 * k for kind, k in CROWDS[crowd]["workers"].items()}
            votes = hr.simulate_comparisons(n, m, spread=SPREAD, workers=workers, rng=rng)
            for name, fit in MODELS.items():
                found = min((measure(fit, votes) for _ in range(2)), key=lambda one: one.seconds)
                right = found.n_right / found.n_certain
                lines.append(
                    f"| {n:,} | {m:,} | {crowd} | {name} | {found.tau:.3f} | {right:.3f} "
                    f"| {found.seconds:.2f} |"
                )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m benchmarks.default_model", description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    chosen = parser.parse_args()
    print(large(chosen.seed) if chosen.large else table(chosen.runs, chosen.seed))
