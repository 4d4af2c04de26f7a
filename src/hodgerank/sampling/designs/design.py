"""Design: the value of pairs to a sampler. A new sampler is a new design."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hodgerank.display import Displayed, Preview
from hodgerank.kernels.selection.tie_breaking import best_listed
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import BoolArray, FloatArray, IntArray, Item


class Vote(NamedTuple):
    """A vote: the pair i < j, the outcome of i, its weight, its worker, and the side of i.

    The side is +1 if i was shown left, -1 if j was, 0 if unknown.
    """

    i: int
    j: int
    outcome: float
    weight: float
    worker: Item | None = None
    side: int = 0


class VoteBatch(NamedTuple):
    """Votes in order, as columns of `Vote`."""

    i: IntArray
    j: IntArray
    outcome: FloatArray
    weight: FloatArray
    worker: list[Item | None]
    side: IntArray

    def part(self, start: int, end: int | None = None) -> VoteBatch:
        """Return the votes from `start` up to `end`."""
        rows = slice(start, end)
        i, j, outcome, weight, worker, side = self
        return VoteBatch(i[rows], j[rows], outcome[rows], weight[rows], worker[rows], side[rows])

    def rows(self) -> Iterator[Vote]:
        """Iterate over the votes."""
        i, j, outcome, weight, worker, side = self
        columns = (column.tolist() for column in (i, j, outcome, weight))
        return map(Vote, *columns, worker, side.tolist())


class Design(ABC):
    """State and criterion of a sampler. Pairs are positions i < j, outcomes are those of i.

    The criterion may depend on the votes, in order, and on the multiset of pending pairs (in
    approximate designs also on their order), not on when they became pending. The multiset is kept
    here; designs compute its effects.

    Attributes
    ----------
    out
        How often each pair is pending.
    """

    def __init__(self) -> None:
        self.out: Counter[tuple[int, int]] = Counter()

    def learn(self, vote: Vote) -> None:
        """Learn a vote; if the pair was pending, it is pending once less."""
        was_out = vote[:2] in self.out
        if was_out:
            self._count(vote.i, vote.j, -1)
        self._learn(vote, was_out)

    def learn_many(self, answers: VoteBatch) -> None:
        """Learn votes in order; no pair is pending afterwards."""
        self.expect_exactly([])
        self._learn_many(answers)

    def expect(self, i: int, j: int) -> None:
        """Make a pair pending."""
        self._expect(i, j)
        self._count(i, j, 1)

    def withdraw(self, i: int, j: int) -> None:
        """Withdraw a pending pair without a vote."""
        self._withdraw(i, j)
        self._count(i, j, -1)

    def expect_exactly(self, pairs: list[tuple[int, int]]) -> None:
        """Make exactly these pairs pending, each as often as it is listed."""
        if not pairs:
            self._withdraw_all()
            self.out.clear()
            return
        out = Counter(pairs)
        for i, j in (self.out - out).elements():
            self.withdraw(i, j)
        for i, j in (out - self.out).elements():
            self.expect(i, j)

    def _count(self, i: int, j: int, step: int) -> None:
        self.out[i, j] += step
        if not self.out[i, j]:
            del self.out[i, j]

    @abstractmethod
    def _learn(self, vote: Vote, was_out: bool) -> None:
        """Learn a vote; `out` no longer counts it."""

    def _learn_many(self, answers: VoteBatch) -> None:
        """Learn votes while nothing is pending; one by one unless there is a faster way."""
        for vote in answers.rows():
            self._learn(vote, was_out=False)

    @abstractmethod
    def _expect(self, i: int, j: int) -> None:
        """Make a pair pending; `out` does not count it yet."""

    @abstractmethod
    def _withdraw(self, i: int, j: int) -> None:
        """Withdraw a pending pair; `out` still counts it."""

    def _withdraw_all(self) -> None:
        """Withdraw all pending pairs; `out` still counts some of them."""
        for i, j in list(self.out.elements()):
            self.withdraw(i, j)

    @abstractmethod
    def enlarge(self) -> None:
        """Add an item; nothing is pending."""

    @abstractmethod
    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the criterion of some pairs, at least 0."""

    def best_of(self, i: IntArray, j: IntArray, is_open: BoolArray, key: int) -> int:
        """Return the position of the best open pair, with ties broken by the key; -1 if none."""
        return best_listed(np.where(is_open, self.gains(i, j), -1.0), i, j, key)

    @abstractmethod
    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the best pair not blocked, with ties broken by the key; (-1, -1) if none."""

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return a pair for each key, each with the earlier ones pending; they stay pending.

        With `once` no pair is repeated. Returns fewer if no more are allowed.
        """
        found: list[tuple[int, int]] = []
        for key in keys:
            if found:
                self.expect(*found[-1])
                if once:
                    blocked = blocked.and_pairs(found[-1:])
            i, j = self.search(blocked, key)
            if i < 0:
                break
            found.append((i, j))
        return found

    def _found_in_turn(self, i: IntArray, j: IntArray, n_wanted: int) -> list[tuple[int, int]]:
        """Return pairs that were found together; all but the last one wanted become pending."""
        found = list(zip(i.tolist(), j.tolist(), strict=True))
        for pair in found[: n_wanted - 1]:
            self._count(*pair, 1)
        return found


class ComposedDesign(Design):
    """A design made of others: all of them learn, one of them chooses."""

    def __init__(self, parts: Sequence[Design]) -> None:
        super().__init__()
        self._parts = tuple(parts)

    @property
    @abstractmethod
    def chooser(self) -> Design:
        """The part whose criterion is used."""

    def _learn(self, vote: Vote, was_out: bool) -> None:
        for part in self._parts:
            part.learn(vote)

    def _learn_many(self, answers: VoteBatch) -> None:
        for part in self._parts:
            part.learn_many(answers)

    def _expect(self, i: int, j: int) -> None:
        for part in self._parts:
            part.expect(i, j)

    def _withdraw(self, i: int, j: int) -> None:
        for part in self._parts:
            part.withdraw(i, j)

    def _withdraw_all(self) -> None:
        for part in self._parts:
            part.expect_exactly([])

    def enlarge(self) -> None:
        """Add an item to every part."""
        for part in self._parts:
            part.enlarge()

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the current criterion of each pair."""
        return self.chooser.gains(i, j)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the best pair by the current criterion."""
        return self.chooser.search(blocked, key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return the best pairs by the current criterion, each with the earlier ones pending."""
        chooser = self.chooser
        found = chooser.search_in_turn(blocked, keys, once=once)
        for pair in found[: len(keys) - 1]:
            self._count(*pair, 1)
            for part in self._parts:
                if part is not chooser:
                    part.expect(*pair)
        return found


@dataclass(frozen=True, eq=False, repr=False)
class Posterior(Displayed):
    """The Gaussian posterior of the scores, as the sampler uses it.

    Attributes
    ----------
    items
        The items, in the order of the sampler.
    mean, covariance
        Mean and covariance of the centred scores.
    """

    items: tuple[Item, ...]
    mean: FloatArray
    covariance: FloatArray

    @property
    def standard_deviations(self) -> FloatArray:
        """Standard deviation of each score."""
        return np.sqrt(np.diag(self.covariance))

    def _headline(self) -> str:
        spread = float(self.mean.std()) if len(self.items) else 0.0
        return f"{len(self.items):,} items, standard deviation of the means {spread:.3g}"

    def _preview(self) -> Preview:
        order = np.argsort(-self.mean, kind="stable").tolist()
        deviations = self.standard_deviations
        rows = ((self.items[k], float(self.mean[k]), float(deviations[k])) for k in order)
        return Preview(("item", "mean", "standard deviation"), rows, len(self.items))
