"""AdaptiveDesign: rank-targeted where opinions are strong, D-optimal where they are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hodgerank.sampling.designs.dense import DensePosterior
from hodgerank.sampling.designs.design import ComposedDesign, Design
from hodgerank.sampling.designs.order import OrderDesign, ProbitPosterior

PRIOR_VARIANCES = tuple(2.0**k / 12 for k in range(7))  # 1/12, 1/6, ..., 16/3
N_WEAK = 2  # the first of them, up to 1/6: opinions are little more than noise
INFLATION = 2  # places up in the list, a factor of 4: designs that expect more learn faster
ENOUGH_ITEMS = 32  # below, aiming at the order pays whatever the strength of opinions
MARGIN = 1.0  # nats of evidence that opinions are strong, asked for at the beginning
BEGINNING = 2.0  # answers per item


class AdaptiveDesign(ComposedDesign):
    """Two designs learn side by side; the evidence says which of them chooses."""

    def __init__(self, n: int) -> None:
        self.order = OrderDesign(n, PRIOR_VARIANCES, self._choose)
        self._label_free = DensePosterior(np.zeros(n), 1.0, criterion="variance")
        self._ignores_labels = False
        super().__init__([self.order, self._label_free])

    def _choose(self, bank: Sequence[ProbitPosterior], n_learned: int) -> ProbitPosterior:
        """One with a wider prior than the best; settles, too, whether labels are used at all."""
        n = len(bank[0].mean)
        evidence = [posterior.evidence for posterior in bank]
        ahead = max(evidence[N_WEAK:]) - max(evidence[:N_WEAK])
        margin = MARGIN if n_learned < BEGINNING * n else 0.0
        self._ignores_labels = n >= ENOUGH_ITEMS and ahead <= margin
        return bank[min(int(np.argmax(evidence)) + INFLATION, len(bank) - 1)]

    @property
    def ignores_labels(self) -> bool:
        """Whether the next pair is chosen by the label-free design."""
        _ = self.order.criterion  # settled anew where answers have made it old
        return self._ignores_labels

    @property
    def chooser(self) -> Design:
        """The design in force."""
        return self._label_free if self.ignores_labels else self.order
