"""KnockoutDesign: a tournament, which finds the best item with about one vote per item."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.selection.tie_breaking import item_keys, stream
from hodgerank.sampling.designs.design import ComposedDesign, Design, Vote, VoteBatch
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import BoolArray, FloatArray, IntArray

FEWEST_ITEMS = 32  # below, designs that use labels from the first vote do as well
MOST_VOTES = 1.25  # per item: with more, the tournament does not pay
MOST_ITEMS = 10_000  # beyond, looking through the items takes longer than choosing a pair


def is_worthwhile(budget: int | None, n: int) -> bool:
    """Whether a tournament finds more of the best items with this number of votes in all."""
    return (
        budget is not None and FEWEST_ITEMS <= n <= MOST_ITEMS and n - 1 <= budget <= MOST_VOTES * n
    )


class KnockoutDesign(Design):
    """Pairs of items that have lost to none; those with the fewest wins meet first.

    Any vote counts as a match, asked for or not, with any weight. A tie eliminates neither of
    the two, and both meet others. Several matches can be in progress, one for each item. The
    tournament ends after n votes at the latest.
    """

    def __init__(self, n: int, seed: int) -> None:
        super().__init__()
        self._seed = seed
        self._n_learned = 0
        self._matches = np.zeros(n, np.int64)
        self._has_lost = np.zeros(n, np.bool_)

    def _learn(self, vote: Vote, was_out: bool) -> None:
        self._n_learned += 1
        self._matches[[vote.i, vote.j]] += 1
        if vote.outcome:
            self._has_lost[vote.j if vote.outcome > 0 else vote.i] = True

    def _learn_many(self, answers: VoteBatch) -> None:
        self._n_learned += len(answers.i)
        np.add.at(self._matches, np.concatenate((answers.i, answers.j)), 1)
        self._has_lost[answers.j[answers.outcome > 0]] = True
        self._has_lost[answers.i[answers.outcome < 0]] = True

    def _expect(self, i: int, j: int) -> None:
        """Items in progress are looked up where pairs are chosen."""

    def _withdraw(self, i: int, j: int) -> None:
        """Items in progress are looked up where pairs are chosen."""

    def enlarge(self) -> None:
        """Add an item, which has played no match."""
        self._matches = np.append(self._matches, 0)
        self._has_lost = np.append(self._has_lost, False)

    @property
    def _turn(self) -> FloatArray:
        """Number of matches of each item, plus a place below 1 drawn again each round."""
        turn, n = self._matches.astype(float), len(self._matches)
        for n_matches in np.unique(self._matches).tolist():
            here = self._matches == n_matches
            turn[here] += item_keys(stream(self._seed, n_matches), n)[here] / 2.0**64
        return turn

    @property
    def _is_free(self) -> BoolArray:
        """Whether each item has lost to none and plays no match; none once it is over."""
        if self._n_learned >= len(self._matches):
            return np.zeros(len(self._matches), np.bool_)
        is_free = ~self._has_lost
        is_free[[item for pair in self.out for item in pair]] = False
        return is_free

    @property
    def can_go_on(self) -> bool:
        """Whether two items can meet."""
        return int(self._is_free.sum()) > 1

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return more for fewer matches so far, 0 for pairs that cannot meet."""
        is_free, turn = self._is_free, self._turn
        return np.where(is_free[i] & is_free[j], 1 / (1 + turn[i] + turn[j]), 0.0)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the two free items with the fewest matches that may meet; (-1, -1) if none."""
        is_free, n = self._is_free, len(self._matches)
        is_free[list(blocked.retired)] = False
        free, forbidden = np.flatnonzero(is_free), set(blocked.codes.tolist())
        turn = self._turn[free]
        order = np.argsort(turn)
        free, turn = free[order], turn[order]
        best, latest = (-1, -1), np.inf
        for a in range(len(free) - 1):
            if turn[a] + turn[a + 1] >= latest:
                break
            for b in range(a + 1, len(free)):
                i, j = sorted((int(free[a]), int(free[b])))
                if i * n + j not in forbidden:
                    if turn[a] + turn[b] < latest:
                        best, latest = (i, j), turn[a] + turn[b]
                    break
        return best


class KnockoutStart(ComposedDesign):
    """Mixed into a design of several parts: a tournament first, where it pays.

    Attributes
    ----------
    knockout
        The tournament, one of the parts.
    plays_knockout
        Whether it chooses while it lasts.
    """

    knockout: KnockoutDesign
    plays_knockout: bool

    def _add_knockout(self, n: int, seed: int) -> None:
        self.knockout, self.plays_knockout = KnockoutDesign(n, seed), False
        self._parts = (*self._parts, self.knockout)

    def expect_exactly(self, pairs: list[tuple[int, int]]) -> None:
        """Make exactly these pairs pending."""
        super().expect_exactly(pairs)
        self.knockout.expect_exactly(pairs)

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the gains of the tournament while two items can meet."""
        if self.plays_knockout and self.knockout.can_go_on:
            return self.knockout.gains(i, j)
        return super().gains(i, j)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the next match, or the best pair by the other criterion."""
        match = self.knockout.search(blocked, key) if self.plays_knockout else (-1, -1)
        return match if match[0] >= 0 else super().search(blocked, key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return matches, then the best pairs by the other criterion."""
        if self.plays_knockout:
            return Design.search_in_turn(self, blocked, keys, once=once)
        return super().search_in_turn(blocked, keys, once=once)

    def best_of(self, i: IntArray, j: IntArray, is_open: BoolArray, key: int) -> int:
        """Return the next match among some pairs, or the best by the other criterion."""
        if self.plays_knockout:
            matches = self.knockout.gains(i, j) * is_open
            if matches.any():
                return int(matches.argmax())
        return super().best_of(i, j, is_open, key)
