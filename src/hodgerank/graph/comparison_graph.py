"""ComparisonGraph: items, and the sufficient statistics of every compared pair."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from hodgerank.data.comparisons import Comparisons, ReadReport, joint_report
from hodgerank.data.reading.options import ReadOptions
from hodgerank.data.reading.vote_source import VoteSource
from hodgerank.data.subsets import NOT_CONNECTED, noted
from hodgerank.display import Charted, Displayed, Preview
from hodgerank.errors import DisconnectedGraph, InvalidComparisons
from hodgerank.kernels.edges import EdgeSums, add_up, sum_by_edge
from hodgerank.kernels.linalg import laplacian
from hodgerank.kernels.linalg.normal_equations import NormalEquations
from hodgerank.kernels.quadrangles import Adjacency
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item, Pair

if TYPE_CHECKING:
    from scipy import sparse


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonGraph(Displayed, Charted):
    """A graph with edges i < j in lexicographic order, and outcomes from the view of item i.

    Attributes
    ----------
    items
        The items, by position.
    i, j
        The two endpoints of each edge.
    counts
        Number of votes m_ij.
    weights
        Sum of the votes' weights; equal to `counts` without weights.
    weight_squares
        Sum of squared weights, which gives the effective number of votes.
    flows
        Weighted mean outcome ybar_ij.
    squares
        Weighted sum of squared outcomes, which gives the residual sum of squares.
    """

    items: tuple[Item, ...]
    i: CodeArray
    j: CodeArray
    counts: IntArray
    weights: FloatArray
    weight_squares: FloatArray
    flows: FloatArray
    squares: FloatArray
    report: ReadReport
    backend: str = "auto"

    def __post_init__(self) -> None:
        for part in fields(self):
            value = getattr(self, part.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @classmethod
    def from_comparisons(cls, votes: Comparisons) -> ComparisonGraph:
        """Sum the votes of each pair."""
        edges = sum_by_edge(
            votes.left, votes.right, votes.outcome, votes.weight, votes.multiplicity, votes.n_items
        )
        return cls._from_sums(votes.items, edges, votes.report, votes.backend)

    @classmethod
    def _from_sums(
        cls, items: tuple[Item, ...], edges: EdgeSums, report: ReadReport, backend: str
    ) -> ComparisonGraph:
        return cls(
            items=items,
            i=edges.i,
            j=edges.j,
            counts=edges.counts,
            weights=edges.weights,
            weight_squares=edges.weight_squares,
            flows=edges.sums / edges.weights,
            squares=edges.squares,
            report=report,
            backend=backend,
        )

    def merge(self, *others: ComparisonGraph) -> ComparisonGraph:
        """Combine graphs as if all votes had been read at once; items are matched by name.

        New votes can thus be added to earlier ones without reading those again.

        >>> import hodgerank as hr
        >>> days = [("a", "b", 1)], [("b", "a", 1), ("b", "c", 1)]
        >>> one, two = (hr.ComparisonGraph.from_comparisons(hr.read_comparisons(d)) for d in days)
        >>> one.merge(two).counts, one.merge(two).flows
        (array([2, 1]), array([0., 1.]))
        """
        graphs = (self, *others)
        names = {item for graph in graphs for item in graph.items}
        if len({isinstance(item, str) for item in names}) > 1:
            raise InvalidComparisons(
                "items are integers in some votes and strings in others: read them as one type"
            )
        items = tuple(sorted(names))
        places = {item: place for place, item in enumerate(items)}
        new = [np.array([places[item] for item in graph.items], np.int32) for graph in graphs]
        columns = [graph._sums for graph in graphs]
        together = EdgeSums(*(np.concatenate(parts) for parts in zip(*columns, strict=True)))
        i = np.concatenate([place[graph.i] for place, graph in zip(new, graphs, strict=True)])
        j = np.concatenate([place[graph.j] for place, graph in zip(new, graphs, strict=True)])
        reports = [graph.report for graph in graphs]
        report = joint_report(reports, " + ".join(report.source for report in reports))
        return self._from_sums(items, add_up(i, j, together, len(items)), report, self.backend)

    def described_by(self, report: ReadReport) -> ComparisonGraph:
        """Return the same graph with another report of its source."""
        return replace(self, report=report)

    @property
    def _sums(self) -> EdgeSums:
        return EdgeSums(
            self.i,
            self.j,
            self.counts,
            self.weights,
            self.weight_squares,
            self.weights * self.flows,
            self.squares,
        )

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> ComparisonGraph:
        """Aggregate a dataframe to edges with its own engine; only distinct votes are transferred.

        Takes the options of `read_comparisons`. Intended for lazy frames (polars, duckdb, dask,
        pyspark) that are too large for this process.

        >>> import polars as pl
        >>> votes = pl.LazyFrame({"left": ["a", "a"], "right": ["b", "b"], "label": [1, -1]})
        >>> ComparisonGraph.from_frame(votes).counts
        array([2])
        """
        source = VoteSource(frame, ReadOptions(**options))
        return cls.from_comparisons(source.distinct_answers(by_worker=False))

    def _headline(self) -> str:
        return f"{self.n_items:,} items, {self.n_edges:,} edges, {self.n_votes:,} votes"

    def _preview(self) -> Preview:
        rows = (
            (
                self.items[self.i[k]],
                self.items[self.j[k]],
                int(self.counts[k]),
                float(self.flows[k]),
            )
            for k in range(self.n_edges)
        )
        return Preview(("left", "right", "votes", "mean outcome"), rows, self.n_edges)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def n_edges(self) -> int:
        """Number of compared pairs."""
        return len(self.i)

    @property
    def n_votes(self) -> int:
        """Number of votes."""
        return int(self.counts.sum())

    @property
    def D0(self) -> sparse.csr_array:  # noqa: N802
        """Gradient operator: scores of items to their differences on the edges.

        >>> import hodgerank as hr
        >>> votes = hr.read_comparisons([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)])
        >>> graph = hr.ComparisonGraph.from_comparisons(votes)
        >>> graph.D0 @ [3, 2, 0]
        array([1., 3., 2.])
        """
        from scipy import sparse

        m = self.n_edges
        ends = np.column_stack((self.i, self.j)).ravel()
        signs = np.tile([1.0, -1.0], m)
        return sparse.csr_array((signs, ends, 2 * np.arange(m + 1)), shape=(m, self.n_items))

    @property
    def D1(self) -> sparse.csr_array:  # noqa: N802
        """Curl operator: a flow on the edges to its sum around each of `triangles`.

        D1 @ D0 is 0: differences of scores form no cycles.
        """
        from hodgerank.kernels.triangles import curl_operator

        return curl_operator(self.triangle_edges, self.n_edges)

    @property
    def triangles(self) -> IntArray:
        """Triples of items i < j < k, by position, of which all pairs were compared: one a row."""
        ij, jk, _ = self.triangle_edges.T
        return np.column_stack((self.i[ij], self.j[ij], self.j[jk]))

    @property
    def triangle_edges(self) -> IntArray:
        """Edges (ij, jk, ik) of each of `triangles`, by position."""
        from hodgerank.kernels.triangles import list_triangles

        return np.asarray(list_triangles(*self.rows, self.n_triangles))

    @property
    def n_triangles(self) -> int:
        """Number of triangles."""
        from hodgerank.kernels.triangles import triangles_per_edge

        return int(triangles_per_edge(*self.rows).sum()) // 3

    @property
    def quadrangles(self) -> IntArray:
        """Cycles of four items, by position, of which neither diagonal was compared; one per row.

        Designs without triangles may have very many: if 100 items are each compared with 100
        others, 24.5 million.

        >>> import hodgerank as hr
        >>> square = [("a", "b", 1), ("b", "c", 1), ("c", "d", 1), ("d", "a", 1)]
        >>> hr.ComparisonGraph.from_comparisons(hr.read_comparisons(square)).quadrangles
        array([[0, 1, 2, 3]])
        """
        from hodgerank.kernels.quadrangles import list_quadrangles

        found = np.empty((self.count_quadrangles(), 4), np.int64)
        list_quadrangles(self.adjacency, len(found), found)
        return found

    def count_quadrangles(self, most: int | None = None) -> int:
        """Return the number of `quadrangles`; counting stops beyond `most`."""
        from hodgerank.kernels.quadrangles import list_quadrangles

        limit = np.iinfo(np.int64).max if most is None else most
        return int(list_quadrangles(self.adjacency, limit, np.empty((0, 4), np.int64)))

    @property
    def adjacency(self) -> Adjacency:
        """The neighbours of every item, and the edges to them."""
        return Adjacency.of(self.i, self.j, self.n_items)

    @property
    def laplacian(self) -> sparse.csr_array:
        """Graph Laplacian D0^T M D0, where M holds the weights of the edges."""
        from scipy import sparse

        gradient = self.D0
        return gradient.T @ sparse.diags_array(self.weights) @ gradient

    @cached_property
    def surplus(self) -> FloatArray:
        """D0^T M flow: weighted wins minus losses of each item."""
        return laplacian.divergence(self.i, self.j, self.weights * self.flows, self.n_items)

    @cached_property
    def equations(self) -> NormalEquations:
        """L x = b; with b = `surplus` the solution is HodgeRank."""
        return NormalEquations(self.i, self.j, self.weights, self.components)

    @property
    def rows(self) -> tuple[IntArray, CodeArray]:
        """Start of the edges of each item i, and their other endpoints j."""
        return np.searchsorted(self.i, np.arange(self.n_items + 1, dtype=self.i.dtype)), self.j

    def find_edges(self, low: ArrayLike, high: ArrayLike) -> IntArray:
        """Return positions of existing edges between items given by position, low < high."""
        keys = self.i * np.int64(self.n_items) + self.j
        return np.searchsorted(keys, np.multiply(low, np.int64(self.n_items)) + high)

    @cached_property
    def effective_counts(self) -> FloatArray:
        """Effective number of votes of each edge, (sum w)^2 / sum w^2."""
        if self.weight_squares is self.weights:  # no vote has a weight
            return self.weights
        return self.weights**2 / self.weight_squares

    @cached_property
    def votes_per_item(self) -> IntArray:
        """Number of votes on each item."""
        return laplacian.degrees(self.i, self.j, self.counts.astype(float), self.n_items).astype(
            np.int64
        )

    @cached_property
    def components(self) -> IntArray:
        """Component of each item; component 0 is the largest."""
        return laplacian.components(self.i, self.j, self.n_items)

    @property
    def n_components(self) -> int:
        """Number of connected components."""
        return int(self.components.max(initial=-1)) + 1

    @property
    def is_connected(self) -> bool:
        """Whether all items are connected by comparisons."""
        return self.n_components <= 1

    def component_items(self) -> list[tuple[Item, ...]]:
        """The items of each component, largest first."""
        order = np.argsort(self.components, kind="stable")
        bounds = np.cumsum(np.bincount(self.components))[:-1]
        return [tuple(self.items[k] for k in part) for part in np.split(order, bounds)]

    def bridges(self) -> list[Pair]:
        """Return one pair per additional component that would connect it to the largest.

        Uses the most compared item of each component, since its score is known best.
        """
        answers = self.votes_per_item
        order = np.lexsort((-answers, self.components))
        best = order[np.r_[True, np.diff(self.components[order]) > 0]]
        return [Pair(self.items[best[0]], self.items[k]) for k in best[1:]]

    def among(self, is_kept: BoolArray) -> ComparisonGraph:
        """The graph of some of the items, and the edges between them."""
        code = (np.cumsum(is_kept) - 1).astype(np.int32)
        edges = is_kept[self.i] & is_kept[self.j]
        parts = ("counts", "weights", "weight_squares", "flows", "squares")
        return replace(
            self,
            items=tuple(self.items[k] for k in np.flatnonzero(is_kept)),
            i=code[self.i[edges]],
            j=code[self.j[edges]],
            **{name: getattr(self, name)[edges] for name in parts},
        )

    def require_connected(self) -> None:
        """Raise `DisconnectedGraph` unless all items are connected."""
        if not self.is_connected:
            raise DisconnectedGraph(
                self.component_items(),
                self.bridges(),
                share=float(self.counts[self.components[self.i] == 0].sum() / self.n_votes)
                if self.n_votes
                else None,
                split_by=self.report.split_by,
                can_ask=self.report.adaptive,
            )

    def largest_component(self) -> ComparisonGraph:
        """Return the graph of the largest connected set of items, with a note on the others."""
        is_kept = self.components == 0
        if is_kept.all():
            return self
        part = self.among(is_kept)
        names = [item for item, kept in zip(self.items, is_kept, strict=True) if not kept]
        report = noted(self.report, NOT_CONNECTED, names, self.n_votes, part.n_votes)
        return part.described_by(report)
