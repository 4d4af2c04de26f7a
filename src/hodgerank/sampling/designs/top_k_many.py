"""TopKManyDesign: which are the k best of very many items."""

from __future__ import annotations

import numpy as np

from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.designs.adaptive_many import AdaptiveManyDesign
from hodgerank.sampling.designs.design import Design
from hodgerank.types import IntArray

CLOSE = 2.0  # standard deviations from the limit between the best and the others
FEWEST = 32  # items that are never left aside


class TopKManyDesign(AdaptiveManyDesign):
    """Pairs as of `AdaptiveManyDesign`, among the items that may or may not be of the k best.

    At every look the limit is drawn midway between places k and k + 1; items that stand clearly
    above or below it are left aside until the next.
    """

    def __init__(self, n: int, k: int, seed: int) -> None:
        super().__init__(n, seed)
        self._k = k

    def _look(self) -> None:
        super()._look()
        posterior = self._posterior
        mean = posterior.running_mean
        k = min(self._k, len(mean) - 1)
        around = np.partition(-mean, (k - 1, k))
        limit = -(around[k - 1] + around[k]) / 2
        distance = np.abs(mean - limit) / np.sqrt(posterior.running_variance)
        fewest = min(max(FEWEST, 2 * k), len(mean))
        farthest = max(CLOSE, float(np.partition(distance, fewest - 1)[fewest - 1]))
        posterior.leave_aside(distance > farthest)

    def search_in_turn(
        self, blocked: Blocked, keys: IntArray, *, once: bool
    ) -> list[tuple[int, int]]:
        """One by one: what is left may change with each."""
        return Design.search_in_turn(self, blocked, keys, once=once)

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """A pair about as good as the best of those that matter, or of all if none is left."""
        found = super().search(blocked, key)
        if found[0] >= 0:
            return found
        aside = self._posterior.aside
        self._posterior.leave_aside(np.zeros_like(aside))
        found = super().search(blocked, key)
        self._posterior.leave_aside(aside)
        return found
