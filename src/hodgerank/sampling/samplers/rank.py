"""RankSampler: the pair whose answer is expected to repair most of the order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from hodgerank.errors import require_positive
from hodgerank.estimators.position_bias.position_cells import Position
from hodgerank.kernels.posterior import covariance_of
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.designs.design import Posterior
from hodgerank.sampling.designs.order import OrderDesign
from hodgerank.sampling.designs.probit_posteriors import filter_seconds
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item


class RankSampler(Sampler):
    """Aims at the order: fewest misordered pairs to be expected after the next answer.

    On a probit posterior with full covariance, kept by assumed-density filtering, the expected
    number of misordered pairs is the sum of Phi(-|m| / s) over all pairs. To first order an answer
    lowers it by the variance it removes, weighted by how much each pair's order hangs on its
    variance. Best where opinions differ in strength; on nearly random labels prefer AutoSampler.

    Parameters
    ----------
    items, seed, display, candidates, position_bias
        As in `Sampler`.
    ridge
        Precision of the scores before any answer, in units of one answer; 1/4 is a variance of 4.

    Examples
    --------
    >>> sampler = RankSampler(["tea", "milk", "cola", "beer"], seed=7)
    >>> sampler.tell_many([("tea", "milk", 1), ("cola", "beer", 1)])
    >>> sampler.ask() in {("tea", "cola"), ("cola", "tea"), ("milk", "beer"), ("beer", "milk")}
    True
    """

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        ridge: float = 0.25,
        display: Display = "balanced",
        candidates: Candidates = None,
        position_bias: Position | None = None,
    ) -> None:
        super().__init__(items, seed, display, candidates, position_bias)
        self._ridge = require_positive(ridge, "ridge")
        self._design: OrderDesign = OrderDesign(
            len(self._items), [1 / self._ridge], position_bias=position_bias
        )

    @classmethod
    def seconds_per_answer(cls, n_items: int) -> float:
        """About how long `tell_many` takes for each answer."""
        return filter_seconds(1, n_items)

    @property
    def name(self) -> str:
        """What `build_sampler` calls it."""
        return "rank"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """One of the same kind for other items."""
        return type(self)(
            items,
            seed=seed,
            ridge=self._ridge,
            display=self.display,
            position_bias=self.position_bias,
        )

    @property
    def posterior(self) -> Posterior:
        """What the answers told so far say about the scores, in units of probit noise."""
        return probit_posterior(self.items, self._design)


def probit_posterior(items: tuple[Item, ...], design: OrderDesign) -> Posterior:
    """The posterior of a design that the answers speak for."""
    best = design.best
    return Posterior(items, best.mean.copy(), covariance_of(best.C))
