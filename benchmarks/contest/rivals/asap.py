"""ASAP, the approximate one: the pair whose answer is expected to tell most about two skills."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Pairs
from benchmarks.contest.rivals.allowed import Allowed
from benchmarks.contest.rivals.skills import Skills
from benchmarks.contest.rivals.ties import random_argmax


class ApproximateASAP:
    """Expected divergence of the updated skills from the present ones, see `skills`.

    A. Mikhailiuk, C. Wilmot, M. Perez-Ortiz, D. Yue, R. Mantiuk: Active sampling for pairwise
    comparisons via approximate message passing and information gain maximization, ICPR 2020. Theirs
    evaluates some pairs only and asks in batches; here it is all pairs, one at a time.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._skills = Skills(n)

    def ask(self, candidates: Pairs | None) -> tuple[int, int]:
        """The pair to show next."""
        allowed = self._allowed.read(candidates)
        gains = self._half_gains(allowed.i, allowed.j) + self._half_gains(allowed.j, allowed.i)
        return allowed.pair(random_argmax(gains, self._rng))

    def _half_gains(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """P(i beats j) times the divergence that would follow."""
        win = self._skills.win(i, j)
        divergence = 0.0
        for item in (i, j):
            weight = self._skills.variance[item] / win.c**2
            left = 1 - weight * win.shrinkage  # share of the variance
            divergence = divergence + (left - 1 - np.log(left) + weight * win.shift**2) / 2
        return np.exp(win.log_probability) * divergence

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer."""
        self._skills.learn(*pair, outcome)
