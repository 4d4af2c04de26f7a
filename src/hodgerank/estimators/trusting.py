"""Answers weighed by how far their workers can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

from hodgerank.data.comparisons import Comparisons
from hodgerank.estimators.dispersion import tempered
from hodgerank.estimators.workers.cells import WorkerCells
from hodgerank.estimators.workers.honesty import WorkerTypes, worker_types
from hodgerank.graph.answered_graph import AnsweredGraph
from hodgerank.graph.comparison_graph import ComparisonGraph


@dataclass(frozen=True, eq=False)
class TrustedVotes:
    """Types of workers by EM, and the graph in which answers count by them.

    Attributes
    ----------
    unit
        Weight of one answer; that of weights does not matter: they sum to the effective number of
        answers.
    """

    cells: WorkerCells
    types: WorkerTypes
    unit: float
    graph: ComparisonGraph

    @classmethod
    def of(cls, answered: AnsweredGraph) -> TrustedVotes:
        """Find out about the workers."""
        cells = WorkerCells.of(answered)
        types = worker_types(cells)
        unit = float(cells.weight_squares.sum() / cells.weights.sum())
        return cls(cells, types, unit, tempered(cells.trusting(types.trust), unit))


def trusted_graph(votes: Comparisons) -> ComparisonGraph:
    """The graph in which answers count by trust, and those of adversaries the other way round."""
    return TrustedVotes.of(AnsweredGraph.of(votes)).graph
