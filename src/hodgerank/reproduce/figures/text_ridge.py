"""Parameter tuning: the ridge of supervised sampling on dense graphs."""

from __future__ import annotations

from collections.abc import Sequence

import hodgerank as hr
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.figures.figures5_6_recorded_votes import votes_and_truth
from hodgerank.reproduce.schemes import (
    sampler_seed,
    stream,
    supervised,
    taus_of,
    true_scores,
)
from hodgerank.reproduce.verdict import Findings, Published

N_ITEMS = 16
LOOKS = range(20, 121, 20)
SCHEMES = {f"γ = {gamma}": supervised(float(gamma)) for gamma in ("1", "0.1", "0.01", "0.00001")}
SIMULATED, VIDEOS, IMAGES = "simulated (Figure 3)", "videos", "images"


def campaign(panel: str, run: int, seed: int) -> dict[str, list[float]]:
    """Run supervised sampling with every ridge on the same items and crowd."""
    curves = {}
    for name, scheme in SCHEMES.items():
        rng = stream(seed, "ridge", panel, run)
        crowd: hr.SimulatedCrowd | hr.RecordedCrowd
        if panel == SIMULATED:
            items = list(range(N_ITEMS))
            crowd = hr.SimulatedCrowd(items, scores=rng.random(N_ITEMS), link="uniform", rng=rng)
            truth = true_scores(crowd)
        else:
            dataset, n = ("pc-vqa", 10) if panel == VIDEOS else ("pc-iqa", 15)
            votes, truth = votes_and_truth(dataset, run % n + 1)
            crowd = hr.RecordedCrowd(votes, replacement=True, rng=rng)
        taus = taus_of(scheme, crowd, crowd.items, LOOKS, {"": truth}, seed=sampler_seed(seed, run))
        curves[name] = taus[""]
    return curves


def tasks(effort: Effort) -> list[Task]:
    """Return one task per crowd and run; runs on recorded votes cycle through the references."""
    return [
        Task(campaign, {"panel": panel, "run": run, "seed": effort.seed})
        for panel in (SIMULATED, VIDEOS, IMAGES)
        for run in effort.runs(quick=150, full=900)
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether the ridge matters."""
    curves = Curves.of(LOOKS, outcomes)
    chart = curves.chart(columns=3, width=230, height=220)
    return Findings(curves.rows(), chart, curves.verdicts(published))


EXPERIMENT = Experiment("ridge", tasks, findings, ("pc-vqa", "pc-iqa"))
