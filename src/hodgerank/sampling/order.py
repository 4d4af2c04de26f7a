"""What rank-targeted samplers share: a probit posterior, and the pair that mends most of the order.

An answer's label moves the variances of a probit posterior, so what a pending pair will do is
known on average only: it adds its expected precision to a copy of the posterior.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from hodgerank.kernels import misordering, probit, resistance
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.design import Answers
from hodgerank.sampling.posterior import enlarge, prior_resistance
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

    def learn(self, i: int, j: int, outcome: float, noise: float) -> float:
        """One answer; returns a where S became S - a s s^T with s = `response`."""
        evidence, a = probit.assimilate(self.C, self.mean, self.response, i, j, outcome, noise)
        self.evidence += evidence
        return a  # type: ignore[no-any-return]

    def learn_many(self, answers: Answers) -> None:
        """Answers in the order they came."""
        self.evidence += probit.assimilate_all(self.C, self.mean, self.response, *answers[:4])

    def enlarge(self) -> None:
        """One more item."""
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
        self._R = (
            misordering.order_relevance(posterior.C, posterior.mean)
            if self._weighs_all
            else posterior.C
        )
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
        return np.asarray(misordering.order_gain_of_pairs(C, R, self.posterior.mean, i, j))

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The best pair."""
        C, R = self._pending or (self.posterior.C, self._R)
        return misordering.most_ordering_pair(  # type: ignore[no-any-return]
            C, R, self.posterior.mean, blocked.matrix, bool(blocked), key, self._leaders
        )


class OrderDesign:
    """Rank-targeted choice on one of a bank of probit posteriors. A design, see `Design`.

    Which posterior, and its weights, are settled anew every n/10 answers, counted from the first:
    what is asked depends on the answers, not on when somebody asked.
    """

    def __init__(self, n: int, variances: Sequence[float]) -> None:
        self.bank = [ProbitPosterior(n, variance) for variance in variances]
        self.n_learned = 0
        self._criterion: OrderCriterion | None = None
        self._out: Counter[tuple[int, int]] = Counter()

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.bank[0].mean)

    @property
    def best(self) -> ProbitPosterior:
        """The posterior whose prior the answers speak for."""
        return max(self.bank, key=lambda posterior: posterior.evidence)

    def choose_posterior(self) -> ProbitPosterior:
        """The posterior to design for."""
        return self.best

    @property
    def criterion(self) -> OrderCriterion:
        """Up to date with the answers."""
        if self._criterion is None:
            self._criterion = OrderCriterion(self.choose_posterior())
        return self._criterion

    def learn(
        self, i: int, j: int, outcome: float, noise: float, worker: Item | None, was_out: bool
    ) -> None:
        """Filter it into every posterior."""
        criterion = self.criterion
        for posterior in self.bank:
            a = posterior.learn(i, j, outcome, noise)
            if posterior is criterion.posterior:
                criterion.follow(i, j, a)
        self.n_learned += 1
        if self.n_learned % self._interval == 0:
            self._criterion = None
        if was_out:
            self._out -= Counter({(i, j): 1})

    def learn_many(self, answers: Answers) -> None:
        """At once up to the last time the criterion is settled, without those nobody asked for."""
        total = self.n_learned + len(answers.i)
        k = max(0, total - total % self._interval - self.n_learned)
        if k:
            for posterior in self.bank:
                posterior.learn_many(answers.part(0, k))
            self.n_learned += k
            self._criterion = None
        for row in answers.part(k).rows():
            OrderDesign.learn(self, *row, was_out=False)

    @property
    def _interval(self) -> int:
        return max(1, self.n_items // 10)

    def expect(self, i: int, j: int) -> None:
        """A pair is out: it counts with the precision it will add on average."""
        self._ready().expect(i, j, 1)
        self._out[i, j] += 1

    def withdraw(self, i: int, j: int) -> None:
        """It will not be answered."""
        self._ready().expect(i, j, -1)
        self._out -= Counter({(i, j): 1})

    def _ready(self) -> OrderCriterion:
        self.criterion.expect_exactly(self._out)
        return self.criterion

    def enlarge(self) -> None:
        """One more item."""
        for posterior in self.bank:
            posterior.enlarge()
        self._criterion = None

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Expected fall of the number of misordered pairs."""
        return self._ready().gains(i, j)

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The best pair."""
        return self._ready().search(blocked, key)
