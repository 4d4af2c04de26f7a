"""Swiss: rounds in which items with equally many wins meet."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Pairs
from benchmarks.contest.rivals.allowed import Allowed

BYE = 0.5  # wins for a round without a partner


class Swiss:
    """From the top of the standings, each item meets the next one it has met least often."""

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._wins = np.zeros(n)
        self._met = np.zeros((n, n), int)
        self._round: list[tuple[int, int]] = []

    def ask(self, candidates: Pairs | None) -> tuple[int, int]:
        """The next pair of the round."""
        allowed = self._allowed.read(candidates)
        self._round = [pair for pair in self._round if allowed.matrix[pair]]
        if not self._round:
            self._round = self._paired(allowed)
        return self._round[0]

    def _paired(self, allowed: Allowed) -> list[tuple[int, int]]:
        pairs = []
        shuffled = self._rng.permutation(len(self._wins))
        standings = shuffled[np.argsort(-self._wins[shuffled], kind="stable")].tolist()
        while standings:
            item = standings.pop(0)
            partners = [other for other in standings if allowed.matrix[item, other]]
            if partners:
                partner = min(partners, key=self._met[item].__getitem__)
                standings.remove(partner)
                pairs.append((item, partner))
            else:
                self._wins[item] += BYE
        return pairs

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer."""
        i, j = pair
        self._wins[i] += (1 + outcome) / 2
        self._wins[j] += (1 - outcome) / 2
        self._met[i, j] += 1
        self._met[j, i] += 1
        self._round.remove(pair)
