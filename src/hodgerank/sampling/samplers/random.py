"""RandomSampler: the baseline every other sampler is measured against."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

from hodgerank.errors import require_one_of
from hodgerank.estimators.position.cells import Position
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.designs.counting import CountingDesign
from hodgerank.sampling.designs.counting_many import CountingManyDesign
from hodgerank.sampling.designs.gaussian import MANY_ITEMS
from hodgerank.sampling.display import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item


class RandomSampler(Sampler):
    """Pairs at random.

    Parameters
    ----------
    items, seed, display, candidates, position
        As in `Sampler`.
    order
        'rounds' asks every pair once in random order before any is asked again: a balanced
        design, hard to beat where opinions are weak. 'independent' draws with replacement.

    Examples
    --------
    >>> sampler = RandomSampler(["tea", "milk", "cola"], seed=1)
    >>> len({frozenset(pair) for pair in sampler.ask(3)})
    3
    """

    follows_labels = False

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        order: Literal["rounds", "independent"] = "rounds",
        display: Display = "balanced",
        candidates: Candidates = None,
        position: Position | None = None,
    ) -> None:
        super().__init__(items, seed, display, candidates, position)
        require_one_of(order, ("rounds", "independent"), "order")
        self._order = order
        n, in_rounds = len(self._items), order == "rounds"
        self._design = (
            CountingDesign(n, in_rounds=in_rounds)
            if n < MANY_ITEMS
            else CountingManyDesign(n, in_rounds=in_rounds)
        )

    @property
    def name(self) -> str:
        """What `build_sampler` calls it."""
        return "rounds" if self._order == "rounds" else "random"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """One of the same kind for other items."""
        return type(self)(
            items, seed=seed, order=self._order, display=self.display, position=self.position
        )
