"""AdaptiveDesign: rank-targeted if preferences are strong, D-optimal if they are weak."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np

from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.kernels.selection.misordering import order_weights
from hodgerank.sampling.designs.dense_posterior import DensePosterior
from hodgerank.sampling.designs.design import Design, Vote, VoteBatch
from hodgerank.sampling.designs.easy_pairs import ANY, PROBES, DesignWithEasyPairs, EasyPairs
from hodgerank.sampling.designs.matrix_free_posterior import MatrixFreePosterior
from hodgerank.sampling.designs.order import OrderDesign, Weigh
from hodgerank.sampling.designs.probit_posteriors import ProbitPosteriors, Repetitions
from hodgerank.sampling.designs.sort import CONSISTENT, SortDesign
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.types import BoolArray, FloatArray, IntArray

PRIOR_VARIANCES = tuple(2.0**k / 12 for k in range(7))  # 1/12, 1/6, ..., 16/3
N_WEAK = 2  # the first of them, up to 1/6: preferences are little more than noise
INFLATION = 2  # grid points up, a factor of 4: designs that assume more variance learn faster
ENOUGH_ITEMS = 32  # below, the rank-targeted design is better for any strength of preferences
MARGIN = 1.0  # nats of evidence for strong preferences that are required at first
BEGINNING = 2.0  # votes per item


class AdaptiveDesign(DesignWithEasyPairs):
    """Two designs that learn together; the marginal likelihood decides which of them chooses.

    With `is_blind` the label-free design chooses regardless of the evidence.

    Attributes
    ----------
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

    @property
    def n_learned(self) -> int:
        """Number of votes."""
        return self.order.n_learned

    @property
    def mean(self) -> FloatArray:
        """Posterior mean of the scores."""
        return self.order.criterion.posterior.mean

    def _drawn(self, key: int) -> EasyPairs | None:
        return None if self.is_sorting else super()._drawn(key)


RIDGE = 1.0
INTERVAL = 0.25  # votes per item between two checks
# Probes are asked from the first checkpoint to the third, and tell whether preferences are weak.
FROM_CHECKPOINT, TO_CHECKPOINT = 1, 3  # votes per item
N_PROBES = 64  # in that time
N_DRAWN = 32  # random pairs, of which a probe is the most decided
FAR = 0.5  # smallest difference of the means of a pair that tells something about their spread
# Ridge at which labels neither help nor harm: the variance of a vote, 0.8, by that of scores, 0.1.
RIDGE_OF_WEAK = 8.0
SURE = 1.0  # standard errors


class AdaptiveManyDesign(DesignWithEasyPairs):
    """Pairs by expected information until preferences prove weak, then label-free.

    With many items using labels is as good as targeting the order. Close pairs say nothing about
    the spread of the scores: those asked are expected to be undecided. So a few pairs that seem
    decided are asked, the probes. At every checkpoint the posterior means predict the votes up to
    the next on pairs that are far apart, and the regression of these votes on the predictions shows
    how much of the means is signal. It is unbiased however pairs were chosen, because a prediction
    depends on earlier votes only. With `is_blind` any pair is drawn.
    """

    def __init__(self, n: int, seed: int) -> None:
        self._posterior = MatrixFreePosterior(np.zeros(n), RIDGE, criterion="clamped", seed=seed)
        super().__init__([self._posterior])
        self._predicted: FloatArray | None = None  # means at the last checkpoint
        self._excess = 0.0  # of the covariance of votes with predictions, above that if weak
        self._information = 0.0  # its variance
        self.ignores_labels = False

    @property
    def chooser(self) -> MatrixFreePosterior:
        """The posterior, with either criterion."""
        return self._posterior

    @property
    def n_learned(self) -> int:
        """Number of votes."""
        return self._posterior.n_learned

    @property
    def mean(self) -> FloatArray:
        """Approximate posterior mean of the scores."""
        return self._posterior.running_mean

    def _drawn(self, key: int) -> EasyPairs | None:
        return ANY if self.is_blind and not self.ignores_labels else super()._drawn(key)

    def _learn(self, vote: Vote, was_out: bool) -> None:
        means = self._predicted
        if means is not None and abs(means[vote.i] - means[vote.j]) >= FAR:
            self._compare(*(np.array([value]) for value in vote[:4]))
        super()._learn(vote, was_out)
        self._settle()

    def _learn_many(self, answers: VoteBatch) -> None:
        """Learn as one by one; checks before the last checkpoint have no effect."""
        while n_left := len(answers.i):
            size = self._posterior.n_until_last_checkpoint(n_left)
            if not size:
                size = self._n_until(self._intervals)
            elif self._is_beginning:
                size = self._n_until([self._posterior.n_items])
            part, answers = answers.part(0, size), answers.part(size)
            self._compare(part.i, part.j, part.outcome, part.weight)
            super()._learn_many(part)
            self._settle()

    def expect_exactly(self, pairs: list[tuple[int, int]]) -> None:
        """Make exactly these pairs pending; the posterior depends on their order."""
        self.out = Counter(pairs)
        self._posterior.expect_exactly(pairs)

    def enlarge(self) -> None:
        """Add an item."""
        super().enlarge()
        if self._predicted is not None:
            self._predicted = np.append(self._predicted, 0.0)

    @property
    def _intervals(self) -> tuple[int, int]:
        """Numbers of votes between checks: at checkpoints, and more often."""
        n = self._posterior.n_items
        return n, max(1, int(INTERVAL * n))

    def _n_until(self, intervals: Iterable[int]) -> int:
        return min(every - self._posterior.n_learned % every for every in intervals)

    @property
    def _is_beginning(self) -> bool:
        return self._posterior.n_learned < TO_CHECKPOINT * self._posterior.n_items

    def _compare(self, i: IntArray, j: IntArray, outcome: FloatArray, weight: FloatArray) -> None:
        """Compare votes with what the last checkpoint predicts; all come before the next one."""
        if self._predicted is None:
            return
        D = np.clip(self._predicted[i] - self._predicted[j], -1, 1)
        per_item = 2 * (self._posterior.n_learned // self._posterior.n_items)
        slope = (per_item + RIDGE) / (per_item + RIDGE_OF_WEAK)  # of votes on predictions, if weak
        weight = np.where(np.abs(D) >= FAR, weight, 0.0)
        self._excess += float(np.sum(weight * D * (outcome - slope * D)))
        self._information += float(np.sum(weight * D * D))

    def _settle(self) -> None:
        """Check the strength of preferences, if it is time to."""
        learned, n = self._posterior.n_learned, self._posterior.n_items
        if learned >= FROM_CHECKPOINT * n and not all(learned % every for every in self._intervals):
            self._look()
            if learned % n == 0:
                mean = self._posterior.running_mean
                self._predicted = mean.copy() if self._is_beginning else None

    def _look(self) -> None:
        """Ignore labels if preferences are weak."""
        is_weak = self._excess < -SURE * math.sqrt(self._information)
        if is_weak != self.ignores_labels:
            self.ignores_labels = is_weak
            self._posterior.aim_at("variance" if is_weak else "clamped")

    def _is_probe(self, step: int) -> bool:
        """Whether the pair after so many votes, with those pending, is a probe."""
        n = self._posterior.n_items
        every = max(PROBES.every, (TO_CHECKPOINT - FROM_CHECKPOINT) * n // N_PROBES)
        return FROM_CHECKPOINT * n <= step < TO_CHECKPOINT * n and step % every == every - 1

    @property
    def _step(self) -> int:
        return self._posterior.n_learned + self.out.total()

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return a pair close to the best, or a probe."""
        if self._is_probe(self._step):
            n = self._posterior.n_items
            drawn = np.random.default_rng(abs(key)).integers(n, size=(N_DRAWN, 2))
            drawn.sort(axis=1)
            i, j = drawn[~np.isin(drawn, list(blocked.retired)).any(axis=1)].T
            k = self._most_decided(i, j, (i != j) & ~np.isin(i * n + j, blocked.codes))
            if k >= 0:
                return int(i[k]), int(j[k])
        return super().search(blocked, key)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Return such pairs, each with the earlier ones pending."""
        if any(map(self._is_probe, range(self._step, self._step + len(keys)))):
            return Design.search_in_turn(self, blocked, keys, once=once)
        return super().search_in_turn(blocked, keys, once=once)

    def best_of(self, i: IntArray, j: IntArray, is_open: BoolArray, key: int) -> int:
        """Return the best of some pairs, or a probe among them."""
        if self._is_probe(self._step) and is_open.any():
            drawn = np.random.default_rng(abs(key)).choice(np.flatnonzero(is_open), N_DRAWN)
            return int(drawn[self._most_decided(i[drawn], j[drawn], is_open[drawn])])
        return super().best_of(i, j, is_open, key)

    def _most_decided(self, i: IntArray, j: IntArray, is_open: BoolArray) -> int:
        """Return the position of the open pair whose means differ most, -1 if there is none."""
        mean = self._posterior.running_mean
        apart = np.where(is_open, np.abs(mean[i] - mean[j]), -1.0)
        return int(apart.argmax()) if is_open.any() else -1
