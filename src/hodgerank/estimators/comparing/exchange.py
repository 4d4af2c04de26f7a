"""Exchange: what could as well have come from another population if they did not differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.estimators.comparing.populations import Populations
from hodgerank.types import IntArray

MOST_UNKNOWN = 0.1  # share of answers without a worker up to which workers are exchanged


@dataclass(frozen=True, eq=False)
class Exchange:
    """Units whose populations are permuted among the units of the same stratum.

    Attributes
    ----------
    what
        In words.
    by_worker
        Whether a unit is all that a worker answered for a population; else it is one answer.
    unit
        Of each answer.
    population, stratum
        Of each unit.
    """

    what: str
    by_worker: bool
    unit: IntArray
    population: IntArray
    stratum: IntArray

    def draw(self, rng: np.random.Generator) -> IntArray:
        """The population of each unit, after an exchange."""
        drawn = np.empty_like(self.population)
        shuffled = np.argsort(self.stratum + rng.random(len(self.stratum)))
        drawn[self._in_order] = self.population[shuffled]
        return drawn

    @cached_property
    def _in_order(self) -> IntArray:
        return np.argsort(self.stratum, kind="stable")

    @cached_property
    def n_possible(self) -> float:
        """Number of different outcomes of an exchange; infinite where it cannot be written down.

        In each stratum a multinomial coefficient.
        """
        n_populations = int(self.population.max()) + 1
        cells = np.bincount(self.stratum * n_populations + self.population)
        sizes = np.bincount(self.stratum)
        log = sum(lgamma(size + 1) for size in sizes[sizes > 1].tolist())
        log -= sum(lgamma(count + 1) for count in cells[cells > 1].tolist())
        return round(exp(log)) if log < 30 else float("inf")


def exchange_of(crowds: Populations) -> Exchange:
    """Whole workers where they are known and every population has several; else answers.

    Workers who answered for one population are exchanged with each other; of a worker who
    answered for several, the populations of his answers are.
    """
    known = crowds.worker != NO_WORKER
    pairs = np.unique(np.column_stack((crowds.population, crowds.worker))[known], axis=0)
    has_several = np.bincount(pairs[:, 0], minlength=len(crowds.names)).min() > 1
    if not has_several or 1 - known.mean() > MOST_UNKNOWN:
        what = "answers to the same pair"
        rows = np.arange(len(crowds.edge))
        return Exchange(what, False, rows, crowds.population, crowds.edge)
    # Answers without a worker stay where they are: they are a unit, and a stratum, of their own.
    n_workers = int(crowds.worker.max()) + 1
    who = np.where(known, crowds.worker, n_workers + crowds.population)
    keys, unit = np.unique(who * len(crowds.names) + crowds.population, return_inverse=True)
    worker, population = np.divmod(keys, len(crowds.names))
    is_single = (np.bincount(worker)[worker] == 1) & (worker < n_workers)
    _, stratum = np.unique(np.where(is_single, -1, worker), return_inverse=True)
    singles, doubles = bool(is_single.any()), bool((~is_single & (worker < n_workers)).any())
    what = {
        (True, False): "whole workers",
        (False, True): "the populations within each worker",
        (True, True): "whole workers, and the populations within workers who are in several",
    }[singles, doubles]
    return Exchange(what, True, unit, population, stratum)
