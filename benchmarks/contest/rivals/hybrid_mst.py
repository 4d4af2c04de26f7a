"""Hybrid-MST: a spanning tree of informative pairs first, then the most informative pair."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from benchmarks.contest.crowd import Pairs
from benchmarks.contest.rivals.allowed import Allowed
from benchmarks.contest.rivals.information import choice_information
from benchmarks.contest.rivals.laplace import LaplacePosterior
from benchmarks.contest.rivals.ties import random_argmax


class HybridMST:
    """Expected information under a Bradley-Terry posterior.

    J. Li, R. Mantiuk, J. Wang, S. Ling, P. Le Callet: Hybrid-MST, a hybrid active sampling
    strategy for pairwise preference aggregation, NeurIPS 2018.
    """

    def __init__(self, n: int, rng: np.random.Generator) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._posterior = LaplacePosterior(n)
        self._tree: list[tuple[int, int]] | None = None

    def ask(self, candidates: Pairs | None) -> tuple[int, int]:
        """The pair to show next."""
        allowed = self._allowed.read(candidates)
        if self._tree is None:
            self._tree = self._spanning_tree(allowed)
        self._tree = [pair for pair in self._tree if allowed.matrix[pair]]
        if self._tree:
            return self._tree[-1]
        self._posterior.settle()
        return allowed.pair(random_argmax(self._gains(allowed), self._rng))

    def _gains(self, allowed: Allowed) -> np.ndarray:
        i, j, covariance = allowed.i, allowed.j, self._posterior.covariance
        variance = np.diag(covariance)
        deviation = np.sqrt(variance[i] + variance[j] - 2 * covariance[i, j])
        return choice_information(self._posterior.mean[i] - self._posterior.mean[j], deviation)

    def _spanning_tree(self, allowed: Allowed) -> list[tuple[int, int]]:
        """Return the tree of largest total gain, with ties broken at random, in random order."""
        gains = self._gains(allowed)
        costs = 1 + gains.max() - gains + 1e-6 * self._rng.random(len(gains))
        n = len(self._posterior.mean)
        ends = allowed.i.astype(np.int32), allowed.j.astype(np.int32)  # SciPy 1.12 takes no others
        tree = minimum_spanning_tree(coo_array((costs, ends), shape=(n, n)))
        pairs = np.column_stack(tree.nonzero())
        return [(int(i), int(j)) for i, j in self._rng.permutation(pairs)]

    def tell(self, pair: tuple[int, int], outcome: float, worker: str | None) -> None:
        """An answer."""
        self._posterior.learn(*pair, outcome)
        if self._tree:
            self._tree.remove(pair)
