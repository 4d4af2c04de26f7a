"""EasyPairs: now and then, a random item of the best against a random one of the worst.

Close pairs say little about the spread of the scores and about the care of the workers; easy pairs
do. Probes are easy pairs at regular steps, for the spread; a share of easy pairs falls on random
steps, so that every worker gets some.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from hodgerank.kernels.selection.tie_breaking import best_listed
from hodgerank.sampling.designs.design import ComposedDesign, Design
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import BoolArray, FloatArray, IntArray

EASY_FROM = 0.5  # votes per item before which hardly anything is known to be easy
MOST_SORTED, SAMPLED = 1000, 64  # of more items, so many are drawn and sorted
LOW_BITS = 2**32


@dataclass(frozen=True)
class EasyPairs:
    """When to ask an easy pair, and between which items.

    Attributes
    ----------
    part
        Items are drawn from the best and the worst 1/part.
    every
        Ask one every so many votes; 0: see `share`.
    share
        Share of the steps, at random, that ask one.
    """

    part: int
    every: int = 0
    share: float = 0.0

    def are_due(self, step: int, n_items: int, key: int) -> bool:
        """Return whether a step, with its random key, asks an easy pair."""
        if step < EASY_FROM * n_items:
            return False
        if self.every:
            return step % self.every == self.every - 1
        return key % LOW_BITS < self.share * LOW_BITS

    def among(
        self, mean: FloatArray, i: IntArray, j: IntArray, is_open: BoolArray, key: int
    ) -> int:
        """Return the position of a random easy pair among open ones, -1 if there is none."""
        end = np.zeros(len(mean))
        good, bad = self._ends(mean, np.union1d(i[is_open], j[is_open]))
        end[good], end[bad] = 1, -1
        return best_listed(np.where(is_open & (end[i] * end[j] < 0), 1.0, -1.0), i, j, key)

    def between(
        self, mean: FloatArray, retired: Collection[int], blocked: IntArray, key: int
    ) -> tuple[int, int]:
        """Return a random easy pair; (-1, -1) if there is none.

        `blocked` holds the codes i n + j of pairs that may not be asked.
        """
        n = len(mean)
        items = np.arange(n)
        if n > MOST_SORTED:
            items = np.random.default_rng(key % LOW_BITS).integers(0, n, SAMPLED)
        good, bad = self._ends(mean, np.setdiff1d(items, list(retired)))
        i, j = (side.ravel() for side in np.meshgrid(good, bad))
        low, high = np.minimum(i, j), np.maximum(i, j)
        is_open = (low < high) & ~np.isin(low * n + high, blocked)
        k = best_listed(np.where(is_open, 1.0, -1.0), low, high, key)
        return (int(low[k]), int(high[k])) if k >= 0 else (-1, -1)

    def _ends(self, mean: FloatArray, items: IntArray) -> tuple[IntArray, IntArray]:
        """Return the best and the worst of some items, given in ascending order."""
        order = items[np.argsort(-mean[items], kind="stable")]
        size = max(1, len(order) // self.part)
        return order[:size], order[len(order) - size :]


PROBES = EasyPairs(part=5, every=10)
ANY = EasyPairs(part=1)  # of which every pair is one


def easy_pairs(share: float) -> EasyPairs:
    """Return easy pairs between the best and the worst quarter, at a share of all pairs."""
    return EasyPairs(part=4, share=share)


class DesignWithEasyPairs(ComposedDesign):
    """A design that asks easy pairs among the others.

    Attributes
    ----------
    easy_pairs
        When and which; None: never.
    is_blind
        Whether the next pair is chosen without labels.
    """

    easy_pairs: EasyPairs | None = None
    is_blind: bool = False

    @property
    @abstractmethod
    def n_learned(self) -> int:
        """Number of votes."""

    @property
    @abstractmethod
    def mean(self) -> FloatArray:
        """Posterior mean of the scores, in their order at least."""

    def _drawn(self, key: int) -> EasyPairs | None:
        """Return the pairs among which the next one is drawn; None if it is chosen by value."""
        easy = self.easy_pairs
        if easy is None:
            return None
        step = self.n_learned + self.out.total()
        return easy if easy.are_due(step, len(self.mean), key) else None

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the best pair by the current criterion, or an easy pair."""
        if (easy := self._drawn(key)) is not None:
            pair = easy.between(self.mean, blocked.retired, blocked.codes, key)
            if pair[0] >= 0:
                return pair
        return super().search(blocked, key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return the best pairs by the current criterion, with easy pairs among them."""
        if self.easy_pairs is not None or self.is_blind:
            return Design.search_in_turn(self, blocked, keys, once=once)
        return super().search_in_turn(blocked, keys, once=once)

    def best_of(self, i: IntArray, j: IntArray, is_open: BoolArray, key: int) -> int:
        """Return the best of some pairs by the current criterion, or an easy pair among them."""
        if (easy := self._drawn(key)) is not None:
            k = easy.among(self.mean, i, j, is_open, key)
            if k >= 0:
                return k
        return super().best_of(i, j, is_open, key)
