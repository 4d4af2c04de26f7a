"""CrowdBTSampler: the baseline of the paper, [Chen13]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from hodgerank.errors import InvalidArgument, require_positive
from hodgerank.estimators.crowd_bt import CrowdBTRanking, crowd_bt
from hodgerank.kernels import crowd_bt as kernels
from hodgerank.sampling.candidates import AnyPair, Candidates, ListedPairs
from hodgerank.sampling.designs.design import Design, Posterior, Vote
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.sampling.sampler import Sampler, WorkerWeights
from hodgerank.types import FloatArray, IntArray, Item

MOST_REPEATS = 100.0  # larger weights make no difference to independent scores


class CrowdBTDesign(Design):
    """Independent Gaussian scores and a Beta reliability per worker.

    A vote between -1 and 1 is split: (1+y)/2 of the step for i, (1-y)/2 of that for j.
    """

    def __init__(
        self, n: int, prior_variance: float, reliability: tuple[float, float], exploration: float
    ) -> None:
        super().__init__()
        self.mu = np.zeros(n)
        self.var = np.full(n, prior_variance)
        self._prior_variance = prior_variance
        self._prior_worker = reliability
        self._workers: dict[Item | None, tuple[float, float]] = {}
        self._exploration = exploration
        self._expected: FloatArray | None = None
        self.worker: Item | None = None
        """The worker who will answer."""

    def reliability(self, worker: Item | None) -> tuple[float, float]:
        """Return alpha and beta of a worker."""
        return self._workers.get(worker, self._prior_worker)

    def _learn(self, vote: Vote, was_out: bool) -> None:
        """Update the two scores and the worker's reliability, with weight w as w votes."""
        weight = min(vote.weight, MOST_REPEATS)
        while weight > 0:
            part = min(weight, 1.0)
            self._move(vote.i, vote.j, (1 + vote.outcome) / 2, part, vote.worker)
            weight -= 1
        self._expected = None

    def _move(self, i: int, j: int, share: float, part: float, worker: Item | None) -> None:
        """Take `part` of the step of one vote, `share` of which is for i."""
        mu, var = self.mu, self.var
        alpha, beta = self.reliability(worker)
        c = kernels.agreement(mu[i], mu[j], var[i], var[j])
        won = kernels.score_update(mu[i], mu[j], var[i], var[j], alpha, beta)
        lost = _swapped(kernels.score_update(mu[j], mu[i], var[j], var[i], alpha, beta))
        agreed = kernels.worker_update(c, alpha, beta)
        opposed = kernels.worker_update(1 - c, alpha, beta)
        before = np.array([mu[i], mu[j], var[i], var[j], alpha, beta])
        after = share * np.array([*won, *agreed]) + (1 - share) * np.array([*lost, *opposed])
        mu[i], mu[j], var[i], var[j], alpha, beta = before + part * (after - before)
        self._workers[worker] = (float(alpha), float(beta))

    def _expect(self, i: int, j: int) -> None:
        """Count a pending pair with its mean effect on the variances."""
        self._expected = None

    def _withdraw(self, i: int, j: int) -> None:
        self._expected = None

    def enlarge(self) -> None:
        """Add an item."""
        self.mu = np.append(self.mu, 0.0)
        self.var = np.append(self.var, self._prior_variance)
        self._expected = None

    def _variances(self) -> FloatArray:
        """Return the variances with pending pairs, in an order that does not depend on time."""
        if self._expected is None:
            self._expected = self.var.copy()
            for i, j in sorted(self.out.elements()):
                kernels.expect_crowd(self.mu, self._expected, i, j, *self._prior_worker)
        return self._expected

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the expected divergence of the posterior from the current one."""
        worker = self.reliability(self.worker)
        return np.asarray(
            kernels.crowd_gain_of_pairs(
                self.mu, self._variances(), i, j, *worker, self._exploration
            )
        )

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the pair of largest gain."""
        worker = self.reliability(self.worker)
        return kernels.best_crowd_pair(
            self.mu,
            self._variances(),
            *worker,
            self._exploration,
            blocked.matrix,
            bool(blocked),
            key,
        )


def _swapped(update: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    return update[1], update[0], update[3], update[2]


class CrowdBTSampler(Sampler):
    """Crowd-BT, [Chen13]: expected information about scores and worker reliability.

    Scores are independent Gaussians, so a vote has no effect on other items. It is the baseline of
    [Xu18]. `ask(worker=...)` uses the reliability of that worker.

    Parameters
    ----------
    items, seed, display, candidates
        As in `Sampler`.
    ridge
        Prior precision of the scores.
    reliability
        Beta parameters of a new worker's reliability.
    exploration
        Weight of the information about the worker.

    Examples
    --------
    >>> sampler = CrowdBTSampler(["tea", "milk", "cola"], seed=7)
    >>> sampler.tell(("tea", "milk"), +1, worker="ann")
    >>> "cola" in sampler.ask(worker="ben")
    True
    """

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        ridge: float = 1.0,
        reliability: tuple[float, float] = (10.0, 1.0),
        exploration: float = 0.0,
        display: Display = "balanced",
        candidates: Candidates = None,
    ) -> None:
        super().__init__(items, seed, display, candidates)
        self._ridge = require_positive(ridge, "ridge")
        alpha, beta = (require_positive(value, "reliability") for value in reliability)
        self._reliability = alpha, beta
        self._exploration = max(float(exploration), 0.0)
        self._design: CrowdBTDesign = CrowdBTDesign(
            len(self._items), 1 / self._ridge, self._reliability, self._exploration
        )

    @classmethod
    def seconds_per_answer(cls, n_items: int) -> float:
        """Return the approximate time per vote of `tell_many`."""
        return 1e-5

    @property
    def name(self) -> str:
        """The name in `build_sampler`."""
        return "crowd-bt"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """Return a sampler of the same kind for other items."""
        return type(self)(
            items, seed=seed, ridge=self._ridge, reliability=self._reliability,
            exploration=self._exploration, display=self.display,
        )  # fmt: skip

    def _prepare(self, worker: Item | None, allowed: AnyPair | ListedPairs) -> None:
        self._design.worker = worker

    def ranking(
        self, *, confidence: float = 0.95, worker_weights: WorkerWeights = "trust"
    ) -> CrowdBTRanking:
        """Rank all items by `crowd_bt`, which weights workers by its own reliability only."""
        if worker_weights != "trust":
            raise InvalidArgument(
                "crowd_bt weights workers by its own reliability: leave out worker_weights"
            )
        return crowd_bt(self.votes, confidence=confidence)

    def reliability(self, worker: Item | None = None) -> float:
        """Return the estimated share of a worker's votes that agree with the crowd."""
        alpha, beta = self._design.reliability(worker)
        return alpha / (alpha + beta)

    @property
    def posterior(self) -> Posterior:
        """Posterior of the scores: independent Gaussians on the logistic scale."""
        return Posterior(self.items, self._design.mu.copy(), np.diag(self._design.var))
