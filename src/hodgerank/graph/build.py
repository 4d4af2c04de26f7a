"""Build the graph of votes, all at once or piece by piece."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Literal

import numpy as np

from hodgerank.data.comparisons import Comparisons, ReadReport, joint_report
from hodgerank.data.reading.vote_source import VoteSource, read_ungrouped
from hodgerank.errors import InvalidArgument, InvalidComparisons, require_one_of
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.kernels import edges
from hodgerank.types import Item, VotesLike

MOST_ITEMS = 16_000  # a table of all pairs takes a gigabyte
MANY_GRAPHS = 8  # merged as soon as there are so many


class PieceCounter:
    """Plain choices are counted in a table of all pairs, the rest in graphs that are merged."""

    def __init__(self) -> None:
        self._places: dict[Item, int] = {}
        self._room = 0  # items that the table can hold
        self._wins = edges.table_of_wins(self._room)
        self._graphs: list[ComparisonGraph] = []
        self._reports: list[ReadReport] = []

    def add(self, votes: Comparisons) -> None:
        """Count one more piece."""
        self._reports.append(votes.report)
        is_plain = votes.weight is None and votes.multiplicity is None
        is_plain = is_plain and bool((np.abs(votes.outcome) == 1).all())
        # Places fall from item to item: `edges.edges_of` then reads the table along its rows.
        new = [item for item in reversed(votes.items) if item not in self._places]
        places = self._places | {item: len(self._places) + k for k, item in enumerate(new)}
        if not is_plain or len(places) > MOST_ITEMS:
            self._graphs.append(ComparisonGraph.from_comparisons(votes))
            if len(self._graphs) > MANY_GRAPHS:
                self._graphs = [self._graphs[0].merge(*self._graphs[1:])]
            return
        self._places = places
        self._make_room(len(places))
        place = np.array([places[item] for item in votes.items], np.int64)
        edges.count_wins(self._wins, votes.left, votes.right, votes.outcome, place)

    def _make_room(self, n: int) -> None:
        if n > self._room:
            self._room = max(n, min(2 * self._room, MOST_ITEMS))
            larger = edges.table_of_wins(self._room)
            larger[: len(self._wins)] = self._wins
            self._wins = larger

    def graph(self, name: str) -> ComparisonGraph:
        """The graph of all pieces together."""
        report = joint_report(self._reports, name)
        graphs = self._graphs
        if self._places:
            graphs = [self._counted(report), *graphs]
        if not graphs:
            raise InvalidComparisons(f"{name}: there are no votes")
        together = graphs[0] if len(graphs) == 1 else graphs[0].merge(*graphs[1:])
        return together.described_by(report)

    def _counted(self, report: ReadReport) -> ComparisonGraph:
        """The table as a graph; it is used up, since it may be most of the memory."""
        if len({isinstance(item, str) for item in self._places}) > 1:
            raise InvalidComparisons(
                f"{report.source}: items are integers in some files and strings in others"
            )
        items = tuple(sorted(self._places))
        place = np.array([self._places[item] for item in items], np.int64)
        i, j, counts, flows = edges.edges_of(self._wins, place)
        self._room, self._wins = 0, edges.table_of_wins(0)
        weights = counts.astype(float)  # plain choices: squares and squared weights are the same
        return ComparisonGraph(items, i, j, counts, weights, weights, flows, weights, report)


def graph_of_pieces(pieces: Iterable[Comparisons], name: str) -> ComparisonGraph:
    """Votes that are never in memory all at once."""
    counted = PieceCounter()
    for piece in pieces:
        counted.add(piece)
    return counted.graph(name)


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
    return read_ungrouped(votes)
