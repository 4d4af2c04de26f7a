"""Allowance: how often a pair may still be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from hodgerank.errors import InvalidArgument
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item, Pair


class Allowance:
    """Counts how often pairs are asked, either way round.

    `per_pair` is how often a pair may be asked, the answers that the sampler has included; or a
    function that tells how often it may be asked from now on.

    Attributes
    ----------
    used_up
        Pairs that may not be asked any more.
    """

    def __init__(self, sampler: Sampler, per_pair: int | Callable[[Pair], int]) -> None:
        self._per_pair = per_pair
        self._left: dict[frozenset[Item], int] = {}
        self.used_up: set[Pair] = set()
        if callable(per_pair):
            return
        if per_pair < 1:
            raise InvalidArgument(f"per_pair is how often a pair is asked, not {per_pair!r}")
        answers = sampler.answers
        ends = zip(answers.left.tolist(), answers.right.tolist(), strict=True)
        asked = Counter(frozenset((answers.items[a], answers.items[b])) for a, b in ends)
        for key, times in asked.items():
            self._left[key] = per_pair - times
            if times >= per_pair:
                self.used_up.add(Pair(*key))

    def take(self, pair: Pair) -> bool:
        """Ask it once more; False if that is more than it may be."""
        key = frozenset(pair)
        if key not in self._left:
            self._left[key] = self._per_pair(pair) if callable(self._per_pair) else self._per_pair
        self._left[key] -= 1
        if self._left[key] <= 0:
            self.used_up.add(pair)
        return self._left[key] >= 0
