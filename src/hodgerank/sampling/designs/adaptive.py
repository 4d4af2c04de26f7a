"""AdaptiveDesign: rank-targeted where opinions are strong, D-optimal where they are not."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hodgerank.estimators.position.cells import Position
from hodgerank.kernels.selection.misordering import order_weights
from hodgerank.kernels.selection.ties import best_listed
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.designs.dense import DensePosterior
from hodgerank.sampling.designs.design import ComposedDesign, Design
from hodgerank.sampling.designs.order import OrderDesign
from hodgerank.sampling.designs.order_criterion import Weigh
from hodgerank.sampling.designs.probit_bank import ProbitBank
from hodgerank.sampling.designs.repetitions import Repetitions
from hodgerank.types import BoolArray, IntArray

PRIOR_VARIANCES = tuple(2.0**k / 12 for k in range(7))  # 1/12, 1/6, ..., 16/3
N_WEAK = 2  # the first of them, up to 1/6: opinions are little more than noise
INFLATION = 2  # places up in the list, a factor of 4: designs that expect more learn faster
ENOUGH_ITEMS = 32  # below, aiming at the order pays whatever the strength of opinions
MARGIN = 1.0  # nats of evidence that opinions are strong, asked for at the beginning
BEGINNING = 2.0  # answers per item
PROBE_EVERY = 10  # answers
PROBES_FROM = 0.5  # answers per item
PROBED = 5  # one part in so many of the items, at either end


class AdaptiveDesign(ComposedDesign):
    """Two designs learn side by side; the evidence says which of them chooses.

    Attributes
    ----------
    probes
        Whether every tenth pair is one of a random good and a random bad item. Pairs chosen to be
        close say little about how far scores spread; these do.
    is_blind
        Whether the label-free design is to choose whatever the evidence says.
    """

    def __init__(
        self, n: int, weigh: Weigh = order_weights, position: Position | None = None
    ) -> None:
        self.order = OrderDesign(n, PRIOR_VARIANCES, self._choose, weigh, Repetitions(), position)
        self._label_free = DensePosterior(np.zeros(n), 1.0, criterion="variance")
        self._ignores_labels = False
        self.probes = False
        self.is_blind = False
        super().__init__([self.order, self._label_free])

    def _choose(self, bank: ProbitBank, n_learned: int) -> int:
        """One with a wider prior than the best; settles, too, whether labels are used at all."""
        n, evidence = bank.n_items, bank.evidence.tolist()
        ahead = max(evidence[N_WEAK:]) - max(evidence[:N_WEAK])
        margin = MARGIN if n_learned < BEGINNING * n else 0.0
        self._ignores_labels = n >= ENOUGH_ITEMS and ahead <= margin
        return min(bank.most_evident + INFLATION, len(bank) - 1)

    @property
    def ignores_labels(self) -> bool:
        """Whether the next pair is chosen by the label-free design."""
        _ = self.order.criterion  # settled anew where answers have made it old
        return self.is_blind or self._ignores_labels

    @property
    def chooser(self) -> Design:
        """The design in force."""
        return self._label_free if self.ignores_labels else self.order

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The best pair by the criterion in force, or a probe."""
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
        self, blocked: Blocked, keys: IntArray, *, once: bool
    ) -> list[tuple[int, int]]:
        """The best pairs by the criterion in force, and probes among them."""
        if self.probes:
            return Design.search_in_turn(self, blocked, keys, once=once)
        return super().search_in_turn(blocked, keys, once=once)

    def best_of(self, i: IntArray, j: IntArray, is_open: BoolArray, key: int) -> int:
        """The best of some pairs by the criterion in force, or a probe among them."""
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
        if not self.probes:
            return False
        step = self.order.n_learned + self.out.total()
        return step % PROBE_EVERY == PROBE_EVERY - 1 and step >= PROBES_FROM * self.order.n_items

    def _ends(self, gone: Collection[int]) -> tuple[IntArray, IntArray]:
        """Items of the best fifth and of the worst, of those that may be asked."""
        mean = self.order.criterion.posterior.mean
        order = np.argsort(-mean, kind="stable")
        order = order[~np.isin(order, list(gone))]
        size = max(1, len(order) // PROBED)
        return order[:size], order[len(order) - size :]
