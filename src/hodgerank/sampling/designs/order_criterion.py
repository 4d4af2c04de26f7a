"""OrderCriterion: what an answer is worth for the order of the items.

An answer's label moves the variances of a probit posterior, so what a pending pair will do is
known on average only: it adds its expected precision to a copy of the posterior.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np

from hodgerank.kernels.linalg.threads import few_threads
from hodgerank.kernels.posterior import probit, resistance
from hodgerank.kernels.selection import misordering, pruned_search
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.designs.probit_bank import ProbitPosterior
from hodgerank.sampling.designs.repetitions import Repetitions
from hodgerank.types import FloatArray, IntArray

EXACT_ORDER = 400  # items up to which a pair counts for the order of all; the rest is O(n^3)


Weigh = Callable[[FloatArray, FloatArray], FloatArray]
"""From variances and means to how much the order of each pair hangs on its variance."""


class OrderCriterion:
    """The pair whose answer most reduces the expected number of misordered pairs.

    Its weights are those of the posterior it was built from; answers since then change the
    variances they are applied to, exactly, but not the weights. Beyond `EXACT_ORDER` items a pair
    counts for its own order alone.
    """

    def __init__(
        self, posterior: ProbitPosterior, repetitions: Repetitions | None, weigh: Weigh
    ) -> None:
        n = len(posterior.mean)
        self.posterior = posterior
        self._repetitions = repetitions
        self._R: FloatArray | None = None  # where a pair counts for itself alone, C stands for it
        if n <= EXACT_ORDER:
            with few_threads(n):
                weights = weigh(posterior.C, posterior.mean)
                self._R = misordering.relevance(posterior.C, weights)
        self._q = np.empty(n)
        self._leaders = np.zeros(n, np.int64)
        self._pending: tuple[FloatArray, FloatArray] | None = None  # C and R with what is out
        self._out: dict[tuple[int, int], int] = {}  # what that is
        self._discounted: tuple[IntArray, IntArray, FloatArray] | None = None

    def follow(self, i: int, j: int, a: float) -> None:
        """The posterior has learned an answer."""
        self._forget_pending()
        if self._R is not None:
            misordering.follow(self._R, self.posterior.response, self._q, i, j, a)

    def _forget_pending(self) -> None:
        self._pending = None
        self._out = {}

    def expect(self, i: int, j: int) -> None:
        """A pair goes out."""
        n_out = self._out.get((i, j), 0)
        self._expect(i, j, 1, n_out)
        self._out[i, j] = n_out + 1

    def withdraw(self, i: int, j: int) -> None:
        """A pair that was out comes back unanswered."""
        self._out[i, j] -= 1
        self._expect(i, j, -1, self._out[i, j])

    def _expect(self, i: int, j: int, sign: int, n_out: int) -> None:
        base = self.posterior
        if self._pending is None:
            C = base.C.copy()
            self._pending = C, C if self._R is None else self._R.copy()
        precision = probit.expected_precision(base.C[i, j], base.mean[i] - base.mean[j])
        if self._repetitions is not None:
            times, _ = self._repetitions.before(i, j)
            precision *= probit.news(base.repetition, times + n_out)
        C, R = self._pending
        if self._R is not None:
            misordering.expect_order(C, R, base.response, self._q, i, j, sign * precision)
        else:
            resistance.expect(C, base.response, i, j, sign / precision)

    def expect_exactly(self, out: Counter[tuple[int, int]]) -> None:
        """These pairs are out, and no others."""
        if not out:
            self._forget_pending()
        elif self._pending is None:
            for i, j in out.elements():
                self.expect(i, j)

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Expected fall of the number of misordered pairs."""
        C, R = self._in_force()
        gains = pruned_search.gains_of_pairs(
            pruned_search.ORDER, 0, C, R, self.posterior.mean, i, j
        )
        self._undo_discount(R)
        return np.asarray(gains)

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The pair whose answer is expected to put most pairs in order."""
        C, R = self._in_force()
        found = pruned_search.best_pair(
            pruned_search.ORDER, 0, C, R, self.posterior.mean, blocked.matrix, bool(blocked), key,
            self._leaders,
        )  # fmt: skip
        self._undo_discount(R)
        return found

    def _in_force(self) -> tuple[FloatArray, FloatArray]:
        """C and R with what is out, pairs that were answered relevant by what is news in them.

        That is written into R for the time being: see `_undo_discount`.
        """
        if self._pending is not None:
            C, R = self._pending
        else:
            C = self.posterior.C
            R = C if self._R is None else self._R
        rho = 0.0 if self._repetitions is None else self.posterior.repetition
        if self._repetitions is not None and rho:
            if R is C:
                R = C.copy()
            i, j, times = self._repetitions.pairs
            if self._out:
                i, j, times = self._with_pending(i, j, times)
            back = np.empty(len(i))
            probit.scale_news(R, i, j, times, rho, back)
            self._discounted = i, j, back
        return C, R

    def _undo_discount(self, R: FloatArray) -> None:
        if self._discounted is not None:
            probit.put_back(R, *self._discounted)
            self._discounted = None

    def _with_pending(
        self, i: IntArray, j: IntArray, times: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        asked = Counter(
            dict(zip(zip(i.tolist(), j.tolist(), strict=True), times.tolist(), strict=True))
        )
        asked.update(self._out)
        i, j = np.array(list(asked), np.int64).T.copy()
        return i, j, np.array(list(asked.values()), np.int64)
