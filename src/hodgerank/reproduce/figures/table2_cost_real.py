"""Table 2: seconds to choose pairs, supervised and Crowd-BT, on the three data sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import hodgerank as hr
from hodgerank.data.datasets import DatasetName
from hodgerank.plotting.curves import bar_chart
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import CROWD_BT, Scheme, seconds_of, stream, supervised
from hodgerank.reproduce.verdict import (
    Claim,
    Estimate,
    Findings,
    Published,
    Verdict,
    factor,
    joint_status,
    speed_status,
    with_factor,
)

PUBLISHED_RUNS = 100
DATA: dict[DatasetName, tuple[str, float, int]] = {
    "pc-vqa": ("videos", 1.0, 120),
    "pc-iqa": ("images", 1.0, 120),
    "reading-level": ("documents", 0.1, 4000),
}
METHODS = ("supervised", "Crowd-BT")


def seconds(
    dataset: DatasetName, gamma: float, n_samples: int, repeats: int, seed: int
) -> dict[str, list[float]]:
    """Return the times of several runs of each scheme, alternating; only ask and tell."""
    votes = hr.load_dataset(dataset)
    schemes = dict(zip(METHODS, (supervised(gamma), CROWD_BT), strict=True))
    for scheme in schemes.values():
        _run(scheme, votes, 20, seed)  # compiles
    times: dict[str, list[float]] = {name: [] for name in schemes}
    for _ in range(repeats):
        for name, scheme in schemes.items():
            times[name].append(_run(scheme, votes, n_samples, seed))
    return times


def _run(scheme: Scheme, votes: hr.Comparisons, n_samples: int, seed: int) -> float:
    crowd = hr.RecordedCrowd(votes, replacement=True, rng=stream(seed, "cost-real"))
    n = len(votes.items)
    offered = None if len(crowd.pairs) == n * (n - 1) // 2 else crowd.pairs
    sampler = scheme.build(votes.items, seed=seed)
    return seconds_of(scheme, sampler, crowd, n_samples, offered)


def tasks(effort: Effort) -> list[Task]:
    """Return one task per data set."""
    repeats = effort.pick(smoke=2, quick=7, full=20)
    return [
        Task(
            seconds,
            {
                "dataset": dataset,
                "gamma": gamma,
                "n_samples": effort.pick(smoke=120, quick=n_samples, full=n_samples),
                "repeats": repeats,
                "seed": effort.seed,
            },
            is_timed=True,
        )
        for dataset, (_, gamma, n_samples) in DATA.items()
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether supervised is an order of magnitude faster."""
    rows = [
        {
            "data": DATA[outcome.settings["dataset"]][0],
            "method": method,
            "samples_per_run": outcome.settings["n_samples"],
            "seconds_per_100_runs": estimate.mean,
            "stderr": estimate.stderr,
            "repeats": estimate.n,
        }
        for outcome in outcomes
        for method in METHODS
        for estimate in [Estimate.of(PUBLISHED_RUNS * np.array(outcome.result[method]))]
    ]
    chart = bar_chart(
        [{"x": r["data"], "series": r["method"], "mean": r["seconds_per_100_runs"]} for r in rows],
        y=f"seconds for {PUBLISHED_RUNS} runs",
        groups=[name for name, _, _ in DATA.values()],
        series=METHODS,
    )
    ratios = {
        DATA[o.settings["dataset"]][0]: Estimate.of(
            np.log(np.divide(o.result["Crowd-BT"], o.result["supervised"]))
        )
        for o in outcomes
    }
    table = [
        [f"seconds for {PUBLISHED_RUNS} runs", *ratios],
        *(
            [name, *(f"{r['seconds_per_100_runs']:.3g}" for r in rows if r["method"] == name)]
            for name in METHODS
        ),
        ["Crowd-BT / supervised", *(factor(float(np.exp(r.mean))) for r in ratios.values())],
        *published.number_rows(list(ratios)),
    ]
    return Findings(rows, chart, [_judge(claim, ratios) for claim in published.claims], table)


def _judge(claim: Claim, ratios: dict[str, Estimate]) -> Verdict:
    wanted = claim.check["factor"]
    listed = "; ".join(f"{name}: {with_factor(ratio)}" for name, ratio in ratios.items())
    status = joint_status([speed_status(ratio, wanted) for ratio in ratios.values()])
    return Verdict(claim, status, f"Crowd-BT takes this many times as long: {listed}.")


EXPERIMENT = Experiment("cost-real", tasks, findings, tuple(DATA))
