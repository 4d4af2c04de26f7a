"""Designs in which few pairs may be asked."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from benchmarks.contest.crowd import Crowd, ImaginaryCrowd, Pairs
from benchmarks.contest.judges import linked_judge

SPREAD = 1.5
WITHIN, BETWEEN = 1.0, 2.0  # standard deviations of items in a cluster, and of clusters


def windows(n: int, rng: np.random.Generator, *, reach: int, spread: float) -> Crowd:
    """Pairs at most so many places apart in the true order."""
    order = rng.permutation(n)  # the numbers of the items must not tell their places
    scores = np.empty(n)
    scores[order] = np.sort(rng.normal(0, spread, n))
    places = (pair for pair in combinations(range(n), 2) if pair[1] - pair[0] <= reach)
    return _allowing({(order[a], order[b]) for a, b in places}, scores, rng)


def bridged_clusters(n: int, rng: np.random.Generator, *, size: int = 8) -> Crowd:
    """All pairs within clusters of similar items, and one between a cluster and the next."""
    cluster = np.array_split(rng.permutation(n), max(n // size, 2))
    scores = rng.normal(0, WITHIN, n)
    allowed = set()
    for members, following in zip(cluster, [*cluster[1:], cluster[0]], strict=True):
        scores[members] += rng.normal(0, BETWEEN)
        allowed |= set(combinations(members.tolist(), 2))
        allowed.add((rng.choice(members), rng.choice(following)))
    return _allowing(allowed, scores, rng)


def random_sparse(n: int, rng: np.random.Generator, *, degree: int = 6) -> Crowd:
    """A ring through all items and random chords, independent of the scores."""
    scores = rng.normal(0, SPREAD, n)
    ring = rng.permutation(n).tolist()
    allowed = {_sorted(pair) for pair in zip(ring, [*ring[1:], ring[0]], strict=True)}
    every = list(combinations(range(n), 2))
    for k in rng.permutation(len(every)):
        if len(allowed) >= degree * n / 2:
            break
        allowed.add(every[k])
    return _allowing(allowed, scores, rng)


def _sorted(pair: tuple[int, int]) -> tuple[int, int]:
    return (int(min(pair)), int(max(pair)))


def _allowing(
    pairs: set[tuple[int, int]], scores: np.ndarray, rng: np.random.Generator
) -> ImaginaryCrowd:
    candidates: Pairs = tuple(sorted({_sorted(pair) for pair in pairs}))
    return ImaginaryCrowd(scores, linked_judge(scores, rng), candidates)
