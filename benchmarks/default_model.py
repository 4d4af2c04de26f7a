"""Which model should rank by default? Accuracy, calibration and time, from few votes to millions.

`python -m benchmarks.default_model [--runs N] [--seed S] [--large]` prints Markdown tables.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from time import process_time

import numpy as np

import hodgerank as hr
from hodgerank.estimators.certainty import certainties
from hodgerank.metrics import kendall_tau

MODELS: dict[str, Callable[..., hr.Ranking]] = {
    "hodge_rank": hr.hodge_rank,
    "bradley_terry": hr.bradley_terry,
    "robust_rank": hr.robust_rank,
    "bayes_rank": hr.bayes_rank,
    "bayes_rank, weighted": partial(hr.bayes_rank, robust=True),
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
MEASURES = ("tau", "rank in interval", "right where 95% certain", "expected - true tau", "ms")


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


def measured(fit: Callable[..., hr.Ranking], votes: hr.Comparisons) -> tuple[float, ...]:
    """One value for each of `MEASURES`; counts of certain pairs come as right and total."""
    began = process_time()
    ranking = fit(votes)
    best, worst = ranking.rank_intervals.T
    seconds = process_time() - began
    truth = dict(zip(votes.items, votes.truth.tolist(), strict=True))
    true = np.array([truth[item] for item in ranking.items])
    tau = kendall_tau(dict(zip(ranking.items, ranking.scores.tolist(), strict=True)), truth)
    place = 1 + np.argsort(np.argsort(-true))
    inside = float(((best <= place) & (place <= worst)).mean())
    rng, n = np.random.default_rng(0), len(true)
    a, b = np.triu_indices(n, 1) if n <= 300 else np.sort(rng.integers(0, n, (2, 20_000)), axis=0)
    sure = certainties(ranking, a, b) >= 0.95
    right = float((true[a] > true[b])[sure].sum())
    return tau, inside, right, float(sure.sum()), hr.expected_tau(ranking) - tau, 1e3 * seconds


def table(runs: int, seed: int) -> str:
    """All crowds and sizes, each model a row."""
    lines = []
    for crowd, options in CROWDS.items():
        lines += ["", f"### {crowd}", "", "| items | votes per item | model | tau (± se) | "
                  "rank in 95% interval | right where 95% certain | expected − true tau | ms |",
                  "|---:|---:|---|---:|---:|---:|---:|---:|"]  # fmt: skip
        for n, looks in SIZES.items():
            for per_item in looks:
                lines += _rows(options, n, per_item, runs if n < 100 else runs // 4 + 1, seed)
    return "\n".join(lines)


def _rows(crowd: dict[str, object], n: int, per_item: int, runs: int, seed: int) -> list[str]:
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in MODELS}
    for run in range(runs):
        rng = np.random.default_rng((seed, n, per_item, run))
        votes = simulated(crowd, n, n * per_item, rng)
        for name, fit in MODELS.items():
            found[name].append(measured(fit, votes))
    lines = []
    for name, rows in found.items():
        values = np.array(rows)
        tau, inside, right, sure, bias, time = values.T
        error = tau.std(ddof=1) / np.sqrt(len(tau))
        certain = f"{right.sum() / sure.sum():.3f}" if sure.sum() else "–"
        lines.append(
            f"| {n} | {per_item} | {name} | {tau.mean():.3f} ± {error:.3f} | {inside.mean():.3f} "
            f"| {certain} | {bias.mean():+.3f} | {time.min():.0f} |"
        )
    return lines


def large(seed: int) -> str:
    """Time and accuracy where there are many votes; one run each after one that compiles."""
    lines = ["| items | votes | crowd | model | tau | right where 95% certain | s |",
             "|---:|---:|---|---|---:|---:|---:|"]  # fmt: skip
    for n, m in LARGE:
        for crowd in ("honest", "1 in 5 random", "1 in 5 adversarial"):
            rng = np.random.default_rng((seed, n, m))
            workers = {kind: 20 * k for kind, k in CROWDS[crowd]["workers"].items()}
            votes = hr.simulate_comparisons(n, m, spread=SPREAD, workers=workers, rng=rng)
            for name, fit in MODELS.items():
                how = {} if "bayes" in name else {"components": "separate"}
                tau, _, right, sure, _, time = measured(partial(fit, **how), votes)
                certain = f"{right / sure:.3f}" if sure else "–"
                lines.append(
                    f"| {n:,} | {m:,} | {crowd} | {name} | {tau:.3f} | {certain} "
                    f"| {time / 1e3:.1f} |"
                )
                print(lines[-1], flush=True)
    return "\n".join(lines)


if __name__ == "__main__":
    parser = ArgumentParser(prog="python -m benchmarks.default_model", description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--large", action="store_true")
    chosen = parser.parse_args()
    print(large(chosen.seed) if chosen.large else table(chosen.runs, chosen.seed))
