"""Figures 5 and 6: tau against samples on recorded votes on videos and images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import hodgerank as hr
from hodgerank.data.datasets import DATASETS, DatasetName
from hodgerank.reproduce.curves import Curves
from hodgerank.reproduce.experiment import Effort, Experiment, Outcome, Task
from hodgerank.reproduce.schemes import (
    CROWD_BT,
    CROWD_BT_AS_PUBLISHED,
    controls,
    drawn_votes,
    random,
    sampler_seed,
    stream,
    supervised,
    taus_of,
    unsupervised,
)
from hodgerank.reproduce.verdict import Claim, Findings, Published, Status, Verdict
from hodgerank.types import Item

GAMMA = 1.0
LOOKS = range(10, 121, 10)
SCHEMES = {
    "supervised": supervised(GAMMA),
    "unsupervised": unsupervised(GAMMA),
    "random": random(GAMMA),
    **controls(GAMMA),
    "Crowd-BT": CROWD_BT,
    "Crowd-BT as published": CROWD_BT_AS_PUBLISHED,
}


@cache
def votes_and_truth(name: DatasetName, reference: int) -> tuple[hr.Comparisons, dict[Item, float]]:
    """Return the votes of one reference, and HodgeRank on all of them."""
    votes = hr.load_dataset(name, reference=reference)
    return votes, hr.hodge_rank(votes).score_by_item


def campaign(
    dataset: DatasetName, reference: int, panel: str, run: int, seed: int
) -> dict[str, list[float]]:
    """Run every scheme; labels are drawn from the votes on the pair, random draws votes."""
    votes, truth = votes_and_truth(dataset, reference)
    curves = {}
    for name, scheme in SCHEMES.items():
        crowd = hr.RecordedCrowd(votes, replacement=True, rng=stream(seed, dataset, reference, run))
        offer = drawn_votes(crowd) if name == "random" else None
        taus = taus_of(
            scheme,
            crowd,
            votes.items,
            LOOKS,
            {"all": truth},
            seed=sampler_seed(seed, run),
            offer=offer,
        )
        curves[name] = taus["all"]
    return curves


def design(dataset: DatasetName) -> dict[str, int]:
    """Return how many comparison graphs are complete, and the fewest and most votes on a pair."""
    graphs = [
        hr.ComparisonGraph.from_comparisons(votes_and_truth(dataset, reference)[0])
        for reference in range(1, DATASETS[dataset].references + 1)
    ]
    n = [len(graph.items) for graph in graphs]
    return {
        "votes": sum(int(graph.counts.sum()) for graph in graphs),
        "graphs": len(graphs),
        "complete": sum(len(g.counts) == k * (k - 1) // 2 for g, k in zip(graphs, n, strict=True)),
        "fewest": min(int(graph.counts.min()) for graph in graphs),
        "most": max(int(graph.counts.max()) for graph in graphs),
    }


def planner(dataset: DatasetName, noun: str, quick: int) -> Callable[[Effort], list[Task]]:
    """Return the function that plans the tasks of one data set."""

    def tasks(effort: Effort) -> list[Task]:
        n = DATASETS[dataset].references
        references = range(1, effort.pick(smoke=2, quick=n, full=n) + 1)
        settings = {"dataset": dataset, "seed": effort.seed}
        return [Task(design, {"dataset": dataset})] + [
            Task(campaign, {**settings, "reference": k, "panel": f"{noun} {k}", "run": run})
            for k in references
            for run in effort.runs(quick=quick, full=100)
        ]

    return tasks


def findings(outcomes: Sequence[Outcome], published: Published) -> Findings:
    """Judge whether active is above random, and supervised above Crowd-BT."""
    counts, *runs = outcomes
    curves = Curves.of(LOOKS, runs)
    noun = curves.panels[0].split()[0]
    chart = curves.with_total(f"all {noun}s").chart(columns=4, width=210, height=190)
    verdicts = [
        _judge_design(claim, counts.result) if "balanced" in claim.check else curves.judge(claim)
        for claim in published.claims
    ]
    return Findings(curves.rows(), chart, verdicts)


def _judge_design(claim: Claim, counts: dict[str, int]) -> Verdict:
    """Compare the comparison graphs of all votes with their description."""
    is_balanced = counts["fewest"] == counts["most"]
    holds = counts["complete"] == counts["graphs"] and is_balanced is claim.check["balanced"]
    evidence = (
        f"{counts['complete']} of {counts['graphs']} graphs are complete; {counts['votes']:,} "
        f"votes, {counts['fewest']} to {counts['most']} on a pair."
    )
    return Verdict(claim, Status.HOLDS if holds else Status.FAILS, evidence)


VQA = Experiment("vqa", planner("pc-vqa", "video", quick=20), findings, ("pc-vqa",))
IQA = Experiment("iqa", planner("pc-iqa", "image", quick=15), findings, ("pc-iqa",))
