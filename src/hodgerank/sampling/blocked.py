"""Blocked: pairs that may not be asked."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

import numpy as np

from hodgerank.types import BoolArray, IntArray


class Blocked:
    """Pairs with retired items, and some more; pairs are positions i < j."""

    def __init__(
        self,
        n_items: int,
        retired: Collection[int] = (),
        pairs: Collection[tuple[int, int]] = (),
    ) -> None:
        self._n = n_items
        self._pairs = frozenset(pairs)
        self.retired = frozenset(retired)

    def __bool__(self) -> bool:
        return bool(self.retired or self._pairs)

    def and_pairs(self, pairs: Collection[tuple[int, int]]) -> Blocked:
        """The same with these pairs blocked as well."""
        return Blocked(self._n, self.retired, self._pairs.union(pairs)) if pairs else self

    @cached_property
    def matrix(self) -> BoolArray:
        """True at (i, j), for designs that keep matrices anyway; 1 x 1 if none is blocked."""
        if not self:
            return np.zeros((1, 1), np.bool_)
        matrix = np.zeros((self._n, self._n), np.bool_)
        gone = list(self.retired)
        matrix[gone] = matrix[:, gone] = True
        for i, j in self._pairs:
            matrix[i, j] = True
        return matrix

    def matrix_to_change(self) -> BoolArray:
        """The matrix as one's own, also if none is blocked."""
        return self.matrix.copy() if self else np.zeros((self._n, self._n), np.bool_)

    @cached_property
    def codes(self) -> IntArray:
        """Of the single pairs: i n + j, in ascending order."""
        return np.array(sorted(i * self._n + j for i, j in self._pairs), np.int64)
