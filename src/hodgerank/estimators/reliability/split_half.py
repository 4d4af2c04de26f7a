"""Split-half reliability: would the other half of the workers rank the items alike?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.errors import InvalidArgument
from hodgerank.estimators.reliability.bradley_terry_fit import BradleyTerryFit
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.edges import group_rows
from hodgerank.types import CodeArray, FloatArray, IntArray, RngLike

FEWEST_WORKERS = 10  # needed for halves of workers to be comparable
FEWEST_ITEMS = 3
MOST_AT_ONCE = 10**9  # votes on a pair up to which an exact split is drawn
By = Literal["worker", "ballot", "unit", "vote"]


@dataclass(frozen=True)
class SplitHalf:
    """Correlation of the scores from random halves of the votes.

    Attributes
    ----------
    correlation
        Median over the splits of the correlation between both halves' Bradley-Terry scores; None if
        most splits are not usable.
    low, high
        Range of the central 90% of splits. It shows the variation between splits; it is not a
        confidence interval.
    spearman_brown
        Predicted correlation of two samples as large as this one, 2r / (1 + r); None if r is not
        positive.
    by
        What was split: whole workers, ballots or units, or the votes on each pair.
    n_splits, n_usable
        Number of splits, and of splits in which both halves connect at least half of the items.
    n_items
        Items connected in both halves, averaged over the usable splits.
    """

    correlation: float | None
    low: float | None
    high: float | None
    spearman_brown: float | None
    by: By
    n_splits: int
    n_usable: int
    n_items: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return dict(vars(self))


def split_half(answered: AnsweredGraph, n_splits: int = 100, rng: RngLike = 0) -> SplitHalf:
    """Split the votes repeatedly, rank both halves, and correlate the scores."""
    if n_splits < 1:
        raise InvalidArgument(f"n_splits must be at least 1, not {n_splits}")
    random = np.random.default_rng(rng)
    by, cluster = _clusters(answered.votes)
    halves = (
        _halves_of_pairs(answered, n_splits, random)
        if cluster is None
        else _halves_of_clusters(answered, cluster, n_splits, random)
    )
    found, sizes = [], []
    for one, other in halves:
        items = _comparable(one, other)
        if len(items) < max(FEWEST_ITEMS, answered.votes.n_items / 2):
            continue
        x, y = (BradleyTerryFit.of(half).scores[items] for half in (one, other))
        if min(np.ptp(x), np.ptp(y)) > 1e-9:
            found.append(float(np.corrcoef(x, y)[0, 1]))
            sizes.append(len(items))
    correlation = low = high = None
    if 2 * len(found) > n_splits:
        low, correlation, high = (float(q) for q in np.quantile(found, (0.05, 0.5, 0.95)))
    return SplitHalf(
        correlation=correlation,
        low=low,
        high=high,
        spearman_brown=None
        if correlation is None or correlation <= 0
        else 2 * correlation / (1 + correlation),
        by=by,
        n_splits=n_splits,
        n_usable=len(found),
        n_items=float(np.mean(sizes)) if sizes else 0.0,
    )


def _clusters(votes: Comparisons) -> tuple[By, CodeArray | None]:
    """Return what is kept together: workers if there are enough, else ballots, else nothing."""
    is_known = len(votes) > 0 and votes.worker.min() != NO_WORKER
    if is_known and len(np.unique(votes.worker)) >= FEWEST_WORKERS:
        return "worker", votes.worker
    if votes.ballot is not None and votes.n_ballots >= FEWEST_WORKERS:
        return ("unit" if votes.units else "ballot"), votes.ballot
    return "vote", None


Halves = Iterator[tuple[ComparisonGraph, ComparisonGraph]]


def _halves_of_clusters(
    answered: AnsweredGraph, cluster: CodeArray, n_splits: int, random: np.random.Generator
) -> Halves:
    """Split the clusters at random; an odd one goes to either half."""
    votes, n_edges = answered.votes, np.int64(answered.graph.n_edges)
    names, place = np.unique(cluster, return_inverse=True)
    keys, cell = group_rows(place * n_edges + answered.edge, int(len(names) * n_edges))
    whose, edge = np.divmod(keys, n_edges)
    columns = _Sums.of(answered, cell, len(keys), votes.votes_per_row.astype(float))
    for _ in range(n_splits):
        first = np.zeros(len(names), bool)
        n_first = (len(names) + int(random.integers(2))) // 2
        first[random.permutation(len(names))[:n_first]] = True
        chosen = first[whose]
        yield columns.graph(answered, edge, chosen), columns.graph(answered, edge, ~chosen)


def _halves_of_pairs(answered: AnsweredGraph, n_splits: int, random: np.random.Generator) -> Halves:
    """Split the votes on each pair at random; an odd one goes to either half."""
    votes = answered.votes
    edge, kind = np.arange(answered.graph.n_edges), answered.edge
    for column in (answered.turned, votes.weight):
        if column is not None:
            values, code = np.unique(column, return_inverse=True)
            keys, kind = group_rows(kind * len(values) + code, len(edge) * len(values))
            edge = edge[keys // len(values)]
    counts = np.bincount(kind, votes.votes_per_row).astype(np.int64)
    once = _Sums.of(answered, kind, len(edge), np.ones(len(votes))).scaled(1 / np.bincount(kind))
    for _ in range(n_splits):
        drawn = _split(edge, counts, random)
        one, other = (once.scaled(part.astype(float)) for part in (drawn, counts - drawn))
        yield one.graph(answered, edge, drawn > 0), other.graph(answered, edge, counts > drawn)


def _split(edge: IntArray, counts: IntArray, random: np.random.Generator) -> IntArray:
    """Return how many votes of each kind go to the first half, given kinds sorted by edge.

    Draws kind by kind without replacement from the votes on a pair.
    """
    left = np.bincount(edge, counts).astype(np.int64)
    if left.max(initial=0) >= MOST_AT_ONCE:
        return random.binomial(counts, 0.5)
    wanted = (left + random.integers(0, 2, len(left))) // 2
    starts = np.flatnonzero(np.r_[True, np.diff(edge) > 0])
    rank = np.arange(len(edge)) - np.repeat(starts, np.diff(starts, append=len(edge)))
    drawn = np.zeros(len(edge), np.int64)
    order = np.argsort(rank, kind="stable")
    ends = np.cumsum(np.bincount(rank))
    for rows in np.split(order, ends[:-1]):
        here, own = edge[rows], counts[rows]
        drawn[rows] = random.hypergeometric(own, left[here] - own, wanted[here])
        wanted[here] -= drawn[rows]
        left[here] -= own
    return drawn


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums of votes by cell, from which graphs are built."""

    counts: FloatArray
    weights: FloatArray
    weight_squares: FloatArray
    sums: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, answered: AnsweredGraph, cell: IntArray, n_cells: int, times: FloatArray) -> _Sums:
        votes, y = answered.votes, answered.turned
        weight = np.ones(len(votes)) if votes.weight is None else votes.weight

        def total(values: FloatArray) -> FloatArray:
            return np.bincount(cell, times * values, n_cells).astype(float)

        return cls(
            total(np.ones(len(votes))),
            total(weight),
            total(weight**2),
            total(weight * y),
            total(weight * y**2),
        )

    def scaled(self, factor: FloatArray) -> _Sums:
        """Multiply every cell by a factor."""
        return _Sums(*(factor * column for column in vars(self).values()))

    def graph(self, answered: AnsweredGraph, edge: IntArray, chosen: Any) -> ComparisonGraph:
        """Return the graph of some of the cells."""
        whole = answered.graph
        counts, weights, weight_squares, sums, squares = (
            np.bincount(edge[chosen], column[chosen], whole.n_edges).astype(float)
            for column in vars(self).values()
        )
        kept = np.flatnonzero(counts > 0)
        return replace(
            whole,
            i=whole.i[kept],
            j=whole.j[kept],
            counts=np.rint(counts[kept]).astype(np.int64),
            weights=weights[kept],
            weight_squares=weight_squares[kept],
            flows=sums[kept] / weights[kept],
            squares=squares[kept],
        )


def _comparable(one: ComparisonGraph, other: ComparisonGraph) -> IntArray:
    """Return the largest set of items that is connected in both halves."""
    together = one.components * np.int64(other.n_components) + other.components
    _, group, sizes = np.unique(together, return_inverse=True, return_counts=True)
    return np.flatnonzero(group == sizes.argmax())
