"""FisherSampler: designs that need no labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

import numpy as np

from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.estimators.position.cells import Position
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.designs.connectivity import ConnectivityDesign
from hodgerank.sampling.designs.gaussian import Engine, gaussian_posterior
from hodgerank.sampling.display import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item


class FisherSampler(Sampler):
    """Fisher information maximisation without labels, [Xu18] section 3.1.

    The pairs could be written down before the first answer; pairs that are out count like answered
    ones.

    Parameters
    ----------
    items, seed, display, candidates, position
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

    follows_labels = False

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        criterion: Literal["d-optimal", "fiedler"] = "d-optimal",
        start: Literal["empty", "path"] = "empty",
        engine: Engine = "auto",
        display: Display = "balanced",
        candidates: Candidates = None,
        position: Position | None = None,
    ) -> None:
        super().__init__(items, seed, display, candidates, position)
        require_one_of(criterion, ("d-optimal", "fiedler"), "criterion")
        require_one_of(start, ("empty", "path"), "start")
        self._criterion, self._start, self._engine = criterion, start, engine
        n = len(self._items)
        if criterion == "fiedler":
            path = np.random.default_rng(seed).permutation(n) if start == "path" else None
            self._design = ConnectivityDesign(n, path)
        elif start == "path":
            raise InvalidArgument("start='path' belongs to criterion='fiedler'")
        else:
            self._design = gaussian_posterior(
                np.zeros(n), self._ridge, criterion="variance", engine=engine, seed=seed
            )

    @property
    def name(self) -> str:
        """What `build_sampler` calls it."""
        return self._criterion

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """One of the same kind for other items."""
        return type(self)(
            items, seed=seed, criterion=self._criterion, start=self._start, engine=self._engine,
            display=self.display, position=self.position,
        )  # fmt: skip
