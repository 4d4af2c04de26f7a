"""ManyItemsDesign: what AutoSampler does where matrices over all pairs would be too large."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.matrix_free import solve
from hodgerank.kernels.matrix_free.state import MEAN
from hodgerank.sampling.design import Answers
from hodgerank.sampling.matrix_free import (
    CHECKPOINT_TOLERANCE,
    MOST_ITERATIONS,
    MatrixFreePosterior,
)
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

    def signal_variance(self) -> tuple[float, float]:
        """Variance of the true scores that the answers speak for, and its standard error.

        With scores of variance v the square of the posterior means is v tr((I - g S)^2) from
        signal plus s^2 tr(S L S) from noise, where s^2 = 1 - 2v since plain answers have square 1.
        One random vector is enough for the traces of so large a matrix. Infinitely uncertain where
        items have too few answers for the two to be told apart.
        """
        g, n = self._settings.prior_strength, self._n
        probe = np.random.default_rng([self._seed, self.n_learned]).choice([-1.0, 1.0], n)
        answer, *_ = solve.solve(
            self._state, g, probe, probe / n, CHECKPOINT_TOLERANCE, MOST_ITERATIONS
        )
        trace, trace_of_square = float(probe @ answer), float(answer @ answer)
        noise = trace - g * trace_of_square
        share = n - 2 * g * trace + g * g * trace_of_square
        apart = share - 2 * noise
        if apart < 0.05 * n:
            return 0.0, np.inf
        mean = self._state.x[:, MEAN]
        square = float(mean @ mean) - n * float(mean.mean()) ** 2
        return (square - noise) / apart, float(np.sqrt(2 / n)) * square / apart
