"""Hybrid-MST: first the most informative pair, then spanning trees of informative pairs.

J. Li, R. Mantiuk, J. Wang, S. Ling, P. Le Callet: Hybrid-MST, a hybrid active sampling strategy for
pairwise preference aggregation, NeurIPS 2018.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.special import expit

from benchmarks.contest.crowds import Pairs
from benchmarks.contest.rivals.entrant import Allowed, Pair, TreeBatch, random_argmax

MOST_STEPS = 20
SMALL = 1e-4  # a step in logits that changes no choice
START = 0.5  # wins of either item of every pair before the first vote, as the authors start
AT_ONCE = 20_000  # pairs whose integrals are computed together, to save memory
NODES, WEIGHTS = hermegauss(15)
WEIGHTS = WEIGHTS / WEIGHTS.sum()


def choice_information(mean: np.ndarray, deviation: np.ndarray) -> np.ndarray:
    """H(E p) - E H(p) for p = 1 / (1 + exp(-x)), x normal, by Gauss-Hermite quadrature.

    H(p) = -p ln p - (1 - p) ln (1 - p) is ln(1 + e) + a e / (1 + e) with a = |x|, e = exp(-a).
    """
    x = mean[:, None] + deviation[:, None] * NODES
    a = np.abs(x)
    e = np.exp(-a)
    unlikelier = e / (1 + e)
    entropy = (np.log1p(e) + a * unlikelier) @ WEIGHTS
    p = np.where(x > 0, 1 - unlikelier, unlikelier) @ WEIGHTS
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return np.asarray(-p * np.log(p) - (1 - p) * np.log1p(-p) - entropy)


class LaplacePosterior:
    """Bradley-Terry scores and inverse curvature; each fit starts from the last mode."""

    def __init__(self, n: int) -> None:
        self.mean = np.zeros(n)
        self._wins = np.full((n, n), START)
        np.fill_diagonal(self._wins, 0.0)
        self.settle()

    def learn(self, i: int, j: int, outcome: float) -> None:
        """An answer; `settle` takes it in."""
        self._wins[i, j] += (1 + outcome) / 2
        self._wins[j, i] += (1 - outcome) / 2

    def settle(self) -> None:
        """Find the mode by Newton's method; scores sum to 0."""
        n = len(self.mean)
        games = self._wins + self._wins.T
        for _ in range(MOST_STEPS):
            p = expit(self.mean[:, None] - self.mean)
            slope = (self._wins - games * p).sum(axis=1)
            weights = games * p * p.T
            curvature = 1 / n - weights  # 1 / n holds the sum, which votes do not tell
            curvature[np.diag_indices(n)] += weights.sum(axis=1)
            self.covariance = np.linalg.inv(curvature)
            step = self.covariance @ slope
            self.mean = self.mean + step
            if np.abs(step).max() < SMALL:
                break

    def gains(self, allowed: Allowed) -> np.ndarray:
        """Return the expected information of the allowed pairs."""
        i, j, covariance = allowed.i, allowed.j, self.covariance
        variance = np.diag(covariance)
        deviation = np.sqrt(variance[i] + variance[j] - 2 * covariance[i, j])
        found = np.empty(len(i))
        for start in range(0, len(i), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            found[some] = choice_information(
                self.mean[i[some]] - self.mean[j[some]], deviation[some]
            )
        return found


class HybridMST:
    """The most informative pair until there are as many votes as pairs, and trees afterwards.

    Parameters
    ----------
    trees_only
        Play trees from the first vote on, as the authors do in batches.
    """

    def __init__(self, n: int, rng: np.random.Generator, *, trees_only: bool = False) -> None:
        self._rng = rng
        self._allowed = Allowed(n)
        self._posterior = LaplacePosterior(n)
        self._tree = TreeBatch()
        self._left_before_trees = 0 if trees_only else n * (n - 1) // 2

    def ask(self, candidates: Pairs | None, pending: Sequence[Pair] = ()) -> Pair:
        """The pair to show next."""
        allowed = self._allowed.read(candidates)
        if self._left_before_trees <= 0:
            pair = self._tree.next(allowed)
            if pair is not None:
                return pair
        self._posterior.settle()
        gains = self._posterior.gains(allowed)
        if self._left_before_trees <= 0:
            self._tree.plant(allowed, gains, self._rng)
            pair = self._tree.next(allowed)
            if pair is not None:
                return pair
        return allowed.pair(random_argmax(np.round(gains, 12), self._rng))

    def tell(self, pair: Pair, outcome: float, worker: str | None) -> None:
        """An answer."""
        self._posterior.learn(*pair, outcome)
        self._left_before_trees -= 1
