"""Tasks to measure, their sizes, and the methods that can do them.

A method makes a job of a size: everything it needs is ready, and calling it does the work. Peers
get the votes as a polars table, and converting it to what they take is part of the work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

import hodgerank as hr
from benchmarks import peers
from benchmarks.scaling import plain

OURS, PLAIN = "hodgerank", "straightforward"
EXACT = (
    "Up to 3,000 items standard errors are exact and come with the whole covariance; beyond, they "
    "are estimated to a per cent or better."
)


@dataclass(frozen=True)
class Job:
    """Work to be timed, and how many times over it is done at once."""

    work: Callable[[], Any]
    operations: int = 1


@dataclass(frozen=True)
class Task:
    """Something to do with so many items or answers."""

    name: str
    unit: str
    sizes: tuple[int, ...]
    methods: dict[str, Callable[[int], Job]]
    note: str = ""


def votes_of(n_items: int, n_votes: int, **options: Any) -> hr.Comparisons:
    """Opinions weak enough that nobody stays undefeated: every peer can rank them."""
    return hr.simulate_comparisons(n_items, n_votes, spread=0.5, rng=0, **options)


def table_of(n_items: int, n_votes: int) -> pl.DataFrame:
    """As peers like it: names, and which side won."""
    return (
        votes_of(n_items, n_votes)
        .to_frame("polars")
        .select("left", "right", winner=pl.col("outcome").replace_strict({1: "left", -1: "right"}))
    )


def on_table(
    rank: Callable[[pl.DataFrame], Any], n_items: int | None, n_votes: int | None
) -> Callable[[int], Job]:
    """A job on a table with so many items, or answers, or 20 answers for each of `size` items."""

    def prepare(size: int) -> Job:
        table = table_of(n_items or size, n_votes or (size if n_items else 20 * size))
        return Job(partial(rank, table))

    return prepare


def with_errors(rank: Callable[..., hr.Ranking], votes: Any) -> hr.Ranking:
    ranking = rank(votes)
    _ = ranking.standard_errors
    return ranking


def rankers(n_items: int | None) -> dict[str, Callable[[int], Job]]:
    """Bradley-Terry scores by everybody who finds them."""
    everybody = {
        OURS: hr.bradley_terry,
        PLAIN: plain.newton_bradley_terry,
        "evalica": peers.evalica_bradley_terry,
        "choix": peers.choix_ilsr,
        "crowd-kit": peers.crowd_kit_bradley_terry,
        "arena-rank": peers.arena_rank,
    }
    return {name: on_table(rank, n_items, None) for name, rank in everybody.items()}


def on_votes(
    work: Callable[[hr.Comparisons], Any], per_item: int, **options: Any
) -> Callable[[int], Job]:
    return lambda size: Job(partial(work, votes_of(size, per_item * size, **options)))


def on_crowd(work: Callable[[hr.Comparisons], Any]) -> Callable[[int], Job]:
    """200 items and 100 workers, of whom a fifth is careless or hostile."""
    crowd = {"honest": 80, "random": 10, "adversarial": 10}
    return lambda size: Job(partial(work, votes_of(200, size, workers=crowd)))


def trust(votes: hr.Comparisons) -> str:
    """Everything that `hodgerank trust` shows."""
    report = hr.assess_trust(votes)
    _ = report.triangles, report.loops
    return report.verdict


def on_lazy_table(n_items: int, size: int) -> Job:
    """A table of integers that nobody has read yet."""
    rng = np.random.default_rng(0)
    left = rng.integers(0, n_items, size, dtype=np.int32)
    right = (left + rng.integers(1, n_items, size, dtype=np.int32)) % n_items
    outcome = rng.choice(np.array([-1, 1], np.int8), size)
    table = pl.LazyFrame({"left": left, "right": right, "outcome": outcome})
    return Job(partial(hr.hodge_rank, table))


def complete_stream(work: Callable[[int, list[tuple[int, int]]], Any], size: int) -> Job:
    pairs = [(a, b) for b in range(size) for a in range(b)]
    order = np.random.default_rng(0).permutation(len(pairs)).tolist()
    return Job(partial(work, size, [pairs[k] for k in order]))


def track(n: int, stream: list[tuple[int, int]]) -> hr.TopologyTracker:
    """Edge by edge."""
    tracker = hr.TopologyTracker(n)
    for a, b in stream:
        tracker.add(a, b)
    return tracker


def sampler_job(size: int) -> Job:
    """Ask and tell after five answers per item."""
    sampler = hr.BayesianSampler(size, seed=1)
    sampler.tell_many(hr.simulate_comparisons(range(size), 5 * size, spread=3, rng=0))
    return campaign(sampler, size, 2_000)


def plain_sampler_job(size: int) -> Job:
    sampler = plain.InformationSampler(size)
    votes = hr.simulate_comparisons(size, 5 * size, spread=3, rng=0)
    sampler.tell_many(votes.left, votes.right, votes.outcome)
    return campaign(sampler, size, 2_000 if size <= 100 else 50)


def campaign(sampler: Any, size: int, answers: int) -> Job:
    truth = np.random.default_rng(1).normal(0, 3, size).tolist()
    chance = np.random.default_rng(2).random

    def work() -> None:
        for _ in range(answers):
            left, right = sampler.ask()
            wins = chance() < 1 / (1 + np.exp(truth[right] - truth[left]))
            sampler.tell((left, right), 1.0 if wins else -1.0)

    return Job(work, answers)


TASKS = (
    Task(
        "Bradley-Terry ranking, 20 answers per item",
        "items",
        (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000),
        rankers(None),
    ),
    Task(
        "Bradley-Terry ranking of 1,000 items",
        "answers",
        (10_000, 100_000, 1_000_000, 10_000_000),
        rankers(1_000),
        "With 10,000 answers an item never won, and no finite maximum exists: hodgerank then takes "
        "a weak prior, the straightforward form ends after 20 steps, choix gives up.",
    ),
    Task(
        "Bradley-Terry with standard errors, 20 answers per item",
        "items",
        (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000),
        {
            OURS: on_table(partial(with_errors, hr.bradley_terry), None, None),
            PLAIN: on_table(plain.newton_bradley_terry_with_errors, None, None),
            "arena-rank": on_table(peers.arena_rank_with_intervals, None, None),
        },
        EXACT,
    ),
    Task(
        "HodgeRank with standard errors, 20 answers per item",
        "items",
        (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000),
        {
            OURS: on_votes(partial(with_errors, hr.hodge_rank), 20),
            PLAIN: on_votes(plain.pseudo_inverse_hodge_rank, 20),
        },
        EXACT,
    ),
    Task(
        "Bayesian probit ranking, 20 answers per item",
        "items",
        (30, 100, 300, 1_000, 3_000, 10_000, 100_000),
        {
            OURS: on_votes(partial(with_errors, hr.bayes_rank), 20),
            "choix": on_votes(peers.choix_expectation_propagation, 20),
        },
        EXACT + " choix is given the variance of the prior, hodgerank finds it.",
    ),
    Task(
        "Choosing a pair by information and learning its answer",
        "items",
        (16, 100, 1_000, 10_000, 100_000, 1_000_000),
        {OURS: sampler_job, PLAIN: plain_sampler_job},
        "Time is that of one pair and answer, after five answers per item; from 1,000 items on the "
        "matrix-free engine chooses. The log of all answers counts as memory.",
    ),
    Task(
        "Hodge decomposition, 20 answers per item",
        "items",
        (30, 100, 300, 1_000, 10_000, 100_000),
        {OURS: on_votes(hr.decompose, 20), PLAIN: on_votes(plain.sparse_hodge_parts, 20)},
        "Ours finds the Betti numbers too, for which there is no straightforward form.",
    ),
    Task(
        "Topology of a stream of edges to the complete graph",
        "items",
        (20, 40, 80, 160),
        {
            OURS: partial(complete_stream, track),
            "gudhi": partial(complete_stream, peers.gudhi_persistence),
        },
    ),
    Task(
        "Outliers among 200 items, 100 workers",
        "answers",
        (10_000, 100_000, 1_000_000),
        {OURS: on_crowd(hr.find_outliers)},
    ),
    Task(
        "Assessment of 100 workers on 200 items",
        "answers",
        (10_000, 100_000, 1_000_000),
        {OURS: on_crowd(hr.assess_workers)},
    ),
    Task(
        "Trust report, 100 workers on 200 items",
        "answers",
        (10_000, 100_000, 1_000_000),
        {OURS: on_crowd(trust)},
        "Decomposition with the shares expected by chance, worst triangles, outliers and workers.",
    ),
    Task(
        "HodgeRank of a lazy table, 10,000 items whose answers hardly repeat",
        "answers",
        (200_000, 2_000_000, 20_000_000),
        {OURS: partial(on_lazy_table, 10_000)},
        "Fetched in batches; no standard errors.",
    ),
    Task(
        "HodgeRank of a lazy table, 200 items",
        "answers",
        (200_000, 2_000_000, 20_000_000),
        {OURS: partial(on_lazy_table, 200)},
        "Counted where it lives; no standard errors.",
    ),
)
