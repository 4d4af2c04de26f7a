"""Which pairs to ask: Kendall's tau after K/2 and K = C(16, 2) = 120 answers, many runs.

The targets are those of the design's prototype: same settings, least-squares scores of minimal
norm, ties in the estimate count as 0.
"""

from __future__ import annotations

import os

import numpy as np

import hodgerank as hr
from benchmarks.crowds import campaign, ranking_tau

N, LOOKS, RUNS = 16, [60, 120], 600
TARGETS = {
    "random": ((0.436, 0.570), (0.735, 0.821), (0.623, 0.736), (0.704, 0.793)),
    "fiedler": ((0.468, 0.581), (0.764, 0.838), (0.664, 0.765), (0.745, 0.824)),
    "d-optimal": ((0.470, 0.584), (0.773, 0.845), (0.653, 0.761), (0.742, 0.822)),
    "bayesian, as printed": ((0.471, 0.583), (0.811, 0.874), (0.691, 0.796), (0.787, 0.855)),
    "bayesian": ((0.464, 0.581), (0.818, 0.882), (0.694, 0.798), (0.796, 0.862)),
    "rank": ((0.474, 0.588), (0.826, 0.885), (0.698, 0.799), (0.799, 0.860)),
    "crowd-bt": ((0.458, 0.567), (0.817, 0.883), (0.681, 0.788), (0.785, 0.854)),
}
CROWDS = ("uniform", "BT spread 3", "VQA", "IQA")
TARGET_STDERR = (0.0036, 0.0022, 0.0035, 0.0022)  # at K


SAMPLERS = {
    "random": lambda n, run: hr.RandomSampler(n, seed=run, order="independent"),
    "rounds": lambda n, run: hr.RandomSampler(n, seed=run),
    "fiedler": lambda n, run: hr.FisherSampler(n, seed=run, criterion="fiedler"),
    "d-optimal": lambda n, run: hr.FisherSampler(n, seed=run),
    "bayesian, as printed": lambda n, run: hr.BayesianSampler(n, seed=run, paper=True, ridge=0.1),
    "bayesian": lambda n, run: hr.BayesianSampler(n, seed=run),
    "rank": lambda n, run: hr.RankSampler(n, seed=run),
    "crowd-bt": lambda n, run: hr.CrowdBTSampler(n, seed=run),
    "auto": lambda n, run: hr.AutoSampler(n, seed=run),
}


def _cell(taus: np.ndarray) -> str:
    mean, stderr = taus.mean(axis=0), taus.std(axis=0, ddof=1) / np.sqrt(len(taus))
    return " ".join(f"{m:.3f}±{e:.3f}" for m, e in zip(mean, stderr, strict=True))


def run(runs: int = RUNS) -> str:
    crowds = CROWDS if "HODGERANK_DATA" in os.environ else CROWDS[:2]
    lines = [f"### Choosing pairs, 16 items, tau after 60 and 120 answers, {runs} runs", ""]
    if len(crowds) < len(CROWDS):
        lines += ["VQA and IQA were left out: HODGERANK_DATA does not name their folder.", ""]
    lines += ["| | " + " | ".join(crowds) + " |", "|---" * (len(crowds) + 1) + "|"]
    found = {}
    for name, build in SAMPLERS.items():
        for crowd in crowds:
            found[name, crowd] = np.array(
                [campaign(build, crowd, N, LOOKS, run) for run in range(runs)]
            )
        lines.append(f"| {name} | " + " | ".join(_cell(found[name, c]) for c in crowds) + " |")
    lines += ["", *_verdicts(found, crowds), "", *_batches(crowds, runs), ""]
    lines.append("The same runs of auto ranked by `sampler.ranking()`:")
    for crowd in crowds:
        taus = [
            campaign(SAMPLERS["auto"], crowd, N, LOOKS, run, ranking_tau)
            for run in range(runs // 4)
        ]
        lines.append(f"- {crowd}: {_cell(np.array(taus))}")
    return "\n".join(lines) + "\n"


def _verdicts(found: dict, crowds: tuple[str, ...]) -> list[str]:
    """How many standard errors each cell lies from its target, and auto from the best row."""
    lines = []
    for name, targets in TARGETS.items():
        for crowd, target, base in zip(crowds, targets, TARGET_STDERR, strict=False):
            taus = found[name, crowd]
            own = taus.std(axis=0, ddof=1) / np.sqrt(len(taus))
            stderr = np.hypot(own, base * own / own[-1])  # the target's at K/2 is not known
            z = (taus.mean(axis=0) - target) / stderr
            if z.min() < -2:
                lines.append(f"- {name} on {crowd}: z = {z.round(1).tolist()} below the target")
    lines = lines or ["- no cell lies more than two standard errors below its target"]
    for crowd in crowds:
        for k, look in enumerate(LOOKS):
            best = max(SAMPLERS, key=lambda name: found[name, crowd][:, k].mean())
            gap = found["auto", crowd][:, k] - found[best, crowd][:, k]
            stderr = gap.std(ddof=1) / np.sqrt(len(gap))
            z = gap.mean() / stderr if stderr else 0.0
            lines.append(
                f"- auto on {crowd} after {look}: {gap.mean():+.4f} ± {stderr:.4f} against the "
                f"best row, {best} (z = {z:.1f})"
            )
    return lines


def _batches(crowds: tuple[str, ...], runs: int) -> list[str]:
    lines = ["Batches of 15 pairs out at once, after 60 answers:"]
    for name in ("bayesian", "auto"):
        for crowd in crowds:
            one, many = (
                np.array(
                    [campaign(SAMPLERS[name], crowd, N, [60], r, batch=b)[0] for r in range(runs)]
                )
                for b in (1, 15)
            )
            lines.append(
                f"- {name} on {crowd}: one by one {one.mean():.3f}, in batches {many.mean():.3f} "
                f"(lost {(one - many).mean():.3f} ± {(one - many).std(ddof=1) / np.sqrt(runs):.3f})"
            )
    return lines
