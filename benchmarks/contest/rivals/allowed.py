"""The pairs that may be asked, as rivals look at them."""

from __future__ import annotations

import numpy as np

from benchmarks.contest.crowd import Pairs


class Allowed:
    """Candidates as columns and as a matrix; the same ones given again are not read again.

    Attributes
    ----------
    i, j
        The pairs, i < j.
    matrix
        Symmetric: whether two items may be compared.
    """

    def __init__(self, n: int) -> None:
        self._n = n
        self._candidates: Pairs | None = None
        self._set(*np.triu_indices(n, 1))

    def read(self, candidates: Pairs | None) -> Allowed:
        """Itself, with these pairs; None for all of them."""
        if candidates is not self._candidates:
            self._candidates = candidates
            if candidates is None:
                self._set(*np.triu_indices(self._n, 1))
            else:
                pairs = np.array(candidates, int)
                self._set(pairs.min(axis=1), pairs.max(axis=1))
        return self

    def _set(self, i: np.ndarray, j: np.ndarray) -> None:
        self.i, self.j = i, j
        self.matrix = np.zeros((self._n, self._n), bool)
        self.matrix[i, j] = self.matrix[j, i] = True
        self.is_open = self.matrix.any(axis=1)
        """Whether an item has a partner."""

    def partners(self, item: int) -> np.ndarray:
        """The items it may be compared with."""
        return np.flatnonzero(self.matrix[item])

    def pair(self, k: int) -> tuple[int, int]:
        """The k-th of them."""
        return int(self.i[k]), int(self.j[k])
