"""AutoSampler: finds out how strong opinions are, and designs accordingly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from hodgerank.sampling.designs.adaptive import AdaptiveDesign
from hodgerank.sampling.designs.adaptive_many import AdaptiveManyDesign
from hodgerank.sampling.designs.gaussian import MANY_ITEMS
from hodgerank.sampling.display import Display
from hodgerank.sampling.posterior import Posterior
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.rank import probit_posterior
from hodgerank.types import Item


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
        self._design: AdaptiveDesign | AdaptiveManyDesign = (
            AdaptiveDesign(n) if n < MANY_ITEMS else AdaptiveManyDesign(n, self._seed)
        )

    @property
    def name(self) -> str:
        """What `build_sampler` calls it."""
        return "auto"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """One of the same kind for other items."""
        return type(self)(items, seed=seed, display=self.display)

    @property
    def strategy(self) -> Literal["d-optimal", "rank", "bayesian"]:
        """What the next pair is chosen by, named as in `build_sampler`."""
        if self._design.ignores_labels:
            return "d-optimal"
        return "rank" if isinstance(self._design, AdaptiveDesign) else "bayesian"

    @property
    def posterior(self) -> Posterior:
        """What the answers told so far say about the scores.

        In units of probit noise; from 1,000 items on, in those of `BayesianSampler`.
        """
        if isinstance(self._design, AdaptiveDesign):
            return probit_posterior(self.items, self._design.order)
        return super().posterior
