"""Figure 3: tau against samples on the simulated crowd of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import hodgerank as hr
from hodgerank.collecting.run import Judge
from hodgerank.reproduce.curves import Curves, percent
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    Scores,
    controls,
    random,
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
    joint_status,
    sign_status,
)

N_ITEMS, GAMMA = 16, 0.1
LOOKS = range(20, 121, 10)
SCHEMES = {
    "supervised": supervised(GAMMA),
    "unsupervised": unsupervised(GAMMA),
    "random": random(GAMMA),
    **controls(GAMMA),
}
HIGH = 0.95  # a "high probability"
PUBLISHED = ("supervised", "unsupervised", "random")
GRID, UNIFORM = "equally spaced scores", "scores drawn from [0, 1]"


class Notes:
    """A crowd as a judge that counts votes in the wrong direction, and until all is connected."""

    def __init__(self, crowd: Judge, truth: Scores) -> None:
        self._crowd, self._truth = crowd, truth
        self._graph = hr.TopologyTracker(len(truth))
        self._votes = 0
        self.wrong = 0
        self.connected_after: int | None = None

    def __call__(self, pair: hr.Pair) -> hr.Answer:
        """Return the vote of the crowd."""
        vote = hr.Answer.of(self._crowd(pair), pair)
        assert vote is not None
        self._votes += 1
        self.wrong += (self._truth[pair.left] - self._truth[pair.right]) * vote.outcome < 0
        if self.connected_after is None:
            self._graph.add(int(pair.left), int(pair.right))
            if self._graph.beta_0 == 1:
                self.connected_after = self._votes
        return vote


def campaign(panel: str, run: int, seed: int) -> dict[str, dict[str, Any]]:
    """Run every scheme on the same items and, as far as it asks the same pairs, the same crowd."""
    curves = {}
    for name, scheme in SCHEMES.items():
        rng = stream(seed, "simulated", panel, run)
        drawn = rng.random(N_ITEMS)
        scores = drawn if panel == UNIFORM else drawn.argsort().argsort() / N_ITEMS
        crowd = hr.SimulatedCrowd(list(range(N_ITEMS)), scores=scores, link="uniform", rng=rng)
        truth = true_scores(crowd)
        notes = Notes(crowd, truth)
        taus = taus_of(scheme, notes, crowd.items, LOOKS, {"": truth}, seed=sampler_seed(seed, run))
        curves[name] = {
            "tau": taus[""],
            "wrong": notes.wrong / LOOKS[-1],
            "connected": notes.connected_after,
        }
    return curves


def tasks(effort: Effort) -> list[Task]:
    """Return one task per kind of scores and run."""
    return [
        Task(campaign, {"panel": panel, "run": run, "seed": effort.seed})
        for panel in (GRID, UNIFORM)
        for run in effort.runs(quick=200, full=1000)
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge accuracy and the share of votes in the wrong direction."""
    curves = Curves.of(
        LOOKS,
        [
            Outcome(outcome.settings, {name: r["tau"] for name, r in outcome.result.items()})
            for outcome in outcomes
        ],
    )
    chart = curves.chart(columns=2, width=340, height=280)
    verdicts = [_judge(claim, curves, outcomes) for claim in published.claims]
    return Findings(curves.rows(), chart, verdicts)


def _judge(claim: Claim, curves: Curves, outcomes: Sequence[Outcome]) -> Verdict:
    if "wrong" in claim.check:
        return _judge_directions(claim, outcomes)
    if "connected" in claim.check:
        return _judge_connection(claim, outcomes)
    return curves.judge(claim)


def _judge_connection(claim: Claim, outcomes: Sequence[Outcome]) -> Verdict:
    """Test the share of graphs that are connected after some samples."""
    scheme, samples = claim.check["connected"]
    after = np.array([outcome.result[scheme]["connected"] or np.inf for outcome in outcomes])
    share = Estimate.of(after <= samples)
    needed = np.quantile(after, HIGH, method="higher")
    by_then = f"after {needed:.0f}" if needed <= LOOKS[-1] else f"not within {LOOKS[-1]}"
    evidence = (
        f"After {samples} samples {percent(share, 0, plus='')} of {share.n:,} graphs are "
        f"connected; {100 * HIGH:.0f}% are {by_then}."
    )
    return Verdict(claim, sign_status(share, above=HIGH), evidence)


def _judge_directions(claim: Claim, outcomes: Sequence[Outcome]) -> Verdict:
    """Test whether the mean share of votes in the wrong direction is in a range."""
    wrong = {
        name: Estimate.of(np.array([outcome.result[name]["wrong"] for outcome in outcomes]))
        for name in PUBLISHED
    }
    low, high = claim.check["wrong"]
    statuses = []
    for share in wrong.values():
        lower, upper = share.interval()
        is_outside = upper < low or lower > high
        is_inside = low <= lower and upper <= high
        status = Status.HOLDS if is_inside else Status.FAILS if is_outside else Status.UNDECIDED
        statuses.append(status if share.n >= FEWEST else Status.UNDECIDED)
    listed = ", ".join(f"{name} {percent(share, plus='')}" for name, share in wrong.items())
    return Verdict(claim, joint_status(statuses), f"In the wrong direction: {listed}.")


EXPERIMENT = Experiment("simulated", tasks, findings)
