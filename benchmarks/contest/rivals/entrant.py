"""What players have in common: their interface, the pairs they may ask, and how ties are broken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from benchmarks.contest.crowds import Pairs

Pair = tuple[int, int]


class Player(Protocol):
    """Chooses pairs and learns from their votes."""

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The pair to show next, one of the candidates; None stands for all pairs.

        Pending are the pairs in progress, which were asked and not yet told.
        """

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer, positive for the first of the pair."""


class Entrant(NamedTuple):
    """How to build a player, and what it can play.

    Attributes
    ----------
    build
        From a number of items and random numbers.
    most_items
        Beyond, a contest would take too long.
    in_progress
        What it does about pairs in progress; empty: it cannot have any.
    needs_all_pairs
        Whether any pair must be allowed.
    """

    build: Callable[[int, np.random.Generator], Player]
    most_items: float = np.inf
    in_progress: str = ""
    needs_all_pairs: bool = False


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
        self.is_open = np.asarray(self.matrix.any(axis=1))
        """Whether an item has a partner."""

    def partners(self, item: int) -> np.ndarray:
        """The items it may be compared with."""
        return np.flatnonzero(self.matrix[item])

    def pair(self, k: int) -> Pair:
        """The k-th of them."""
        return int(self.i[k]), int(self.j[k])


def random_argmax(values: np.ndarray, rng: np.random.Generator) -> int:
    """The position of the largest value; of several, any: numbers of items must not matter."""
    best = np.flatnonzero(values == values.max())
    return int(best[0] if len(best) == 1 else rng.choice(best))


class TreeBatch:
    """Pairs of a spanning tree of largest total gain, handed out in random order."""

    def __init__(self) -> None:
        self._left: list[Pair] = []

    def next(self, allowed: Allowed) -> Pair | None:
        """The next pair of the tree, None if there is none left."""
        while self._left:
            pair = self._left.pop()
            if allowed.matrix[pair]:
                return pair
        return None

    def plant(self, allowed: Allowed, gains: np.ndarray, rng: np.random.Generator) -> None:
        """Take a new tree, with ties broken at random; `gains` are those of the allowed pairs."""
        n = len(allowed.matrix)
        ranks = np.lexsort((rng.random(len(gains)), -gains)).argsort()
        ends = allowed.i.astype(np.int32), allowed.j.astype(np.int32)  # SciPy 1.12 takes no others
        tree = minimum_spanning_tree(coo_array((ranks + 1.0, ends), shape=(n, n)))
        pairs: Sequence[Sequence[int]] = np.column_stack(tree.nonzero()).tolist()
        self._left = [(pairs[k][0], pairs[k][1]) for k in rng.permutation(len(pairs))]
