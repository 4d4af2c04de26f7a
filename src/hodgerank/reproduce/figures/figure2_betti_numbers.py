"""Figure 2: loops and components of the growing comparison graph."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

import hodgerank as hr
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    Scheme,
    controls,
    random,
    sampler_seed,
    stream,
    supervised,
    unsupervised,
)
from hodgerank.reproduce.verdict import (
    Claim,
    Estimate,
    Findings,
    Published,
    Verdict,
    sign_status,
    with_interval,
)
from hodgerank.types import FloatArray

N_ITEMS, N_SAMPLES, GAMMA = 16, 120, 0.1
SCHEMES = {
    "supervised": supervised(GAMMA),
    "unsupervised": unsupervised(GAMMA),
    "random": random(GAMMA),
    **controls(GAMMA),
}
NUMBERS = {"beta_0": "components (Betti number 0)", "beta_1": "loops (Betti number 1)"}


def topology(run: int, seed: int) -> dict[str, dict[str, list[int]]]:
    """Return the Betti numbers after each sample."""
    return {name: _growth(scheme, run, seed) for name, scheme in SCHEMES.items()}


def _growth(scheme: Scheme, run: int, seed: int) -> dict[str, list[int]]:
    rng = stream(seed, "betti", run)
    scores = rng.permutation(N_ITEMS) / N_ITEMS
    crowd = hr.SimulatedCrowd(list(range(N_ITEMS)), scores=scores, link="uniform", rng=rng)
    _, turns = scheme.play(crowd.items, crowd, seed=sampler_seed(seed, run))
    tracker = hr.TopologyTracker(N_ITEMS)
    numbers: dict[str, list[int]] = {name: [] for name in NUMBERS}
    for pair, _ in islice(turns, N_SAMPLES):
        tracker.add(int(pair.left), int(pair.right))
        numbers["beta_0"].append(tracker.beta_0)
        numbers["beta_1"].append(tracker.beta_1)
    return numbers


def tasks(effort: Effort) -> list[Task]:
    """Return one task per graph."""
    runs = effort.runs(quick=100, full=100)
    return [Task(topology, {"run": run, "seed": effort.seed}) for run in runs]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether the region with loops is narrower."""
    curves = Curves.of(
        range(1, N_SAMPLES + 1),
        [
            Outcome({"panel": title}, {s: numbers[name] for s, numbers in outcome.result.items()})
            for name, title in NUMBERS.items()
            for outcome in outcomes
        ],
    )
    chart = curves.chart(
        y="mean over graphs",
        columns=2,
        width=340,
        height=280,
        share_y=False,
        y_domain=(0, None),
    )
    verdicts = [_judge(claim, curves) for claim in published.claims]
    return Findings(curves.rows(), chart, verdicts)


def _judge(claim: Claim, curves: Curves) -> Verdict:
    """Compare numbers of samples with loops, or peak heights."""
    measure, scheme, other = (claim.check[key] for key in ("measure", "less", "than"))
    loops = {name: curves.values[NUMBERS["beta_1"], name] for name in (scheme, other)}
    per_run: dict[str, FloatArray] = {
        name: (values > 0).sum(axis=1, dtype=float) if measure == "width" else values.max(axis=1)
        for name, values in loops.items()
    }
    gain = Estimate.of(np.asarray(per_run[other] - per_run[scheme], float))
    means = {name: _with_error(Estimate.of(values)) for name, values in per_run.items()}
    what = "samples with β₁ > 0" if measure == "width" else "highest β₁"
    evidence = (
        f"{what}: {scheme} {means[scheme]}, {other} {means[other]}; difference "
        f"{with_interval(gain, 1)}, {gain.n} paired runs."
    )
    return Verdict(claim, sign_status(gain), evidence)


def _with_error(mean: Estimate) -> str:
    """Format a mean with its standard error."""
    return f"{mean.mean:.1f} ± {mean.stderr:.1f}" if mean.n > 1 else f"{mean.mean:.1f}"


EXPERIMENT = Experiment("betti", tasks, findings)
