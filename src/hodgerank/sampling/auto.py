"""AutoSampler: finds out how strong opinions are, and designs accordingly."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hodgerank.sampling.auto_many import ManyItemsDesign
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.design import Answers
from hodgerank.sampling.display import Display
from hodgerank.sampling.engines import MANY_ITEMS
from hodgerank.sampling.order import OrderDesign, ProbitPosterior
from hodgerank.sampling.posterior import DensePosterior, Posterior
from hodgerank.sampling.protocol import Sampler
from hodgerank.sampling.rank_targeted import probit_posterior
from hodgerank.types import FloatArray, IntArray, Item

PRIOR_VARIANCES = tuple(2.0**k / 12 for k in range(7))  # 1/12, 1/6, ..., 16/3
N_WEAK = 2  # the first of them, up to 1/6: opinions are little more than noise
INFLATION = 2  # places up in the list, a factor of 4: designs that expect more learn faster
ENOUGH_ITEMS = 32  # below, aiming at the order pays whatever the strength of opinions
MARGIN = 1.0  # nats of evidence that opinions are strong, asked for at the beginning
BEGINNING = 2.0  # answers per item


class AutoDesign(OrderDesign):
    """Rank-targeted where opinions are strong, D-optimal where they are not."""

    def __init__(self, n: int) -> None:
        super().__init__(n, PRIOR_VARIANCES)
        self._label_free = DensePosterior(np.zeros(n), 1.0, criterion="variance")
        self._ignores_labels = False

    @property
    def ignores_labels(self) -> bool:
        """Whether the next pair is chosen by the label-free design."""
        self._ready()
        return self._ignores_labels

    def choose_posterior(self) -> ProbitPosterior:
        """One with a wider prior than the best, and whether it is used at all."""
        evidence = [posterior.evidence for posterior in self.bank]
        ahead = max(evidence[N_WEAK:]) - max(evidence[:N_WEAK])
        margin = MARGIN if self.n_learned < BEGINNING * self.n_items else 0.0
        self._ignores_labels = self.n_items >= ENOUGH_ITEMS and ahead <= margin
        best = int(np.argmax(evidence))
        return self.bank[min(best + INFLATION, len(self.bank) - 1)]

    def learn(
        self, i: int, j: int, outcome: float, noise: float, worker: Item | None, was_out: bool
    ) -> None:
        """For both."""
        super().learn(i, j, outcome, noise, worker, was_out)
        self._label_free.learn(i, j, outcome, noise, worker, was_out)

    def learn_many(self, answers: Answers) -> None:
        """For both."""
        super().learn_many(answers)
        self._label_free.learn_many(answers)

    def expect(self, i: int, j: int) -> None:
        """For both."""
        super().expect(i, j)
        self._label_free.expect(i, j)

    def withdraw(self, i: int, j: int) -> None:
        """For both."""
        super().withdraw(i, j)
        self._label_free.withdraw(i, j)

    def enlarge(self) -> None:
        """For both."""
        super().enlarge()
        self._label_free.enlarge()

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """Misordered pairs less to be expected, or variance."""
        return self._label_free.gains(i, j) if self.ignores_labels else super().gains(i, j)

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """The best pair by the criterion in force."""
        if self.ignores_labels:
            return self._label_free.search(blocked, key)
        return super().search(blocked, key)


class AutoSampler(Sampler):
    """The default: as good as the best of the others without knowing which that is.

    Labels help to choose pairs where opinions differ in strength, and mislead where they are
    nearly random. Seven probit posteriors with prior variances from 1/12 to 16/3 collect their
    evidence answer by answer. Where it speaks for strong opinions, the design is that of
    `RankSampler` with four times the best variance; where not, and there are 32 items or more, the
    label-free D-optimal one, the pair whose difference is least known. During the first two answers
    per item strong opinions must be ahead by one nat: pairs chosen to be close tell little
    about strength, so the label-free design also settles the question sooner.

    From 1,000 items on the posterior is the matrix-free one of `BayesianSampler`: D-optimal at
    first, and by expected information where the scores found so far spread widely.

    Parameters
    ----------
    items, seed, display
        As in `Sampler`.

    Examples
    --------
    >>> sampler = AutoSampler(["tea", "milk", "cola"], seed=7)
    >>> sampler.tell(sampler.ask(), +1)
    >>> len(sampler.ask(2))
    2
    """

    def __init__(
        self, items: Iterable[Item] | int, *, seed: int = 0, display: Display = "balanced"
    ) -> None:
        super().__init__(items, seed, display)
        n = len(self._items)
        self._design: AutoDesign | ManyItemsDesign = (
            AutoDesign(n) if n < MANY_ITEMS else ManyItemsDesign(n, self._seed)
        )

    @property
    def strategy(self) -> str:
        """What the next pair is chosen by: 'd-optimal', 'rank-targeted' or 'bayesian'."""
        if self._design.ignores_labels:
            return "d-optimal"
        return "rank-targeted" if isinstance(self._design, AutoDesign) else "bayesian"

    @property
    def posterior(self) -> Posterior:
        """What the answers told so far say about the scores.

        In units of probit noise; from 1,000 items on, in those of `BayesianSampler`.
        """
        if isinstance(self._design, AutoDesign):
            return probit_posterior(self.items, self._design)
        return super().posterior
