"""AutoSampler: finds out how strong opinions are, and designs accordingly."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self

import numpy as np

from hodgerank.errors import InvalidArgument
from hodgerank.estimators.position_bias.position_cells import Position
from hodgerank.sampling.candidates import AnyPair, Candidates, ListedPairs
from hodgerank.sampling.designs.adaptive import (
    PRIOR_VARIANCES,
    AdaptiveDesign,
    AdaptiveManyDesign,
)
from hodgerank.sampling.designs.design import Posterior
from hodgerank.sampling.designs.matrix_free_posterior import MANY_ITEMS
from hodgerank.sampling.designs.probit_posteriors import filter_seconds
from hodgerank.sampling.display_order import Display
from hodgerank.sampling.sampler import Sampler
from hodgerank.sampling.samplers.rank import probit_posterior
from hodgerank.types import Item

CHAINED_START = 2.5  # answers per item chosen without labels where only neighbours may be asked


class AutoSampler(Sampler):
    """The default: as good as the best of the others without knowing which that is.

    Labels help to choose pairs where opinions differ in strength, and mislead where they are
    nearly random. Seven probit posteriors with prior variances from 1/12 to 16/3 collect their
    evidence answer by answer. Where it speaks for strong opinions, the design is that of
    `RankSampler` with four times the best variance; where not, and there are 32 items or more, the
    label-free D-optimal one, the pair whose difference is least known. During the first two answers
    per item strong opinions must be ahead by one nat: pairs chosen to be close tell little
    about strength, so the label-free design also settles the question sooner. Where the candidates
    lead from item to item only by long ways, it chooses the first 2.5 answers per item.

    Judges may repeat themselves: a language model at temperature 0, the same person twice. How
    far they do is found from pairs asked again, and these are worth less by it.

    From 1,000 items on the posterior is the matrix-free one of `BayesianSampler`: D-optimal at
    first, and by expected information where the scores found so far spread widely.

    Parameters
    ----------
    items, seed, display, candidates, position_bias
        As in `Sampler`.
    probes
        Ask every tenth time, from half an answer per item on, a random one of the best fifth
        against a random one of the worst. It tells how far scores spread, which pairs chosen to be
        close hardly do, and so how sure the ranking is. It costs a little of the ranking (tau .01
        at 16 items, .004 at 50). Default: on where somebody wants to know, i.e. with a stopping
        rule, off where the ranking alone matters. From 1,000 items on the spread is known anyway.
    vetting
        For crowds that nobody has vetted: so many answers of each worker are to pairs chosen
        without labels. Close pairs hide who answers at random or the wrong way round; 8 are enough
        to tell, and cost honest crowds .03 of tau at 5 answers per item.

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
        display: Display = "balanced",
        candidates: Candidates = None,
        position_bias: Position | None = None,
    ) -> None:
        super().__init__(items, seed, display, candidates, position_bias)
        if not isinstance(vetting, int | np.integer) or vetting < 0:
            raise InvalidArgument(f"vetting is a number of answers per worker, not {vetting!r}")
        self._design: AdaptiveDesign | AdaptiveManyDesign = self._new_design(len(self._items))
        self._probes, self._vetting = probes, vetting
        self._set_probes(bool(probes))

    def _new_design(self, n: int) -> AdaptiveDesign | AdaptiveManyDesign:
        if n < MANY_ITEMS:
            return AdaptiveDesign(n, position_bias=self.position_bias)
        return AdaptiveManyDesign(n, self._seed)

    @classmethod
    def seconds_per_answer(cls, n_items: int) -> float:
        """About how long `tell_many` takes for each answer; 0 where it learns them all at once."""
        is_filtering = n_items < MANY_ITEMS
        return filter_seconds(len(PRIOR_VARIANCES), n_items) if is_filtering else 0.0

    @property
    def name(self) -> str:
        """What `build_sampler` calls it."""
        return "auto"

    def fresh(self, items: Iterable[Item] | int, seed: int) -> Self:
        """One of the same kind for other items."""
        return type(self)(
            items,
            seed=seed,
            probes=self._probes,
            vetting=self._vetting,
            display=self.display,
            position_bias=self.position_bias,
        )

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

    @property
    def repetition(self) -> float:
        """How far judges repeat themselves beyond what the scores explain: 0 not at all, 1 always.

        Not looked for from 1,000 items on, where hardly a pair is asked twice.
        """
        if isinstance(self._design, AdaptiveDesign):
            return self._design.order.best.repetition
        return 0.0

    def prepare_to_stop(self) -> None:
        """Ask probes, unless told not to."""
        if self._probes is None:
            self._set_probes(True)

    def _set_probes(self, on: bool) -> None:
        if isinstance(self._design, AdaptiveDesign):
            self._design.probes = on

    def _prepare(self, worker: Item | None, allowed: AnyPair | ListedPairs) -> None:
        if isinstance(self._design, AdaptiveDesign):
            self._design.is_blind = self._is_starting(allowed) or self._is_vetting(worker)

    def _is_starting(self, allowed: AnyPair | ListedPairs) -> bool:
        return (
            isinstance(allowed, ListedPairs)
            and self.n_votes < CHAINED_START * len(self._items)
            and allowed.table.scope.is_chained
        )

    def _is_vetting(self, worker: Item | None) -> bool:
        """Whether the worker is new or, if nobody says who will answer, all are on average."""
        if not self._vetting:
            return False
        if worker is not None:
            return self._history.n_answers_of(worker) < self._vetting
        return self.n_votes < self._vetting * max(1, self._history.n_workers)
