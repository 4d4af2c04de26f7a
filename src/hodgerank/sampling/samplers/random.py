"""RandomSampler: the baseline of all other samplers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, Self

import numpy as np

from hodgerank.errors import require_one_of
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.kernels.selection.tie_breaking import least_asked_pair
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.designs.matrix_free_posterior import MANY_ITEMS
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import FloatArray, IntArray, Item


class CountingDesign(Design):
    """All pairs are equal, or those asked least often come first."""

    def __init__(self, n: int, *, in_rounds: bool) -> None:
        super().__init__()
        self._in_rounds = in_rounds
        self._counts = np.zeros((n, n), np.int64)

    def _learn(self, vote: Vote, was_out: bool) -> None:
        """Count the vote, unless it was counted as pending."""
        if not was_out:
            self._counts[vote.i, vote.j] += 1

    def _learn_many(self, answers: VoteBatch) -> None:
        np.add.at(self._counts, (answers.i, answers.j), 1)

    def _expect(self, i: int, j: int) -> None:
        self._counts[i, j] += 1

    def _withdraw(self, i: int, j: int) -> None:
        self._counts[i, j] -= 1

    def enlarge(self) -> None:
        """Add an item."""
        self._counts = np.pad(self._counts, (0, 1))

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the same for all pairs, or less for those asked more often."""
        return 1 / (1.0 + self._counts[i, j]) if self._in_rounds else np.ones(len(i))

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return a random pair, or a random one of those asked least often."""
        return least_asked_pair(self._counts, self._in_rounds, blocked.matrix, bool(blocked), key)


DRAWS = 16  # pairs drawn at once
MOST_DRAWS = 256  # times, before all pairs are enumerated


class CountingManyDesign(Design):
    """All pairs are equal, or those asked least often come first.

    Stores only pairs that were asked. Pairs are drawn until one is allowed, with the same
    probabilities as in `CountingDesign`.
    """

    def __init__(self, n: int, *, in_rounds: bool) -> None:
        super().__init__()
        self._n = n
        self._in_rounds = in_rounds
        self._counts: Counter[tuple[int, int]] = Counter()
        self._asked_at_least: Counter[int] = Counter()  # number of pairs asked this often or more

    def _learn(self, vote: Vote, was_out: bool) -> None:
        """Count the vote, unless it was counted as pending."""
        if not was_out:
            self._expect(vote.i, vote.j)

    def _expect(self, i: int, j: int) -> None:
        self._counts[i, j] += 1
        self._asked_at_least[self._counts[i, j]] += 1

    def _withdraw(self, i: int, j: int) -> None:
        self._asked_at_least[self._counts[i, j]] -= 1
        self._counts[i, j] -= 1

    def enlarge(self) -> None:
        """Add an item."""
        self._n += 1

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the same for all pairs, or less for those asked more often."""
        if not self._in_rounds:
            return np.ones(len(i))
        pairs = zip(i.tolist(), j.tolist(), strict=True)
        return np.array([1 / (1.0 + self._counts.get(pair, 0)) for pair in pairs])

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return a random pair, or a random one of those asked least often."""
        active = np.arange(self._n)
        if blocked.retired:
            active = np.delete(active, list(blocked.retired))
        forbidden = set(blocked.codes.tolist())
        m = len(active)
        if m < 2:
            return -1, -1
        rng = np.random.default_rng(abs(key))
        # retired items leave fewer pairs to a round; the draws account for that
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
        """Enumerate all pairs, if hardly any is left in a round."""
        a, b = np.triu_indices(len(active), 1)
        i, j = active[a], active[b]
        is_open = ~np.isin(i * self._n + j, np.array(sorted(forbidden), np.int64))
        i, j = i[is_open], j[is_open]
        if not len(i):
            return -1, -1
        gains = self.gains(i, j)
        k = int(rng.choice(np.flatnonzero(gains == gains.max())))
        return int(i[k]), int(j[k])


class RandomSampler(Sampler):
    """Random pairs.

    Parameters
    ----------
    items, seed, display, candidates, position_bias
        As in `Sampler`.
    order
        'rounds' asks every pair once in random order before any is repeated: a balanced design,
        hard to beat if preferences are weak. 'independent' draws with replacement.

    Examples
    --------
    >>> sampler = RandomSampler(["tea", "milk", "cola"], seed=1)
    >>> len({frozenset(pair) for pair in sampler.ask(3)})
    3
    """

    follows_labels = False

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        order: Literal["rounds", "independent"] = "rounds",
        display: Display = "balanced",
        candidates: Candidates = None,
        position_bias: Position | None = None,
    ) -> None:
        super().__init__(items, seed, display, candidates, position_bias)
        require_one_of(order, ("rounds", "independent"), "order")
        self._order = order
        n, in_rounds = len(self._items), order == "rounds"
        self._design = (
            CountingDesign(n, in_rounds=in_rounds)
            if n < MANY_ITEMS
            else CountingManyDesign(n, in_rounds=in_rounds)
        )

    @property
    def name(self) -> str:
        """The name in `build_sampler`."""
        return "rounds" if self._order == "rounds" else "random"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """Return a sampler of the same kind for other items."""
        return type(self)(
            items,
            seed=seed,
            order=self._order,
            display=self.display,
            position_bias=self.position_bias,
        )
