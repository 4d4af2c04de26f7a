"""Figure 3: tau against samples on the simulated crowd of the paper."""

from __future__ import annotations

from collections.abc import Sequence

import hodgerank as hr
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    random,
    sampler_seed,
    stream,
    supervised,
    taus_of,
    true_scores,
    unsupervised,
)
from hodgerank.reproduce.verdict import Findings, Published

N_ITEMS, GAMMA = 16, 0.1
LOOKS = range(20, 121, 10)
SCHEMES = {
    "supervised": supervised(GAMMA),
    "unsupervised": unsupervised(GAMMA),
    "random": random(GAMMA),
}
GRID, UNIFORM = "equally spaced scores", "scores drawn from [0, 1]"


def campaign(panel: str, run: int, seed: int) -> dict[str, list[float]]:
    """Run every scheme on the same items and, as far as it asks the same pairs, the same crowd."""
    curves = {}
    for name, scheme in SCHEMES.items():
        rng = stream(seed, "simulated", panel, run)
        drawn = rng.random(N_ITEMS)
        scores = drawn if panel == UNIFORM else drawn.argsort().argsort() / N_ITEMS
        crowd = hr.SimulatedCrowd(list(range(N_ITEMS)), scores=scores, link="uniform", rng=rng)
        truth = {"truth": true_scores(crowd)}
        taus = taus_of(scheme, crowd, crowd.items, LOOKS, truth, seed=sampler_seed(seed, run))
        curves[name] = taus["truth"]
    return curves


def tasks(effort: Effort) -> list[Task]:
    """Return one task per kind of scores and run."""
    return [
        Task(campaign, {"panel": panel, "run": run, "seed": effort.seed})
        for panel in (GRID, UNIFORM)
        for run in effort.runs(quick=200, full=1000)
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether both active schemes are above random, and equal to each other."""
    curves = Curves.of(LOOKS, outcomes)
    chart = curves.chart(columns=2, width=340, height=280)
    return Findings(curves.rows(), chart, curves.verdicts(published))


EXPERIMENT = Experiment("simulated", tasks, findings)
