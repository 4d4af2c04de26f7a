"""What rank-targeted samplers share: a probit posterior, and the pair that repairs most of
the order.

An answer's label moves the variances of a probit posterior, so what a pending pair will do is
known on average only: it adds its expected precision to a copy of the posterior.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.posterior import probit, resistance
from hodgerank.kernels.selection import misordering, pruned_search
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.designs.dense import enlarge, prior_resistance
from hodgerank.sampling.designs.design import AnswerBatch, Design
from hodgerank.types import FloatArray, IntArray, Item

EXACT_ORDER = 400  # items up to which a pair counts for the order of all; the rest is O(n^3)


class ProbitPosterior:
    """Scores with prior N(0, variance) under P(i beats j) = Phi(x_i - x_j), answer by answer."""

    def __init__(self, n: int, variance: float) -> None:
        self.variance = variance
        self.mean = np.zeros(n)
        self.C = prior_resistance(n, variance)
        self.evidence = 0.0
        self.response = np.empty(n)

    def learn(self, i: int, j: int, outcome: float, weight: float) -> float:
        """One answer; returns a where S became S - a s s^T with s = `response`."""
        evidence, a = probit.assimilate(self.C, self.mean, self.response, i, j, outcome, 1 / weight)
        self.evidence += evidence
        return a

    def learn_many(self, answers: AnswerBatch) -> None:
        """Answers in the order they came."""
        i, j, outcome, weight, _ = answers
        self.evidence += probit.assimilate_all(
            self.C, self.mean, self.response, i, j, outcome, 1 / weight
        )

    def enlarge(self) -> None:
        """Make room for one more item."""
        self.C = enlarge(self.C, self.variance)
        self.mean = np.append(self.mean, 0.0)
        self.response = np.empty(len(self.mean))


class OrderCriterion:
    """The pair whose answer most reduces the expected number of misordered pairs.

    Its weights are those of the posterior it was built from; answers since then change the
    variances they are applied to, exactly, but not the weights. Beyond `EXACT_ORDER` items a pair
    counts for its own order alone.
    """

    def __init__(self, posterior: ProbitPosterior) -> None:
        n = len(posterior.mean)
        self.posterior = posterior
        self._weighs_all = n <= EXACT_ORDER
        self._R = posterior.C
        if self._weighs_all:
            with few_threads(n):
                self._R = misordering.order_relevance(posterior.C, posterior.mean)
        self._q = np.empty(n)
        self._leaders = np.zeros(n, np.int64)
        self._pending: tuple[FloatArray, FloatArray] | None = None  # C and R with what is out

    def follow(self, i: int, j: int, a: float) -> None:
        """The posterior has learned an answer."""
        self._pending = None
        if self._weighs_all:
            misordering.follow(self._R, self.posterior.response, self._q, i, j, a)

    def expect(self, i: int, j: int, times: int) -> None:
        """A pair goes out so many times, or comes back unanswered where negative."""
        base = self.posterior
        if self._pending is None:
            C = base.C.copy()
            self._pending = C, self._R.copy() if self._weighs_all else C
        precision = times * probit.expected_precision(base.C[i, j], base.mean[i] - base.mean[j])
        C, R = self._pending
        if self._weighs_all:
            misordering.expect_order(C, R, base.response, self._q, i, j, precision)
        else:
            resistance.expect(C, base.response, i, j, 1 / precision)

    def expect_exactly(self, out: Counter[tuple[int, int]]) -> None:
        """These pairs are out, and no others."""
        if not out:
            self._pending = None
        elif self._pending is None:
            for (i, j), times in out.items():
                self.expect(i, j, times)

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Expected fall of the number of misordered pairs."""
        C, R = self._pending or (self.posterior.C, self._R)
        mean = self.posterior.mean
        return np.asarray(pruned_search.gains_of_pairs(pruned_search.ORDER, 0, C, R, mean, i, j))

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The pair whose answer is expected to put most pairs in order."""
        C, R = self._pending or (self.posterior.C, self._R)
        return pruned_search.best_pair(
            pruned_search.ORDER, 0, C, R, self.posterior.mean, blocked.matrix, bool(blocked), key,
            self._leaders,
        )  # fmt: skip


Choice = Callable[[Sequence[ProbitPosterior], int], ProbitPosterior]


def most_evident(bank: Sequence[ProbitPosterior], n_learned: int) -> ProbitPosterior:
    """The posterior whose prior the answers speak for."""
    return max(bank, key=lambda posterior: posterior.evidence)


class OrderDesign(Design):
    """Rank-targeted choice on one of a bank of probit posteriors.

    Which posterior, and its weights, are settled anew every n/10 answers, counted from the first:
    what is asked depends on the answers, not on when somebody asked.

    Parameters
    ----------
    n
        Number of items.
    variances
        Of the priors, one for each posterior of the bank.
    choose
        From the bank and the number of answers to the posterior that is designed for.
    """

    def __init__(self, n: int, variances: Sequence[float], choose: Choice = most_evident) -> None:
        super().__init__()
        self.bank = [ProbitPosterior(n, variance) for variance in variances]
        self.n_learned = 0
        self._choose = choose
        self._criterion: OrderCriterion | None = None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.bank[0].mean)

    @property
    def best(self) -> ProbitPosterior:
        """The posterior whose prior the answers speak for."""
        return most_evident(self.bank, self.n_learned)

    @property
    def criterion(self) -> OrderCriterion:
        """Up to date with the answers."""
        if self._criterion is None:
            self._criterion = OrderCriterion(self._choose(self.bank, self.n_learned))
        return self._criterion

    def _learn(
        self, i: int, j: int, outcome: float, weight: float, worker: Item | None, was_out: bool
    ) -> None:
        """Filter the answer into every posterior."""
        criterion = self.criterion
        for posterior in self.bank:
            a = posterior.learn(i, j, outcome, weight)
            if posterior is criterion.posterior:
                criterion.follow(i, j, a)
        self.n_learned += 1
        if self.n_learned % self._interval == 0:
            self._criterion = None

    def _learn_many(self, answers: AnswerBatch) -> None:
        """At once up to the last time the criterion is settled, without those nobody asked for."""
        total = self.n_learned + len(answers.i)
        k = max(0, total - total % self._interval - self.n_learned)
        if k:
            for posterior in self.bank:
                posterior.learn_many(answers.part(0, k))
            self.n_learned += k
            self._criterion = None
        super()._learn_many(answers.part(k))

    @property
    def _interval(self) -> int:
        return max(1, self.n_items // 10)

    def _expect(self, i: int, j: int) -> None:
        """A pair that is out counts with the precision it will add on average."""
        self._ready().expect(i, j, 1)

    def _withdraw(self, i: int, j: int) -> None:
        self._ready().expect(i, j, -1)

    def _ready(self) -> OrderCriterion:
        self.criterion.expect_exactly(self.out)
        return self.criterion

    def enlarge(self) -> None:
        """Make room for one more item."""
        for posterior in self.bank:
            posterior.enlarge()
        self._criterion = None

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Expected fall of the number of misordered pairs."""
        return self._ready().gains(i, j)

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The pair whose answer is expected to put most pairs in order."""
        return self._ready().search(blocked, key)
