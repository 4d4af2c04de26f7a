"""ManyItemsDesign: what AutoSampler does where matrices over all pairs would be too large."""

from __future__ import annotations

import numpy as np

from hodgerank.sampling.design import Answers
from hodgerank.sampling.matrix_free import MatrixFreePosterior
from hodgerank.types import Item

# Scores of probit variance v look like scores of variance 2/pi asin(v / (1 + 2v)) to least
# squares; this is between v = 1/6, the largest that counts as weak, and 1/3.
WEAK = 0.1
SURE = 1.0  # standard errors
BEGINNING = 1.0  # answers per item, in units of items, before labels are looked at
INTERVAL = 0.25  # between two looks, likewise


class ManyItemsDesign(MatrixFreePosterior):
    """Label-free until opinions turn out strong, then by expected information. A design.

    With so many items the spread of their scores is known well from one number, the signal in the
    posterior means; and to follow labels is as good as to aim at the order.
    """

    def __init__(self, n: int, seed: int) -> None:
        super().__init__(np.zeros(n), 1.0, criterion="variance", seed=seed)
        self.ignores_labels = True

    def learn(
        self, i: int, j: int, outcome: float, noise: float, worker: Item | None, was_out: bool
    ) -> None:
        """One answer, and now and then a look at how strong opinions are."""
        super().learn(i, j, outcome, noise, worker, was_out)
        if self.n_learned % max(1, int(INTERVAL * self.n_items)) == 0:
            self._settle()

    def learn_many(self, answers: Answers) -> None:
        """Many, and a look."""
        super().learn_many(answers)
        self._settle()

    def _settle(self) -> None:
        if self.n_learned < BEGINNING * self.n_items:
            return
        variance, stderr = self.signal_variance()
        is_weak = variance - SURE * stderr <= WEAK
        if is_weak != self.ignores_labels:
            self.ignores_labels = is_weak
            self.aim_at("variance" if is_weak else "clamped")
