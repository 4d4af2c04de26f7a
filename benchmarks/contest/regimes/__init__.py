"""Kinds of crowds: each a small function from a number of items to a random crowd."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from benchmarks.contest.regimes.drifting import drift
from benchmarks.contest.regimes.opinions import (
    bradley_terry,
    clusters,
    heavy_tails,
    lapses,
    uniform_link,
)
from benchmarks.contest.regimes.recorded import data_set, regimes_of
from benchmarks.contest.regimes.regime import Regime
from benchmarks.contest.regimes.repeating import deterministic, stubborn
from benchmarks.contest.regimes.scales import five_grades, ties
from benchmarks.contest.regimes.sparse import bridged_clusters, random_sparse, windows
from benchmarks.contest.regimes.workers import adversaries, coin_tossers

__all__ = ["Regime", "all_regimes"]

FEW, MANY = 30, 60

SIMULATED = (
    *(
        Regime(f"bt-{s}-{n}", f"Bradley-Terry, spread {s}", n, partial(bradley_terry, spread=s))
        for s in (0.3, 1, 3)
        for n in (FEW, MANY)
    ),
    *(Regime(f"uniform-{n}", "P = (1 + x - y) / 2", n, uniform_link) for n in (FEW, MANY)),
    Regime("heavy-tails", "Bradley-Terry, scores from Student's t2", FEW, heavy_tails),
    Regime("clusters", "good, middling and bad items", FEW, clusters),
    Regime("lapses", "10 % of the answers are coins", FEW, lapses),
    Regime("adversaries", "2 of 10 named workers say the opposite", FEW, adversaries),
    Regime("coin-tossers", "3 of 10 named workers toss coins", FEW, coin_tossers),
    Regime("drift", "scores move; the truth is where they end", FEW, drift),
    Regime("ties", "a tie where the perceived difference is small", FEW, ties),
    Regime("grades", "five grades", FEW, five_grades),
    Regime(
        "windows-3-of-25",
        "pairs at most three places apart",
        25,
        partial(windows, reach=3, spread=3),
    ),
    Regime(
        "windows-6-of-60",
        "pairs at most six places apart",
        MANY,
        partial(windows, reach=6, spread=3),
    ),
    Regime("bridged-clusters", "pairs within clusters and one to the next", 40, bridged_clusters),
    Regime("sparse-random", "six random partners of each item", FEW, random_sparse),
    Regime("deterministic", "a judge who always says the same of a pair", FEW, deterministic),
    Regime("stubborn", "a judge who repeats an answer 7 times in 10", FEW, stubborn),
)
DATA_SETS = (
    Regime(
        "VQA", "videos, a reference per run", 16, partial(data_set, name="pc-vqa", n_references=10)
    ),
    Regime(
        "IQA", "images, a reference per run", 16, partial(data_set, name="pc-iqa", n_references=15)
    ),
)


def all_regimes(folder: Path | None = None) -> tuple[list[Regime], list[str]]:
    """The regimes there are, and what to say about those that are missing."""
    found, said = list(SIMULATED), []
    if "HODGERANK_DATA" in os.environ:
        found += DATA_SETS
    else:
        said.append("VQA and IQA were left out: HODGERANK_DATA does not name their folder.")
    if folder is not None:
        recorded, left_out = regimes_of(folder)
        found, said = found + recorded, said + left_out
    return found, said
