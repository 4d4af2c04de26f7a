"""From votes in whatever form to their graph."""

from __future__ import annotations

from itertools import chain
from typing import Literal

from hodgerank.data.comparisons import Comparisons
from hodgerank.data.reading.source import VoteSource, read_comparisons
from hodgerank.errors import InvalidArgument, InvalidComparisons, require_one_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.types import VotesLike

Components = Literal["joined", "separate"]


def source_of(votes: VotesLike) -> VoteSource:
    """The votes as a source that has not been read, or holds what has been."""
    return votes if isinstance(votes, VoteSource) else VoteSource(votes)


def build_graph(votes: VotesLike) -> ComparisonGraph:
    """The graph of the votes; those that live elsewhere are never all in memory."""
    if isinstance(votes, ComparisonGraph):
        return votes
    if isinstance(votes, Comparisons):
        return ComparisonGraph.from_comparisons(votes)
    source = source_of(votes)
    if not source.is_lazy:
        return ComparisonGraph.from_comparisons(source.distinct_answers())
    pieces = source.pieces()
    first = next(pieces)
    if first.multiplicity is not None:  # counted where they live: there is no other piece
        return ComparisonGraph.from_comparisons(first)
    from hodgerank.graph.pieces import graph_of_pieces  # brings the compiler along

    return graph_of_pieces(chain((first,), pieces), source.name)


def graph_to_rank(votes: VotesLike, components: str) -> ComparisonGraph:
    """The same, with answers; it must be connected unless components are ranked separately."""
    require_one_of(components, ("joined", "separate"), "components")
    graph = build_graph(votes)
    if not graph.n_edges:
        raise InvalidComparisons("there are no answers to rank by")
    if components == "joined":
        graph.require_connected()
    return graph


def single_answers(votes: VotesLike, needed_for: str) -> Comparisons:
    """The answers themselves, for what cannot be said from edges alone."""
    if isinstance(votes, ComparisonGraph):
        raise InvalidArgument(
            f"{needed_for} needs single answers: give Comparisons, not a reduced graph"
        )
    return read_comparisons(votes)
