"""SortDesign: sort by insertion, for judges who would answer every question alike again."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np

from hodgerank.kernels.selection.tie_breaking import best_listed
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import CodeArray, FloatArray, IntArray

MOST_ITEMS = 1000  # of which what is known of every pair is kept
CONSISTENT = math.log(1000)  # nats of evidence that answers are consistent
MOST_REPEATS = 4  # of a pair that count as evidence
MOST_CHECKS = 10  # pairs whose first answer must have been known; fewer if items are
LEAST_CHANCE = 0.01  # so that no single answer decides
PARTED = 1e-6  # among insertions that are equally good, the shorter comes first
APART = 0.05  # value of a pair outside the chain, relative to a perfect insertion


class Chain(NamedTuple):
    """The longest known chain, and where the other items may belong.

    Attributes
    ----------
    place
        Place of each item in the chain, from 0 for the best; -1 outside.
    low
        Number of items of the chain known to be at least as good.
    slots
        Number of places that an item may still have in the chain; 0 if it is known.
    """

    place: IntArray
    low: IntArray
    slots: IntArray


class SortDesign(Design):
    """Which item is better follows from earlier answers, or is asked.

    Keeps the transitive closure of all answers; a tie makes two items equal. The next question
    inserts an item into the longest chain of items whose order is known, by halving the places that
    it may still have. Of all items, the one comes first whose number of places is closest below a
    power of two, since b questions distinguish at most 2^b places: the principle of merge insertion
    [Ford59], for any partial order.

    An answer that contradicts earlier ones ends all this. Answers that were known before they
    were given are evidence that no answer will: each counts the nats by which a noisy judge would
    have failed to give it. If the order is known, the least asked of the closest pairs come next,
    so that such evidence grows.

    Attributes
    ----------
    is_consistent
        Whether no answer contradicts others.
    evidence
        Nats of evidence that answers are consistent.
    n_checks
        Number of pairs whose first answer was known before.
    """

    def __init__(self, n: int) -> None:
        super().__init__()
        self.is_consistent = True
        self.evidence = 0.0
        self.n_checks = 0
        self._above = np.eye(n, dtype=np.bool_)  # [i, j]: i is at least as good as j
        self._times = np.zeros((n, n), np.int32)
        self._retired: frozenset[int] = frozenset()

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self._above)

    def retire(self, items: frozenset[int]) -> None:
        """Leave these items out, and no others."""
        if items != self._retired:
            self._retired = items
            self._forget()

    @property
    def is_known(self) -> bool:
        """Whether the order of all active items follows from the answers."""
        return self.is_consistent and not self._chain.slots.any()

    @property
    def is_established(self) -> bool:
        """Whether the order is known, and enough other answers agreed with it."""
        n = self.n_items - len(self._retired)
        return (
            self.evidence >= CONSISTENT and self.n_checks >= min(n, MOST_CHECKS) and self.is_known
        )

    def is_check(self, vote: Vote) -> bool:
        """Whether an answer was known before, and is evidence that answers are consistent."""
        i, j, outcome, *_ = vote
        return (
            self.is_consistent
            and self.evidence < CONSISTENT
            and bool(self._above[i, j] if outcome > 0 else self._above[j, i])
            and bool(outcome)
            and bool(self._times[i, j] <= MOST_REPEATS)
        )

    def weigh(self, chance: float) -> None:
        """Count the evidence of a check that a noisy judge would have passed by chance."""
        self.evidence -= math.log(max(chance, LEAST_CHANCE))

    def checks_in(self, answers: VoteBatch) -> list[int]:
        """Return the positions of answers that will be checks; none if one contradicts others."""
        if not self.is_consistent or self.evidence >= CONSISTENT:
            return []
        ahead = SortDesign(self.n_items)
        ahead._above, ahead._times = self._above.copy(), self._times.copy()
        found = []
        for k, vote in enumerate(answers.rows()):
            if ahead.is_check(vote):
                found.append(k)
            ahead._learn(vote, was_out=False)
            if not ahead.is_consistent:
                return []
        return found

    def _learn(self, vote: Vote, was_out: bool) -> None:
        if not self.is_consistent:
            return
        i, j, outcome, *_ = vote
        above = self._above
        known, said = (above[i, j], above[j, i]), (outcome >= 0, outcome <= 0)
        if not any(known):
            for a, b in ((i, j),) * said[0] + ((j, i),) * said[1]:
                above[np.ix_(above[:, a], above[b])] = True
            self._forget()
        elif known == said:
            self.n_checks += int(self._times[i, j] == 0)
        else:
            self.is_consistent = False
        self._times[i, j] += 1

    def _learn_many(self, answers: VoteBatch) -> None:
        for vote in answers.rows():
            if not self.is_consistent:
                break
            self._learn(vote, was_out=False)

    def _forget(self) -> None:
        self.__dict__.pop("_chain", None)

    def _expect(self, i: int, j: int) -> None:
        """Pending pairs are counted where gains are computed."""

    def _withdraw(self, i: int, j: int) -> None:
        """Pending pairs are counted where gains are computed."""

    def enlarge(self) -> None:
        """Add an item."""
        self._above = np.pad(self._above, (0, 1))
        self._above[-1, -1] = True
        self._times = np.pad(self._times, (0, 1))
        self._forget()

    @cached_property
    def _chain(self) -> Chain:
        n = self.n_items
        active = np.setdiff1d(np.arange(n), list(self._retired))
        above = self._above[np.ix_(active, active)]
        better = above & ~above.T
        length = np.ones(len(active), np.int64)
        before = np.full(len(active), -1)
        for x in np.argsort(better.sum(axis=0), kind="stable").tolist():
            candidates = np.flatnonzero(better[:, x])
            if len(candidates):
                before[x] = candidates[length[candidates].argmax()]
                length[x] = length[before[x]] + 1
        chain: list[int] = []
        x = int(length.argmax()) if len(active) else -1
        while x >= 0:
            chain.append(x)
            x = int(before[x])
        chain.reverse()
        place, low, slots = np.full(n, -1), np.zeros(n, np.int64), np.zeros(n, np.int64)
        place[active[chain]] = np.arange(len(chain))
        low[active] = above[chain].sum(axis=0)
        slots[active] = len(chain) + 1 - low[active] - above[:, chain].sum(axis=1)
        return Chain(place, low, slots)

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return more than 1 for pairs of unknown order, and less for others.

        Above 1: how much of the value of its questions an insertion uses, times how evenly it
        halves the places, less if one of the items is in progress. Below 1: 1 over the distance
        in the order plus twice the number of answers.
        """
        place, low, slots = self._chain
        busy, times = self._pending
        is_pending = times[i, j] > self._times[i, j]
        is_known = self._above[i, j] | self._above[j, i]
        x, c = np.where(place[i] < 0, i, j), np.where(place[i] < 0, j, i)
        is_insertion = (place[x] < 0) & (place[c] >= 0) & ~is_known
        s, left = slots[x], place[c] - low[x] + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            used = s / 2 ** np.ceil(np.log2(s)) - PARTED * s
            off = np.abs(np.minimum(left, s - left) - s / 2)
            used /= 1 + np.maximum(off - 0.5, 0)
        value = np.where(is_insertion, used, APART) / (1 + busy[i] + busy[j]) ** 2
        rank = self._above.sum(axis=0)
        again = 1 / (1 + np.abs(rank[i] - rank[j]) + 2 * times[i, j])
        return np.asarray(np.where(is_known | is_pending, again, 1 + value))

    @property
    def _pending(self) -> tuple[IntArray, CodeArray]:
        """How often each item is in progress outside the chain, and each pair asked in all."""
        busy = np.zeros(self.n_items, np.int64)
        if not self.out:
            return busy, self._times
        times = self._times.copy()
        for (i, j), n_out in self.out.items():
            times[i, j] += n_out
            busy[[i, j]] += n_out
        busy[self._chain.place >= 0] = 0
        return busy, times

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the best pair not blocked."""
        i, j = np.triu_indices(self.n_items, 1)
        gains = self.gains(i, j)
        if blocked:
            gains[blocked.matrix[i, j]] = -1.0
        k = best_listed(gains, i, j, key)
        return (int(i[k]), int(j[k])) if k >= 0 else (-1, -1)
