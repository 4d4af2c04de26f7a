"""Table 1: seconds to choose C(n, 2) pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from time import process_time
from typing import Any

import numpy as np

import hodgerank as hr
from hodgerank.collecting.run import Step, play
from hodgerank.plotting.curves import curve_chart
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    Scheme,
    incidence,
    seconds_of,
    stream,
    supervised,
    unsupervised,
)
from hodgerank.reproduce.verdict import (
    Claim,
    Estimate,
    Findings,
    Published,
    Status,
    Verdict,
    factor,
    joint_status,
    short_number,
    speed_status,
    with_factor,
)
from hodgerank.types import FloatArray

SIZES = (16, 20, 24, 28, 32, 100)
GAMMA = 0.1
SAME_SEQUENCE_SIZE = 16
METHODS = {
    "offline": "supervised, offline",
    "online": "supervised, online",
    "unsupervised": "unsupervised",
}
TIMED = {"online": supervised(GAMMA), "unsupervised": unsupervised(GAMMA)}


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


def closed_form_gains(
    precision: FloatArray, force: FloatArray, pairs: Sequence[tuple[int, int]], *, sign: int = 1
) -> FloatArray:
    """Compute the same from Proposition 2, with ln(1 + sign C); nan where that is undefined."""
    covariance = np.linalg.inv(precision)
    mean = covariance @ force
    i, j = np.array(pairs).T
    c = covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
    d = mean[i] - mean[j]
    p = np.clip((1 + d) / 2, 0.0, 1.0)
    error = p * (1 - d) ** 2 + (1 - p) * (1 + d) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        logarithm = np.log(1 + sign * c)
    gains = 0.5 * (error * c / (1 + c) ** 2 + logarithm - c / (1 + c))
    return np.where(np.isfinite(gains), gains, np.nan)


def seconds(n: int, evaluations: int | None, repeats: int, seed: int) -> dict[str, list[float]]:
    """Return the seconds of each method for C(n, 2) choices, in repeats that alternate."""
    times: dict[str, list[float]] = {method: [] for method in METHODS}
    for scheme in TIMED.values():
        _seconds_online(scheme, n, min(n, 20), seed)  # compiles
    for _ in range(repeats):
        times["offline"].append(_seconds_offline(n, evaluations, seed))
        for method, scheme in TIMED.items():
            times[method].append(_seconds_online(scheme, n, n * (n - 1) // 2, seed))
    return times


def _seconds_offline(n: int, evaluations: int | None, seed: int) -> float:
    """Return the seconds for C(n, 2) choices, each of which evaluates C(n, 2) pairs at equal cost.

    Only `evaluations` of them are timed, and the rest is extrapolated.
    """
    pairs = list(combinations(range(n), 2))
    done = _evaluated(n, evaluations)
    precision, force = _some_votes(n, seed)
    start = process_time()
    left = done
    while left > 0:
        offline_gains(precision, force, pairs[:left])
        left -= len(pairs)
    return (process_time() - start) * len(pairs) ** 2 / done


def _evaluated(n: int, evaluations: int | None) -> int:
    total = (n * (n - 1) // 2) ** 2
    return min(total, evaluations or total)


def _seconds_online(scheme: Scheme, n: int, choices: int, seed: int) -> float:
    crowd, sampler = _crowd(n, seed), scheme.build(n, seed=seed)
    return seconds_of(scheme, sampler, crowd, choices)


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


def same_sequence(n: int, steps: int, seed: int) -> dict[str, float]:
    """Compare online choices, and Proposition 2, with the offline gains at every step.

    A choice agrees if its offline gain is the largest, up to rounding.
    """
    crowd, sampler = _crowd(n, seed), supervised(GAMMA).build(n, seed=seed)
    precision, force = GAMMA * np.eye(n), np.zeros(n)
    pairs = list(combinations(range(n), 2))
    agreed, error, undefined = 0, 0.0, 0
    for turn in islice(play(sampler, crowd), steps):
        gains = offline_gains(precision, force, pairs)
        i, j = sorted(map(int, turn.pair))
        chosen = gains[pairs.index((i, j))]
        agreed += bool(chosen >= gains.max() * (1 - 1e-8))
        exact = closed_form_gains(precision, force, pairs)
        error = max(error, float(abs(exact / gains - 1).max()))
        printed = closed_form_gains(precision, force, pairs, sign=-1)
        undefined += int(np.isnan(printed).sum())
        _add(turn, precision, force)
    return {
        "steps": steps,
        "agreed": agreed,
        "error": error,
        "undefined": undefined / (steps * len(pairs)),
    }


def tasks(effort: Effort) -> list[Task]:
    """Return the timed tasks; quick mode times part of the offline work and extrapolates."""
    sizes = effort.pick(smoke=SIZES[:2], quick=SIZES, full=SIZES)
    steps = effort.pick(smoke=20, quick=120, full=120)
    repeats = effort.pick(smoke=2, quick=7, full=20)
    return [
        Task(same_sequence, {"n": SAME_SEQUENCE_SIZE, "steps": steps, "seed": effort.seed}),
        *(
            Task(
                seconds,
                {
                    "n": n,
                    "evaluations": effort.pick(smoke=100, quick=500, full=5000),
                    "repeats": repeats,
                    "seed": effort.seed,
                },
                is_timed=True,
            )
            for n in sizes
        ),
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge speed, identity of the sequences, and growth with n."""
    sequence = outcomes[0].result
    times = {
        int(outcome.settings["n"]): {method: np.array(outcome.result[method]) for method in METHODS}
        for outcome in outcomes[1:]
    }
    evaluations = outcomes[1].settings["evaluations"]
    seconds_of_method = {
        (n, method): Estimate.of(measured[method])
        for n, measured in times.items()
        for method in METHODS
    }
    rows = [
        {
            "items": n,
            "method": METHODS[method],
            "seconds": estimate.mean,
            "stderr": estimate.stderr,
            "repeats": estimate.n,
            "share_measured": _evaluated(n, evaluations) / _evaluated(n, None)
            if method == "offline"
            else 1.0,
        }
        for (n, method), estimate in seconds_of_method.items()
    ]
    chart = curve_chart(
        [
            {"x": n, "series": METHODS[method], "mean": estimate.mean, "stderr": 0.0}
            for (n, method), estimate in seconds_of_method.items()
        ],
        x="items n",
        y="seconds for C(n, 2) choices",
        series=list(METHODS.values()),
        x_scale="log",
        y_scale="log",
        points=True,
    )
    table = [
        ["seconds for C(n, 2) choices", *(f"n = {n}" for n in times)],
        *(
            [name, *(short_number(seconds_of_method[n, method].mean) for n in times)]
            for method, name in METHODS.items()
        ),
        *(
            [f"{slow} / online", *(factor(ratio) for ratio in _ratios(times, slow))]
            for slow in ("offline", "unsupervised")
        ),
        *published.number_rows([str(n) for n in times]),
    ]
    verdicts = [_judge(claim, times, sequence) for claim in published.claims]
    return Findings(rows, chart, verdicts, table)


def _log_ratio(times: Mapping[str, FloatArray], slow: str) -> Estimate:
    """Return the logarithm of a method's time over that of the online one, paired by repeats."""
    return Estimate.of(np.log(times[slow] / times["online"]))


def _ratios(times: Mapping[int, Mapping[str, FloatArray]], slow: str) -> list[float]:
    return [float(np.exp(_log_ratio(measured, slow).mean)) for measured in times.values()]


def _judge(
    claim: Claim, times: dict[int, dict[str, FloatArray]], sequence: dict[str, Any]
) -> Verdict:
    if "slower" in claim.check:
        slow = claim.check["slower"]
        ratios = {n: _log_ratio(measured, slow) for n, measured in times.items()}
        wanted = claim.check["factor"]
        status = joint_status([speed_status(ratio, wanted) for ratio in ratios.values()])
        listed = "; ".join(f"n = {n}: {with_factor(ratio)}" for n, ratio in ratios.items())
        evidence = f"{slow.capitalize()} takes this many times as long as online: {listed}."
        return Verdict(claim, status, evidence)
    if "grows" in claim.check:
        logs = {
            n: np.log(measured["offline"] / measured["online"]) for n, measured in times.items()
        }
        growth = Estimate.of(logs[max(logs)] - logs[min(logs)])
        evidence = f"From n = {min(logs)} to {max(logs)} the ratio grows by a factor of "
        return Verdict(claim, speed_status(growth), f"{evidence}{with_factor(growth)}.")
    if "closed_form" in claim.check:
        holds = Status.HOLDS if sequence["error"] < 1e-6 else Status.FAILS
        printed = Status.FAILS if sequence["undefined"] > 0 else Status.UNDECIDED
        evidence = (
            f"With ln(1 + C) the two agree to a relative {sequence['error']:.0e} at all pairs and "
            f"{sequence['steps']} steps (n = {SAME_SEQUENCE_SIZE}). With ln(1 − C), as printed, "
            f"{100 * sequence['undefined']:.0f}% of the gains are undefined."
        )
        return Verdict(claim, joint_status([holds, printed]), evidence)
    same = sequence["agreed"] == sequence["steps"]
    evidence = (
        f"At {sequence['agreed']} of {sequence['steps']} steps the online choice has the largest "
        f"offline gain (n = {SAME_SEQUENCE_SIZE}, ties within rounding)."
    )
    return Verdict(claim, Status.HOLDS if same else Status.FAILS, evidence)


EXPERIMENT = Experiment("cost-simulated", tasks, findings)
