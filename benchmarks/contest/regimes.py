"""The regimes of the contest: what is played, how long, how often, and with how many at once."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from zlib import crc32

import numpy as np

import hodgerank as hr
from benchmarks.contest import simulated
from benchmarks.contest.crowds import Archive, Crowd
from hodgerank.data.datasets import DatasetName

Draw = Callable[[int, np.random.Generator], Crowd]
MOST_RECORDED = 500  # items of recorded votes that are played at once


@dataclass(frozen=True)
class Setting:
    """Settings that are shared by everything in one contest.

    Attributes
    ----------
    seed
        Of crowds and samplers.
    runs, per_item
        Runs of each sampler, and looks; None: those of each part.
    n_items
        How many items simulated crowds rank; None: as many as each regime says.
    """

    seed: int = 1
    runs: int | None = None
    per_item: tuple[float, ...] | None = None
    n_items: int | None = None


@dataclass(frozen=True)
class Part:
    """Regimes that share their looks, and a table.

    Attributes
    ----------
    per_item
        Looks: votes so far, over items.
    runs
        Per sampler and regime, unless the contest says otherwise.
    """

    title: str
    per_item: tuple[float, ...]
    runs: int

    def looks(self, setting: Setting) -> tuple[float, ...]:
        """Return the looks of a contest."""
        return setting.per_item or self.per_item


FEW = Part("Up to 60 items", (1, 2, 5, 10, 20), 20)
HUNDREDS = Part("200 items", (1, 1.5, 2, 3, 5, 10), 8)
THOUSAND = Part("1,000 items", (1, 1.5, 2, 3, 5, 10), 4)
AT_ONCE = Part("Pairs in progress", (2, 5, 10), 10)
RECORDED = Part("Recorded votes", (1, 2, 5, 10), 10)
PARTS = (FEW, HUNDREDS, THOUSAND, AT_ONCE, RECORDED)


@dataclass(frozen=True)
class Regime:
    """A kind of crowd that can be drawn again and again, and how it is asked.

    Attributes
    ----------
    crowd_name
        Seeds the crowds: those of the same name are the same, however they are asked.
    draw
        From a number of items and random numbers to a crowd. It goes to other processes, so it is
        a function of a module or a `partial` of one.
    in_progress
        How many pairs are in progress at once.
    all_pairs
        Whether any pair may be asked, as long as its votes last.
    """

    crowd_name: str
    about: str
    n_items: int
    draw: Draw
    part: Part = FEW
    in_progress: int = 1
    all_pairs: bool = True

    @property
    def name(self) -> str:
        """The crowd, and how many pairs are in progress if several are."""
        return f"{self.crowd_name}@{self.in_progress}" if self.in_progress > 1 else self.crowd_name

    def crowd(self, run: int, setting: Setting) -> Crowd:
        """The crowd of one run: the same for every sampler."""
        rng = np.random.default_rng((setting.seed, crc32(self.crowd_name.encode()), run))
        return self.draw(setting.n_items or self.n_items, rng)


def bradley_terry(spread: float, n: int, part: Part = FEW, in_progress: int = 1) -> Regime:
    """A Bradley-Terry crowd."""
    draw = partial(simulated.bradley_terry, spread=spread)
    about = f"Bradley-Terry, spread {spread}"
    return Regime(f"bt-{spread}-{n}", about, n, draw, part, in_progress)


def many(n: int, part: Part) -> tuple[Regime, ...]:
    """Regimes of many items."""
    return (
        *(bradley_terry(spread, n, part) for spread in (0.3, 1, 3)),
        Regime(f"perfect-{n}", "the better item always wins", n, simulated.perfect, part),
        Regime(f"weak-tail-{n}", "exponential scores", n, simulated.weak_tail, part),
    )


SIMULATED = (
    *(bradley_terry(spread, n) for spread in (0.3, 1, 3) for n in (16, 30, 60)),
    *(
        Regime(f"uniform-{n}", "P = (1 + x - y) / 2", n, simulated.uniform_link)
        for n in (30, 60)
    ),
    Regime("heavy-tails", "Bradley-Terry, scores from Student's t2", 30, simulated.heavy_tails),
    Regime("weak-tail-30", "exponential scores", 30, simulated.weak_tail),
    Regime("clusters", "good, middling and bad items", 30, simulated.clusters),
    Regime("lapses", "10% of the votes are random", 30, simulated.lapses),
    Regime("adversaries", "2 of 10 named workers say the opposite", 30, simulated.adversaries),
    Regime("random-workers", "3 of 10 named workers vote at random", 30, simulated.random_workers),
    Regime("drift", "scores move; the truth is where they end", 30, simulated.drift),
    Regime("ties", "a tie where the perceived difference is small", 30, simulated.ties),
    Regime("grades", "five grades", 30, simulated.five_grades),
    *(
        Regime(
            f"windows-{reach}-of-{n}", f"pairs at most {reach} places apart", n,
            partial(simulated.windows, reach=reach, spread=3), all_pairs=False,
        )
        for reach, n in ((3, 25), (6, 60))
    ),
    Regime(
        "bridged-clusters", "pairs within clusters and one to the next", 40,
        simulated.bridged_clusters, all_pairs=False,
    ),
    Regime(
        "sparse-random", "six random partners of each item", 30,
        simulated.random_sparse, all_pairs=False,
    ),
    Regime("deterministic", "a judge who always repeats a vote", 30, simulated.deterministic),
    Regime("stubborn", "a judge who repeats a vote 7 times in 10", 30, simulated.stubborn),
    Regime("perfect-30", "the better item always wins", 30, simulated.perfect),
    *many(200, HUNDREDS),
    *many(1000, THOUSAND),
    *(
        bradley_terry(1.5, n, AT_ONCE, k)
        for n, numbers in ((16, (1, 10, 50)), (50, (1, 10, 50, 200)), (200, (1, 10, 50, 200)))
        for k in numbers
    ),
)  # fmt: skip


def data_set(n: int, rng: np.random.Generator, *, name: DatasetName, n_references: int) -> Crowd:
    """The votes of a reference drawn for the run, for any n."""
    return Archive(*_loaded(name, int(rng.integers(n_references)) + 1), rng)


DATA_SETS = (
    Regime(
        "VQA", "videos, a reference per run", 16,
        partial(data_set, name="pc-vqa", n_references=10),
    ),
    Regime(
        "IQA", "images, a reference per run", 16,
        partial(data_set, name="pc-iqa", n_references=15),
    ),
    Regime(
        "reading-level", "documents, 1,418 pairs", 490,
        partial(data_set, name="reading-level", n_references=1), RECORDED, all_pairs=False,
    ),
)  # fmt: skip


def all_regimes(folder: Path | None = None) -> tuple[list[Regime], list[str]]:
    """The regimes there are, and what to say about those that are missing.

    A folder that holds the data sets of `hodgerank.load_dataset` is used as HODGERANK_DATA.
    """
    found, notes = list(SIMULATED), []
    if folder is not None and (folder / "pc_vqa").is_dir():
        os.environ.setdefault("HODGERANK_DATA", str(folder))
    if "HODGERANK_DATA" in os.environ:
        found += DATA_SETS
    else:
        names = ", ".join(each.name for each in DATA_SETS)
        notes.append(f"{names} were left out: HODGERANK_DATA does not name their folder.")
    if folder is not None:
        recorded, left_out = _regimes_of(folder)
        found, notes = found + recorded, notes + left_out
    return found, notes


def _regimes_of(folder: Path) -> tuple[list[Regime], list[str]]:
    """A regime for each file that can be read, and why others were left out."""
    found, left_out = [], []
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        try:
            votes, _ = _read(path)
        except (hr.HodgeRankError, OSError, ValueError) as error:
            left_out.append(f"{path.name} was left out: {str(error).splitlines()[0]}")
            continue
        n = min(votes.n_items, MOST_RECORDED)
        about = f"{len(votes):,} votes of {path.name}"
        if n < votes.n_items:
            about += f" on {votes.n_items:,} items, a connected part of {n} per run"
        n_pairs = hr.ComparisonGraph.from_comparisons(votes).n_edges
        all_pairs = n_pairs == votes.n_items * (votes.n_items - 1) // 2
        draw = partial(file_of_votes, path=path)
        found.append(Regime(path.name, about, n, draw, RECORDED, all_pairs=all_pairs))
    return found, left_out


def file_of_votes(n: int, rng: np.random.Generator, *, path: Path) -> Crowd:
    """The votes of a file; the truth is HodgeRank on all of them."""
    votes, truth = _read(path)
    if votes.n_items > MOST_RECORDED:
        kept = connected_part(votes, MOST_RECORDED, rng)
        votes, truth = votes.select(kept[votes.left] & kept[votes.right]).compacted(), truth[kept]
    return Archive(votes, truth, rng)


def connected_part(votes: hr.Comparisons, n: int, rng: np.random.Generator) -> np.ndarray:
    """Return which items belong to a random part of n that comparisons join.

    From a random item on, an item that was compared with one of the part joins it, whichever of
    these comes first in a random order.
    """
    partners: list[list[int]] = [[] for _ in range(votes.n_items)]
    shuffled = votes.select(rng.permutation(len(votes)))
    for a, b in zip(shuffled.left.tolist(), shuffled.right.tolist(), strict=True):
        partners[a].append(b)
        partners[b].append(a)
    start = int(rng.integers(votes.n_items))
    kept = np.zeros(votes.n_items, bool)
    kept[start] = True
    border, n_kept = [start], 1
    while n_kept < n:
        k = int(rng.integers(len(border)))
        item = border[k]
        while partners[item] and kept[partners[item][-1]]:
            partners[item].pop()
        if partners[item]:
            joining = partners[item].pop()
            kept[joining] = True
            border.append(joining)
            n_kept += 1
        else:
            border[k] = border[-1]
            border.pop()
    return kept


@cache
def _read(path: Path) -> tuple[hr.Comparisons, np.ndarray]:
    return _with_truth(hr.read_comparisons(path))


@cache
def _loaded(name: DatasetName, reference: int) -> tuple[hr.Comparisons, np.ndarray]:
    return _with_truth(hr.load_dataset(name, reference=reference))


def _with_truth(votes: hr.Comparisons) -> tuple[hr.Comparisons, np.ndarray]:
    votes = hr.largest_component(votes.repeated()).compacted()
    score = hr.hodge_rank(votes).score_by_item
    truth = np.array([score[item] for item in votes.items])
    if np.ptp(truth) == 0:
        raise hr.errors.InvalidComparisons("all items are equally good by these votes")
    return votes, truth
