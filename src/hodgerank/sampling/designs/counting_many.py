"""CountingManyDesign: random pairs of so many items that most pairs will never be asked."""

from __future__ import annotations

from collections import Counter

import numpy as np

from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.designs.design import Design, Told
from hodgerank.types import FloatArray, IntArray

DRAWS = 16  # pairs drawn at once
MOST_DRAWS = 256  # times, before a pair is looked for one by one


class CountingManyDesign(Design):
    """All pairs are equal, or those asked least often come first.

    Only pairs that were asked are remembered. Pairs are drawn until one may be asked, so that the
    chances are those of `CountingDesign`.
    """

    def __init__(self, n: int, *, in_rounds: bool) -> None:
        super().__init__()
        self._n = n
        self._in_rounds = in_rounds
        self._counts: Counter[tuple[int, int]] = Counter()
        self._asked_at_least: Counter[int] = Counter()  # number of pairs asked so often or more

    def _learn(self, told: Told, was_out: bool) -> None:
        """Count the answer, unless it was counted when it went out."""
        if not was_out:
            self._expect(told.i, told.j)

    def _expect(self, i: int, j: int) -> None:
        self._counts[i, j] += 1
        self._asked_at_least[self._counts[i, j]] += 1

    def _withdraw(self, i: int, j: int) -> None:
        self._asked_at_least[self._counts[i, j]] -= 1
        self._counts[i, j] -= 1

    def enlarge(self) -> None:
        """Make room for one more item."""
        self._n += 1

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """The same for all pairs, or less for those asked more often."""
        if not self._in_rounds:
            return np.ones(len(i))
        pairs = zip(i.tolist(), j.tolist(), strict=True)
        return np.array([1 / (1.0 + self._counts.get(pair, 0)) for pair in pairs])

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """Any pair, or any of those asked least often."""
        active = np.arange(self._n)
        if blocked.retired:
            active = np.delete(active, list(blocked.retired))
        forbidden = set(blocked.codes.tolist())
        m = len(active)
        if m < 2:
            return -1, -1
        rng = np.random.default_rng(abs(key))
        # pairs with retired items leave fewer to a round, which the draws then find out
        most = 0 if self._in_rounds else None
        while most is not None and self._asked_at_least[most + 1] >= self._n * (self._n - 1) // 2:
            most += 1
        for _ in range(MOST_DRAWS):
            left = rng.integers(0, m, DRAWS)
            right = (left + rng.integers(1, m, DRAWS)) % m
            low, high = active[np.minimum(left, right)], active[np.maximum(left, right)]
            for i, j in zip(low.tolist(), high.tolist(), strict=True):
                is_fresh = most is None or self._counts.get((i, j), 0) <= most
                if is_fresh and i * self._n + j not in forbidden:
                    return i, j
        return self._least_asked(active, forbidden, rng)

    def _least_asked(
        self, active: IntArray, forbidden: set[int], rng: np.random.Generator
    ) -> tuple[int, int]:
        """By going through all pairs: where hardly any is left of a round."""
        a, b = np.triu_indices(len(active), 1)
        i, j = active[a], active[b]
        is_open = ~np.isin(i * self._n + j, np.array(sorted(forbidden), np.int64))
        i, j = i[is_open], j[is_open]
        if not len(i):
            return -1, -1
        gains = self.gains(i, j)
        k = int(rng.choice(np.flatnonzero(gains == gains.max())))
        return int(i[k]), int(j[k])
