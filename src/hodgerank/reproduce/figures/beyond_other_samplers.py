"""Beyond the paper: the library's other samplers on four crowds."""

from __future__ import annotations

from collections.abc import Sequence

import hodgerank as hr
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.figures.figures5_6_recorded_votes import votes_and_truth
from hodgerank.reproduce.schemes import (
    Scheme,
    hodge_scores,
    own_ranking,
    random,
    sampler_seed,
    stream,
    supervised,
    taus_of,
    true_scores,
    without_repetition,
)
from hodgerank.reproduce.verdict import Findings, Published

N_ITEMS, GAMMA = 16, 1.0
LOOKS = range(20, 121, 20)
SCHEMES = {
    "auto": Scheme(hr.AutoSampler, hodge_scores(GAMMA)),
    "auto and its own ranking": Scheme(hr.AutoSampler, own_ranking),
    "rank-targeted": Scheme(hr.RankSampler, hodge_scores(GAMMA)),
    "D-optimal": Scheme(hr.FisherSampler, hodge_scores(GAMMA)),
    "supervised": supervised(GAMMA),
    "random without repetition": without_repetition(GAMMA),
    "random": random(GAMMA),
}
WEAK, STRONG = "simulated, weak opinions (Figure 3)", "simulated, strong opinions"
VIDEOS, IMAGES = "recorded, videos", "recorded, images"


def campaign(panel: str, run: int, seed: int) -> dict[str, list[float]]:
    """Run every scheme on the same items and crowd."""
    curves = {}
    for name, scheme in SCHEMES.items():
        rng = stream(seed, panel, run)
        crowd: hr.SimulatedCrowd | hr.RecordedCrowd
        if panel in (VIDEOS, IMAGES):
            reference = run % (10 if panel == VIDEOS else 15) + 1
            votes, truth = votes_and_truth("pc-vqa" if panel == VIDEOS else "pc-iqa", reference)
            crowd = hr.RecordedCrowd(votes, replacement=True, rng=rng)
        else:
            scores = rng.random(N_ITEMS) if panel == WEAK else rng.normal(0, 3, N_ITEMS)
            link = "uniform" if panel == WEAK else "bradley-terry"
            crowd = hr.SimulatedCrowd(list(range(N_ITEMS)), scores=scores, link=link, rng=rng)
            truth = true_scores(crowd)
        taus = taus_of(
            scheme, crowd, crowd.items, LOOKS, {"truth": truth}, seed=sampler_seed(seed, run)
        )
        curves[name] = taus["truth"]
    return curves


def tasks(effort: Effort) -> list[Task]:
    """Return one task per crowd and run; runs on recorded votes cycle through the references."""
    return [
        Task(campaign, {"panel": panel, "run": run, "seed": effort.seed})
        for panel in (WEAK, STRONG, VIDEOS, IMAGES)
        for run in effort.runs(quick=90, full=600)
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether the automatic choice is as good as claimed."""
    curves = Curves.of(LOOKS, outcomes)
    chart = curves.chart(ours=(), columns=2, width=340, height=240)
    return Findings(curves.rows(), chart, curves.verdicts(published))


EXPERIMENT = Experiment("samplers", tasks, findings, ("pc-vqa", "pc-iqa"))
