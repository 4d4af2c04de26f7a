"""Beyond the paper: careless and adversarial workers among honest ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import hodgerank as hr
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    Scheme,
    Scores,
    hodge_scores,
    own_ranking,
    random,
    sampler_seed,
    stream,
    taus_of,
    true_scores,
)
from hodgerank.reproduce.verdict import Findings, Published

N_ITEMS, N_WORKERS, N_ANSWERS, SPREAD, GAMMA = 16, 20, 480, 2.0, 1.0
SHARES = (0, 10, 20, 30)
KINDS = {"careless workers": "random", "adversarial workers": "adversarial"}


def _robust(sampler: hr.Sampler) -> Scores:
    return hr.robust_rank(sampler.votes).score_by_item


def _scored(scores: Callable[[hr.Sampler], Scores]) -> Scheme:
    return Scheme(hr.AutoSampler, scores)


SCHEMES = {
    "auto, robust_rank": _scored(_robust),
    "auto, HodgeRank": _scored(hodge_scores(GAMMA)),
    "Crowd-BT, crowd_bt": Scheme(hr.CrowdBTSampler, own_ranking),
    "random, HodgeRank": random(GAMMA),
}


def campaign(panel: str, run: int, seed: int) -> dict[str, list[float]]:
    """Return tau at the end, for each share of bad workers."""
    return {
        name: [_tau(scheme, KINDS[panel], share, run, seed) for share in SHARES]
        for name, scheme in SCHEMES.items()
    }


def _tau(scheme: Scheme, kind: str, share: int, run: int, seed: int) -> float:
    rng = stream(seed, "careless", run)
    bad = N_WORKERS * share // 100
    workers = {"honest": N_WORKERS - bad, kind: bad}
    crowd = hr.SimulatedCrowd(list(range(N_ITEMS)), spread=SPREAD, workers=workers, rng=rng)
    truth = {"truth": true_scores(crowd)}
    taus = taus_of(scheme, crowd, crowd.items, [N_ANSWERS], truth, seed=sampler_seed(seed, run))
    return taus["truth"][0]


def tasks(effort: Effort) -> list[Task]:
    """Return one task per kind and run."""
    return [
        Task(campaign, {"panel": panel, "run": run, "seed": effort.seed})
        for panel in KINDS
        for run in effort.runs(quick=30, full=400)
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge which scheme withstands bad workers."""
    curves = Curves.of(SHARES, outcomes)
    chart = curves.chart(
        x="bad workers, %",
        y=f"Kendall's tau after {N_ANSWERS} votes",
        columns=2,
        width=340,
        height=260,
        points=True,
    )
    return Findings(
        curves.rows("bad_percent"), chart, curves.without_first_look().verdicts(published)
    )


EXPERIMENT = Experiment("careless", tasks, findings)
