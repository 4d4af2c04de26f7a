"""Beyond the paper: more items."""

from __future__ import annotations

from collections.abc import Sequence

import hodgerank as hr
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    Scheme,
    own_ranking,
    sampler_seed,
    stream,
    taus_of,
    true_scores,
)
from hodgerank.reproduce.verdict import Findings, Published

SCHEMES = {
    "auto": Scheme(hr.AutoSampler, own_ranking),
    "supervised, clamped": Scheme(hr.BayesianSampler, own_ranking),
    "random without repetition": Scheme(hr.RandomSampler, own_ranking),
}
STRONG, WEAK = "strong opinions", "weak opinions (the model of Figure 3)"


def campaign(
    panel: str, n: int, opinions: str, per_item: list[int], run: int, seed: int
) -> dict[str, list[float]]:
    """Return tau at several numbers of votes per item."""
    curves = {}
    for name, scheme in SCHEMES.items():
        rng = stream(seed, "larger", n, run)
        scores = rng.normal(0, 3, n) if opinions == STRONG else rng.random(n)
        link = "bradley-terry" if opinions == STRONG else "uniform"
        crowd = hr.SimulatedCrowd(list(range(n)), scores=scores, link=link, rng=rng)
        truth = {"truth": true_scores(crowd)}
        looks = [n * answers // 2 for answers in per_item]
        taus = taus_of(scheme, crowd, crowd.items, looks, truth, seed=sampler_seed(seed, run))
        curves[name] = taus["truth"]
    return curves


def tasks(effort: Effort) -> list[Task]:
    """Return one task per size, strength of opinions and run; large ones first."""
    sizes = effort.pick(
        smoke={100: 1}, quick={10_000: 5, 1000: 6, 100: 20}, full={10_000: 20, 1000: 50, 100: 200}
    )
    per_item = effort.pick(smoke=[2, 4], quick=[2, 4, 6], full=[2, 4, 6, 8, 10])
    return [
        Task(
            campaign,
            {
                "panel": f"{n:,} items, {opinions}",
                "n": n,
                "opinions": opinions,
                "per_item": per_item,
                "run": run,
                "seed": effort.seed,
            },
        )
        for n, runs in sizes.items()
        for opinions in (STRONG, WEAK)
        for run in range(effort.n_runs or runs)
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether active sampling still helps."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.settings["n"])
    curves = Curves.of(outcomes[0].settings["per_item"], ordered)
    chart = curves.chart(x="votes per item", ours=(), columns=2, width=340, height=240)
    return Findings(curves.rows("votes_per_item"), chart, curves.verdicts(published))


EXPERIMENT = Experiment("larger", tasks, findings)
