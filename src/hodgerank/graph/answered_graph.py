"""AnsweredGraph: single votes with their graph, and quantities derived from both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hodgerank.data.comparisons import Comparisons, require_choices
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.null_model import NullModel, fit_null_model
from hodgerank.graph.sign_votes import Signs, count_signs
from hodgerank.graph.transitive_crowd import TransitiveCrowd, fit_crowd
from hodgerank.kernels.edges import group_rows
from hodgerank.types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class AnsweredGraph:
    """Votes and their graph, shared by decomposition, outliers and the assessment of workers.

    Attributes
    ----------
    votes
        The single votes.
    graph
        Their sums over each pair.
    """

    votes: Comparisons
    graph: ComparisonGraph

    @classmethod
    def of(cls, votes: Comparisons) -> AnsweredGraph:
        """Sum the votes of each pair."""
        return cls(votes, ComparisonGraph.from_comparisons(votes))

    @cached_property
    def edge(self) -> IntArray:
        """The edge of each vote."""
        votes, n = self.votes, np.int64(self.votes.n_items)
        low, high = np.minimum(votes.left, votes.right), np.maximum(votes.left, votes.right)
        return group_rows(low * n + high, int(n * n))[1]  # edges are in the order of these keys

    @cached_property
    def sign(self) -> FloatArray:
        """+1 if left is item i of the edge, -1 if it is item j."""
        return np.where(self.votes.left < self.votes.right, 1.0, -1.0)

    @cached_property
    def turned(self) -> FloatArray:
        """Each outcome from the point of view of item i of the edge."""
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
        require_choices(self.votes.report, "comparison with random votes")
        return fit_null_model(self.graph)

    @cached_property
    def signs(self) -> Signs:
        """Preferences without strength, summed over each pair."""
        require_choices(self.votes.report, "the consistency of preferences")
        return count_signs(self.votes, self.graph, self.edge, self.turned)

    @cached_property
    def crowd(self) -> TransitiveCrowd:
        """A crowd with one ranking and a flexible link, fitted to these votes."""
        return fit_crowd(self.signs)
