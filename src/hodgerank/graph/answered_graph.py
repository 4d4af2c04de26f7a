"""AnsweredGraph: single answers on the edges of their graph, and what follows from both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.null_model import NullModel, fit_null_model
from hodgerank.graph.sign_votes import Signs, count_signs
from hodgerank.graph.transitive_crowd import TransitiveCrowd, fit_crowd
from hodgerank.kernels.edges import group_rows
from hodgerank.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class AnsweredGraph:
    """What decomposition, outliers and the assessment of workers share: computed once, handed on.

    Attributes
    ----------
    votes
        The answers.
    graph
        Their sums over each pair.
    """

    votes: Comparisons
    graph: ComparisonGraph

    @classmethod
    def of(cls, votes: Comparisons) -> AnsweredGraph:
        """Sum the answers of each pair."""
        return cls(votes, ComparisonGraph.from_comparisons(votes))

    @cached_property
    def edge(self) -> IntArray:
        """The edge of each answer."""
        votes, n = self.votes, np.int64(self.votes.n_items)
        low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
        return group_rows(low * n + high, int(n * n))[1]  # edges are in the order of these keys

    @cached_property
    def sign(self) -> FloatArray:
        """+1 where left is the lesser item of the edge, -1 where it is right."""
        return np.where(self.votes.left < self.votes.right, 1.0, -1.0)

    @cached_property
    def turned(self) -> FloatArray:
        """Each outcome as one of the lesser item."""
        return self.sign * self.votes.outcome

    @cached_property
    def scores(self) -> FloatArray:
        """Least-squares scores of the items: HodgeRank."""
        scores = self.graph.equations.solve(self.graph.surplus, tolerance=1e-12)
        scores.flags.writeable = False
        return scores

    @cached_property
    def null_model(self) -> NullModel:
        """A consistent crowd of the same size."""
        return fit_null_model(self.graph)

    @cached_property
    def signs(self) -> Signs:
        """Who was preferred, counted over each pair."""
        return count_signs(self.votes, self.graph, self.edge, self.turned)

    @cached_property
    def crowd(self) -> TransitiveCrowd:
        """A crowd with one ranking that answers much like this one, whatever its link."""
        return fit_crowd(self.signs)
