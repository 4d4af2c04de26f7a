"""AdaptiveManyDesign: what AutoSampler does where matrices over all pairs would be too large."""

from __future__ import annotations

from collections import Counter

import numpy as np

from hodgerank.sampling.designs.design import AnswerBatch, ComposedDesign, Told
from hodgerank.sampling.designs.matrix_free import MatrixFreePosterior

# Scores of probit variance v look like scores of variance 2/pi asin(v / (1 + 2v)) to least
# squares; this is between v = 1/6, the largest that counts as weak, and 1/3.
WEAK = 0.1
SURE = 1.0  # standard errors
BEGINNING_OF_MANY = 1.0  # answers per item, in units of items, before labels are looked at
RIDGE = 1.0
INTERVAL = 0.25  # between two looks, likewise


class AdaptiveManyDesign(ComposedDesign):
    """Label-free until opinions turn out strong, then by expected information.

    With so many items the spread of their scores is known well from one number, the signal in the
    posterior means; and to follow labels is as good as to aim at the order.
    """

    def __init__(self, n: int, seed: int) -> None:
        self._posterior = MatrixFreePosterior(np.zeros(n), RIDGE, criterion="variance", seed=seed)
        super().__init__([self._posterior])
        self._seed = seed
        self.ignores_labels = True

    @property
    def chooser(self) -> MatrixFreePosterior:
        """The posterior, whichever criterion it aims at."""
        return self._posterior

    def _learn(self, told: Told, was_out: bool) -> None:
        super()._learn(told, was_out)
        self._settle()

    def _learn_many(self, answers: AnswerBatch) -> None:
        """The same as one by one: looks before the last checkpoint leave no trace."""
        size = self._posterior.n_until_last_checkpoint(len(answers.i)) or self._n_until_look()
        while len(answers.i):
            super()._learn_many(answers.part(0, size))
            self._settle()
            answers, size = answers.part(size), self._n_until_look()

    def expect_exactly(self, out: Counter[tuple[int, int]]) -> None:
        """Note that these pairs are out, and no others; the posterior minds their order."""
        self.out = out.copy()
        self._posterior.expect_exactly(out)

    @property
    def _intervals(self) -> tuple[int, int]:
        """After every so many answers opinions are looked at: at each checkpoint, and between."""
        n = self._posterior.n_items
        return n, max(1, int(INTERVAL * n))

    def _n_until_look(self) -> int:
        return min(every - self._posterior.n_learned % every for every in self._intervals)

    def _settle(self) -> None:
        """Look at what the answers say, if it is time to."""
        learned, n = self._posterior.n_learned, self._posterior.n_items
        if learned >= BEGINNING_OF_MANY * n and not all(learned % every for every in self._intervals):
            self._look()

    def _look(self) -> None:
        """How strong opinions are decides whether labels are followed."""
        variance, stderr = self.signal_variance()
        is_weak = variance - SURE * stderr <= WEAK
        if is_weak != self.ignores_labels:
            self.ignores_labels = is_weak
            self._posterior.aim_at("variance" if is_weak else "clamped")

    def signal_variance(self) -> tuple[float, float]:
        """Variance of the true scores that the answers speak for, and its standard error.

        With scores of variance v the square of the posterior means is v tr((I - g S)^2) from
        signal plus s^2 tr(S L S) from noise, where s^2 = 1 - 2v since plain answers have square 1.
        One random vector is enough for the traces of so large a matrix. Infinitely uncertain where
        items have too few answers for the two to be told apart.
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
