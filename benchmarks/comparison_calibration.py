"""False positives and power of `compare_rankings`, on crowds that do not follow the model.

It is compared with naive tests: scores of both crowds, the model's covariances, and chi-square for
their difference, by Bradley-Terry and by least squares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
from scipy.special import expit
from scipy.stats import chi2

import hodgerank as hr
from hodgerank.estimators.population_comparison.shared_scores import RIDGE

RUNS = 150
RUNS_OF_MOVED = 60
PERMUTATIONS = 199
LEVEL = 0.05
SEED = 20261116  # none of these crowds was used while the test was developed

Answer = Callable[[np.ndarray, np.random.Generator], np.ndarray]
"""From score differences to outcomes."""


def _choose(t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(len(t)) < expit(t), 1.0, -1.0)


def _tie(t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.where(rng.random(len(t)) < 0.7 * np.exp(-np.abs(t)), 0.0, _choose(t, rng))


def _grade(t: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.clip(np.round(t + rng.logistic(size=len(t))), -2, 2) / 2


@dataclass(frozen=True)
class Setting:
    """Two or more crowds; pairs of numbers are for the first crowd and for all others.

    Attributes
    ----------
    taste, acuities
        Standard deviation between workers of each score, and of log acuity.
    lapses, tossers
        Share of random votes, and of workers who vote at random.
    lean
        Standard deviation between workers of position bias to the left.
    pairs
        'random'; 'near and far': the first crowd compares neighbours, the others the rest, both
        with a fifth of the other kind; 'every' pair once by every worker.
    sorted_display
        Whether the item of lower code is shown left.
    repeats
        How often a worker is asked the same pair again, and gives the same vote.
    moved
        How much better the first item is in the first crowd, in standard deviations of scores.
    """

    n_items: int = 16
    n_crowds: int = 2
    workers: tuple[int, int] = (15, 15)
    answers: tuple[int, int] = (40, 40)
    acuity: tuple[float, float] = (1.0, 1.0)
    spread: float = 1.5
    taste: float = 0.0
    acuities: float = 0.0
    lapses: float = 0.0
    tossers: float = 0.0
    lean: float = 0.0
    pairs: str = "random"
    sorted_display: bool = False
    repeats: int = 1
    moved: float = 0.0
    answer: Answer = _choose
    same_workers: bool = False
    named: bool = True


HONEST = Setting()
TASTES = Setting(taste=1.0)
SETTINGS = {
    "answers follow the model": HONEST,
    "20 % lapses": Setting(lapses=0.2),
    "a quarter toss coins": Setting(tossers=0.25),
    "workers of varied acuity": Setting(acuities=0.8),
    "workers of varied tastes": TASTES,
    "varied tastes, same workers before and after": replace(TASTES, same_workers=True),
    "varied tastes, 6 workers against 60": replace(TASTES, workers=(6, 60)),
    "varied tastes, 5 with 200 answers, 50 with 20": replace(
        TASTES, workers=(5, 50), answers=(200, 20)
    ),
    "varied tastes, three crowds": replace(TASTES, n_crowds=3),
    "ties": Setting(answer=_tie),
    "five grades, varied tastes": replace(TASTES, answer=_grade),
    "sparse: 30 items, 10 workers of 15 answers each": Setting(
        n_items=30, workers=(10, 10), answers=(15, 15)
    ),
    "different pairs": Setting(pairs="near and far", answers=(100, 100)),
    "different pairs, 20 % lapses": Setting(pairs="near and far", answers=(100, 100), lapses=0.2),
    "sorted display, workers lean to a side": Setting(sorted_display=True, lean=1.0),
    "each answer given 4 times": Setting(repeats=4, answers=(10, 10)),
    "one crowd more decided, 1.7 : 1": Setting(acuity=(1.7, 1.0)),
    "one crowd more decided, varied tastes": replace(TASTES, acuity=(1.7, 1.0)),
    "one crowd tosses coins": Setting(acuity=(1.0, 0.0)),
    "workers not named": Setting(named=False),
    "not named, 20 % lapses, different pairs": Setting(
        named=False, lapses=0.2, pairs="near and far", answers=(100, 100)
    ),
    "not named, 600 answers against 60": Setting(named=False, workers=(15, 2), answers=(40, 30)),
    "not named, 600 answers against 60 coins": Setting(
        named=False, workers=(15, 2), answers=(40, 30), acuity=(1.0, 0.0)
    ),
    "two judges, every pair once": Setting(workers=(1, 1), pairs="every"),
    "two deterministic judges, every pair once": Setting(
        workers=(1, 1), pairs="every", acuity=(1e3, 1e3)
    ),
}
MOVED = {
    f"{name}, one item moved by {by} sd": replace(setting, moved=by)
    for name, setting in {
        "answers follow the model": HONEST,
        "workers of varied tastes": TASTES,
        "varied tastes, same workers before and after": replace(TASTES, same_workers=True),
        "sparse: 30 items, 10 workers of 15 answers each": Setting(
            n_items=30, workers=(10, 10), answers=(15, 15)
        ),
        "workers not named": Setting(named=False),
        "two judges, every pair once": Setting(workers=(1, 1), pairs="every"),
    }.items()
    for by in (1, 2)
}


def crowds_of(setting: Setting, rng: np.random.Generator) -> dict[str, hr.Comparisons]:
    """Return the votes of every crowd."""
    truth = rng.normal(0, setting.spread, setting.n_items)
    place = np.argsort(np.argsort(truth))
    i, j = np.triu_indices(setting.n_items, 1)
    is_near = np.abs(place[i] - place[j]) <= setting.n_items // 4
    votes, characters = {}, {}
    for g in range(setting.n_crowds):
        later = min(g, 1)
        allowed = np.arange(len(i))
        if setting.pairs == "near and far":
            allowed = np.flatnonzero((is_near != bool(later)) | (rng.random(len(i)) < 0.2))
        rows = []
        for k in range(setting.workers[later]):
            name = k if setting.same_workers else (g, k)
            if name not in characters:
                characters[name] = _character(setting, rng)
            asked = rng.choice(allowed, setting.answers[later])
            if setting.pairs == "every":
                asked = allowed
            rows.append(_answers(setting, truth, later, characters[name], i[asked], j[asked], rng))
        left, right, outcome = (np.concatenate(column) for column in zip(*rows, strict=True))
        worker = np.repeat(np.arange(len(rows)), [len(row[0]) for row in rows])
        names = [f"{k}" if setting.same_workers else f"{g}-{k}" for k in range(len(rows))]
        votes["abc"[g]] = hr.Comparisons(
            items=tuple(range(setting.n_items)),
            left=left,
            right=right,
            outcome=outcome,
            workers=tuple(names) if setting.named else (),
            worker=worker if setting.named else None,
        )
    return votes


def _character(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, float, float]:
    """Return a worker's taste, acuity and position bias."""
    acuity = np.exp(rng.normal(0, setting.acuities)) * (rng.random() >= setting.tossers)
    return rng.normal(0, setting.taste, setting.n_items), acuity, rng.normal(0, setting.lean)


def _answers(setting, truth, later, character, i, j, rng):
    """Return left, right and outcome of one worker's votes."""
    taste, acuity, lean = character
    scores = truth + taste
    if not later:
        scores = scores + setting.moved * setting.spread * (np.arange(len(truth)) == 0)
    swap = np.zeros(len(i), bool) if setting.sorted_display else rng.random(len(i)) < 0.5
    left, right = np.where(swap, j, i), np.where(swap, i, j)
    t = setting.acuity[later] * acuity * (scores[left] - scores[right]) + lean
    t = np.where(rng.random(len(t)) < setting.lapses, 0.0, t)
    outcome = setting.answer(t, rng)
    return tuple(np.repeat(column, setting.repeats) for column in (left, right, outcome))


def naive_p_value(votes: dict[str, hr.Comparisons], rank: Callable[..., hr.Ranking]) -> float:
    """Chi-square test of the score differences of the first two, with the model's covariances."""
    a, b = (rank(crowd, ridge=RIDGE, components="separate") for crowd in list(votes.values())[:2])
    order = b.positions(a.items)
    difference = a.scores - b.scores[order]
    covariance = a.covariance + b.covariance[np.ix_(order, order)]
    wald = difference @ np.linalg.pinv(covariance, hermitian=True) @ difference
    return float(chi2.sf(wald, len(difference) - 1))


def measure(name: str, setting: Setting, runs: int) -> dict[str, float]:
    """Return shares of runs, and the size of differences in standard errors."""
    rows = []
    for run in range(runs):
        votes = crowds_of(setting, np.random.default_rng((SEED, crc32(name.encode()), run)))
        found = hr.compare_rankings(votes, n_permutations=PERMUTATIONS, rng=run)
        unmoved = set(found.moved) - ({0} if setting.moved else set())
        pair = found.agreement[0]
        z = found.differences / found.difference_errors
        rows.append(
            (
                found.differ,
                bool(unmoved),
                0 in found.moved,
                naive_p_value(votes, hr.bradley_terry) < LEVEL,
                naive_p_value(votes, hr.hodge_rank) < LEVEL,
                pair.lower <= pair.tau <= pair.upper,
                np.mean(z**2),
            )
        )
    means = np.mean(np.array(rows, float), axis=0)
    names = ("differ", "wrongly moved", "moved", "naive", "least squares", "tau inside", "z")
    shares = dict(zip(names, means.tolist(), strict=True))
    return {**shares, "z": float(np.sqrt(shares["z"]))}


def run() -> str:
    lines = [
        f"### Comparing crowds: level {LEVEL:.0%}, {RUNS} runs of {PERMUTATIONS} permutations",
        "",
        "| crowds that do not differ | said to differ | some item said to have moved | "
        "naive test | naive, least squares | tau in its range | "
        "size of differences in standard errors |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, setting in SETTINGS.items():
        row = measure(name, setting, RUNS)
        lines.append(
            f"| {name} | {row['differ']:.1%} | {row['wrongly moved']:.1%} | {row['naive']:.0%} | "
            f"{row['least squares']:.0%} | "
            f"{row['tau inside']:.0%} | {row['z']:.2f} |"
        )
    lines += [
        "",
        f"| crowds that differ ({RUNS_OF_MOVED} runs) | said to differ | "
        "the item said to have moved | another item said to have moved |",
        "|---|---:|---:|---:|",
    ]
    for name, setting in MOVED.items():
        row = measure(name, setting, RUNS_OF_MOVED)
        lines.append(
            f"| {name} | {row['differ']:.0%} | {row['moved']:.0%} | {row['wrongly moved']:.1%} |"
        )
    return "\n".join(lines) + "\n"
