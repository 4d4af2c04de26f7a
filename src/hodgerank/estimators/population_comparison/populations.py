"""Populations: the votes of several crowds on the items that all of them can rank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp, lgamma

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons, require_choices
from hodgerank.data.reading.vote_source import read_ungrouped
from hodgerank.errors import InvalidArgument
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.linalg import laplacian
from hodgerank.types import CodeArray, FloatArray, IntArray, Item, VotesLike


@dataclass(frozen=True, eq=False)
class Populations:
    """Votes of all populations, with items and workers matched by name; one entry per vote.

    Attributes
    ----------
    names
        Names of the populations.
    items, left_out
        Items that are connected in every population, and all other items.
    i, j
        Pairs i < j that some population compared, in lexicographic order.
    population, edge, outcome, weight, worker
        One entry per vote. The outcome refers to item i of the edge; the worker is `NO_WORKER` if
        unknown.
    graphs
        The same votes aggregated to a graph per population.
    """

    names: tuple[Item, ...]
    items: tuple[Item, ...]
    left_out: tuple[Item, ...]
    i: CodeArray
    j: CodeArray
    population: IntArray
    edge: IntArray
    outcome: FloatArray
    weight: FloatArray
    worker: IntArray
    graphs: tuple[ComparisonGraph, ...]

    @classmethod
    def of(cls, votes: Mapping[Item, VotesLike]) -> Populations:
        """Read the votes and match their items and workers."""
        if not isinstance(votes, Mapping) or len(votes) < 2:
            raise InvalidArgument(
                "votes of at least two populations are needed, by name: "
                "{'experts': votes, 'novices': more_votes}"
            )
        read = {name: read_ungrouped(source) for name, source in votes.items()}
        for crowd in read.values():
            require_choices(crowd.report, "compare_rankings (--compare)")
        everything = tuple(dict.fromkeys(item for crowd in read.values() for item in crowd.items))
        items = _connected_in_all(list(read.values()))
        parts = [_restricted(crowd, items) for crowd in read.values()]
        low = np.concatenate([np.minimum(part.left, part.right) for part in parts])
        high = np.concatenate([np.maximum(part.left, part.right) for part in parts])
        keys, edge = np.unique(low * np.int64(len(items)) + high, return_inverse=True)
        workers = {
            name: code
            for code, name in enumerate(
                dict.fromkeys(name for part in parts for name in part.workers)
            )
        }
        return cls(
            names=tuple(read),
            items=items,
            left_out=tuple(item for item in everything if item not in set(items)),
            i=(keys // len(items)).astype(np.int32),
            j=(keys % len(items)).astype(np.int32),
            population=np.repeat(np.arange(len(parts)), [len(part) for part in parts]),
            edge=edge,
            outcome=np.concatenate(
                [np.where(part.left > part.right, -part.outcome, part.outcome) for part in parts]
            ),
            weight=np.concatenate([part.total_weight.astype(float) for part in parts]),
            worker=np.concatenate(
                [
                    np.array([*(workers[name] for name in part.workers), NO_WORKER])[part.worker]
                    for part in parts
                ]
            ),
            graphs=tuple(ComparisonGraph.from_comparisons(part) for part in parts),
        )

    @property
    def n_items(self) -> int:
        """Number of items that are compared."""
        return len(self.items)

    @cached_property
    def pooled(self) -> ComparisonGraph:
        """The graph of all votes."""
        return ComparisonGraph.from_comparisons(
            Comparisons(
                items=self.items,
                left=self.i[self.edge],
                right=self.j[self.edge],
                outcome=self.outcome,
                weight=self.weight,
                backend=self.graphs[0].backend,
            )
        )

    def sums(self, values: FloatArray) -> FloatArray:
        """Sum one value per vote, by population and edge."""
        shape = len(self.names), len(self.i)
        cells = self.population * shape[1] + self.edge
        return np.bincount(cells, values, shape[0] * shape[1]).reshape(shape).astype(float)

    @cached_property
    def counts(self) -> FloatArray:
        """Number of votes by population and edge."""
        return self.sums(np.ones(len(self.edge)))

    @cached_property
    def is_shared(self) -> FloatArray:
        """1 for edges that several populations compared, else 0."""
        return np.asarray((self.counts > 0).sum(axis=0) > 1, dtype=float)


def _connected_in_all(crowds: list[Comparisons]) -> tuple[Item, ...]:
    """Return the largest set of items whose own votes connect them in every population.

    Takes the largest set of items that share a component in every population, and repeats until it
    is stable: removing items may disconnect others.
    """
    shared = set(crowds[0].items).intersection(*(crowd.items for crowd in crowds[1:]))
    items = tuple(item for item in crowds[0].items if item in shared)
    while len(items) > 1:
        parts = [_restricted(crowd, items) for crowd in crowds]
        labels = np.column_stack(
            [laplacian.components(part.left, part.right, len(items)) for part in parts]
        )
        _, group, sizes = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
        if len(sizes) == 1:
            return items
        is_kept = group.ravel() == sizes.argmax()
        items = tuple(item for item, kept in zip(items, is_kept, strict=True) if kept)
    kinds = {type(item).__name__ for crowd in crowds for item in crowd.items}
    hint = " (they are numbers in some and text in others)" if len(kinds) > 1 else ""
    raise InvalidArgument(
        f"no two items were compared, directly or through others, in every population{hint}: "
        "there is nothing to compare"
    )


def _restricted(crowd: Comparisons, items: tuple[Item, ...]) -> Comparisons:
    """Restrict votes to some items."""
    places = {item: place for place, item in enumerate(items)}
    place = np.array([places.get(item, -1) for item in crowd.items], np.int32)
    rows = (place[crowd.left] >= 0) & (place[crowd.right] >= 0)
    kept = crowd.select(rows)
    return Comparisons(
        items=items,
        left=place[kept.left],
        right=place[kept.right],
        outcome=kept.outcome,
        workers=kept.workers,
        worker=kept.worker,
        weight=kept.weight,
        report=kept.report,
        backend=kept.backend,
    )


MOST_UNKNOWN = 0.1  # largest share of votes without a worker for which workers are exchanged


@dataclass(frozen=True, eq=False)
class Exchange:
    """Units whose populations are permuted within strata.

    Attributes
    ----------
    what
        What is exchanged, in words.
    by_worker
        Whether a unit is all votes of a worker for a population; otherwise it is one vote.
    unit
        Unit of each vote.
    population, stratum
        Population and stratum of each unit.
    """

    what: str
    by_worker: bool
    unit: IntArray
    population: IntArray
    stratum: IntArray

    def draw(self, rng: np.random.Generator) -> IntArray:
        """Return the population of each unit after a random permutation."""
        drawn = np.empty_like(self.population)
        shuffled = np.argsort(self.stratum + rng.random(len(self.stratum)))
        drawn[self._in_order] = self.population[shuffled]
        return drawn

    @cached_property
    def _in_order(self) -> IntArray:
        return np.argsort(self.stratum, kind="stable")

    @cached_property
    def n_possible(self) -> float:
        """Number of distinct permutations, infinite if too large to represent.

        The product of a multinomial coefficient per stratum.
        """
        n_populations = int(self.population.max()) + 1
        cells = np.bincount(self.stratum * n_populations + self.population)
        sizes = np.bincount(self.stratum)
        log = sum(lgamma(size + 1) for size in sizes[sizes > 1].tolist())
        log -= sum(lgamma(count + 1) for count in cells[cells > 1].tolist())
        return round(exp(log)) if log < 30 else float("inf")


def exchange_of(crowds: Populations) -> Exchange:
    """Choose whole workers if they are known and every population has several, else votes.

    Workers who voted for one population are exchanged with each other; workers who voted for
    several have their populations permuted.
    """
    known = crowds.worker != NO_WORKER
    pairs = np.unique(np.column_stack((crowds.population, crowds.worker))[known], axis=0)
    has_several = np.bincount(pairs[:, 0], minlength=len(crowds.names)).min() > 1
    if not has_several or 1 - known.mean() > MOST_UNKNOWN:
        what = "votes on the same pair"
        rows = np.arange(len(crowds.edge))
        return Exchange(what, False, rows, crowds.population, crowds.edge)
    # Votes without a worker are a unit and a stratum of their own, so they are never exchanged.
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
