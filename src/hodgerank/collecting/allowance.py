"""Allowance: how often a pair may still be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hodgerank.errors import InvalidArgument
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item, Pair


class Allowance:
    """Counts how often pairs were asked, either way round.

    Attributes
    ----------
    used_up
        Pairs that may not be asked any more.
    """

    def __init__(self, sampler: Sampler, per_pair: int | Callable[[Pair], int]) -> None:
        if not callable(per_pair) and per_pair < 1:
            raise InvalidArgument(f"per_pair is how often a pair is asked, not {per_pair!r}")
        self._per_pair = per_pair
        self._asked: Counter[frozenset[Item]] = Counter()
        self.used_up: set[Pair] = set()
        answers = sampler.answers
        for left, right in zip(answers.left.tolist(), answers.right.tolist(), strict=True):
            self.take(Pair(answers.items[left], answers.items[right]))

    def take(self, pair: Pair) -> bool:
        """Ask it once more; False if that is more than it may be."""
        most = self._per_pair(pair) if callable(self._per_pair) else self._per_pair
        key = frozenset(pair)
        self._asked[key] += 1
        if self._asked[key] >= most:
            self.used_up.add(pair)
        return self._asked[key] <= most
