"""DensePosterior: the exact Gaussian posterior, and the pair of largest expected change."""

from __future__ import annotations

from typing import Literal

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.kernels import posterior
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.selection import information, pair_search
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import FloatArray, IntArray

MAX_ITEMS = 10_000  # beyond, matrices over all pairs are too large: 0.8 GB each here
LINK_CODES = {
    "uniform": information.UNIFORM,
    "thurstone-mosteller": information.NORMAL,
    "angular": information.ANGULAR,
}


def prior_resistance(n: int, variance: float) -> FloatArray:
    """Return the prior variances of all differences."""
    if n > MAX_ITEMS:
        raise InvalidArgument(
            f"{n:,} items: the variances of all differences are limited to {MAX_ITEMS:,} items; "
            "for more use BayesianSampler with its matrix-free engine, and `ranking()` for scores"
        )
    return np.full((n, n), 2 * variance)


def enlarge(C: FloatArray, variance: float) -> FloatArray:
    """Add an item to C with its prior variance.

    The common level of the scores is not identified: its variance stays that of the prior, so the
    variance of an item is that of its centred score plus variance / n.
    """
    n = len(C)
    larger = np.zeros((n + 1, n + 1))
    larger[:n, :n] = C
    if n:
        own = np.diag(posterior.covariance_of(C)) + variance / n
        larger[:n, n] = own + variance
    return larger


class DensePosterior(Design):
    """Scores with prior N(m, 1/g), votes y = x_i - x_j + noise: exact, O(n^2) per vote.

    Pending pairs reduce `_expected`, the variances used to choose the next pair; `C` and `mean`
    depend on the votes only.

    Parameters
    ----------
    prior_mean, ridge
        m and g.
    criterion
        The gain: 'paper' is the expected information as printed, 'clamped' the same formula with
        the variance of a vote instead of its mean square, 'variance' is C, which is D-optimal.
    link
        The link from differences to preferences, for the variance of a vote.
    """

    def __init__(
        self,
        prior_mean: FloatArray,
        ridge: float,
        *,
        criterion: Literal["clamped", "paper", "variance"] = "clamped",
        link: str = "uniform",
    ) -> None:
        super().__init__()
        n = len(prior_mean)
        self.criterion = criterion
        self.C = prior_resistance(n, 1 / ridge)
        self.mean = prior_mean.copy()
        self._rule = pair_search.PAPER if criterion == "paper" else pair_search.CLAMPED
        self._link = LINK_CODES[link]
        self._g = ridge
        self._prior_mean = prior_mean
        self._expected: FloatArray | None = None
        # The normal equations, for a new solution when many votes come at once.
        self._adjacency = np.zeros((n, n))
        self._force = np.zeros(n)
        self._make_room()

    def _make_room(self) -> None:
        n = len(self.mean)
        self._s = np.empty(n)
        self._leaders = np.zeros(n, np.int64)

    def _learn(self, vote: Vote, was_out: bool) -> None:
        """If the pair was pending, the vote changes the mean only."""
        i, j, outcome, weight, *_ = vote
        posterior.learn_and_count(
            self.C, self.mean, self._s, self._adjacency, self._force, i, j, outcome, weight
        )
        if self._expected is None:
            return
        noise = 1 / weight
        if was_out and not self.out:
            self._expected = None  # `C` is the same without rounding
        elif not was_out:
            posterior.expect(self._expected, self._s, i, j, noise)
        elif noise != 1:
            posterior.withdraw(self._expected, self._s, i, j, 1.0)
            posterior.expect(self._expected, self._s, i, j, noise)

    def _learn_many(self, answers: VoteBatch) -> None:
        """Update vote by vote if they are few, else by an equivalent O(n^3) solution."""
        n = len(self.mean)
        i, j, outcome, weight, *_ = answers
        self._adjacency += np.bincount(i * n + j, weight, minlength=n * n).reshape(n, n)
        self._force += np.bincount(i, weight * outcome, minlength=n)
        self._force -= np.bincount(j, weight * outcome, minlength=n)
        if len(i) < n:
            posterior.learn_many(self.C, self.mean, self._s, i, j, outcome, 1 / weight)
            return
        self._solve()

    def _laplacian(self) -> FloatArray:
        laplacian = -self._adjacency - self._adjacency.T
        laplacian[np.diag_indices(len(laplacian))] = -laplacian.sum(axis=0)
        return laplacian

    def _solve(self) -> None:
        """Compute C and the mean from all votes."""
        n, laplacian = len(self.mean), self._laplacian()
        # The common level of the scores is not identified: any regular value will do for it.
        common = (self._g + np.trace(laplacian) / n) / n
        with few_threads(n):
            covariance = np.linalg.inv(laplacian + self._g * np.eye(n) + common)
        # The deviation of the votes from the prior moves the mean.
        news = self._force - laplacian @ self._prior_mean
        self.mean = self._prior_mean + covariance @ news
        self.C = posterior.resistance_of(covariance)

    def _expect(self, i: int, j: int) -> None:
        if self._expected is not None:
            posterior.expect(self._expected, self._s, i, j, 1.0)

    def _withdraw(self, i: int, j: int) -> None:
        if self.out.total() == 1:
            self._withdraw_all()
        elif self._expected is not None:
            posterior.withdraw(self._expected, self._s, i, j, 1.0)

    def _withdraw_all(self) -> None:
        self._expected = None

    def _in_force(self) -> FloatArray:
        """Return C with pending pairs, computed only when it is needed."""
        if self._expected is None and self.out:
            self._expected = self.C.copy()
            i, j = np.array(list(self.out.elements()), np.int64).T.copy()
            posterior.expect_many(self._expected, self._s, i, j, 1.0)
        return self.C if self._expected is None else self._expected

    def enlarge(self) -> None:
        """Add an item with prior mean 0."""
        self.C = enlarge(self.C, 1 / self._g)
        self.mean = np.append(self.mean, 0.0)
        self._prior_mean = np.append(self._prior_mean, 0.0)
        self._adjacency = np.pad(self._adjacency, (0, 1))
        self._force = np.append(self._force, 0.0)
        self._make_room()

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the criterion of each pair."""
        C = self._in_force()
        if self.criterion == "variance":
            return np.asarray(C[i, j])
        return np.asarray(pair_search.gains_of_pairs(self._rule, self._link, C, C, self.mean, i, j))

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the pair of largest criterion, (-1, -1) if all are blocked."""
        C = self._in_force()
        if self.criterion == "variance":
            return information.widest_pair(C, blocked.matrix, bool(blocked), key)
        return pair_search.best_pair(
            self._rule, self._link, C, C, self.mean, blocked.matrix, bool(blocked), key,
            self._leaders,
        )  # fmt: skip

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return the pairs of largest criterion, each with the earlier ones pending."""
        if self._expected is None:
            self._expected = self._in_force().copy()
        return self._found_in_turn(
            *pair_search.dense_pairs(
                self.criterion == "variance", self._rule, self._link, self._expected, self.mean,
                self._s, self._leaders, blocked.matrix_to_change() if once else blocked.matrix,
                once or bool(blocked), once, np.array(keys, np.int64),
            ),
            len(keys),
        )  # fmt: skip

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the centred scores."""
        return np.asarray(posterior.covariance_of(self.C))
