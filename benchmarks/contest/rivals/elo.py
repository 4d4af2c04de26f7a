"""Elo-closest: an item that was asked least meets the one of nearest rating."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Pairs
from benchmarks.contest.rivals.allowed import Allowed
from benchmarks.contest.rivals.ties import random_argmax

STEP, SCALE = 32.0, 400.0  # of chess: points at stake, and for odds of ten to one


class EloClosest:
    """Ratings move by 32 (result - expectation) [A. Elo, The rating of chessplayers, 1978]."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._rating = np.zeros(n)
        self._asked = np.zeros(n)

    def ask(self, candidates: Pairs | None) -> tuple[int, int]:
        """The pair to show next."""
        allowed = self._allowed.read(candidates)
        item = random_argmax(np.where(allowed.is_open, -self._asked, -np.inf), self._rng)
        partners = allowed.partners(item)
        distances = np.abs(self._rating[partners] - self._rating[item])
        return item, int(partners[random_argmax(-distances, self._rng)])

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer."""
        i, j = pair
        expected = 1 / (1 + 10 ** ((self._rating[j] - self._rating[i]) / SCALE))
        step = STEP * ((1 + outcome) / 2 - expected)
        self._rating[i] += step
        self._rating[j] -= step
        self._asked[[i, j]] += 1
