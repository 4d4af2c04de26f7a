"""FisherSampler: designs that need no labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import numpy as np

from hodgerank.errors import InvalidArgument, choose
from hodgerank.sampling.algebraic_connectivity import AlgebraicConnectivity
from hodgerank.sampling.display import Display
from hodgerank.sampling.engines import Engine, gaussian_posterior
from hodgerank.sampling.protocol import Sampler
from hodgerank.types import Item


class FisherSampler(Sampler):
    """Fisher information maximisation without labels, [Xu18] section 3.1.

    The pairs could be written down before the first answer; pairs that are out count like answered
    ones.

    Parameters
    ----------
    items, seed, display
        As in `Sampler`.
    criterion
        'd-optimal' asks the pair whose difference has the largest variance, which multiplies the
        determinant of the information most. 'fiedler' is the paper's: the pair that raises the
        algebraic connectivity lambda_2 most, among those asked least often. They are equally
        accurate; D-optimal is many times cheaper.
    start
        'empty', or 'path': the first n - 1 pairs walk through all items in random order, as the
        published experiments did (fiedler only).
    engine
        As in `BayesianSampler` (d-optimal only).

    Examples
    --------
    >>> sampler = FisherSampler(["tea", "milk", "cola", "beer"], seed=7)
    >>> first, second = sampler.ask(2)
    >>> len({*first, *second})
    4
    """

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        criterion: Literal["d-optimal", "fiedler"] = "d-optimal",
        start: Literal["empty", "path"] = "empty",
        engine: Engine = "auto",
        display: Display = "balanced",
    ) -> None:
        super().__init__(items, seed, display)
        choose(criterion, ("d-optimal", "fiedler"), "criterion")
        choose(start, ("empty", "path"), "start")
        n = len(self._items)
        if criterion == "fiedler":
            path = np.random.default_rng(seed).permutation(n) if start == "path" else None
            self._design = AlgebraicConnectivity(n, path)
        elif start == "path":
            raise InvalidArgument("start='path' belongs to criterion='fiedler'")
        else:
            self._design = gaussian_posterior(
                np.zeros(n), self._prior_strength, criterion="variance", engine=engine, seed=seed
            )
