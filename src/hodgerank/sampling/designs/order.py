"""OrderDesign: a probit posterior, and the pair that repairs most of the order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from hodgerank.estimators.position.cells import Position
from hodgerank.kernels.selection import misordering
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.designs.design import AnswerBatch, Design, Told
from hodgerank.sampling.designs.order_criterion import OrderCriterion, Weigh
from hodgerank.sampling.designs.probit_bank import ProbitBank, ProbitPosterior
from hodgerank.sampling.designs.repetitions import NEW, Repetitions, all_new
from hodgerank.types import FloatArray, IntArray

Choice = Callable[[ProbitBank, int], int]
"""From a bank and the number of answers to the place of the posterior to design for."""


def most_evident(bank: ProbitBank, n_learned: int) -> int:
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
    position
        Whose lean to a side is learned, as in `Sampler`.
    """

    def __init__(
        self,
        n: int,
        variances: Sequence[float],
        choose: Choice = most_evident,
        weigh: Weigh = misordering.order_weights,
        repetitions: Repetitions | None = None,
        position: Position | None = None,
    ) -> None:
        super().__init__()
        self.bank = ProbitBank(n, variances, position)
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
            self._criterion.expect_exactly(Counter())

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

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The pair whose answer is expected to put most pairs in order."""
        return self._ready().search(blocked, key)

    def search_in_turn(
        self, blocked: Blocked, keys: IntArray, *, once: bool
    ) -> list[tuple[int, int]]:
        """Such pairs, each as if those before it were out."""
        criterion = self._ready()
        if len(keys) < 2 or not criterion.counts_for_all:
            return super().search_in_turn(blocked, keys, once=once)
        return self._found_in_turn(*criterion.search_in_turn(blocked, keys, once), len(keys))
