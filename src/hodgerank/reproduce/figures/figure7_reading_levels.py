"""Figure 7: tau against samples on the reading levels of 490 documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import hodgerank as hr
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    CROWD_BT,
    CROWD_BT_AS_PUBLISHED,
    drawn_votes,
    own_ranking,
    random,
    sampler_seed,
    stream,
    supervised,
    taus_of,
    without_repetition,
)
from hodgerank.reproduce.verdict import Findings, Published
from hodgerank.types import Item

LOOKS = range(200, 4001, 200)
SCHEMES = {
    "supervised, γ = 0.1": supervised(0.1),
    "supervised, γ = 1": supervised(1.0),
    "supervised, γ = 1, bayes_rank": replace(supervised(1.0), scores=own_ranking),
    "random, γ = 0.1": random(0.1),
    "random": random(1.0),
    "random without repetition": without_repetition(1.0),
    "Crowd-BT": CROWD_BT,
    "Crowd-BT as published": CROWD_BT_AS_PUBLISHED,
}
DRAWN_VOTES = ("random", "random, γ = 0.1")
GOLD, ALL_VOTES = "against the gold reading levels", "against HodgeRank on all votes"


@cache
def votes_and_truths() -> tuple[hr.Comparisons, dict[str, dict[Item, float]]]:
    """Return the votes, the gold levels, and HodgeRank on all votes."""
    votes = hr.load_dataset("reading-level")
    assert votes.truth is not None
    return votes, {
        GOLD: dict(zip(votes.items, votes.truth.tolist(), strict=True)),
        ALL_VOTES: hr.hodge_rank(votes).score_by_item,
    }


def campaign(scheme: str, run: int, looks: list[int], seed: int) -> dict[str, list[float]]:
    """Run a scheme on pairs that have votes; random sampling draws votes."""
    votes, truths = votes_and_truths()
    crowd = hr.RecordedCrowd(votes, replacement=True, rng=stream(seed, "reading", run))
    offer = drawn_votes(crowd) if scheme in DRAWN_VOTES else lambda: crowd.pairs
    return taus_of(
        SCHEMES[scheme],
        crowd,
        votes.items,
        looks,
        truths,
        seed=sampler_seed(seed, run),
        offer=offer,
    )


def tasks(effort: Effort) -> list[Task]:
    """Return one task per run and scheme."""
    looks = effort.pick(smoke=[*LOOKS[:3]], quick=[*LOOKS], full=[*LOOKS])
    return [
        Task(campaign, {"scheme": scheme, "run": run, "looks": looks, "seed": effort.seed})
        for run in effort.runs(quick=12, full=100)
        for scheme in SCHEMES
    ]


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether supervised is well above random, and above Crowd-BT."""
    curves = Curves.of(
        outcomes[0].settings["looks"],
        [
            Outcome({"panel": truth}, {outcome.settings["scheme"]: taus})
            for outcome in outcomes
            for truth, taus in outcome.result.items()
        ],
    )
    chart = curves.chart(columns=2, width=340, height=300)
    return Findings(curves.rows(), chart, curves.verdicts(published))


EXPERIMENT = Experiment("reading", tasks, findings, ("reading-level",))
