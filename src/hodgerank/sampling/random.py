"""RandomSampler: the baseline every other sampler is measured against."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from hodgerank.errors import choose
from hodgerank.kernels.rounds import least_asked_pair
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.design import Answers
from hodgerank.sampling.display import Display
from hodgerank.sampling.engines import MANY_ITEMS
from hodgerank.sampling.protocol import Sampler
from hodgerank.sampling.random_many import ManyRandomDesign
from hodgerank.types import FloatArray, IntArray, Item


class RandomDesign:
    """All pairs are equal, or those asked least often come first."""

    def __init__(self, n: int, *, in_rounds: bool) -> None:
        self._in_rounds = in_rounds
        self._counts = np.zeros((n, n), np.int64)

    def learn(
        self, i: int, j: int, outcome: float, noise: float, worker: Item | None, was_out: bool
    ) -> None:
        """Count it, unless it was counted when it went out."""
        if not was_out:
            self._counts[i, j] += 1

    def learn_many(self, answers: Answers) -> None:
        """Count them."""
        np.add.at(self._counts, (answers.i, answers.j), 1)

    def expect(self, i: int, j: int) -> None:
        """Count a pair that is out."""
        self._counts[i, j] += 1

    def withdraw(self, i: int, j: int) -> None:
        """Count it no more."""
        self._counts[i, j] -= 1

    def enlarge(self) -> None:
        """One more item."""
        self._counts = np.pad(self._counts, (0, 1))

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """The same for all pairs, or less for those asked more often."""
        return 1 / (1.0 + self._counts[i, j]) if self._in_rounds else np.ones(len(i))

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """Any pair, or any of those asked least often."""
        return least_asked_pair(  # type: ignore[no-any-return]
            self._counts, self._in_rounds, blocked.matrix, bool(blocked), key
        )


class RandomSampler(Sampler):
    """Pairs at random.

    Parameters
    ----------
    items, seed, display
        As in `Sampler`.
    order
        'rounds' asks every pair once in random order before any is asked again: a balanced
        design, hard to beat where opinions are weak. 'independent' draws with replacement.

    Examples
    --------
    >>> sampler = RandomSampler(["tea", "milk", "cola"], seed=1)
    >>> len({frozenset(pair) for pair in sampler.ask(3)})
    3
    """

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        order: Literal["rounds", "independent"] = "rounds",
        display: Display = "balanced",
    ) -> None:
        super().__init__(items, seed, display)
        choose(order, ("rounds", "independent"), "order")
        n, in_rounds = len(self._items), order == "rounds"
        self._design = (
            RandomDesign(n, in_rounds=in_rounds)
            if n < MANY_ITEMS
            else ManyRandomDesign(n, in_rounds=in_rounds)
        )
