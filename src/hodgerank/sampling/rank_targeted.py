"""RankSampler: the pair whose answer is expected to mend most of the order."""

from __future__ import annotations

from collections.abc import Iterable

from hodgerank.kernels.resistance import covariance_of
from hodgerank.sampling.bayesian import require_positive
from hodgerank.sampling.display import Display
from hodgerank.sampling.order import OrderDesign
from hodgerank.sampling.posterior import Posterior
from hodgerank.sampling.protocol import Sampler
from hodgerank.types import Item


class RankSampler(Sampler):
    """Aims at the order: fewest misordered pairs to be expected after the next answer.

    On a probit posterior with full covariance, kept by assumed-density filtering, the expected
    number of misordered pairs is the sum of Phi(-|m| / s) over all pairs. To first order an answer
    lowers it by the variance it removes, weighted by how much each pair's order hangs on its
    variance. Best where opinions differ in strength; on nearly random labels prefer AutoSampler.

    Parameters
    ----------
    items, seed, display
        As in `Sampler`.
    prior_variance
        Of the scores, in units of the noise of one answer.

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
        prior_variance: float = 4.0,
        display: Display = "balanced",
    ) -> None:
        super().__init__(items, seed, display)
        variance = require_positive(prior_variance, "prior_variance")
        self._design: OrderDesign = OrderDesign(len(self._items), [variance])

    @property
    def posterior(self) -> Posterior:
        """What the answers told so far say about the scores, in units of probit noise."""
        return probit_posterior(self.items, self._design)


def probit_posterior(items: tuple[Item, ...], design: OrderDesign) -> Posterior:
    """The posterior of a design that the answers speak for."""
    best = design.best
    return Posterior(items, best.mean.copy(), covariance_of(best.C))
