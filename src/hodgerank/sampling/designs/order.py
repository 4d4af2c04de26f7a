"""OrderDesign: a probit posterior, and the pair that corrects most of the order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.kernels import posterior
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.selection import misordering, pair_search
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.designs.probit_posteriors import (
    NEW,
    ProbitPosterior,
    ProbitPosteriors,
    Repetitions,
    all_new,
)
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import FloatArray, IntArray

EXACT_ORDER = 400  # largest n for which a pair counts for the order of all: O(n^3)


Weigh = Callable[[FloatArray, FloatArray], FloatArray]
"""From variances and means to the sensitivity of each pair's order to its variance."""


class OrderCriterion:
    """The pair whose vote most reduces the expected number of misordered pairs.

    The weights are those of the posterior at construction; later votes change the variances they
    are applied to, exactly, but not the weights. Beyond `EXACT_ORDER` items a pair counts only for
    its own order.

    The O(n^3) part, R, is computed on first use and updated from then on: it is never needed while
    a label-free design chooses.

    Attributes
    ----------
    counts_for_all
        Whether a pair counts for the order of all items.
    """

    def __init__(
        self, posterior: ProbitPosterior, repetitions: Repetitions | None, weigh: Weigh
    ) -> None:
        n = len(posterior.mean)
        self.posterior = posterior
        self.counts_for_all = n <= EXACT_ORDER
        self._repetitions = repetitions
        self._weigh = weigh
        self._weighed = (  # variances and means at which the weights are computed
            (posterior.C.copy(), posterior.mean.copy()) if self.counts_for_all else None
        )
        self._R: FloatArray | None = None
        self._q = np.empty(n)
        self._leaders = np.zeros(n, np.int64)
        self._pending: tuple[FloatArray, FloatArray] | None = None  # C and R with pending pairs
        self._out: dict[tuple[int, int], int] = {}  # the pending pairs in them
        self._asked: Repetitions | None = None  # votes, with pending pairs counted as votes
        self._discounted: tuple[IntArray, IntArray, FloatArray] | None = None

    def follow(self, i: int, j: int, a: float) -> None:
        """Update after the posterior has learned a vote."""
        self._forget_pending()
        if self._R is not None:
            misordering.follow(self._R, self.posterior.response, self._q, i, j, a)

    def _relevance(self, C: FloatArray) -> FloatArray:
        """Return R of the votes alone; C takes its place if a pair counts only for itself."""
        if self._weighed is not None:
            with few_threads(len(C)):
                self._R = misordering.relevance(C, self._weigh(*self._weighed))
            self._weighed = None
        return C if self._R is None else self._R

    def _forget_pending(self) -> None:
        self._pending = self._asked = None
        self._out = {}

    def expect(self, i: int, j: int) -> None:
        """Make a pair pending; deferred if nothing was computed since the last vote."""
        if self._pending is not None:
            self._expect({(i, j): 1})

    def withdraw(self, i: int, j: int) -> None:
        """Withdraw a pending pair."""
        if self._pending is not None:
            self._out[i, j] -= 1
            self._asked = None
            self._move([(i, j)], [self._times(i, j)], -1)

    def _expect(self, out: Mapping[tuple[int, int], int]) -> None:
        """Make pairs pending, each the given number of times."""
        pairs, times = list[tuple[int, int]](), list[int]()
        for (i, j), n_out in out.items():
            before = self._times(i, j)
            pairs += [(i, j)] * n_out
            times += range(before, before + n_out)
            self._out[i, j] = self._out.get((i, j), 0) + n_out
        if self._asked is not None:
            self._asked.add_pending(out)
        self._move(pairs, times, 1)

    def _times(self, i: int, j: int) -> int:
        """Return how often a pair was asked so far."""
        answered = 0 if self._repetitions is None else self._repetitions.before(i, j)[0]
        return answered + self._out.get((i, j), 0)

    def _move(self, pairs: list[tuple[int, int]], times: list[int], sign: int) -> None:
        base = self.posterior
        i, j = np.array(pairs, np.int64).T.copy()
        misordering.expect_all(
            *self._begin(), self.counts_for_all, base.C, base.mean, base.response, self._q,
            i, j, np.array(times, np.int64), self._rho, sign,
        )  # fmt: skip

    def _begin(self) -> tuple[FloatArray, FloatArray]:
        """Return C and R with pending pairs, to be updated."""
        if self._pending is None:
            C = self.posterior.C.copy()
            R = self._relevance(C)
            self._pending = C, C if R is C else R.copy()
        return self._pending

    @property
    def _rho(self) -> float:
        return 0.0 if self._repetitions is None else self.posterior.repetition

    def expect_exactly(self, out: Mapping[tuple[int, int], int]) -> None:
        """Make exactly these pairs pending."""
        if not out:
            self._forget_pending()
        elif self._pending is None:
            self._expect(out)

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the expected reduction of the number of misordered pairs."""
        C, R = self._in_force()
        gains = pair_search.gains_of_pairs(pair_search.ORDER, 0, C, R, self.posterior.mean, i, j)
        self._undo_discount(R)
        return np.asarray(gains)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the pair whose vote is expected to put most pairs in order."""
        C, R = self._in_force()
        found = pair_search.best_pair(
            pair_search.ORDER, 0, C, R, self.posterior.mean, blocked.matrix, bool(blocked), key,
            self._leaders,
        )  # fmt: skip
        self._undo_discount(R)
        return found

    def search_in_turn(
        self, blocked: BlockedPairs, keys: IntArray, *, once: bool
    ) -> tuple[IntArray, IntArray]:
        """Return such pairs, each with the earlier ones pending; if each counts for all."""
        base, n = self.posterior, len(self._q)
        C, R = self._begin()
        rho, row = self._rho, np.full((1, 1), -1, np.int32)
        asked_i = asked_j = times = np.empty(0, np.int64)
        n_asked = 0
        if self._repetitions is not None and rho:
            pairs = self._repetitions.with_pending(self._out).pairs
            asked_i, asked_j, times = (np.append(column, keys) for column in pairs)  # spare space
            n_asked = len(pairs[0])
            row = np.full((n, n), -1, np.int32)
            row[pairs[:2]] = np.arange(n_asked)
        i, j = pair_search.order_pairs(
            C, R, base.C, base.mean, base.response, self._q, self._leaders, rho, asked_i, asked_j,
            times, n_asked, row, blocked.matrix_to_change() if once else blocked.matrix,
            once or bool(blocked), once, keys,
        )  # fmt: skip
        n_out = len(keys) - 1  # at most
        for pair in zip(i[:n_out].tolist(), j[:n_out].tolist(), strict=True):
            self._out[pair] = self._out.get(pair, 0) + 1
        self._asked = None
        return i, j

    def _in_force(self) -> tuple[FloatArray, FloatArray]:
        """Return C and R with pending pairs; R of repeated pairs is discounted.

        The discount is written into R temporarily: see `_undo_discount`.
        """
        if self._pending is not None:
            C, R = self._pending
        else:
            C = self.posterior.C
            R = self._relevance(C)
        if self._repetitions is not None and (rho := self._rho):
            if R is C:
                R = C.copy()
            if self._asked is None and self._out:
                self._asked = self._repetitions.with_pending(self._out)
            i, j, times = (self._asked or self._repetitions).pairs
            back = np.empty(len(i))
            posterior.scale_news(R, i, j, times, rho, back)
            self._discounted = i, j, back
        return C, R

    def _undo_discount(self, R: FloatArray) -> None:
        if self._discounted is not None:
            posterior.put_back(R, *self._discounted)
            self._discounted = None


Choice = Callable[[ProbitPosteriors, int], int]
"""From the posteriors and the number of votes to the position of the one to design for."""


def best_supported(bank: ProbitPosteriors, n_learned: int) -> int:
    """Return the posterior whose prior has the most evidence."""
    return bank.best_supported


class OrderDesign(Design):
    """Rank-targeted selection with one of several probit posteriors.

    The posterior and its weights are chosen again every n/10 votes, counted from the first, so that
    the pairs depend on the votes and not on when they were asked.

    Parameters
    ----------
    n
        Number of items.
    variances
        Prior variances, one for each posterior.
    choose
        Chooses the posterior to design for.
    weigh
        From its variances and means to the weight of each pair's order.
    repetitions
        Records votes, if repeated votes may be correlated.
    position_bias
        Position bias to estimate, as in `Sampler`.
    """

    def __init__(
        self,
        n: int,
        variances: Sequence[float],
        choose: Choice = best_supported,
        weigh: Weigh = misordering.order_weights,
        repetitions: Repetitions | None = None,
        position_bias: Position | None = None,
    ) -> None:
        super().__init__()
        self.bank = ProbitPosteriors(n, variances, position_bias)
        self.n_learned = 0
        self._choose = choose
        self._weigh = weigh
        self._repetitions = repetitions
        self._chosen = 0  # the position of the posterior to design for
        self._criterion: OrderCriterion | None = None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.bank.n_items

    @property
    def best(self) -> ProbitPosterior:
        """The posterior whose prior has the most evidence."""
        return self.bank[self.bank.best_supported]

    @property
    def criterion(self) -> OrderCriterion:
        """The criterion, up to date with the votes."""
        if self._criterion is None:
            self._chosen = self._choose(self.bank, self.n_learned)
            self._criterion = OrderCriterion(
                self.bank[self._chosen], self._repetitions, self._weigh
            )
        return self._criterion

    def _learn(self, vote: Vote, was_out: bool) -> None:
        """Filter the vote into every posterior."""
        i, j, outcome, weight, worker, side = vote
        criterion = self.criterion
        before = NEW if self._repetitions is None else self._repetitions.add(i, j, outcome)
        a = self.bank.learn(i, j, outcome, weight, *before, side, worker)
        criterion.follow(i, j, float(a[self._chosen]))
        self.n_learned += 1
        if self.n_learned % self._interval == 0:
            self._criterion = None

    def _learn_many(self, answers: VoteBatch) -> None:
        """Filter at once up to the last update of the criterion, then vote by vote."""
        total = self.n_learned + len(answers.i)
        k = max(0, total - total % self._interval - self.n_learned)
        if k:
            part = answers.part(0, k)
            known = self._repetitions
            before = known.add_many(part) if known is not None else all_new(part)
            self.bank.learn_many(part, *before)
            self.n_learned += k
            self._criterion = None
        super()._learn_many(answers.part(k))

    @property
    def _interval(self) -> int:
        return max(1, self.n_items // 10)

    def _expect(self, i: int, j: int) -> None:
        """Count a pending pair with the precision it will add on average."""
        if self._criterion is not None:
            self._criterion.expect(i, j)

    def _withdraw(self, i: int, j: int) -> None:
        if self._criterion is not None:
            self._criterion.withdraw(i, j)

    def _withdraw_all(self) -> None:
        if self._criterion is not None:
            self._criterion.expect_exactly({})

    def _ready(self) -> OrderCriterion:
        self.criterion.expect_exactly(self.out)
        return self.criterion

    def enlarge(self) -> None:
        """Add an item."""
        self.bank.enlarge()
        self._criterion = None

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Return the expected reduction of the number of misordered pairs."""
        return self._ready().gains(i, j)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the pair whose vote is expected to put most pairs in order."""
        return self._ready().search(blocked, key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return such pairs, each with the earlier ones pending."""
        criterion = self._ready()
        if not criterion.counts_for_all:
            return super().search_in_turn(blocked, keys, once=once)
        i, j = criterion.search_in_turn(blocked, np.array(keys, np.int64), once=once)
        return self._found_in_turn(i, j, len(keys))
