"""WorkerCells: votes summed by worker and pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hodgerank.data.comparisons import NO_WORKER
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels.edges import group_rows
from hodgerank.types import FloatArray, IntArray

NO_TRUST = 0.01  # workers trusted less than this are left out


@dataclass(frozen=True, eq=False)
class WorkerCells:
    """One entry per worker and edge with votes, sorted by worker, then edge.

    Votes without a worker belong to one additional worker, who comes last. Outcomes are those of
    item i of the edge.

    Attributes
    ----------
    graph
        The graph of the edges.
    worker, edge
        Worker and edge of each cell.
    wins, losses, ties
        Number of votes of each kind.
    won, lost
        Sums of the sizes of positive and of negative outcomes.
    shown_won, shown_lost
        The same of votes with known display order: a row for item i shown left, one for right.
        Empty if there are none, or they are not wanted.
    weights, weight_squares, sums, squares
        Sums of w, w^2, w y and w y^2, as in `ComparisonGraph`.
    """

    graph: ComparisonGraph
    n_workers: int
    worker: IntArray
    edge: IntArray
    wins: FloatArray
    losses: FloatArray
    ties: FloatArray
    won: FloatArray
    lost: FloatArray
    shown_won: FloatArray
    shown_lost: FloatArray
    weights: FloatArray
    weight_squares: FloatArray
    sums: FloatArray
    squares: FloatArray

    @classmethod
    def of(cls, answered: AnsweredGraph, *, with_sides: bool = False) -> WorkerCells:
        """Sum the votes by cell, and by side if wanted."""
        votes, graph = answered.votes, answered.graph
        n_workers = votes.n_workers
        who = np.where(votes.worker == NO_WORKER, n_workers, votes.worker)
        n_edges = np.int64(graph.n_edges)
        keys, cell = group_rows(who * n_edges + answered.edge, int((n_workers + 1) * n_edges))
        y, count = answered.turned, votes.votes_per_row

        def total(values: FloatArray | IntArray) -> FloatArray:
            return np.bincount(cell, values, len(keys)).astype(float)

        wins, losses, answers = total(count * (y > 0)), total(count * (y < 0)), total(count)
        is_plain = bool((np.abs(y) == 1).all())
        won = wins if is_plain else total(count * np.maximum(y, 0.0))
        lost = losses if is_plain else total(count * np.maximum(-y, 0.0))
        shown_won = shown_lost = np.zeros((2, 0))
        if with_sides and votes.display_known.any():
            upright, turned = (votes.display_known & (answered.sign == side) for side in (1, -1))
            up, down = np.maximum(count * y, 0.0), np.maximum(-count * y, 0.0)
            shown_won = np.stack([total(up * side) for side in (upright, turned)])
            shown_lost = np.stack([total(down * side) for side in (upright, turned)])
        weights, weight_squares, sums = answers, answers, won - lost
        if votes.weight is not None:
            weight = votes.total_weight
            weights, weight_squares = total(weight), total(weight * votes.weight)
            sums = total(weight * y)
        squares = weights if is_plain else total(votes.total_weight * y**2)
        worker, edge = np.divmod(keys, n_edges)
        return cls(
            graph, n_workers, worker, edge, wins, losses, answers - wins - losses, won, lost,
            shown_won, shown_lost, weights, weight_squares, sums, squares,
        )  # fmt: skip

    @cached_property
    def votes(self) -> FloatArray:
        """Number of votes in each cell."""
        return self.wins + self.losses + self.ties

    @property
    def is_any_shown(self) -> bool:
        """Whether the display order of some vote is known, and wanted."""
        return bool(self.shown_won.size)

    def per_worker(self, values: FloatArray) -> FloatArray:
        """Sum over the cells of each worker, excluding votes without a worker."""
        return np.bincount(self.worker, values, self.n_workers + 1).astype(float)[:-1]

    def per_edge(self, values: FloatArray) -> FloatArray:
        """Sum over the cells of each edge."""
        return np.bincount(self.edge, values, self.graph.n_edges).astype(float)

    def of_worker(self, worker: int) -> slice:
        """Return the cells of one worker."""
        return slice(*self._bounds[worker : worker + 2].tolist())

    @cached_property
    def _bounds(self) -> IntArray:
        return np.searchsorted(self.worker, np.arange(self.n_workers + 2))

    def in_effective_votes(self) -> WorkerCells:
        """Rescale the weights to sum to the effective number of votes."""
        scale = self.weights.sum() / self.weight_squares.sum()
        return replace(
            self,
            weights=scale * self.weights,
            weight_squares=scale**2 * self.weight_squares,
            sums=scale * self.sums,
            squares=scale * self.squares,
        )

    def independent_share(self, trust: FloatArray) -> FloatArray:
        """Return the effective number of votes of each cell, relative to its size.

        Repeated votes of a worker on a pair are correlated: n of them count as n / (1 + (n - 1)
        rho). rho is the excess similarity of two votes by the same worker over two by different
        workers, on pairs judged by several trusted workers. Without such pairs, repeated votes
        count once.
        """
        trusted = np.append(np.rint(trust), 1.0)[self.worker]
        size, sums = np.abs(trusted) * (self.won + self.lost), trusted * (self.won - self.lost)
        total, size_squares = self.per_edge(size), self.per_edge(size**2)
        n_within, n_between = size_squares - total, total**2 - size_squares
        known = (n_within > 0) & (n_between > 0)
        rho = 1.0
        if known.any():
            squares = self.per_edge(sums**2)
            within = (squares - total)[known] / n_within[known]
            between = (self.per_edge(sums) ** 2 - squares)[known] / n_between[known]
            weight = np.minimum(n_within, n_between)[known]
            rho = float(weight @ (within - between)) / max(float(weight @ (1 - between)), 1e-300)
        repeats = np.maximum(self.won + self.lost - 1, 0.0)
        return np.asarray(1 / (1 + repeats * min(max(rho, 0.0), 1.0)))

    def trusting(self, trust: FloatArray) -> ComparisonGraph:
        """Return the graph of votes weighted by trust, one value per worker, reversed if negative.

        Workers trusted no more than NO_TRUST are left out.
        """
        trust = np.append(np.where(np.abs(trust) > NO_TRUST, trust, 0.0), 1.0)[self.worker]
        size = np.abs(trust)
        counts = self.per_edge(self.votes * (size > 0)).astype(np.int64)
        weights = self.per_edge(size * self.weights)
        kept = counts > 0
        graph = self.graph
        return ComparisonGraph(
            items=graph.items,
            i=graph.i[kept],
            j=graph.j[kept],
            counts=counts[kept],
            weights=weights[kept],
            weight_squares=self.per_edge(size**2 * self.weight_squares)[kept],
            flows=self.per_edge(trust * self.sums)[kept] / weights[kept],
            squares=self.per_edge(size * self.squares)[kept],
            report=graph.report,
            backend=graph.backend,
        )
