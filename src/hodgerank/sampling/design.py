"""Design: how a sampler values pairs. A new sampler is a new design."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from hodgerank.sampling.blocked import Blocked
from hodgerank.types import FloatArray, IntArray, Item


class Answers(NamedTuple):
    """Answers in the order they came: pairs i < j, outcomes of i, noise variances, workers."""

    i: IntArray
    j: IntArray
    outcome: FloatArray
    noise: FloatArray
    worker: list[Item | None]

    def part(self, start: int, end: int | None = None) -> Answers:
        """Some of them."""
        rows = slice(start, end)
        return Answers(
            self.i[rows], self.j[rows], self.outcome[rows], self.noise[rows], self.worker[rows]
        )

    def rows(self) -> Iterator[tuple[int, int, float, float, Item | None]]:
        """One by one."""
        columns = (self.i, self.j, self.outcome, self.noise)
        return zip(*(column.tolist() for column in columns), self.worker, strict=True)


class Design(Protocol):
    """State and criterion of a sampler. Pairs are positions i < j, outcomes are those of i.

    The criterion may depend on the answers learned, in order, and on the multiset of pairs
    expected, not on when they came to be expected.
    """

    def learn(
        self, i: int, j: int, outcome: float, noise: float, worker: Item | None, was_out: bool
    ) -> None:
        """An answer with this noise variance; if it `was_out`, it is expected no more."""

    def learn_many(self, answers: Answers) -> None:
        """Answers in the order they came, while nothing is expected."""

    def expect(self, i: int, j: int) -> None:
        """A pair is out with somebody."""

    def withdraw(self, i: int, j: int) -> None:
        """A pair that was out will not be answered."""

    def enlarge(self) -> None:
        """One more item; nothing is expected."""

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """The criterion of some pairs, at least 0."""

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The best pair that is not blocked, ties broken by the key; (-1, -1): there is none."""
