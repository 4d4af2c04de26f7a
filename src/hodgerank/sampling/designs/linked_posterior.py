"""LinkedPosterior: expected information with any symmetric link, noise and prior covariance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from hodgerank.display import short
from hodgerank.errors import InvalidArgument, require_one_of, require_positive
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.links import LINKS
from hodgerank.kernels.posterior import resistance_of
from hodgerank.kernels.selection import information
from hodgerank.sampling.designs.dense_posterior import DensePosterior
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import FloatArray, IntArray

MOST_ITEMS = 3000
PRIOR_VOTES = 3.0  # votes of noise variance 1 that an estimate of the noise starts from
SYMMETRY = 1e-9

Cdf: TypeAlias = Callable[[FloatArray], FloatArray]
Noise: TypeAlias = float | Literal["estimate"]


def read_link(link: Any) -> Cdf:
    """Return the distribution function of a link: a name, a function, or an object with `cdf`."""
    if isinstance(link, str):
        return LINKS[require_one_of(link, LINKS, "link")].cdf
    cdf = getattr(link, "cdf", link)
    if not callable(cdf):
        raise InvalidArgument(
            f"link must be one of {', '.join(LINKS)}, a symmetric distribution function, or an "
            f"object with `cdf`, not {short(repr(link))}"
        )
    t = np.concatenate([[-100.0], np.linspace(-10.0, 10.0, 401), [100.0]])
    try:
        p = np.asarray(cdf(t.copy()), float)
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"link must map an array to an array, but: {error}") from None
    faults = {
        "must map an array to an array of the same shape": p.shape != t.shape,
        "must return probabilities": p.shape == t.shape and not ((p >= 0) & (p <= 1)).all(),
    }
    if not any(faults.values()):
        is_symmetric = np.abs(p + p[::-1] - 1).max() <= SYMMETRY
        faults["must be symmetric: link(t) + link(-t) = 1"] = not is_symmetric
        faults["must not decrease"] = bool((np.diff(p) < -SYMMETRY).any())
        faults["must increase somewhere"] = p[-1] <= p[0]
    for fault, is_found in faults.items():
        if is_found:
            raise InvalidArgument(f"link {fault}")
    found: Cdf = cdf
    return found


def read_noise(noise: Any) -> float | None:
    """Return the standard deviation of an outcome; None if it is to be estimated."""
    if isinstance(noise, str):
        require_one_of(noise, ("estimate",), "noise")
        return None
    return require_positive(noise, "noise")


def read_covariance(given: ArrayLike, n: int) -> FloatArray:
    """Return a covariance matrix of n scores from a matrix, or from their variances."""
    try:
        found = np.array(given, float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape == (n,):
        found = np.diag(found)
    if found.shape != (n, n) or not np.isfinite(found).all():
        raise InvalidArgument(
            f"prior_covariance must be a {n} x {n} matrix or {n} variances, in the order of the "
            "items"
        )
    scale = np.abs(found).max(initial=0.0)
    is_symmetric = np.abs(found - found.T).max(initial=0.0) <= 1e-9 * scale
    if not is_symmetric or np.linalg.eigvalsh(found).min(initial=np.inf) <= 1e-12 * scale:
        raise InvalidArgument(
            "prior_covariance must be symmetric and positive definite: add a small number to its "
            "diagonal, or check the signs off the diagonal"
        )
    return np.asarray((found + found.T) / 2)


class LinkedPosterior(DensePosterior):
    """The posterior of `DensePosterior` with any link, noise and prior covariance.

    Scores have the prior N(m, s^2 K) and votes the noise variance s^2, so means and K do not depend
    on s; it divides the mean square of a vote in the gain. Estimated, it is the mean of the squared
    prediction errors, each by its variance: with r the deviation of the votes from the prior and S
    the posterior of K, their sum is r^T r - r^T D0 S D0^T r, in any order of the votes.

    Parameters
    ----------
    prior_mean, prior_covariance
        m and K.
    cdf
        The link: P(i preferred) as a function of the difference.
    noise
        s; None to estimate it.
    criterion
        As in `DensePosterior`.
    """

    def __init__(
        self,
        prior_mean: FloatArray,
        prior_covariance: FloatArray,
        *,
        cdf: Cdf,
        noise: float | None,
        criterion: Literal["clamped", "paper"],
    ) -> None:
        n = len(prior_mean)
        if n > MOST_ITEMS:
            raise InvalidArgument(
                f"{n:,} items: this link, noise or prior covariance is limited to {MOST_ITEMS:,}; "
                "for more use link='uniform', noise=1 and a ridge"
            )
        super().__init__(prior_mean, 1.0, criterion=criterion)
        self._cdf, self._noise = cdf, noise
        self._prior = prior_covariance
        self.C = resistance_of(prior_covariance)
        self._n_votes, self._squares = 0, 0.0  # votes, and the sum of their weighted squares

    def _make_room(self) -> None:
        super()._make_room()
        self._all_pairs = np.triu_indices(len(self.mean), 1)

    def _learn(self, vote: Vote, was_out: bool) -> None:
        super()._learn(vote, was_out)
        self._n_votes += 1
        self._squares += vote.weight * vote.outcome**2

    def _learn_many(self, answers: VoteBatch) -> None:
        super()._learn_many(answers)
        self._n_votes += len(answers.outcome)
        self._squares += float(answers.weight @ answers.outcome**2)

    def _solve(self) -> None:
        """Compute C and the mean from all votes; only differences of the prior matter."""
        n = len(self.mean)
        prior = self._prior - self._prior.mean(axis=0)
        prior -= prior.mean(axis=1)[:, None]
        laplacian = self._laplacian()
        with few_threads(n):
            covariance = np.linalg.solve(np.eye(n) + prior @ laplacian, prior)
        self.mean = self._prior_mean + covariance @ (self._force - laplacian @ self._prior_mean)
        self.C = resistance_of((covariance + covariance.T) / 2)

    def enlarge(self) -> None:
        """Add an item, independent of the others, with prior mean 0 and their mean variance."""
        n = len(self._prior)
        super().enlarge()
        variance = float(np.trace(self._prior)) / n if n else 1.0
        self._prior = np.pad(self._prior, (0, 1))
        self._prior[n, n] = variance
        self._solve()

    @property
    def noise_variance(self) -> float:
        """Variance of an outcome, given or estimated."""
        if self._noise is not None:
            return self._noise**2
        laplacian = self._laplacian()
        news = self._force - laplacian @ self._prior_mean
        deviation = self._squares - self._prior_mean @ (self._force + news)
        errors = float(deviation - news @ (self.mean - self._prior_mean))
        return (PRIOR_VOTES + max(errors, 0.0)) / (PRIOR_VOTES + self._n_votes)

    def _values(self, C: FloatArray, D: FloatArray) -> FloatArray:
        """Return the gains of pairs with these variances and means of their differences."""
        lean = 2 * np.asarray(self._cdf(D), float) - 1
        v = 1 + D * (D - 2 * lean) if self.criterion == "paper" else 1 - lean * lean
        u = 1 / (1 + C)
        return np.asarray(0.5 * (v / self.noise_variance * C * u * u + np.log1p(C) - C * u))

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the criterion of each pair."""
        return self._values(self._in_force()[i, j], self.mean[i] - self.mean[j])

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the pair of largest criterion, (-1, -1) if all are blocked."""
        i, j = self._all_pairs
        values = np.zeros_like(self.C)
        values[i, j] = self.gains(i, j)
        return information.widest_pair(values, blocked.matrix, bool(blocked), key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Search one by one."""
        return Design.search_in_turn(self, blocked, keys, once=once)

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the centred scores."""
        return np.asarray(self.noise_variance * super().covariance)
