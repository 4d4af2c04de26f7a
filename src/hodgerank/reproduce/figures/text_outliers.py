"""Introduction: outliers among the first votes, and both active schemes."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import count
from typing import Any

import numpy as np

import hodgerank as hr
from hodgerank.collecting.run import Judge
from hodgerank.reproduce.curves import LEVEL, Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    Scheme,
    sampler_seed,
    stream,
    supervised,
    taus_of,
    true_scores,
    unsupervised,
)
from hodgerank.reproduce.verdict import (
    FEWEST,
    Claim,
    Estimate,
    Findings,
    Published,
    Status,
    Verdict,
    number,
    sign_status,
    with_interval,
)

N_ITEMS = 16
EARLY = 16  # the votes among which there are outliers
OUTLIERS = (0, 4, 8, 12)
LOOKS = range(20, 121, 20)
PAPER, STRONG = "the crowd of Figure 3", "strong opinions (ours)"
GAMMAS = (0.1, 1.0)
SCHEMES = {"supervised": supervised, "unsupervised": unsupervised}


def campaign(panel: str, opinions: str, gamma: float, run: int, seed: int) -> dict[str, Any]:
    """Return for both schemes the mean tau over the samples, and a digest of the pairs."""
    found = {}
    for name, scheme in SCHEMES.items():
        results = [_outcome(scheme(gamma), opinions, k, run, seed) for k in OUTLIERS]
        found[name] = {"tau": [tau for tau, _ in results], "pairs": [key for _, key in results]}
    return found


def _outcome(
    scheme: Scheme, opinions: str, outliers: int, run: int, seed: int
) -> tuple[float, str]:
    rng = stream(seed, "outliers", opinions, run)
    scores = rng.random(N_ITEMS) if opinions == PAPER else rng.normal(0, 3, N_ITEMS)
    link = "uniform" if opinions == PAPER else "bradley-terry"
    crowd = hr.SimulatedCrowd(list(range(N_ITEMS)), scores=scores, link=link, rng=rng)
    reversed_votes = stream(seed, "reversed", run).permutation(EARLY)[:outliers].tolist()
    asked: list[hr.Pair] = []
    judge = _reversing(crowd, set(reversed_votes), asked)
    truth = {"": true_scores(crowd)}
    taus = taus_of(scheme, judge, crowd.items, LOOKS, truth, seed=sampler_seed(seed, run))[""]
    return float(np.mean(taus)), sha256(repr(asked).encode()).hexdigest()[:16]


def _reversing(crowd: Judge, places: set[int], asked: list[hr.Pair]) -> Judge:
    """Return the crowd with the votes in these places reversed; pairs are noted."""
    numbers = count()

    def judge(pair: hr.Pair) -> float:
        asked.append(pair)
        vote = hr.Answer.of(crowd(pair), pair)
        assert vote is not None
        return -vote.outcome if next(numbers) in places else vote.outcome

    return judge


def tasks(effort: Effort) -> list[Task]:
    """Return one task per crowd, ridge and run."""
    return [
        Task(
            campaign,
            {
                "panel": f"{opinions}, γ = {gamma:g}",
                "opinions": opinions,
                "gamma": gamma,
                "run": run,
                "seed": effort.seed,
            },
        )
        for opinions in (PAPER, STRONG)
        for gamma in GAMMAS
        for run in effort.runs(quick=100, full=400)
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge which scheme withstands outliers among the first votes."""
    curves = Curves.of(
        OUTLIERS,
        [
            Outcome(outcome.settings, {name: r["tau"] for name, r in outcome.result.items()})
            for outcome in outcomes
        ],
    )
    same_pairs = np.mean([len(set(o.result["unsupervised"]["pairs"])) == 1 for o in outcomes])
    chart = curves.chart(
        x=f"reversed votes among the first {EARLY}",
        y="mean tau, 20 to 120 samples",
        columns=2,
        width=340,
        height=240,
        points=True,
    )
    verdicts = [_judge(claim, curves, float(same_pairs)) for claim in published.claims]
    return Findings(curves.rows("outliers"), chart, verdicts)


def _judge(claim: Claim, curves: Curves, same_pairs: float) -> Verdict:
    panel = claim.check.get("panel", "")
    if "same_pairs" in claim.check:
        status = Status.HOLDS if same_pairs == 1 else Status.FAILS
        evidence = f"The pairs are the same with and without outliers in {100 * same_pairs:.0f}% "
        return Verdict(claim, status, f"{evidence}of {len(curves.pooled('unsupervised')):,} runs.")
    losses = {
        name: values[:, 0] - values[:, -1]
        for name in SCHEMES
        for values in [curves.pooled(name, panel)]
    }
    if "insensitive" in claim.check:
        loss = Estimate.of(losses[claim.check["insensitive"]])
        lower, upper = loss.interval()
        status = Status.FAILS if lower > LEVEL else Status.UNDECIDED
        status = Status.HOLDS if upper < LEVEL else status
        evidence = f"{OUTLIERS[-1]} outliers cost {with_interval(loss, plus='')} tau, "
        return Verdict(claim, _enough(status, loss), f"{evidence}{loss.n:,} paired runs.")
    if "loses_more" in claim.check:
        more, less = claim.check["loses_more"]
        extra = Estimate.of(losses[more] - losses[less])
        cost = {name: number(loss.mean(), plus="") for name, loss in losses.items()}
        evidence = (
            f"{OUTLIERS[-1]} outliers cost {more} {cost[more]} tau and {less} {cost[less]}: "
            f"difference {with_interval(extra)}, {extra.n:,} paired runs."
        )
        return Verdict(claim, sign_status(extra), evidence)
    return _weigh_somewhere(claim, curves, panel)


def _weigh_somewhere(claim: Claim, curves: Curves, panel: str) -> Verdict:
    """Test whether one scheme is above another with some number of outliers, in some panel."""
    above, below = claim.check["somewhere"]
    cases = {
        (title, outliers): Estimate.of(differences)
        for title in curves.panels
        if panel in title
        for outliers, differences in zip(
            OUTLIERS[1:], curves.difference(above, below, title).T[1:], strict=True
        )
    }
    confidence = 1 - 0.05 / len(cases)
    statuses = [sign_status(mean, confidence=confidence) for mean in cases.values()]
    (title, outliers), best = max(cases.items(), key=lambda case: case[1].mean)
    status = Status.FAILS if set(statuses) == {Status.FAILS} else Status.UNDECIDED
    status = Status.HOLDS if Status.HOLDS in statuses else status
    evidence = (
        f"{above} − {below}: significantly above in {statuses.count(Status.HOLDS)} of {len(cases)} "
        f"cases, significantly below in {statuses.count(Status.FAILS)}; at most "
        f"{with_interval(best)} tau ({outliers} outliers, {title}), {best.n:,} paired runs."
    )
    return Verdict(claim, status, evidence)


def _enough(status: Status, mean: Estimate) -> Status:
    return status if mean.n >= FEWEST else Status.UNDECIDED


EXPERIMENT = Experiment("outliers", tasks, findings)
