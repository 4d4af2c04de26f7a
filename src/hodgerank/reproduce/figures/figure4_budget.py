"""Figure 4: how often pairs of each ambiguity are asked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise

import numpy as np

import hodgerank as hr
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
from hodgerank.types import FloatArray

N_ITEMS, GAMMA = 16, 0.1
BUDGETS = (120, 600, 1200)
N_BINS = 10  # of ambiguity, for the chart
LOW, HIGH = 0.5, 0.9  # a simple pair, an ambiguous pair


def allocation(run: int, seed: int) -> dict[str, list[float]]:
    """Return the ambiguity of every pair, and its votes at each budget."""
    rng = stream(seed, "budget", run)
    scores = rng.random(N_ITEMS)
    crowd = hr.SimulatedCrowd(list(range(N_ITEMS)), scores=scores, link="uniform", rng=rng)
    _, turns = supervised(GAMMA).play(crowd.items, crowd, seed=sampler_seed(seed, run))
    i, j = np.triu_indices(N_ITEMS, 1)
    asked = np.zeros((N_ITEMS, N_ITEMS))
    found: dict[str, list[float]] = {"ambiguity": (1 - abs(scores[i] - scores[j])).tolist()}
    for t, (pair, _) in enumerate(islice(turns, BUDGETS[-1]), start=1):
        asked[int(pair.left), int(pair.right)] += 1
        if t in BUDGETS:
            found[str(t)] = (asked + asked.T)[i, j].tolist()
    return found


def tasks(effort: Effort) -> list[Task]:
    """Return one task per run."""
    runs = effort.runs(quick=100, full=100)
    return [Task(allocation, {"run": run, "seed": effort.seed}) for run in runs]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether ambiguous pairs get more votes."""
    ambiguity = np.array([outcome.result["ambiguity"] for outcome in outcomes])
    equal_share = {t: t / ambiguity.shape[1] for t in BUDGETS}
    shares = {
        t: np.array([outcome.result[str(t)] for outcome in outcomes]) / equal_share[t]
        for t in BUDGETS
    }
    edges = np.linspace(0, 1, N_BINS + 1)
    rows = [
        {
            "samples": t,
            "ambiguity": round((low + high) / 2, 3),
            "mean": estimate.mean,
            "stderr": estimate.stderr if estimate.n > 1 else None,
            "runs": estimate.n,
        }
        for t, values in shares.items()
        for low, high in pairwise(edges)
        for per_run in [_mean_between(values, ambiguity, low, high)]
        if len(per_run)
        for estimate in [Estimate.of(per_run)]
    ]
    chart = curve_chart(
        [{"x": row["ambiguity"], "series": f"{row['samples']:,} samples", **row} for row in rows],
        x="ambiguity of the pair, 1 − |score difference|",
        y="votes per pair, 1 = an equal share",
        series=[f"{t:,} samples" for t in BUDGETS],
        y_domain=(0, None),
        points=True,
    )
    return Findings(rows, chart, [_judge(claim, shares, ambiguity) for claim in published.claims])


def _mean_between(values: FloatArray, ambiguity: FloatArray, low: float, high: float) -> FloatArray:
    """Return the mean over pairs of such ambiguity, for every run that has some."""
    is_in = (low <= ambiguity) & (ambiguity < high)
    has_some = is_in.any(axis=1)
    total = np.where(is_in, values, 0.0).sum(axis=1)
    return np.asarray(total[has_some] / is_in.sum(axis=1)[has_some])


def _judge(claim: Claim, shares: dict[int, FloatArray], ambiguity: FloatArray) -> Verdict:
    """Test whether the slope of votes over ambiguity, relative to equal shares, is positive."""
    centred = ambiguity - ambiguity.mean(axis=1, keepdims=True)
    sentences, statuses = [], []
    for t in claim.check["samples"]:
        slope = Estimate.of((shares[t] * centred).sum(axis=1) / (centred**2).sum(axis=1))
        statuses.append(sign_status(slope))
        simple = _mean_between(shares[t], ambiguity, 0.0, LOW).mean()
        ambiguous = _mean_between(shares[t], ambiguity, HIGH, 1.0).mean()
        sentences.append(
            f"at {t:,} samples pairs of ambiguity above {HIGH} get {ambiguous:.2f} of an equal "
            f"share, those below {LOW} get {simple:.2f}; slope {with_interval(slope, 2)}"
        )
    evidence = f"{'; '.join(sentences)} ({len(ambiguity)} runs)."
    return Verdict(claim, joint_status(statuses), f"{evidence[0].upper()}{evidence[1:]}")


EXPERIMENT = Experiment("budget", tasks, findings)
