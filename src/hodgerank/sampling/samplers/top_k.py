"""TopKSampler: find the k best items."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Self

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.kernels.selection.misordering import top_k_weights
from hodgerank.sampling.candidates import AnyPair, Candidates, ListedPairs
from hodgerank.sampling.designs.adaptive import AdaptiveDesign, AdaptiveManyDesign
from hodgerank.sampling.designs.design import Design
from hodgerank.sampling.designs.knockout import KnockoutStart, is_worthwhile
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


class TopKDesign(KnockoutStart, AdaptiveDesign):
    """`AdaptiveDesign` for the k best, after a tournament where it pays."""

    def __init__(self, n: int, k: int, seed: int, position_bias: Position | None) -> None:
        super().__init__(n, partial(top_k_weights, k=k), position_bias, sort_from=np.inf)
        self._add_knockout(n, seed)


class KnockoutManyDesign(KnockoutStart, TopKManyDesign):
    """`TopKManyDesign` after a tournament where it pays."""

    def __init__(self, n: int, k: int, seed: int) -> None:
        super().__init__(n, k, seed)
        self._add_knockout(n, seed)


class TopKSampler(AutoSampler):
    """Finds the k best items, rather than the order of all.

    As `AutoSampler`, with pairs weighted by the probability that exactly one of the two is among
    the k best, from 512 draws of the scores. Finds more of the best items with the same number of
    votes, at the cost of the order of the others. Stop with `TopKCertain(k)`.

    Beyond 400 items it uses the matrix-free posterior of `BayesianSampler`, with pairs among the
    items that may still belong to either side.

    With a budget of about one vote per item (n - 1 to 1.25 n votes, 32 to 10,000 items) it first
    plays a knockout tournament: items that have lost to none meet each other, until one is left.
    This finds the best item more often, unless preferences are weak; with more votes the other
    criterion does as well.

    Parameters
    ----------
    items, seed, display, candidates, position_bias
        As in `Sampler`.
    k
        Number of best items to find.
    budget
        Number of votes planned in all, if it is known. `run` and campaigns announce their own.
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
        budget: int | None = None,
        probes: bool | None = None,
        vetting: int = 0,
        easy_share: float = 0.0,
        display: Display = "balanced",
        candidates: Candidates = None,
        position_bias: Position | None = None,
    ) -> None:
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
            raise InvalidArgument(f"k must be the number of best items to find, not {k!r}")
        if budget is not None and (not isinstance(budget, int | np.integer) or budget < 1):
            raise InvalidArgument(f"budget must be a number of votes, not {budget!r}")
        self.k, self._budget = int(k), budget
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

    def _new_design(self, n: int) -> TopKDesign | KnockoutManyDesign:
        if n > EXACT_ORDER:
            return KnockoutManyDesign(n, self.k, self._seed)
        return TopKDesign(n, self.k, self._seed, self.position_bias)

    def announce_budget(self, n_votes: int) -> None:
        """Announce the number of votes planned in all, unless one was given."""
        if self._budget is None:
            self._budget = n_votes

    def _prepare(self, worker: Item | None, allowed: AnyPair | ListedPairs) -> None:
        super()._prepare(worker, allowed)
        assert isinstance(self._design, KnockoutStart)
        self._design.plays_knockout = is_worthwhile(self._budget, len(self.active_items))

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
            budget=self._budget,
            probes=self._probes,
            vetting=self.vetting,
            easy_share=self.easy_share,
            display=self.display,
            position_bias=self.position_bias,
        )
