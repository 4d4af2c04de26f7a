"""OrderDesign: a probit posterior, and the pair that repairs most of the order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hodgerank.estimators.position_bias.position_cells import Position
from hodgerank.kernels import posterior
from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.selection import misordering, pair_search
from hodgerank.sampling.designs.design import AnswerBatch, Design, Told
from hodgerank.sampling.designs.probit_posteriors import (
    NEW,
    ProbitPosterior,
    ProbitPosteriors,
    Repetitions,
    all_new,
)
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import FloatArray, IntArray

EXACT_ORDER = 400  # items up to which a pair counts for the order of all; the rest is O(n^3)


Weigh = Callable[[FloatArray, FloatArray], FloatArray]
"""From variances and means to how much the order of each pair hangs on its variance."""


class OrderCriterion:
    """The pair whose answer most reduces the expected number of misordered pairs.

    Its weights are those of the posterior it was built from; answers since then change the
    variances they are applied to, exactly, but not the weights. Beyond `EXACT_ORDER` items a pair
    counts for its own order alone.

    The O(n^3) part, R, is computed when it is first looked at, and follows the answers from then
    on: where a label-free design chooses instead, nobody looks.

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
        self._weighed = (  # variances and means that the weights are those of
            (posterior.C.copy(), posterior.mean.copy()) if self.counts_for_all else None
        )
        self._R: FloatArray | None = None
        self._q = np.empty(n)
        self._leaders = np.zeros(n, np.int64)
        self._pending: tuple[FloatArray, FloatArray] | None = None  # C and R with what is out
        self._out: dict[tuple[int, int], int] = {}  # what that is
        self._asked: Repetitions | None = None  # what was answered, and what is out as if it were
        self._discounted: tuple[IntArray, IntArray, FloatArray] | None = None

    def follow(self, i: int, j: int, a: float) -> None:
        """The posterior has learned an answer."""
        self._forget_pending()
        if self._R is not None:
            misordering.follow(self._R, self.posterior.response, self._q, i, j, a)

    def _relevance(self, C: FloatArray) -> FloatArray:
        """R of the answers alone; where a pair counts for itself alone, C stands for it."""
        if self._weighed is not None:
            with few_threads(len(C)):
                self._R = misordering.relevance(C, self._weigh(*self._weighed))
            self._weighed = None
        return C if self._R is None else self._R

    def _forget_pending(self) -> None:
        self._pending = self._asked = None
        self._out = {}

    def expect(self, i: int, j: int) -> None:
        """A pair goes out; where nobody has looked since the last answer, that can wait."""
        if self._pending is not None:
            self._expect({(i, j): 1})

    def withdraw(self, i: int, j: int) -> None:
        """A pair that was out comes back unanswered."""
        if self._pending is not None:
            self._out[i, j] -= 1
            self._asked = None
            self._move([(i, j)], [self._times(i, j)], -1)

    def _expect(self, out: Mapping[tuple[int, int], int]) -> None:
        """Pairs go out, each so many times."""
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
        """How often a pair was asked until now."""
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
        """C and R with what is out, for more to go out."""
        if self._pending is None:
            C = self.posterior.C.copy()
            R = self._relevance(C)
            self._pending = C, C if R is C else R.copy()
        return self._pending

    @property
    def _rho(self) -> float:
        return 0.0 if self._repetitions is None else self.posterior.repetition

    def expect_exactly(self, out: Mapping[tuple[int, int], int]) -> None:
        """These pairs are out, and no others."""
        if not out:
            self._forget_pending()
        elif self._pending is None:
            self._expect(out)

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Expected fall of the number of misordered pairs."""
        C, R = self._in_force()
        gains = pair_search.gains_of_pairs(pair_search.ORDER, 0, C, R, self.posterior.mean, i, j)
        self._undo_discount(R)
        return np.asarray(gains)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """The pair whose answer is expected to put most pairs in order."""
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
        """Such pairs, each as if those before it were out; where each counts for all."""
        base, n = self.posterior, len(self._q)
        C, R = self._begin()
        rho, row = self._rho, np.full((1, 1), -1, np.int32)
        asked_i = asked_j = times = np.empty(0, np.int64)
        n_asked = 0
        if self._repetitions is not None and rho:
            pairs = self._repetitions.with_pending(self._out).pairs
            asked_i, asked_j, times = (np.append(column, keys) for column in pairs)  # some room
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
        """C and R with what is out, pairs that were answered relevant by what is news in them.

        That is written into R for the time being: see `_undo_discount`.
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
"""From a bank and the number of answers to the place of the posterior to design for."""


def most_evident(bank: ProbitPosteriors, n_learned: int) -> int:
    """The posterior whose prior the answers speak for."""
    return bank.most_evident


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
        Which posterior is designed for.
    weigh
        From its variances and means to what the order of each pair is worth.
    repetitions
        Where answers are noted, if judges may repeat themselves.
    position_bias
        Whose lean to a side is learned, as in `Sampler`.
    """

    def __init__(
        self,
        n: int,
        variances: Sequence[float],
        choose: Choice = most_evident,
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
        self._chosen = 0  # the place of the posterior that is designed for
        self._criterion: OrderCriterion | None = None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.bank.n_items

    @property
    def best(self) -> ProbitPosterior:
        """The posterior whose prior the answers speak for."""
        return self.bank[self.bank.most_evident]

    @property
    def criterion(self) -> OrderCriterion:
        """Up to date with the answers."""
        if self._criterion is None:
            self._chosen = self._choose(self.bank, self.n_learned)
            self._criterion = OrderCriterion(
                self.bank[self._chosen], self._repetitions, self._weigh
            )
        return self._criterion

    def _learn(self, told: Told, was_out: bool) -> None:
        """Filter the answer into every posterior."""
        i, j, outcome, weight, worker, side = told
        criterion = self.criterion
        before = NEW if self._repetitions is None else self._repetitions.add(i, j, outcome)
        a = self.bank.learn(i, j, outcome, weight, *before, side, worker)
        criterion.follow(i, j, float(a[self._chosen]))
        self.n_learned += 1
        if self.n_learned % self._interval == 0:
            self._criterion = None

    def _learn_many(self, answers: AnswerBatch) -> None:
        """At once up to the last time the criterion is settled, without those nobody asked for."""
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
        """A pair that is out counts with the precision it will add on average."""
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
        """Make room for one more item."""
        self.bank.enlarge()
        self._criterion = None

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Expected fall of the number of misordered pairs."""
        return self._ready().gains(i, j)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """The pair whose answer is expected to put most pairs in order."""
        return self._ready().search(blocked, key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Such pairs, each as if those before it were out."""
        criterion = self._ready()
        if not criterion.counts_for_all:
            return super().search_in_turn(blocked, keys, once=once)
        i, j = criterion.search_in_turn(blocked, np.array(keys, np.int64), once=once)
        return self._found_in_turn(i, j, len(keys))
