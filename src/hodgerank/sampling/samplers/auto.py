"""AutoSampler: estimates how strong preferences are, and chooses the design accordingly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.position_bias.groupings import Position
from hodgerank.sampling.candidates import AnyPair, Candidates, ListedPairs
from hodgerank.sampling.designs.adaptive import (
    PRIOR_VARIANCES,
    AdaptiveDesign,
    AdaptiveManyDesign,
)
from hodgerank.sampling.designs.design import Posterior
from hodgerank.sampling.designs.easy_pairs import PROBES, easy_pairs
from hodgerank.sampling.designs.matrix_free_posterior import MANY_ITEMS
from hodgerank.sampling.designs.probit_posteriors import filter_seconds
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.rank import probit_posterior
from hodgerank.types import Item

MOST_EASY = 0.5
CHAINED_START = 2.5  # label-free votes per item if the candidates form long chains


class AutoSampler(Sampler):
    """The default sampler: as good as the best of the others, without knowing which that is.

    Labels help to choose pairs if preferences are strong, and mislead if they are nearly random.
    Seven probit posteriors with prior variances from 1/12 to 16/3 accumulate their marginal
    likelihood vote by vote. If it favours strong preferences, the design is that of `RankSampler`
    with four times the best variance. Otherwise, from 32 items on, it is the label-free D-optimal
    design: the pair with the most uncertain difference. During the first two votes per item, strong
    preferences must be ahead by one nat: close pairs say little about strength, so the label-free
    design also answers the question sooner. If the candidates form long chains, it chooses the
    first 2.5 votes per item.

    Repeated votes on a pair may be correlated: from a language model at temperature 0, or the same
    person twice. The correlation is estimated from repeated pairs, which are then worth less.

    If no answer contradicts another and enough of them only confirmed what was known, it asks what
    `SortSampler` asks: the order is then proven soonest.

    From 1,000 items on, the posterior is the matrix-free one of `BayesianSampler`, and so is the
    gain. Between one and three votes per item, 64 probes compare items whose means are far apart.
    If their votes show that preferences are weak, pairs are chosen by the label-free design.

    Parameters
    ----------
    items, seed, display, candidates, position_bias
        As in `Sampler`.
    probes
        Ask every tenth time, from half a vote per item on, a random item of the best fifth against
        a random one of the worst. Probes measure the spread of the scores, which close pairs hardly
        do, and so the certainty of the ranking. They cost a little accuracy (tau .01 at 16 items,
        .004 at 50). Default: on with a stopping rule, off otherwise. From 1,000 items on there are
        probes in any case.
    vetting
        For workers you do not know: the number of first votes of each worker on pairs chosen
        without labels, since close pairs hide workers who vote at random. 8 helps somewhat; honest
        crowds lose up to .03 of tau at 5 votes per item.
    easy_share
        For workers you do not know, in long sessions: the share of pairs, from half a vote per item
        on, that compare a random item of the best quarter with a random one of the worst. They
        replace probes. With .2, random workers are found about as often as with vetting=8, and
        more often in long sessions; honest crowds lose up to .02 of tau at 5 votes per item.

    Examples
    --------
    >>> sampler = AutoSampler(["tea", "milk", "cola"], seed=7)
    >>> sampler.tell(sampler.ask(), +1)
    >>> len(sampler.ask(2))
    2
    """

    def __init__(
        self,
        items: Iterable[Item] | int,
        *,
        seed: int = 0,
        probes: bool | None = None,
        vetting: int = 0,
        easy_share: float = 0.0,
        display: Display = "balanced",
        candidates: Candidates = None,
        position_bias: Position | None = None,
    ) -> None:
        super().__init__(items, seed, display, candidates, position_bias)
        if not isinstance(vetting, int | np.integer) or vetting < 0:
            raise InvalidArgument(f"vetting must be a number of votes per worker, not {vetting!r}")
        is_number = isinstance(easy_share, float | int) and not isinstance(easy_share, bool)
        if not is_number or not 0 <= easy_share <= MOST_EASY:
            raise InvalidArgument(
                f"easy_share must be a share from 0 to {MOST_EASY:g}, not {easy_share!r}"
            )
        self._design: AdaptiveDesign | AdaptiveManyDesign = self._new_design(len(self._items))
        self._probes = probes
        self.vetting, self.easy_share = int(vetting), float(easy_share)
        self._set_probes(bool(probes))

    def _new_design(self, n: int) -> AdaptiveDesign | AdaptiveManyDesign:
        if n < MANY_ITEMS:
            return AdaptiveDesign(n, position_bias=self.position_bias)
        return AdaptiveManyDesign(n, self._seed)

    @classmethod
    def seconds_per_answer(cls, n_items: int) -> float:
        """Return the approximate time per vote of `tell_many`; 0 if it processes all at once."""
        is_filtering = n_items < MANY_ITEMS
        return filter_seconds(len(PRIOR_VARIANCES), n_items) if is_filtering else 0.0

    @property
    def name(self) -> str:
        """The name in `build_sampler`."""
        return "auto"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """Return a sampler of the same kind for other items."""
        return type(self)(
            items,
            seed=seed,
            probes=self._probes,
            vetting=self.vetting,
            easy_share=self.easy_share,
            display=self.display,
            position_bias=self.position_bias,
        )

    @property
    def strategy(self) -> Literal["d-optimal", "rank", "bayesian", "sort"]:
        """The strategy that chooses the next pair, named as in `build_sampler`."""
        if isinstance(self._design, AdaptiveDesign) and self._design.is_sorting:
            return "sort"
        if self._design.ignores_labels:
            return "d-optimal"
        return "rank" if isinstance(self._design, AdaptiveDesign) else "bayesian"

    @property
    def posterior(self) -> Posterior:
        """Posterior of the scores from the votes told so far.

        In units of probit noise; from 1,000 items on, in those of `BayesianSampler`.
        """
        if isinstance(self._design, AdaptiveDesign):
            return probit_posterior(self.items, self._design.order)
        return super().posterior

    @property
    def repetition(self) -> float:
        """Estimated correlation of repeated votes beyond what the scores explain, from 0 to 1.

        Not estimated from 1,000 items on, where hardly any pair is repeated.
        """
        if isinstance(self._design, AdaptiveDesign):
            return self._design.order.best.repetition
        return 0.0

    @property
    def is_established(self) -> bool:
        """Whether the order of all active items is established, if answers are consistent."""
        if not isinstance(self._design, AdaptiveDesign):
            return super().is_established
        self._design.sorting.retire(frozenset(self._item_list.retired))
        return self._design.sorting.is_established

    def prepare_to_stop(self) -> None:
        """Ask probes, unless they are disabled."""
        if self._probes is None:
            self._set_probes(True)

    def _set_probes(self, on: bool) -> None:
        if self.easy_share:
            self._design.easy_pairs = easy_pairs(self.easy_share)
        elif isinstance(self._design, AdaptiveDesign):
            self._design.easy_pairs = PROBES if on else None

    def _prepare(self, worker: Item | None, allowed: AnyPair | ListedPairs) -> None:
        is_starting = isinstance(self._design, AdaptiveDesign) and self._is_starting(allowed)
        self._design.is_blind = is_starting or self._is_vetting(worker)
        if isinstance(self._design, AdaptiveDesign):
            self._design.sorting.retire(frozenset(self._item_list.retired))

    def _is_starting(self, allowed: AnyPair | ListedPairs) -> bool:
        return (
            isinstance(allowed, ListedPairs)
            and self.n_votes < CHAINED_START * len(self._items)
            and allowed.table.scope.is_chained
        )

    def _is_vetting(self, worker: Item | None) -> bool:
        """Whether the worker is new; if the worker is unknown, whether workers are on average."""
        if not self.vetting:
            return False
        if worker is not None:
            return self._history.n_votes_of(worker) < self.vetting
        return self.n_votes < self.vetting * max(1, self._history.n_workers)
