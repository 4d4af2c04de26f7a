"""PositionCells: votes summed by group, pair and display order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons
from hodgerank.errors import InvalidArgument, require_one_of
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.kernels.edges import group_rows
from hodgerank.types import CodeArray, FloatArray, IntArray

Position = Literal["common", "worker"]
POSITIONS = ("common", "worker")
NO_GROUP = -1  # the display order is unknown


@dataclass(frozen=True, eq=False)
class PositionCells:
    """One entry per group, pair and display order.

    Attributes
    ----------
    n_items, n_groups, components
        Size and components of the graph.
    i, j
        The edges, as in `ComparisonGraph`.
    edge, sign
        Edge of each cell, and +1 if item i of the edge is shown left, else -1.
    group
        `NO_GROUP` if the display order is unknown.
    weight, mean, square
        Sum of the weights, and weighted means of the outcomes (for left) and of their squares.
    """

    n_items: int
    n_groups: int
    components: IntArray
    i: CodeArray
    j: CodeArray
    edge: IntArray
    sign: FloatArray
    group: IntArray
    weight: FloatArray
    mean: FloatArray
    square: FloatArray

    @classmethod
    def of(cls, answered: AnsweredGraph, group: IntArray, n_groups: int) -> PositionCells:
        """Sum the votes by cell, with weights as given."""
        votes, graph = answered.votes, answered.graph
        group = np.where(votes.display_known, group, NO_GROUP)
        keys = (answered.edge * (n_groups + 1) + group + 1) * 2 + (answered.sign > 0)
        distinct, cell = group_rows(keys, 2 * graph.n_edges * (n_groups + 1))
        weight = np.bincount(cell, votes.total_weight, len(distinct)).astype(float)
        rest, is_upright = np.divmod(distinct, 2)
        edge, shifted = np.divmod(rest, n_groups + 1)
        total = votes.total_weight * votes.outcome
        return cls(
            n_items=graph.n_items,
            n_groups=n_groups,
            components=graph.components,
            i=graph.i,
            j=graph.j,
            edge=edge,
            sign=2.0 * is_upright - 1,
            group=shifted - 1,
            weight=weight,
            mean=np.bincount(cell, total, len(distinct)) / weight,
            square=np.bincount(cell, total * votes.outcome, len(distinct)) / weight,
        )

    @property
    def votes(self) -> FloatArray:
        """Total weight of each group."""
        return self.per_group(self.weight)

    def per_group(self, values: FloatArray) -> FloatArray:
        """Sum over the cells of each group."""
        return np.bincount(self.group + 1, values, self.n_groups + 1)[1:].astype(float)


def worker_groups(votes: Comparisons) -> tuple[IntArray, int]:
    """Return one group per worker, and one more for votes without a worker."""
    n = votes.n_workers
    return np.where(votes.worker == NO_WORKER, n, votes.worker).astype(np.int64), n + 1


def common_group(votes: Comparisons) -> tuple[IntArray, int]:
    """Return one group for all votes."""
    return np.zeros(len(votes), np.int64), 1


def require_display_order(votes: Comparisons, position_bias: str) -> None:
    """Raise InvalidArgument if position bias cannot be modelled because of missing columns."""
    require_one_of(position_bias, POSITIONS, "position_bias")
    shown = votes.outcome[votes.display_known]
    if not len(shown):
        why = f" ({votes.report.display_doubt})" if votes.report.display_doubt else ""
        raise InvalidArgument(
            f"the display order is not known{why}: omit position_bias (--position-bias), "
            "or state that left and right are the sides shown "
            "(display_known=True, --display-known)"
        )
    if position_bias == "worker" and not votes.n_workers:
        raise InvalidArgument(
            "workers are not recorded: name the column (worker=..., --worker), or use "
            "position_bias='common' (--position-bias common)"
        )


def has_display_order(votes: Comparisons) -> bool:
    """Whether some vote is not explained by its side alone; else only a prior identifies scores."""
    shown = votes.outcome[votes.display_known]
    return len(shown) < len(votes) or bool(shown.min() < 1 and shown.max() > -1)


def require_both_orders(votes: Comparisons) -> None:
    """Raise InvalidArgument if every vote is for the same side."""
    if not has_display_order(votes):
        raise InvalidArgument(
            "the same side was chosen in every vote, so position bias and preferences cannot be "
            "separated; omit position_bias (--position-bias)"
        )
