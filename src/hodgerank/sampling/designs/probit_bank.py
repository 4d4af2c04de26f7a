"""ProbitBank: probit posteriors of the same answers under different priors, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hodgerank.kernels.posterior import probit
from hodgerank.sampling.designs.dense import enlarge, prior_resistance
from hodgerank.sampling.designs.design import AnswerBatch
from hodgerank.types import FloatArray, IntArray


class ProbitPosterior:
    """One of a bank: scores with prior N(0, variance) under P(i beats j) = Phi(x_i - x_j).

    Its arrays are looked up in the bank each time: views that were kept would not follow a copy.
    """

    def __init__(self, bank: ProbitBank, place: int) -> None:
        self._bank, self._place = bank, place

    @property
    def C(self) -> FloatArray:  # noqa: N802
        """Variances of differences."""
        return np.asarray(self._bank.C[self._place])

    @property
    def mean(self) -> FloatArray:
        """Of the scores."""
        return np.asarray(self._bank.mean[self._place])

    @property
    def response(self) -> FloatArray:
        """The s of the answer learned last."""
        return np.asarray(self._bank.response[self._place])

    @property
    def repetition(self) -> float:
        """How far judges repeat themselves: 0 not at all, 1 always."""
        return probit.repetition(self._bank.tally[self._place])


class ProbitBank:
    """Filters each answer into every posterior.

    Judges that repeat themselves tell less each time: how much less is found along with the scores.

    Attributes
    ----------
    variances
        Of the priors.
    evidence
        Logarithm of the probability of the answers under each.
    """

    def __init__(self, n: int, variances: Sequence[float]) -> None:
        self.variances = tuple(variances)
        self.C = np.array([prior_resistance(n, variance) for variance in variances])
        self.mean = np.zeros((len(variances), n))
        self.evidence = np.zeros(len(variances))
        self.tally = np.zeros((len(variances), 3))
        self._make_room()

    def _make_room(self) -> None:
        self.response = np.empty_like(self.mean)
        self._a = np.empty(len(self.variances))

    def __len__(self) -> int:
        return len(self.variances)

    def __getitem__(self, place: int) -> ProbitPosterior:
        return ProbitPosterior(self, place)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.mean.shape[1]

    @property
    def most_evident(self) -> int:
        """The place of the posterior whose prior the answers speak for."""
        return int(self.evidence.argmax())

    def learn(
        self, i: int, j: int, outcome: float, weight: float, times: int, last: float
    ) -> FloatArray:
        """One answer; returns the a of each posterior, where S became S - a s s^T."""
        probit.assimilate_into_bank(
            self.C, self.mean, self.response, i, j, outcome, weight, times, last, self.tally,
            self.evidence, self._a,
        )  # fmt: skip
        return self._a

    def learn_many(self, answers: AnswerBatch, times: IntArray, last: FloatArray) -> None:
        """Answers in the order they came, with what was answered before each."""
        i, j, outcome, weight, _ = answers
        probit.assimilate_all(
            self.C, self.mean, self.response, i, j, outcome, weight, times, last, self.tally,
            self.evidence,
        )  # fmt: skip

    def enlarge(self) -> None:
        """Make room for one more item."""
        self.C = np.array(
            [enlarge(C, variance) for C, variance in zip(self.C, self.variances, strict=True)]
        )
        self.mean = np.pad(self.mean, ((0, 0), (0, 1)))
        self._make_room()
