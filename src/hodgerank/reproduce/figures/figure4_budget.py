"""Figure 4: how often pairs of each ambiguity are asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

import numpy as np

import hodgerank as hr
from hodgerank.collecting.run import play
from hodgerank.plotting.curves import curve_chart
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import sampler_seed, stream, supervised
from hodgerank.reproduce.verdict import (
    Claim,
    Estimate,
    Findings,
    Published,
    Verdict,
    joint_status,
    sign_status,
    with_interval,
)

N_ITEMS, GAMMA = 16, 0.1
BUDGETS = (120, 600, 1200)
DISTANCES = range(1, N_ITEMS)


def allocation(run: int, seed: int) -> dict[str, list[float]]:
    """Return votes per pair at each distance in the true order, for each budget."""
    rng = stream(seed, "budget", run)
    places = rng.permutation(N_ITEMS)
    crowd = hr.SimulatedCrowd(
        list(range(N_ITEMS)), scores=places / N_ITEMS, link="uniform", rng=rng
    )
    sampler = supervised(GAMMA).build(N_ITEMS, seed=sampler_seed(seed, run))
    asked: Counter[int] = Counter()
    found = {}
    turns = islice(play(sampler, crowd), BUDGETS[-1])
    for t, (pair, _) in enumerate(turns, start=1):
        asked[abs(int(places[int(pair.left)] - places[int(pair.right)]))] += 1
        if t in BUDGETS:
            found[str(t)] = [asked[distance] / (N_ITEMS - distance) for distance in DISTANCES]
    return found


def tasks(effort: Effort) -> list[Task]:
    """Return one task per run."""
    runs = effort.runs(quick=100, full=100)
    return [Task(allocation, {"run": run, "seed": effort.seed}) for run in runs]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether ambiguous pairs get more votes."""
    counts = {t: np.array([outcome.result[str(t)] for outcome in outcomes]) for t in BUDGETS}
    rows = [
        {
            "samples": t,
            "distance": distance,
            "mean": estimate.mean,
            "stderr": estimate.stderr,
            "runs": estimate.n,
        }
        for t, values in counts.items()
        for distance, column in zip(DISTANCES, values.T, strict=True)
        for estimate in [Estimate.of(column / (t / (N_ITEMS * (N_ITEMS - 1) / 2)))]
    ]
    chart = curve_chart(
        [{"x": row["distance"], "series": f"{row['samples']:,} samples", **row} for row in rows],
        x="distance of the two items in the true order (1: most ambiguous)",
        y="votes per pair, 1 = an equal share",
        series=[f"{t:,} samples" for t in BUDGETS],
        y_domain=(0, None),
        points=True,
    )
    return Findings(rows, chart, [_judge(claim, counts) for claim in published.claims])


def _judge(claim: Claim, counts: dict[int, np.ndarray]) -> Verdict:
    """Test whether the slope of votes over distance, relative to equal shares, is negative."""
    distances = np.array(DISTANCES, float)
    centred = distances - distances.mean()
    sentences, statuses = [], []
    for t, values in counts.items():
        share = values / (t / (N_ITEMS * (N_ITEMS - 1) / 2))
        fall = Estimate.of(-(share @ centred) / (centred @ centred))
        statuses.append(sign_status(fall))
        nearest, farthest = share[:, 0].mean(), share[:, -1].mean()
        sentences.append(
            f"at {t:,} samples neighbours get {nearest:.2f} of an equal share and the extremes "
            f"{farthest:.2f}, {with_interval(fall, plus='')} less per step apart"
        )
    return Verdict(
        claim, joint_status(statuses), f"{'; '.join(sentences)} ({len(share)} runs).".capitalize()
    )


EXPERIMENT = Experiment("budget", tasks, findings)
