"""AutoSampler against the others where it was tuned, and where it was not."""

from __future__ import annotations

import numpy as np

from benchmarks.crowds import campaign
from benchmarks.sampling_accuracy import SAMPLERS

RUNS = 100
NAMES = ("rounds", "d-optimal", "bayesian", "rank", "auto")
TUNED = (
    (50, "uniform"), (100, "uniform"), (50, "BT spread 0.3"), (100, "BT spread 0.3"),
    (50, "BT spread 1"), (100, "BT spread 1"), (50, "BT spread 3"), (100, "BT spread 3"),
    (100, "BT heavy tails"), (50, "BT clusters"),
)  # fmt: skip
UNSEEN = (
    (32, "BT spread 0.6"), (40, "probit spread 0.7"), (64, "uniform grid"), (80, "BT spread 1.5"),
    (50, "BT skewed"), (50, "30 % careless"), (40, "five grades"), (70, "BT spread 0.6"),
    (100, "uniform grid"),
)  # fmt: skip


def run(runs: int = RUNS) -> str:
    lines = [
        f"### AutoSampler by regime, tau after 2.5, 5 and 10 answers per item, {runs} runs",
        "",
    ]
    lines += ["| | | " + " | ".join(NAMES) + " | auto - rounds | auto - best |"]
    lines += ["|---" * (len(NAMES) + 4) + "|"]
    for kind, regimes in (("tuned on", TUNED), ("unseen", UNSEEN)):
        for n, crowd in regimes:
            lines.append(f"| {kind} | {crowd}, n = {n} | {_row(n, crowd, runs)} |")
    return "\n".join(lines) + "\n"


def _row(n: int, crowd: str, runs: int) -> str:
    looks = [int(2.5 * n), 5 * n, 10 * n]
    found = {
        name: np.array([campaign(SAMPLERS[name], crowd, n, looks, run) for run in range(runs)])
        for name in NAMES
    }
    cells = [" ".join(f"{m:.3f}" for m in found[name].mean(axis=0)) for name in NAMES]
    rounds, best = [], []
    for k in range(len(looks)):
        rival = max(NAMES[:-1], key=lambda name: found[name][:, k].mean())
        rounds.append(_gap(found["auto"][:, k] - found["rounds"][:, k]))
        best.append(_gap(found["auto"][:, k] - found[rival][:, k]))
    return " | ".join([*cells, ", ".join(rounds), ", ".join(best)])


def _gap(difference: np.ndarray) -> str:
    stderr = difference.std(ddof=1) / np.sqrt(len(difference))
    return f"{difference.mean():+.3f} ({difference.mean() / stderr:+.1f})"
