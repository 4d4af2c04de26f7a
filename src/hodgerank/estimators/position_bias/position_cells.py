"""PositionCells: votes summed by pair, display order and groups.

Position bias adds columns C to the least-squares problem y = D_0 x + C b: one per group, which is 1
on its votes. The methods below are all that the fit needs to know about these columns, so further
columns, such as a numeric property of a comparison, belong here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.estimators.position_bias.groupings import NO_GROUP
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.edges import group_rows, sums_at_ends
from hodgerank.types import CodeArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class PositionCells:
    """One entry per pair, display order and combination of groups.

    Attributes
    ----------
    n_items, components
        Size and components of the graph.
    sizes
        Number of groups of each grouping; the first has most.
    i, j
        The edges, as in `ComparisonGraph`.
    edge, sign
        Edge of each cell, and +1 if item i of the edge is shown left, else -1.
    group
        One row per grouping: the column of each cell, numbered through all groupings; `NO_GROUP`
        if the display order is unknown.
    weight, mean, square
        Sum of the weights, and weighted means of the outcomes (for left) and of their squares.
    count
        Number of votes.
    """

    n_items: int
    sizes: tuple[int, ...]
    components: IntArray
    i: CodeArray
    j: CodeArray
    edge: IntArray
    sign: FloatArray
    group: IntArray
    weight: FloatArray
    mean: FloatArray
    square: FloatArray
    count: FloatArray

    @classmethod
    def of(
        cls, answered: AnsweredGraph, codes: Sequence[IntArray], sizes: Sequence[int]
    ) -> PositionCells:
        """Sum the votes by cell, with weights as given; `codes` are the groups of each vote."""
        votes, graph = answered.votes, answered.graph
        keys, n_keys = answered.edge * 2 + (answered.sign > 0), 2 * graph.n_edges
        for code, size in zip(codes, sizes, strict=True):
            if n_keys > np.iinfo(np.int64).max // (size + 1):
                keys, n_keys = group_rows(keys, n_keys)[1], len(votes)
            code = np.where(votes.display_known, code, NO_GROUP)
            keys, n_keys = keys * (size + 1) + code + 1, n_keys * (size + 1)
        distinct, cell = group_rows(keys, n_keys)
        first = np.empty(len(distinct), np.int64)
        first[cell] = np.arange(len(votes))
        weight = np.bincount(cell, votes.total_weight, len(distinct)).astype(float)
        shown, offsets = votes.display_known[first], np.cumsum([0, *sizes[:-1]])
        group = [
            np.where(shown, code[first] + offset, NO_GROUP)
            for code, offset in zip(codes, offsets, strict=True)
        ]
        total = votes.total_weight * votes.outcome
        return cls(
            n_items=graph.n_items,
            sizes=tuple(sizes),
            components=graph.components,
            i=graph.i,
            j=graph.j,
            edge=answered.edge[first],
            sign=answered.sign[first],
            group=np.array(group, np.int64),
            weight=weight,
            mean=np.bincount(cell, total, len(distinct)) / weight,
            square=np.bincount(cell, total * votes.outcome, len(distinct)) / weight,
            count=np.bincount(cell, votes.votes_per_row, len(distinct)).astype(float),
        )

    @property
    def n_groups(self) -> int:
        """Number of columns of C."""
        return sum(self.sizes)

    @property
    def votes(self) -> FloatArray:
        """Total weight of each group."""
        return self.per_group(self.weight)

    @property
    def places(self) -> list[slice]:
        """The columns of each grouping."""
        ends = np.cumsum(self.sizes).tolist()
        return [slice(end - size, end) for end, size in zip(ends, self.sizes, strict=True)]

    def of_groups(self, values: FloatArray, otherwise: float = 0.0) -> FloatArray:
        """Return C values: the sum over the groups of each cell."""
        padded = np.append(values, otherwise)
        found = padded[self.group[0]]
        for group in self.group[1:]:
            found = found + padded[group]
        return np.asarray(found)

    def per_group(self, values: FloatArray) -> FloatArray:
        """Return C^T values: the sum over the cells of each group."""
        n = self.n_groups
        sums = [np.bincount(group + 1, values, n + 1)[1:] for group in self.group]
        return np.asarray(np.sum(sums, axis=0), float)

    def couplings(self, values: FloatArray) -> Any:
        """Return D_0^T diag(values) C, which couples groups to items, sparse."""
        shown = np.flatnonzero(self.group[0] >= 0)
        edge, shape = self.edge[shown], (self.n_items, self.n_groups)
        i, j, flow = self.i[edge], self.j[edge], (self.sign * values)[shown]
        return sum(sums_at_ends(i, j, flow, group[shown], shape) for group in self.group)

    def crossings(self, values: FloatArray) -> Any:
        """Return the columns of C^T diag(values) C of all groupings but the first; None if none."""
        from scipy import sparse

        if len(self.sizes) == 1:
            return None
        shown, own, n = np.flatnonzero(self.group[0] >= 0), self.sizes[0], self.n_groups
        return sum(
            sparse.coo_array(
                (values[shown], (row[shown], column[shown] - own)), shape=(n, n - own)
            ).tocsc()
            for row in self.group
            for column in self.group[1:]
        )

    def divided(self, values: FloatArray, ridges: FloatArray, sums: FloatArray) -> FloatArray:
        """Solve (C^T diag(values) C + diag(ridges)) b = sums."""
        size, own = self.per_group(values) + ridges, self.sizes[0]
        crossing = self.crossings(values)
        if crossing is None:
            return np.asarray(sums / size)
        across = crossing[:own].toarray()
        among = crossing[own:].toarray() + np.diag(ridges[own:])
        scaled = across / size[:own, None]
        rest = np.linalg.solve(among - across.T @ scaled, sums[own:] - scaled.T @ sums[:own])
        return np.append(sums[:own] / size[:own] - scaled @ rest, rest)
