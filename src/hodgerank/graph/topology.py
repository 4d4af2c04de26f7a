"""Betti numbers of the comparison graph, computed at once or as edges arrive.

The complex is the graph with every triangle filled, and other faces on demand: beta_0 counts
components, and beta_1 the loops that no faces fill, around which preferences may be cyclic without
any inconsistent face. Homology is taken modulo 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hodgerank.data.comparisons import Comparisons
from hodgerank.display import Charted, Displayed
from hodgerank.errors import InvalidArgument
from hodgerank.graph.build import build_graph, single_votes
from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.faces import (
    PADDING,
    TRIANGLES,
    Faces,
    FacesLike,
    circulation,
    faces_in,
    padded,
    stacked,
)
from hodgerank.kernels.homology import LoopClasses
from hodgerank.kernels.quadrangles import Adjacency
from hodgerank.types import CodeArray, IntArray, VotesLike

MANY_EDGES = 2_000  # from which compiled code is worth its import
MOST_BITS = 1 << 34  # two gigabytes: an edge has a bit for every loop that is ever unfilled
# Up to this many items, any order of pairs is processed in seconds. With more, thousands of
# unfilled loops begin to be filled at this factor times a power of items, in pairs: when a new pair
# begins to lie in a triangle, or in a quadrangle.
FEW_ITEMS = 600
TRIANGLES_FILL = 0.55, 3 / 2
QUADRANGLES_FILL = 0.65, 4 / 3


class BettiNumbers(NamedTuple):
    """Number of components, and of loops that no faces fill."""

    beta_0: int
    beta_1: int


@dataclass(frozen=True)
class Effect:
    """Effect of the first comparison of a pair on the topology."""

    joins_components: bool = False
    opens_loop: bool = False
    fills_loops: int = 0


class Interval(NamedTuple):
    """A component or loop from birth to death, in edges added; death is inf while it exists."""

    dimension: int
    birth: int
    death: float


class TopologyTracker(Displayed, Charted):
    """Betti numbers of a graph that grows edge by edge.

    Items are there from the beginning, or enter later by `add_item`. Time is the number of edges.

    Parameters
    ----------
    n_items
        Number of items at the beginning; they are 0 .. n_items - 1.
    faces
        What is filled as soon as all its pairs are there: "triangles", "quadrangles" (cycles of
        three or four items), or triangles and the listed cells, tuples of items in cyclic order.

    Examples
    --------
    >>> tracker = TopologyTracker(4)
    >>> for pair in [(0, 1), (1, 2), (2, 3), (3, 0)]:
    ...     tracker.add(*pair)
    >>> tracker.beta_0, tracker.beta_1, tracker.effect(0, 2).fills_loops
    (1, 1, 1)
    """

    def __init__(self, n_items: int, *, faces: FacesLike = "triangles") -> None:
        if not isinstance(n_items, int | np.integer) or n_items < 0:
            raise InvalidArgument(f"n_items must be a whole number from 0 on, not {n_items!r}")
        self._loops = _classes(int(n_items), Faces.of(faces))
        self._n_edges = 0

    @classmethod
    def of(
        cls,
        votes: VotesLike,
        *,
        n_pairs: int | None = None,
        entering: bool = False,
        faces: FacesLike = "triangles",
    ) -> TopologyTracker:
        """Follow the topology of votes as it grew, in the order in which pairs were first compared.

        The order is that of the times, if there are any, else of the rows. Items are identified by
        their position in `Comparisons.items`.

        Parameters
        ----------
        votes
            Comparisons, or anything `read_comparisons` accepts.
        n_pairs
            Follow only this many distinct pairs. Default: all, unless that takes too long: with
            many items and random pairs, thousands of loops are unfilled at once.
        entering
            Whether an item enters with its first comparison, and not at the beginning. Items are
            then identified by the order in which they enter.
        faces
            What is filled, see `TopologyTracker`; the items of listed cells are given by name.

        Examples
        --------
        >>> votes = [("a", "b", 1), ("b", "c", 1), ("b", "a", 1), ("c", "d", 1), ("d", "a", 1)]
        >>> TopologyTracker.of(votes)
        TopologyTracker(4 items, 4 edges, beta_0 1, beta_1 1)
        """
        answers = single_votes(votes, "the order in which pairs were asked")
        pairs = _pairs_as_asked(answers)
        filled = Faces.of(faces, answers.items)
        filled.require_compared(pairs, answers.items)
        if n_pairs is None:
            _require_few(answers.n_items, len(pairs), filled)
        elif n_pairs < 0:
            raise InvalidArgument(f"n_pairs {n_pairs} must be a whole number from 0 on")
        if entering:
            seen, first_seen = np.unique(pairs, return_index=True)
            code = np.zeros(answers.n_items, np.int64)
            code[seen] = np.argsort(np.argsort(first_seen))
            pairs, filled = code[pairs], filled.renumbered(code)
        tracker = cls(0 if entering else answers.n_items)
        tracker._loops = _classes(tracker.n_items, filled)
        pairs = pairs[:n_pairs]
        for i, j in pairs.tolist():
            while max(i, j) >= tracker.n_items:
                tracker._loops.add_item(tracker.n_edges + 1)
            tracker.add(i, j)
        return tracker

    def _headline(self) -> str:
        return (
            f"{self.n_items:,} items, {self.n_edges:,} edges, "
            f"beta_0 {self.beta_0:,}, beta_1 {self.beta_1:,}"
        )

    @property
    def n_items(self) -> int:
        """Number of items that have entered."""
        return len(self._loops.neighbours)

    @property
    def n_edges(self) -> int:
        """Number of distinct pairs added so far."""
        return self._n_edges

    @property
    def beta_0(self) -> int:
        """Number of components."""
        return self.n_items - len(self._loops.merges)

    @property
    def beta_1(self) -> int:
        """Number of loops that no faces fill."""
        return len(self._loops.cocycles)

    def add_item(self) -> int:
        """Add an item, as a component of its own; return its number.

        >>> tracker = TopologyTracker(2)
        >>> tracker.add(0, 1)
        >>> tracker.add(tracker.add_item(), 0)
        >>> [tuple(interval) for interval in tracker.intervals]
        [(0, 0, 1), (0, 0, inf), (0, 1, 2)]
        """
        self._loops.add_item(self._n_edges)
        return self.n_items - 1

    def add(self, i: int, j: int) -> None:
        """Add a pair; a known pair changes nothing."""
        i, j = self._checked(i, j)
        if j in self._loops.neighbours[i]:
            return
        self._n_edges += 1
        self._loops.insert(i, j, self._n_edges)

    def effect(self, i: int, j: int) -> Effect:
        """Return whether this pair would connect components, open a loop, or fill loops."""
        i, j = self._checked(i, j)
        neighbours = self._loops.neighbours
        if j in neighbours[i]:
            return Effect()
        if self._loops.joins(i, j):
            return Effect(joins_components=True)
        if not self._loops.completes_face(i, j):
            return Effect(opens_loop=True)
        return Effect(fills_loops=self._loops.filled_by(i, j))

    @property
    def intervals(self) -> list[Interval]:
        """Components and loops with the number of edges at their birth and death.

        Of two components that an edge connects, the one that entered later ends. Components and
        loops that end with the edge that begins them are omitted.
        """
        merged = (Interval(0, *merge) for merge in self._loops.merges)
        whole = (Interval(0, birth, np.inf) for birth in self._loops.births_of_components)
        components = sorted(each for each in (*merged, *whole) if each.death > each.birth)
        loops = [Interval(1, birth, death) for birth, death in self._loops.deaths]
        living = [Interval(1, self._loops.births[k], np.inf) for k in self._loops.cocycles]
        return components + sorted(loops + living)

    @property
    def filling_faces(self) -> list[tuple[int, ...]]:
        """Independent faces, in cyclic order, that span the boundaries of all faces."""
        return self._loops.basis

    @property
    def filling_triangles(self) -> list[tuple[int, ...]]:
        """The triangles among `filling_faces`."""
        return [face for face in self.filling_faces if len(face) == 3]

    def _checked(self, i: int, j: int) -> tuple[int, int]:
        n = self.n_items
        if type(i) is type(j) is int and 0 <= i < n and 0 <= j < n and i != j:
            return i, j
        whole = isinstance(i, int | np.integer) and isinstance(j, int | np.integer)
        if not whole or not (0 <= i < n and 0 <= j < n) or i == j:
            raise InvalidArgument(
                f"a pair is two different items from 0 to {self.n_items - 1}, not ({i}, {j})"
            )
        return int(i), int(j)


def _pairs_as_asked(votes: Comparisons) -> IntArray:
    """Return distinct pairs, one per row, in the order of their first comparison."""
    pairs = np.stack([votes.left, votes.right], axis=1).astype(np.int64)
    if votes.time is not None:
        pairs = pairs[np.argsort(votes.time, kind="stable")]
    keys = pairs.min(axis=1) * votes.n_items + pairs.max(axis=1)
    first_asked = np.sort(np.unique(keys, return_index=True)[1])
    return np.asarray(pairs[first_asked])


def _require_few(n_items: int, n_pairs: int, faces: Faces) -> None:
    factor, power = QUADRANGLES_FILL if faces.quadrangles else TRIANGLES_FILL
    most = int(factor * n_items**power)
    if n_items > FEW_ITEMS and n_pairs > most:
        raise InvalidArgument(
            f"following {n_pairs:,} pairs of {n_items:,} items may take long: use n_pairs={most} "
            f"for the first ones or n_pairs={n_pairs} for all; betti_numbers is fast for the result"
        )


def _classes(n_items: int, faces: Faces) -> LoopClasses:
    return LoopClasses(n_items, quadrangles=faces.quadrangles, cells=faces.listed())


def fill(graph: ComparisonGraph, faces: Faces = TRIANGLES) -> tuple[BettiNumbers, IntArray]:
    """Return Betti numbers, and independent faces (by items) that span all boundaries.

    Each independent face fills one of the m - n + beta_0 independent loops of the graph. Triangles
    are rows i < j < k.
    """
    n_loops = graph.n_edges - graph.n_items + graph.n_components
    if graph.n_edges < MANY_EDGES:
        filling = _fill_edge_by_edge(graph.i, graph.j, graph.n_items, faces)
    else:
        filling = _fill_at_once(graph, faces)
    return BettiNumbers(graph.n_components, n_loops - len(filling)), filling


def _fill_edge_by_edge(i: CodeArray, j: CodeArray, n_items: int, faces: Faces) -> IntArray:
    """Fill incrementally, item by item, so that few loops are unfilled at a time."""
    loops = _classes(n_items, faces)
    order = np.lexsort((i, j))
    for a, b in zip(i[order].tolist(), j[order].tolist(), strict=True):
        loops.insert(a, b, 0)
    found = padded(loops.basis)
    is_triangle = (found != PADDING).sum(axis=1) == 3
    found[is_triangle, :3] = np.sort(found[is_triangle, :3], axis=1)
    return found


def _fill_at_once(graph: ComparisonGraph, faces: Faces) -> IntArray:
    """Fill with compiled code, for many edges; edges in no face are omitted."""
    from hodgerank.kernels.quadrangles import are_in_cycles_of_four
    from hodgerank.kernels.spanning_faces import count_classes, filling_faces
    from hodgerank.kernels.triangles import triangles_per_edge

    is_in_face = triangles_per_edge(*graph.rows) > 0
    around_cells = circulation(graph, faces.cells)
    is_in_face[around_cells.indices] = True
    if faces.quadrangles:
        others = np.flatnonzero(~is_in_face)
        is_in_face[others] = are_in_cycles_of_four(
            graph.adjacency, graph.i[others], graph.j[others]
        )
    i, j = graph.i[is_in_face], graph.j[is_in_face]
    order = np.lexsort((i, j))
    i, j = i[order], j[order]
    starts = np.searchsorted(j, np.arange(graph.n_items + 1))
    adjacency = Adjacency.of(i, j, graph.n_items) if faces.quadrangles else Adjacency.none()
    n_classes = count_classes(starts, i, adjacency)
    if len(i) * n_classes > MOST_BITS:
        return _fill_edge_by_edge(i, j, graph.n_items, faces)
    place = np.empty(graph.n_edges, np.int64)
    place[np.flatnonzero(is_in_face)[order]] = np.arange(len(i))
    found, cells = filling_faces(
        starts, i, adjacency, place[around_cells.indices], around_cells.indptr, n_classes
    )
    return stacked(found, faces.cells[cells])


def betti_numbers(votes: VotesLike, *, faces: FacesLike = "triangles") -> BettiNumbers:
    """Return the Betti numbers of the graph of the votes, with coefficients modulo 2.

    Parameters
    ----------
    votes
        Votes or their graph, or anything `read_comparisons` accepts.
    faces
        What is filled: "triangles", "quadrangles" (cycles of three or four items), or triangles and
        the listed cells, tuples of items in cyclic order.

    Examples
    --------
    >>> square = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1)]
    >>> betti_numbers(square)
    BettiNumbers(beta_0=1, beta_1=1)
    >>> betti_numbers(square, faces="quadrangles")
    BettiNumbers(beta_0=1, beta_1=0)
    """
    graph = build_graph(votes)
    return fill(graph, faces_in(graph, faces))[0]
