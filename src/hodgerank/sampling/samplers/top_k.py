"""TopKSampler: find the k best items."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Self

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.position_bias.position_cells import Position
from hodgerank.kernels.selection.misordering import top_k_weights
from hodgerank.sampling.candidates import Candidates
from hodgerank.sampling.designs.adaptive import AdaptiveDesign, AdaptiveManyDesign
from hodgerank.sampling.designs.design import Design
from hodgerank.sampling.designs.order import EXACT_ORDER
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.item_list import BlockedPairs
from hodgerank.sampling.samplers.auto import AutoSampler
from hodgerank.types import Item

CLOSE = 2.0  # standard deviations from the limit between the best and the others
FEWEST = 32  # items that are never left out


class TopKManyDesign(AdaptiveManyDesign):
    """Pairs as in `AdaptiveManyDesign`, among the items that may be one of the k best.

    At every check the limit is set midway between places k and k + 1; items clearly above or below
    it are left out until the next.
    """

    def __init__(self, n: int, k: int, seed: int) -> None:
        super().__init__(n, seed)
        self._k = k

    def _look(self) -> None:
        super()._look()
        posterior = self._posterior
        mean = posterior.running_mean
        k = min(self._k, len(mean) - 1)
        around = np.partition(-mean, (k - 1, k))
        limit = -(around[k - 1] + around[k]) / 2
        distance = np.abs(mean - limit) / np.sqrt(posterior.running_variance)
        fewest = min(max(FEWEST, 2 * k), len(mean))
        farthest = max(CLOSE, float(np.partition(distance, fewest - 1)[fewest - 1]))
        posterior.leave_aside(distance > farthest)

    def search_in_turn(
        self, blocked: BlockedPairs, keys: list[int], *, once: bool
    ) -> list[tuple[int, int]]:
        """Search one by one: the remaining items may change with each pair."""
        return Design.search_in_turn(self, blocked, keys, once=once)

    def search(self, blocked: BlockedPairs, key: int) -> tuple[int, int]:
        """Return a pair close to the best of those that matter, or of all if none is left."""
        found = super().search(blocked, key)
        if found[0] >= 0:
            return found
        aside = self._posterior.aside
        self._posterior.leave_aside(np.zeros_like(aside))
        found = super().search(blocked, key)
        self._posterior.leave_aside(aside)
        return found


class TopKSampler(AutoSampler):
    """Finds the k best items, rather than the order of all.

    As `AutoSampler`, with pairs weighted by the probability that exactly one of the two is among
    the k best, from 512 draws of the scores. Finds more of the best items with the same number of
    votes, at the cost of the order of the others. Stop with `TopKCertain(k)`.

    Beyond 400 items it uses the matrix-free posterior of `BayesianSampler`, with pairs among the
    items that may still belong to either side.

    Parameters
    ----------
    items, seed, display, candidates, position_bias
        As in `Sampler`.
    k
        Number of best items to find.
    probes, vetting, easy_share
        As in `AutoSampler`.

    Examples
    --------
    >>> sampler = TopKSampler(["tea", "milk", "cola", "beer"], k=1, seed=7)
    >>> sampler.tell_many([("tea", "milk", 1), ("tea", "cola", 1), ("beer", "cola", 1)])
    >>> "tea" in sampler.ask()
    True
    """

    def __init__(
        self,
        items: Iterable[Item] | int,
        k: int,
        *,
        seed: int = 0,
        probes: bool | None = None,
        vetting: int = 0,
        easy_share: float = 0.0,
        display: Display = "balanced",
        candidates: Candidates = None,
        position_bias: Position | None = None,
    ) -> None:
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
            raise InvalidArgument(f"k must be the number of best items to find, not {k!r}")
        self.k = int(k)
        super().__init__(
            items,
            seed=seed,
            probes=probes,
            vetting=vetting,
            easy_share=easy_share,
            display=display,
            candidates=candidates,
            position_bias=position_bias,
        )

    def _new_design(self, n: int) -> AdaptiveDesign | TopKManyDesign:
        if n > EXACT_ORDER:
            return TopKManyDesign(n, self.k, self._seed)
        return AdaptiveDesign(n, partial(top_k_weights, k=self.k), self.position_bias)

    @classmethod
    def seconds_per_answer(cls, n_items: int) -> float:
        """Return the approximate time per vote of `tell_many`; 0 if it processes all at once."""
        return super().seconds_per_answer(n_items) if n_items <= EXACT_ORDER else 0.0

    @property
    def name(self) -> str:
        """The name in `build_sampler`."""
        return f"top-{self.k}"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """Return a sampler of the same kind for other items."""
        return type(self)(
            items,
            self.k,
            seed=seed,
            probes=self._probes,
            vetting=self.vetting,
            easy_share=self.easy_share,
            display=self.display,
            position_bias=self.position_bias,
        )
