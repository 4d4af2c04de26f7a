"""AdaptiveDesign: rank-targeted if preferences are strong, D-optimal if they are weak."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np

from hodgerank.estimators.position_bias.position_cells import Position
from hodgerank.kernels.selection.misordering import order_weights
from hodgerank.kernels.selection.tie_breaking import best_listed
from hodgerank.sampling.designs.dense_posterior import DensePosterior
from hodgerank.sampling.designs.design import ComposedDesign, Design, Vote, VoteBatch
from hodgerank.sampling.designs.matrix_free_posterior import MatrixFreePosterior
from hodgerank.sampling.designs.order import OrderDesign, Weigh
from hodgerank.sampling.designs.probit_posteriors import ProbitPosteriors, Repetitions
from hodgerank.sampling.designs.sorting import CONSISTENT, SortDesign
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import BoolArray, IntArray

PRIOR_VARIANCES = tuple(2.0**k / 12 for k in range(7))  # 1/12, 1/6, ..., 16/3
N_WEAK = 2  # the first of them, up to 1/6: preferences are little more than noise
INFLATION = 2  # grid points up, a factor of 4: designs that assume more variance learn faster
ENOUGH_ITEMS = 32  # below, the rank-targeted design is better for any strength of preferences
MARGIN = 1.0  # nats of evidence for strong preferences that are required at first
BEGINNING = 2.0  # votes per item
PROBE_EVERY = 10  # votes
PROBES_FROM = 0.5  # votes per item
PROBED = 5  # probes compare the best and worst fifth of the items


class AdaptiveDesign(ComposedDesign):
    """Two designs that learn together; the marginal likelihood decides which of them chooses.

    Attributes
    ----------
    probes
        Whether every tenth pair compares a random good and a random bad item. Close pairs say
        little about the spread of the scores; probes do.
    is_blind
        Whether the label-free design chooses regardless of the evidence.
    sorting
        What follows from the answers if they are consistent. It chooses from `sort_from` nats of
        evidence on, until the order is known; if that is 0, until it is established.
    """

    def __init__(
        self,
        n: int,
        weigh: Weigh = order_weights,
        position_bias: Position | None = None,
        sort_from: float = CONSISTENT,
    ) -> None:
        self.order = OrderDesign(
            n, PRIOR_VARIANCES, self._choose, weigh, Repetitions(), position_bias
        )
        self._label_free = DensePosterior(np.zeros(n), 1.0, criterion="variance")
        self._ignores_labels = False
        self.probes = False
        self.is_blind = False
        self.sorting, self._sort_from = SortDesign(n), sort_from
        super().__init__([self.order, self._label_free, self.sorting])

    def _learn(self, vote: Vote, was_out: bool) -> None:
        if self.sorting.is_check(vote):
            self.sorting.weigh(self.order.best.chance(vote))
        super()._learn(vote, was_out)
        self._drop_sorting()

    def _drop_sorting(self) -> None:
        """Save its time once answers have contradicted each other."""
        if not self.sorting.is_consistent and self.sorting in self._parts:
            self._parts = tuple(part for part in self._parts if part is not self.sorting)

    def _learn_many(self, answers: VoteBatch) -> None:
        """Learn at once what is between answers that are evidence of consistency."""
        start = 0
        for k in self.sorting.checks_in(answers):
            if self.sorting.evidence >= CONSISTENT:
                break
            super()._learn_many(answers.part(start, k))
            self._learn(next(answers.part(k, k + 1).rows()), was_out=False)
            start = k + 1
        super()._learn_many(answers.part(start))
        self._drop_sorting()

    def _choose(self, bank: ProbitPosteriors, n_learned: int) -> int:
        """Choose a wider prior than the best, and decide whether labels are used."""
        n, evidence = bank.n_items, bank.evidence.tolist()
        ahead = max(evidence[N_WEAK:]) - max(evidence[:N_WEAK])
        margin = MARGIN if n_learned < BEGINNING * n else 0.0
        self._ignores_labels = n >= ENOUGH_ITEMS and ahead <= margin
        return min(bank.best_supported + INFLATION, len(bank) - 1)

    @property
    def ignores_labels(self) -> bool:
        """Whether the next pair is chosen by the label-free design."""
        _ = self.order.criterion  # updates the decision if new votes have made it outdated
        return self.is_blind or self._ignores_labels

    @property
    def is_sorting(self) -> bool:
        """Whether the next pair is chosen to prove the order, or to check it if asked to sort."""
        sorting = self.sorting
        if not sorting.is_consistent or sorting.evidence < self._sort_from or self.is_blind:
            return False
        return not (sorting.is_known if self._sort_from else sorting.is_established)

    @property
    def chooser(self) -> Design:
        """The design that chooses."""
        if self.is_sorting:
            return self.sorting
        return self._label_free if self.ignores_labels else self.order

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return the best pair by the current criterion, or a probe."""
        if self._is_probing:
            good, bad = self._ends(blocked.retired)
            i, j = (part.ravel() for part in np.meshgrid(good, bad))
            low, high = np.minimum(i, j), np.maximum(i, j)
            is_open = ~blocked.matrix[low, high] if blocked else np.ones(len(low), bool)
            k = best_listed(np.where(is_open, 1.0, -1.0), low, high, key)
            if k >= 0:
                return int(low[k]), int(high[k])
        return super().search(blocked, key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return the best pairs by the current criterion, with probes among them."""
        if self.probes:
            return Design.search_in_turn(self, blocked, keys, once=once)
        return super().search_in_turn(blocked, keys, once=once)

    def best_of(self, i: IntArray, j: IntArray, is_open: BoolArray, key: int) -> int:
        """Return the best of some pairs by the current criterion, or a probe among them."""
        if self._is_probing:
            end = np.zeros(self.order.n_items)
            gone = np.setdiff1d(np.arange(len(end)), np.concatenate((i[is_open], j[is_open])))
            good, bad = self._ends(gone.tolist())
            end[good], end[bad] = 1, -1
            k = best_listed(np.where(is_open & (end[i] * end[j] < 0), 1.0, -1.0), i, j, key)
            if k >= 0:
                return k
        return super().best_of(i, j, is_open, key)

    @property
    def _is_probing(self) -> bool:
        if not self.probes or self.is_sorting:
            return False
        step = self.order.n_learned + self.out.total()
        return step % PROBE_EVERY == PROBE_EVERY - 1 and step >= PROBES_FROM * self.order.n_items

    def _ends(self, gone: Collection[int]) -> tuple[IntArray, IntArray]:
        """Return the best and the worst fifth of the items that may be asked."""
        mean = self.order.criterion.posterior.mean
        order = np.argsort(-mean, kind="stable")
        order = order[~np.isin(order, list(gone))]
        size = max(1, len(order) // PROBED)
        return order[:size], order[len(order) - size :]


# Least squares sees scores of probit variance v as scores of variance 2/pi asin(v / (1 + 2v)); this
# threshold is between v = 1/6, the largest that counts as weak, and 1/3.
WEAK = 0.1
SURE = 1.0  # standard errors
BEGINNING_OF_MANY = 1.0  # votes per item before labels are used
RIDGE = 1.0
INTERVAL = 0.25  # votes per item between two checks


class AdaptiveManyDesign(ComposedDesign):
    """Label-free until preferences turn out to be strong, then by expected information.

    With many items the spread of their scores is known well from one number, the signal in the
    posterior means; and using labels is as good as targeting the order.
    """

    def __init__(self, n: int, seed: int) -> None:
        self._posterior = MatrixFreePosterior(np.zeros(n), RIDGE, criterion="variance", seed=seed)
        super().__init__([self._posterior])
        self._seed = seed
        self.ignores_labels = True

    @property
    def chooser(self) -> MatrixFreePosterior:
        """The posterior, with either criterion."""
        return self._posterior

    def _learn(self, vote: Vote, was_out: bool) -> None:
        super()._learn(vote, was_out)
        self._settle()

    def _learn_many(self, answers: VoteBatch) -> None:
        """Learn as one by one; checks before the last checkpoint have no effect."""
        size = self._posterior.n_until_last_checkpoint(len(answers.i)) or self._n_until_look()
        while len(answers.i):
            super()._learn_many(answers.part(0, size))
            self._settle()
            answers, size = answers.part(size), self._n_until_look()

    def expect_exactly(self, pairs: list[tuple[int, int]]) -> None:
        """Make exactly these pairs pending; the posterior depends on their order."""
        self.out = Counter(pairs)
        self._posterior.expect_exactly(pairs)

    @property
    def _intervals(self) -> tuple[int, int]:
        """Numbers of votes between checks of the strength: at checkpoints, and more often."""
        n = self._posterior.n_items
        return n, max(1, int(INTERVAL * n))

    def _n_until_look(self) -> int:
        return min(every - self._posterior.n_learned % every for every in self._intervals)

    def _settle(self) -> None:
        """Check the strength of preferences, if it is time to."""
        learned, n = self._posterior.n_learned, self._posterior.n_items
        if learned >= BEGINNING_OF_MANY * n and not all(
            learned % every for every in self._intervals
        ):
            self._look()

    def _look(self) -> None:
        """Use labels if preferences are strong enough."""
        variance, stderr = self.signal_variance()
        is_weak = variance - SURE * stderr <= WEAK
        if is_weak != self.ignores_labels:
            self.ignores_labels = is_weak
            self._posterior.aim_at("variance" if is_weak else "clamped")

    def signal_variance(self) -> tuple[float, float]:
        """Estimate the variance of the true scores, and its standard error.

        With scores of variance v the squared posterior means sum to v tr((I - g S)^2) from signal
        plus s^2 tr(S L S) from noise, where s^2 = 1 - 2v since plain votes have square 1. One
        random vector suffices for the traces of a large matrix. The standard error is infinite if
        items have too few votes to separate the two.
        """
        g, n = RIDGE, self._posterior.n_items
        rng = np.random.default_rng([self._seed, self._posterior.n_learned])
        probe = rng.choice(np.array([-1.0, 1.0]), n)
        answer = self._posterior.response_to(probe)
        trace, trace_of_square = float(probe @ answer), float(answer @ answer)
        noise = trace - g * trace_of_square
        share = n - 2 * g * trace + g * g * trace_of_square
        apart = share - 2 * noise
        if apart < 0.05 * n:
            return 0.0, np.inf
        mean = self._posterior.running_mean
        square = float(mean @ mean) - n * float(mean.mean()) ** 2
        return (square - noise) / apart, float(np.sqrt(2 / n)) * square / apart
