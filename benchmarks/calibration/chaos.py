"""Votes to win: whether the stated set suffices, how few votes turn clear leads, and the optimum.

The sentence "removing n of m votes would put B first" is checked by ranking the rows that remain.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np

import hodgerank as hr
from benchmarks.calibration.crowds import Crowd, fresh_rng
from benchmarks.calibration.table import Row
from hodgerank.estimators.votes_to_win import By

CROWDS = {
    "10 items, 5 per pair": Crowd(),
    "10 items, 20 per pair": Crowd(per_pair=20),
    "10 items, 5 per pair, spread 0.5": Crowd(spread=0.5),
    "10 items, 5 per pair, ties": Crowd(answer="tie"),
    "10 items, 5 per pair, grades": Crowd(answer="grade"),
    "10 items, 10 per pair, every vote given five times": Crowd(repeats=5, per_pair=10),
    "30 items, sparse, 5 per pair": Crowd(n_items=30, design="sparse"),
    "16 items, adaptive, 1 per pair": Crowd(n_items=16, per_pair=1, design="adaptive"),
    "10 items, 5 per pair, 20 % lapses": Crowd(lapses=0.2),
    "10 items, 5 per pair, 20 % coin-tossers": Crowd(tossers=0.2),
    "10 items, 20 per pair, rotation": Crowd(cycles="rotation", per_pair=20),
}
BY_WORKER = ("10 items, 5 per pair", "10 items, 5 per pair, 20 % coin-tossers")
LEAST_SQUARES = ("10 items, 5 per pair", "10 items, 5 per pair, ties")
SMALL = Crowd(n_items=4, per_pair=3, spread=0.7)
SMALL_ONES = {
    "4 items, 3 per pair": SMALL,
    "4 items, 3 per pair, ties": replace(SMALL, answer="tie"),
    "6 items, sparse, 2 per pair": replace(SMALL, n_items=6, per_pair=2, design="sparse"),
}
CLEAR = 3.0  # standard errors
FEW = 0.01  # of the votes
MOST_SETS = 800  # that a search of a small crowd ranks


def statements(runs: int, seed: int) -> Iterator[Row]:
    """Yield all statements."""
    for name, crowd in CROWDS.items():
        yield from stated(name, crowd, runs, seed)
        if name in BY_WORKER:
            yield from stated(f"{name}, workers", crowd, runs, seed, by="worker")
        if name in LEAST_SQUARES:
            yield from stated(f"{name}, least squares", crowd, runs, seed, model="hodgerank")
    for name, crowd in SMALL_ONES.items():
        for model in ("bayes", "hodgerank"):
            yield from beside_the_optimum(name, crowd, runs, seed, model)


def stated(
    name: str, crowd: Crowd, runs: int, seed: int, by: By = "vote",
    model: str = "bayes",
) -> Iterator[Row]:  # fmt: skip
    """Measure how often a set is found, whether it suffices, and how small it is."""
    rng = fresh_rng(seed, name)
    found, right, clear, few, shares = 0, 0, 0, 0, []
    for _ in range(runs):
        votes = crowd.votes(rng)
        said = hr.votes_to_win(votes, by=by, model=model)
        if said.n is None:
            continue
        found += 1
        again = hr.rank(votes.select(~np.isin(votes.rows, said.rows)), model=model)
        right += (
            again.items[0] == said.item and again.ranks[1] > 1 and len(again) == len(votes.items)
        )
        truth = dict(zip(votes.items, votes.truth.tolist(), strict=True))
        if said.z > CLEAR and truth[said.leader] == max(truth.values()):
            clear += 1
            few += said.n < FEW * said.of
            shares.append(said.n / said.of)
    yield Row("a set is found", name, "any", found / runs, runs)
    if found:
        yield Row("without it the item is first", name, "100 %", right / found, found)
    if clear:
        yield Row(
            f"true leader, z > {CLEAR:g}: turned by less than 1 %", name, "any", few / clear, clear
        )
        yield Row(
            f"true leader, z > {CLEAR:g}: median share to remove", name, "any",
            float(np.median(shares)), clear, float(np.std(shares) / np.sqrt(clear)),
        )  # fmt: skip


def beside_the_optimum(name: str, crowd: Crowd, runs: int, seed: int, model: str) -> Iterator[Row]:
    """Measure how often a smaller set exists, by trying all of them, and the lower bound."""
    rng = fresh_rng(seed, f"{name} {model}")
    compared, larger, surplus, above = 0, 0, 0, 0
    for _ in range(runs):
        votes = replace(crowd.votes(rng), workers=(), worker=None)
        said = hr.votes_to_win(votes, model=model)
        if said.n is None:
            continue
        least = fewest(votes, said.item, said.n, model)
        if least is None:
            continue
        compared += 1
        larger += least < said.n
        surplus += said.n - least
        above += said.lower_bound is not None and said.lower_bound > least
    of = f"{name}, {'least squares' if model == 'hodgerank' else 'default model'}"
    if compared:
        yield Row("a smaller set exists", of, "any", larger / compared, compared)
        yield Row("votes more than necessary, per crowd", of, "any", surplus / compared, compared)
        if model == "hodgerank":
            yield Row("lower bound above the optimum", of, "0 %", above / compared, compared)


def fewest(votes: hr.Comparisons, item: object, n: int, model: str) -> int | None:
    """Return the smallest number of votes, at most n, that suffices; None if too many sets."""
    turn = np.where(votes.left < votes.right, 1, -1)
    low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
    kinds, of_row, counts = np.unique(
        np.column_stack((low, high, turn * votes.outcome)), axis=0, return_inverse=True,
        return_counts=True,
    )  # fmt: skip
    rows = [np.flatnonzero(of_row.ravel() == kind) for kind in range(len(kinds))]
    tried = 0
    for size in range(1, n):
        for chosen in combinations_with_replacement(range(len(kinds)), size):
            number = np.bincount(chosen, minlength=len(kinds))
            if (number > counts).any():
                continue
            tried += 1
            if tried > MOST_SETS:
                return None
            out = np.concatenate([rows[k][:taken] for k, taken in enumerate(number)])
            kept = np.delete(np.arange(len(votes)), out)
            if wins(votes.select(kept), item, model):
                return size
    return n


def wins(votes: hr.Comparisons, item: object, model: str) -> bool:
    """Return whether all items are connected and this one alone is first."""
    if not hr.ComparisonGraph.from_comparisons(votes).is_connected:
        return False
    ranking = hr.rank(votes, model=model)
    return ranking.items[0] == item and int(ranking.ranks[1]) > 1
