"""What estimators accept: Comparisons, a graph, or anything that can be read as votes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.files import File
from hodgerank.data.frames import Frame
from hodgerank.data.read import read_comparisons, read_pieces, reduce_frame
from hodgerank.errors import InvalidArgument, InvalidComparisons, choose
from hodgerank.graph.comparison_graph import ComparisonGraph

Components = Literal["joined", "separate"]


def graph_of(votes: Any, components: str) -> ComparisonGraph:
    """The graph of the votes; it must be connected unless components are ranked separately.

    A lazy frame is reduced where it lives, many Parquet files piece by piece; everything else is
    read.
    """
    choose(components, ("joined", "separate"), "components")
    if isinstance(votes, ComparisonGraph):
        graph = votes
    elif isinstance(votes, str | Path) and File(Path(votes)).is_many:
        from hodgerank.graph.tally import graph_of_pieces  # brings the compiler along

        graph = graph_of_pieces(read_pieces(File(Path(votes))), str(votes))
    elif Frame.accepts(votes) and Frame(votes).is_lazy:
        graph = ComparisonGraph.from_frame(votes)
    else:
        graph = ComparisonGraph.from_comparisons(read_comparisons(votes))
    if not graph.n_edges:
        raise InvalidComparisons("there are no answers to rank by")
    if components == "joined":
        graph.require_connected()
    return graph


def distinct_answers_of(votes: Any) -> Comparisons:
    """Answers with their workers; equal ones may be one row, counted where the votes live."""
    if isinstance(votes, Comparisons):
        return votes
    if isinstance(votes, str | Path) and File(Path(votes)).is_many:
        return reduce_frame(File(Path(votes)).open().lazy, by_worker=True, name=str(votes))
    if Frame.accepts(votes) and Frame(votes).is_lazy:
        return reduce_frame(votes, by_worker=True)
    return read_comparisons(votes)


def answers_of(votes: Any) -> Comparisons:
    """The single answers, for what cannot be said from edges alone."""
    if isinstance(votes, ComparisonGraph):
        raise InvalidArgument(
            "covariance='worker' needs single answers: give Comparisons, not a reduced graph"
        )
    return read_comparisons(votes)
