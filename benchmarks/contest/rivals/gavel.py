"""Gavel: a judge walks from item to item, and compares each with the one before."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Pairs
from benchmarks.contest.rivals.allowed import Allowed
from benchmarks.contest.rivals.ties import random_argmax
from hodgerank.sampling.designs.design import Vote
from hodgerank.sampling.samplers.crowd_bt import CrowdBTDesign

RANDOM = 0.25  # share of steps to any item
RELIABILITY = (10.0, 1.0)
EXPLORATION = 0.1  # weight of what is learned about the judge


class Gavel:
    """The last item shown stays; the other has the largest gain of Crowd-BT [Chen13].

    As the hackathon judging system of that name does; one walk for all workers, since who will
    answer is not known.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._design = CrowdBTDesign(n, 1.0, RELIABILITY, EXPLORATION)
        self._current = int(rng.integers(n))

    def ask(self, candidates: Pairs | None) -> tuple[int, int]:
        """The pair to show next: where the walk stands, and where it goes."""
        allowed = self._allowed.read(candidates)
        if not allowed.is_open[self._current]:
            self._current = int(self._rng.choice(np.flatnonzero(allowed.is_open)))
        current, partners = self._current, allowed.partners(self._current)
        if self._rng.random() < RANDOM:
            return current, int(self._rng.choice(partners))
        i, j = np.minimum(current, partners), np.maximum(current, partners)
        return current, int(partners[random_argmax(self._design.gains(i, j), self._rng)])

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer; the walk goes on from the second of the pair."""
        i, j = pair
        self._current = j
        if i < j:
            self._design.learn(Vote(i, j, outcome, 1.0, worker))
        else:
            self._design.learn(Vote(j, i, -outcome, 1.0, worker))
