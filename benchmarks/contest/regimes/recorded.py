"""Votes that people gave: the paper's data sets, and any folder of files."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import numpy as np

import hodgerank as hr
from benchmarks.contest.archive import Archive
from benchmarks.contest.crowd import Crowd
from benchmarks.contest.regimes.regime import Regime


def regimes_of(folder: Path) -> tuple[list[Regime], list[str]]:
    """A regime for each file that can be read, and why others were left out."""
    found, left_out = [], []
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        try:
            votes, _ = _read(path)
        except (hr.HodgeRankError, OSError, ValueError) as error:
            left_out.append(f"{path.name} was left out: {str(error).splitlines()[0]}")
            continue
        about = f"{len(votes):,} votes of {path.name}"
        found.append(Regime(path.name, about, votes.n_items, partial(file_of_votes, path=path)))
    return found, left_out


def file_of_votes(n: int, rng: np.random.Generator, *, path: Path) -> Crowd:
    """The votes of a file, for any n; the truth is HodgeRank on all of them."""
    return Archive(*_read(path), rng)


def data_set(n: int, rng: np.random.Generator, *, name: str, n_references: int) -> Crowd:
    """The votes of a reference drawn for the run, for any n."""
    return Archive(*_loaded(name, int(rng.integers(n_references)) + 1), rng)


@cache
def _read(path: Path) -> tuple[hr.Comparisons, np.ndarray]:
    return _with_truth(hr.read_comparisons(path))


@cache
def _loaded(name: str, reference: int) -> tuple[hr.Comparisons, np.ndarray]:
    return _with_truth(hr.load_dataset(name, reference=reference))


def _with_truth(votes: hr.Comparisons) -> tuple[hr.Comparisons, np.ndarray]:
    votes = hr.largest_component(votes.repeated()).compacted()
    score = hr.hodge_rank(votes).score_by_item
    truth = np.array([score[item] for item in votes.items])
    if np.ptp(truth) == 0:
        raise hr.errors.InvalidComparisons("all items are equally good by these votes")
    return votes, truth
