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
MANY_GRAPHS = 8  # merged when there are more


class PieceCounter:
    """Counts plain choices in a table of all pairs, and merges graphs of all other votes."""

    def __init__(self) -> None:
        self._places: dict[Item, int] = {}
        self._room = 0  # items that the table can hold
        self._wins = edges.table_of_wins(self._room)
        self._graphs: list[ComparisonGraph] = []
        self._reports: list[ReadReport] = []

    def add(self, votes: Comparisons) -> None:
        """Count another piece."""
        self._reports.append(votes.report)
        is_plain = votes.weight is None and votes.multiplicity is None
        is_plain = is_plain and bool((np.abs(votes.outcome) == 1).all())
        # Places decrease from item to item: `edges.edges_of` then reads the table along its rows.
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
        """Return the graph of all pieces."""
        report = joint_report(self._reports, name)
        graphs = self._graphs
        if self._places:
            graphs = [self._counted(report), *graphs]
        if not graphs:
            raise InvalidComparisons(f"{name}: there are no votes")
        together = graphs[0] if len(graphs) == 1 else graphs[0].merge(*graphs[1:])
        return together.described_by(report)

    def _counted(self, report: ReadReport) -> ComparisonGraph:
        """Return the table as a graph, and free it, since it may be most of the memory."""
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
    """Build the graph of votes that are never all in memory."""
    counted = PieceCounter()
    for piece in pieces:
        counted.add(piece)
    return counted.graph(name)


Components = Literal["connected", "separate"]


def source_of(votes: VotesLike) -> VoteSource:
    """Return the votes as a source, read or not."""
    return votes if isinstance(votes, VoteSource) else VoteSource(votes)


def build_graph(votes: VotesLike) -> ComparisonGraph:
    """Build the graph of the votes; lazy sources are never entirely in memory."""
    if isinstance(votes, ComparisonGraph):
        return votes
    if isinstance(votes, Comparisons):
        return ComparisonGraph.from_comparisons(votes)
    source = source_of(votes)
    if not source.is_lazy:
        return ComparisonGraph.from_comparisons(source.distinct_answers())
    pieces = source.pieces()
    first = next(pieces)
    if first.multiplicity is not None:  # aggregated by the source: there is only one piece
        return ComparisonGraph.from_comparisons(first)

    return graph_of_pieces(chain((first,), pieces), source.name)


def graph_to_rank(votes: VotesLike, components: str) -> ComparisonGraph:
    """Build a graph with votes; it must be connected unless components are ranked separately."""
    require_one_of(components, ("connected", "separate"), "components")
    graph = build_graph(votes)
    if not graph.n_edges:
        raise InvalidComparisons("there are no votes to rank")
    if components == "connected":
        graph.require_connected()
    return graph


def single_votes(votes: VotesLike, needed_for: str) -> Comparisons:
    """Return single votes, for results that need more than a graph."""
    if isinstance(votes, ComparisonGraph):
        raise InvalidArgument(f"{needed_for} needs single votes: give Comparisons, not a graph")
    return read_ungrouped(votes)
