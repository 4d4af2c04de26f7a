"""WorkerChoice: how closely each worker follows the ranking, and who should answer next."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from hodgerank.errors import NothingToAsk
from hodgerank.sampling.answers import History
from hodgerank.sampling.designs.design import Vote
from hodgerank.sampling.designs.matrix_free_posterior import MatrixFreePosterior, gaussian_posterior
from hodgerank.types import FloatArray, Item, Pair

PRIOR = 2.0  # kappa: squared predictions that the prior slope of 1 is worth
LEAST = 0.05  # slope below which a vote says nothing about the scores
STANDARD_NORMAL = NormalDist()


class Assignment(NamedTuple):
    """A worker and the pair to be shown to this worker, from `Sampler.assign`.

    >>> worker, pair = Assignment("ann", Pair("tea", "milk"))
    >>> worker
    'ann'
    """

    worker: Item
    pair: Pair


class Slope(NamedTuple):
    """The slope of a worker's votes on their predictions, and its standard deviation."""

    mean: float
    deviation: float


class WorkerChoice:
    """Slopes of workers, from predictions made before each vote, [Xu18] triplets.

    A vote y of worker w on a difference d^T x is modelled as y = a_w d^T x + noise of variance 1.
    Before the vote, the posterior mean of the scores predicts p = d^T mu. The regression through
    the origin with the prior N(1, 1/kappa) has the posterior

        a_w ~ N( (sum y p + kappa) / (sum p^2 + kappa), 1 / (sum p^2 + kappa) ).

    The vote then moves the scores with the slope known before it: precision a^2, outcome y / a. It
    says nothing about them if a is close to 0 or negative. A vote of w on a pair of variance R has
    the expected information 1/2 ln(1 + a_w^2 R).
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._n_votes = 0  # learned
        self._n_items = 0
        self._design = gaussian_posterior(np.zeros(0), 1.0, criterion="variance")
        self._sums: dict[Item, tuple[float, float]] = {}  # of y p and of p^2

    def learn(self, history: History, n_items: int) -> None:
        """Learn the votes that are not known yet, in order."""
        if not self._n_votes:
            self._n_items = n_items
            self._design = gaussian_posterior(np.zeros(n_items), 1.0, criterion="variance")
        while self._n_items < n_items:
            self._design.expect_exactly([])
            self._design.enlarge()
            self._n_items += 1
        for vote in history.since(self._n_votes).rows():
            self._learn(vote)
        self._n_votes = len(history)

    def _learn(self, vote: Vote) -> None:
        i, j, outcome, weight, worker, _ = vote
        slope = 1.0
        if worker is not None:
            slope = self.slope(worker).mean
            products, squares = self._sums.get(worker, (0.0, 0.0))
            prediction = float(self._mean[i] - self._mean[j])
            products += weight * outcome * prediction
            self._sums[worker] = products, squares + weight * prediction**2
        if slope > LEAST:
            self._design.learn(vote._replace(outcome=outcome / slope, weight=weight * slope**2))

    @property
    def _mean(self) -> FloatArray:
        design = self._design
        return design.running_mean if isinstance(design, MatrixFreePosterior) else design.mean

    def slope(self, worker: Item) -> Slope:
        """Return the slope of a worker; that of a new one is 1, and uncertain."""
        products, squares = self._sums.get(worker, (0.0, 0.0))
        return Slope((products + PRIOR) / (squares + PRIOR), (squares + PRIOR) ** -0.5)

    def draw(self, worker: Item, step: int) -> float:
        """Return a slope drawn from its posterior; a function of seed, step and worker."""
        text = f"{self._seed} {step} {worker!r}".encode()
        number = int.from_bytes(hashlib.blake2b(text, digest_size=6).digest())
        mean, deviation = self.slope(worker)
        return mean + deviation * STANDARD_NORMAL.inv_cdf((number + 0.5) / 2**48)

    def assign(
        self,
        workers: Iterable[Item],
        pending: list[tuple[int, int]],
        ask: Callable[[Item], tuple[Pair, tuple[int, int]]],
    ) -> Assignment:
        """Return the worker and the pair of largest gain, by slopes drawn from their posteriors.

        `ask` returns the pair that a worker would be shown, and its positions i < j. Workers are
        tried in the order of their slopes, until no pair of the others could be worth more.
        """
        step = self._n_votes + len(pending)
        drawn = [(self.draw(worker, step), worker) for worker in dict.fromkeys(workers)]
        self._design.expect_exactly(pending)
        most_variance, best, most = self._most_variance, None, -1.0
        nothing: NothingToAsk | None = None
        for slope, worker in sorted(drawn, key=lambda each: -each[0]):
            if best is not None and _information(slope, most_variance) <= most:
                break
            try:
                pair, (i, j) = ask(worker)
            except NothingToAsk as error:
                nothing = nothing or error
                continue
            variance = float(self._design.gains(np.array([i]), np.array([j]))[0])
            if (gain := _information(slope, variance)) > most:
                best, most = Assignment(worker, pair), gain
        if best is not None:
            return best
        assert nothing is not None
        raise nothing

    @property
    def _most_variance(self) -> float:
        """An upper bound of the variance of any difference."""
        design = self._design
        if isinstance(design, MatrixFreePosterior):
            return 2 * float(design.running_variance.max(initial=0.0))
        return float(design.C.max(initial=0.0))


def _information(slope: float, variance: float) -> float:
    """1/2 ln(1 + a^2 R); nothing is learned if the slope is negative."""
    return 0.5 * math.log1p(max(slope, 0.0) ** 2 * variance)
