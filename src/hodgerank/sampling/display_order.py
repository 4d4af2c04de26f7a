"""The display order of a pair: which item is shown left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeVar

import numpy as np

from hodgerank.errors import require_one_of
from hodgerank.kernels.edges import group_rows
from hodgerank.kernels.selection.tie_breaking import is_ahead, stream
from hodgerank.types import IntArray

Display = Literal["balanced", "random", "fixed"]
Codes = TypeVar("Codes", int, IntArray)


def _key(i: Codes, j: Codes) -> Codes:
    """Return a number for the pair i < j that does not change when items are added."""
    return j * (j - 1) // 2 + i


class DisplayBalance:
    """Tracks display orders, so that both orders of a pair are shown equally often."""

    def __init__(self, how: Display, n_items: int, seed: int) -> None:
        self._how = require_one_of(how, ("balanced", "random", "fixed"), "display")
        self._seed = seed
        self._pair_surplus: Counter[int] = Counter()  # by key, i < j: i left minus j left
        self._item_surplus = [0] * n_items  # left minus right

    def count(self, left: int, right: int) -> None:
        """Count a vote on a pair as it was shown."""
        key, step = (_key(left, right), 1) if left < right else (_key(right, left), -1)
        self._pair_surplus[key] = self._pair_surplus.get(key, 0) + step
        self._item_surplus[left] += 1
        self._item_surplus[right] -= 1

    def count_many(self, left: IntArray, right: IntArray) -> None:
        """Count votes on pairs as they were shown."""
        n = len(self._item_surplus)
        sides = np.bincount(left, minlength=n) - np.bincount(right, minlength=n)
        self._item_surplus = [
            a + b for a, b in zip(self._item_surplus, sides.tolist(), strict=True)
        ]
        keys, place = group_rows(
            _key(np.minimum(left, right), np.maximum(left, right)), n * (n - 1) // 2
        )
        steps = np.bincount(place, np.where(left < right, 1.0, -1.0)).astype(np.int64)
        self._pair_surplus.update(dict(zip(keys.tolist(), steps.tolist(), strict=True)))

    def enlarge(self) -> None:
        """Add an item."""
        self._item_surplus.append(0)

    def show(
        self,
        chosen: Sequence[tuple[int, int, bool]],
        pending: Sequence[tuple[int, int]],
        step: int,
    ) -> list[tuple[int, int]]:
        """Return pairs i < j as (left, right), given the display order of pending pairs.

        The pairs are shown one after the other, the first at this step. The third entry of each
        says whether the caller gave it as (j, i).
        """
        if self._how == "fixed":
            return [(j, i) if turned else (i, j) for i, j, turned in chosen]
        out: dict[tuple[int, int], int] = Counter(pending) if pending else {}
        shown = []
        for at, (i, j, _) in enumerate(chosen, step):
            surplus = 0
            if self._how == "balanced":
                surplus = self._pair_surplus.get(_key(i, j), 0)
                surplus += out.get((i, j), 0) - out.get((j, i), 0)
                surplus = surplus or self._item_surplus[i] - self._item_surplus[j]
            is_turned = surplus > 0 if surplus else is_ahead(stream(self._seed ^ 1, at), i, j)
            pair = (j, i) if is_turned else (i, j)
            out[pair] = out.get(pair, 0) + 1
            shown.append(pair)
        return shown
