"""PositionCells: answers of a group to a pair shown one way round, summed up."""

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
NO_GROUP = -1  # nothing is known of where these were shown


@dataclass(frozen=True, eq=False)
class PositionCells:
    """One entry per group, pair and way round.

    Attributes
    ----------
    n_items, n_groups, components
        Of the graph.
    i, j
        The edges, as in `ComparisonGraph`.
    edge, sign
        Edge of each cell; +1 where the lesser item of the edge stands left.
    group
        `NO_GROUP` where the display order is not known.
    weight, mean, square
        Sum of the weights, and weighted means of the outcomes (of left) and of their squares.
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
        """Sum up the answers, each of a group; weights as they are."""
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
    def answers(self) -> FloatArray:
        """Weight of each group."""
        return self.per_group(self.weight)

    def per_group(self, values: FloatArray) -> FloatArray:
        """Sums over the cells of each group."""
        return np.bincount(self.group + 1, values, self.n_groups + 1)[1:].astype(float)


def worker_groups(votes: Comparisons) -> tuple[IntArray, int]:
    """A group for each worker, and one more for answers without."""
    n = votes.n_workers
    return np.where(votes.worker == NO_WORKER, n, votes.worker).astype(np.int64), n + 1


def common_group(votes: Comparisons) -> tuple[IntArray, int]:
    """One group for everybody."""
    return np.zeros(len(votes), np.int64), 1


def require_display_order(votes: Comparisons, position_bias: str) -> None:
    """Where sides are not known, nothing can be said about them."""
    require_one_of(position_bias, POSITIONS, "position_bias")
    shown = votes.outcome[votes.display_known]
    if not len(shown):
        why = f" ({votes.report.display_doubt})" if votes.report.display_doubt else ""
        raise InvalidArgument(
            f"the display order is not known{why}: leave position_bias (--position-bias) out, "
            "or say that left and right are where they were shown "
            "(display_known=True, --display-known)"
        )
    if position_bias == "worker" and not votes.n_workers:
        raise InvalidArgument(
            "the votes do not say who answered: name the column (worker=..., --worker), or use "
            "position_bias='common' (--position-bias common)"
        )


def has_display_order(votes: Comparisons) -> bool:
    """Whether not every answer is explained by sides: else only a prior tells them from scores."""
    shown = votes.outcome[votes.display_known]
    return len(shown) < len(votes) or bool(shown.min() < 1 and shown.max() > -1)


def require_both_orders(votes: Comparisons) -> None:
    """Refuse votes that are all for one side."""
    if not has_display_order(votes):
        raise InvalidArgument(
            "the same side was chosen in every answer: what it adds cannot be told from what the "
            "items do; leave position_bias (--position-bias) out"
        )
