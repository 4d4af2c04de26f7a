"""Table 1: seconds to choose C(n, 2) pairs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from time import perf_counter

import numpy as np

import hodgerank as hr
from hodgerank.collecting.run import Step, play
from hodgerank.plotting.curves import curve_chart
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import incidence, seconds_of, stream, supervised, unsupervised
from hodgerank.reproduce.verdict import (
    Claim,
    Findings,
    Published,
    Status,
    Verdict,
    ratio_status,
    short_number,
)
from hodgerank.types import FloatArray

SIZES = (16, 20, 24, 28, 32, 100)
GAMMA = 0.1
REPEATS = 3
SAME_SEQUENCE_SIZE = 16
METHODS = {
    "offline": "supervised, offline",
    "online": "supervised, online",
    "unsupervised": "unsupervised",
}


def offline_gains(
    precision: FloatArray, force: FloatArray, pairs: Sequence[tuple[int, int]]
) -> FloatArray:
    """Compute the expected information of some pairs without updates: O(n^3) per pair.

    The offline form of [Xu18]: for both outcomes of a pair the posterior is solved again, and the
    Kullback-Leibler divergence between the new and the old one computed.
    """
    n = len(force)
    covariance = np.linalg.inv(precision)
    mean = covariance @ force
    gains = []
    for i, j in pairs:
        d = np.zeros(n)
        d[i], d[j] = 1, -1
        p = min(max((1 + mean[i] - mean[j]) / 2, 0.0), 1.0)
        gain = 0.0
        for y, probability in ((1.0, p), (-1.0, 1 - p)):
            new = precision + np.outer(d, d)
            new_covariance = np.linalg.inv(new)
            shift = new_covariance @ (force + y * d) - mean
            log_ratio = np.linalg.slogdet(new)[1] - np.linalg.slogdet(precision)[1]
            trace = np.einsum("ab,ba", precision, new_covariance)
            gain += probability * 0.5 * (trace - n + shift @ precision @ shift + log_ratio)
        gains.append(gain)
    return np.array(gains)


def seconds_offline(n: int, evaluations: int | None, seed: int) -> dict[str, float]:
    """Return the seconds for C(n, 2) choices, each of which evaluates C(n, 2) pairs at equal cost.

    Only `evaluations` of them are timed, and the rest is extrapolated.
    """
    pairs = list(combinations(range(n), 2))
    total = len(pairs) ** 2
    done = min(total, evaluations or total)
    precision, force = _some_votes(n, seed)
    start = perf_counter()
    left = done
    while left > 0:
        offline_gains(precision, force, pairs[:left])
        left -= len(pairs)
    return {"seconds": (perf_counter() - start) * total / done, "measured": done / total}


def _some_votes(n: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return precision and force after n votes."""
    crowd, sampler = _crowd(n, seed), supervised(GAMMA).build(n, seed=seed)
    precision, force = GAMMA * np.eye(n), np.zeros(n)
    for turn in islice(play(sampler, crowd), n):
        _add(turn, precision, force)
    return precision, force


def _crowd(n: int, seed: int) -> hr.SimulatedCrowd:
    rng = stream(seed, "cost", n)
    scores = rng.permutation(n) / n
    return hr.SimulatedCrowd(list(range(n)), scores=scores, link="uniform", rng=rng)


def _add(turn: Step, precision: FloatArray, force: FloatArray) -> None:
    """Add a vote to precision and force."""
    assert turn.answer is not None
    d = incidence(len(force), turn.pair)
    precision += np.outer(d, d)
    force += turn.answer.outcome * d


def seconds_online(n: int, method: str, seed: int) -> dict[str, float]:
    """Return the seconds for C(n, 2) choices, the minimum of several repeats."""
    scheme = {"online": supervised(GAMMA), "unsupervised": unsupervised(GAMMA)}[method]
    times = []
    for _ in range(REPEATS + 1):  # the first also compiles
        crowd, sampler = _crowd(n, seed), scheme.build(n, seed=seed)
        times.append(seconds_of(scheme, sampler, crowd, n * (n - 1) // 2))
    return {"seconds": min(times[1:]), "measured": 1.0}


def same_sequence(n: int, steps: int, seed: int) -> dict[str, float]:
    """Count the steps at which the online choice has the largest offline gain, up to rounding."""
    crowd, sampler = _crowd(n, seed), supervised(GAMMA).build(n, seed=seed)
    precision, force = GAMMA * np.eye(n), np.zeros(n)
    pairs = list(combinations(range(n), 2))
    agreed = 0
    for turn in islice(play(sampler, crowd), steps):
        gains = offline_gains(precision, force, pairs)
        i, j = sorted(map(int, turn.pair))
        chosen = gains[pairs.index((i, j))]
        agreed += bool(chosen >= gains.max() * (1 - 1e-8))
        _add(turn, precision, force)
    return {"steps": steps, "agreed": agreed}


def tasks(effort: Effort) -> list[Task]:
    """Return the timed tasks; quick mode times part of the offline work and extrapolates."""
    sizes = effort.pick(smoke=SIZES[:2], quick=SIZES, full=SIZES)
    steps = effort.pick(smoke=20, quick=120, full=120)
    planned = [Task(same_sequence, {"n": SAME_SEQUENCE_SIZE, "steps": steps, "seed": effort.seed})]
    for n in sizes:
        done = effort.pick(smoke=100, quick=500, full=20_000 if n > 50 else None)
        timed = {"n": n, "seed": effort.seed}
        planned.append(Task(seconds_offline, {**timed, "evaluations": done}, is_timed=True))
        planned += [
            Task(seconds_online, {**timed, "method": method}, is_timed=True)
            for method in ("online", "unsupervised")
        ]
    return planned


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge speed, identity of the sequences, and growth with n."""
    rows = [
        {
            "items": outcome.settings["n"],
            "method": METHODS[outcome.settings.get("method", "offline")],
            "seconds": outcome.result["seconds"],
            "share_measured": outcome.result["measured"],
        }
        for outcome in outcomes
        if "seconds" in outcome.result
    ]
    chart = curve_chart(
        [
            {"x": row["items"], "series": row["method"], "mean": row["seconds"], "stderr": 0.0}
            for row in rows
        ],
        x="items n",
        y="seconds for C(n, 2) choices",
        series=list(METHODS.values()),
        x_scale="log",
        y_scale="log",
        points=True,
    )
    seconds = {(row["items"], row["method"]): row["seconds"] for row in rows}
    sizes = sorted({row["items"] for row in rows})
    ratios = {n: seconds[n, METHODS["offline"]] / seconds[n, METHODS["online"]] for n in sizes}
    sequence = next(outcome.result for outcome in outcomes if "agreed" in outcome.result)
    table = [
        ["seconds for C(n, 2) choices", *(f"n = {n}" for n in sizes)],
        *([name, *(short_number(seconds[n, name]) for n in sizes)] for name in METHODS.values()),
        ["offline / online", *(f"{ratio:,.0f}" for ratio in ratios.values())],
        *published.number_rows([str(n) for n in sizes]),
    ]
    verdicts = [_judge(claim, ratios, sequence) for claim in published.claims]
    return Findings(rows, chart, verdicts, table)


def _judge(claim: Claim, ratios: dict[int, float], sequence: dict[str, int]) -> Verdict:
    listed = ", ".join(f"{ratio:,.0f} at n = {n}" for n, ratio in ratios.items())
    if "faster" in claim.check:
        status = ratio_status(ratios.values(), claim.check["faster"])
        return Verdict(claim, status, f"Offline takes this many times as long: {listed}.")
    if "grows" in claim.check:
        least, most = ratios[min(ratios)], ratios[max(ratios)]
        status = Status.HOLDS if most > 2 * least else Status.FAILS
        if least < most <= 2 * least:
            status = Status.UNDECIDED
        evidence = f"From {least:,.0f} times at n = {min(ratios)} to {most:,.0f} times at n = "
        return Verdict(claim, status, f"{evidence}{max(ratios)}.")
    same = sequence["agreed"] == sequence["steps"]
    evidence = (
        f"At {sequence['agreed']} of {sequence['steps']} steps the online choice has the largest "
        f"offline gain (n = {SAME_SEQUENCE_SIZE}, ties within rounding)."
    )
    return Verdict(claim, Status.HOLDS if same else Status.FAILS, evidence)


EXPERIMENT = Experiment("cost-simulated", tasks, findings)
