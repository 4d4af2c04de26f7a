"""CrowdBTSampler: the baseline of the paper, [Chen13]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import numpy as np

from hodgerank.errors import require_positive
from hodgerank.estimators.crowd_bt import CrowdBTRanking, crowd_bt
from hodgerank.sampling.candidates import AnyPair, Candidates, ListedPairs
from hodgerank.sampling.designs.crowd_bt import CrowdBTDesign
from hodgerank.sampling.display import Display
from hodgerank.sampling.posterior import Posterior
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item


class CrowdBTSampler(Sampler):
    """Crowd-BT, [Chen13]: expected information about scores and worker reliability.

    Scores are independent Gaussians, so what an answer says about third items is lost; it is here
    as the baseline of the paper. `ask(worker=...)` uses that worker's reliability.

    Parameters
    ----------
    items, seed, display, candidates
        As in `Sampler`.
    ridge
        Precision of the scores before any answer.
    reliability
        Beta parameters of a new worker's reliability.
    exploration
        Weight of what is learned about the worker.

    Examples
    --------
    >>> sampler = CrowdBTSampler(["tea", "milk", "cola"], seed=7)
    >>> sampler.tell(("tea", "milk"), +1, worker="ann")
    >>> "cola" in sampler.ask(worker="ben")
    True
    """

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        ridge: float = 1.0,
        reliability: tuple[float, float] = (10.0, 1.0),
        exploration: float = 0.0,
        display: Display = "balanced",
        candidates: Candidates = None,
    ) -> None:
        super().__init__(items, seed, display, candidates)
        self._ridge = require_positive(ridge, "ridge")
        alpha, beta = (require_positive(value, "reliability") for value in reliability)
        self._reliability = alpha, beta
        self._exploration = max(float(exploration), 0.0)
        self._design: CrowdBTDesign = CrowdBTDesign(
            len(self._items), 1 / self._ridge, self._reliability, self._exploration
        )

    @property
    def name(self) -> str:
        """What `build_sampler` calls it."""
        return "crowd-bt"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """One of the same kind for other items."""
        return type(self)(
            items, seed=seed, ridge=self._ridge, reliability=self._reliability,
            exploration=self._exploration, display=self.display,
        )  # fmt: skip

    def _prepare(self, worker: Item | None, allowed: AnyPair | ListedPairs) -> None:
        self._design.worker = worker

    def ranking(self, *, confidence: float = 0.95) -> CrowdBTRanking:
        """All items, best first, by the estimator `crowd_bt`, which weighs workers."""
        return crowd_bt(self.answers, confidence=confidence)

    def reliability(self, worker: Item | None = None) -> float:
        """The share of a worker's answers that agree with the crowd, as estimated so far."""
        alpha, beta = self._design.reliability(worker)
        return alpha / (alpha + beta)

    @property
    def posterior(self) -> Posterior:
        """Independent Gaussians on the logistic scale."""
        return Posterior(self.items, self._design.mu.copy(), np.diag(self._design.var))
