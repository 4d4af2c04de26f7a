"""The triangles of largest curl, and the loops that carry the harmonic component."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from hodgerank.graph.comparison_graph import ComparisonGraph
from hodgerank.graph.faces import Faces, circulation, stacked
from hodgerank.graph.null_model import NullModel
from hodgerank.types import FloatArray, IntArray, Item

# Harmonic flow below this share of the largest counts as rounding.
NEGLIGIBLE = 1e-9
MOST_TURNING = 1_000


@dataclass(frozen=True)
class InconsistentTriangle:
    """Three items with a large curl, in the direction items[0] to [1] to [2] and back.

    The preferences are cyclic only if all three flows are positive, see `is_cycle`.

    Attributes
    ----------
    curl
        Sum of the mean votes around the triangle, at most 3.
    expected
        The same sum under Bradley-Terry: not exactly 0, because preferences saturate.
    z
        Their difference in standard errors.
    flows, votes
        Mean vote and number of votes of the three pairs around the triangle.
    """

    items: tuple[Item, Item, Item]
    curl: float
    expected: float
    z: float
    flows: tuple[float, float, float]
    votes: tuple[int, int, int]

    @property
    def is_cycle(self) -> bool:
        """Whether each item is preferred to the next around the triangle."""
        return min(self.flows) > 0

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Loop:
    """A cycle of preferences that faces do not explain; each item is preferred to the next.

    Attributes
    ----------
    strength
        The circulation along the loop: the smallest harmonic flow times votes.
    flow
        Sum of the mean votes around the loop.
    """

    items: tuple[Item, ...]
    strength: float
    flow: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def inconsistent_triangles(
    graph: ComparisonGraph, k: int, consistent: NullModel
) -> list[InconsistentTriangle]:
    """Return the k triangles whose curl differs most significantly from Bradley-Terry."""
    from hodgerank.kernels.triangles import strongest_curls

    if k < 1:
        return []
    deviation = graph.flows - consistent.means
    variances = consistent.variances / graph.effective_counts
    most = int(graph.n_edges**1.5) + 1  # upper bound of the number of triangles
    edges, ratios = strongest_curls(*graph.rows, deviation, variances, min(k, most))
    order = [int(t) for t in np.argsort(-ratios) if ratios[t] > 1e-18]
    return [_triangle(graph, edges[t], consistent.means, float(np.sqrt(ratios[t]))) for t in order]


def _triangle(
    graph: ComparisonGraph, edges: IntArray, means: FloatArray, z: float
) -> InconsistentTriangle:
    ij, jk, ik = edges
    expected = float(means[ij] + means[jk] - means[ik])
    i, j, k = (graph.items[code] for code in (graph.i[ij], graph.j[ij], graph.j[jk]))
    flows = (float(graph.flows[ij]), float(graph.flows[jk]), -float(graph.flows[ik]))
    answers = (int(graph.counts[ij]), int(graph.counts[jk]), int(graph.counts[ik]))
    curl = sum(flows)
    if curl >= expected:
        return InconsistentTriangle((i, j, k), curl, expected, z, flows, answers)
    return InconsistentTriangle(
        (i, k, j),
        -curl,
        -expected,
        z,
        (-flows[2], -flows[1], -flows[0]),
        (answers[2], answers[1], answers[0]),
    )


def turning_faces(
    graph: ComparisonGraph, faces: Faces, flows: FloatArray, tolerance: float
) -> IntArray:
    """Return faces around which a flow circulates, up to 1,000 of each kind; none if none do."""
    from hodgerank.kernels.quadrangles import turning_quadrangles
    from hodgerank.kernels.triangles import strongest_curls

    edges, ratios = strongest_curls(*graph.rows, flows, np.full(len(flows), 1 / 3), MOST_TURNING)
    ij, jk, _ = edges[ratios > tolerance**2].T
    triangles = np.stack((graph.i[ij], graph.j[ij], graph.j[jk]), axis=1).astype(np.int64)
    if faces.quadrangles:
        others = turning_quadrangles(graph.adjacency, flows, tolerance, MOST_TURNING)
    else:
        others = faces.cells[abs(circulation(graph, faces.cells) @ flows) > tolerance]
    return stacked(triangles, others)


def harmonic_loops(graph: ComparisonGraph, harmonic: FloatArray, k: int) -> list[Loop]:
    """Extract up to k loops: from the strongest edge back to its start along strong edges.

    The harmonic flow times the weights is a circulation, so a way back always exists. The shortest
    one is used, where the length of an edge is inverse to its circulation.
    """
    circulation = graph.weights * harmonic
    smallest = NEGLIGIBLE * float(np.abs(circulation).max(initial=0.0))
    if not smallest or float(np.abs(harmonic).max()) < 1e-7:
        return []
    circulation = circulation.copy()
    loops: list[Loop] = []
    while len(loops) < k:
        strongest = int(np.argmax(np.abs(circulation)))
        if abs(circulation[strongest]) <= smallest:
            break
        edges, signs = _way_round(graph, circulation, strongest, smallest)
        strength = float(np.min(np.abs(circulation[edges])))
        circulation[edges] -= signs * strength
        codes = np.where(signs > 0, graph.i[edges], graph.j[edges])
        loops.append(
            Loop(
                tuple(graph.items[code] for code in codes),
                strength,
                float(signs @ graph.flows[edges]),
            )
        )
    return loops


def _way_round(
    graph: ComparisonGraph, circulation: FloatArray, strongest: int, smallest: float
) -> tuple[IntArray, FloatArray]:
    """Return edges and directions of a loop through the strongest edge, along the circulation."""
    flowing = np.flatnonzero(np.abs(circulation) > smallest)
    forward = circulation[flowing] > 0
    start = np.where(forward, graph.i[flowing], graph.j[flowing])
    end = np.where(forward, graph.j[flowing], graph.i[flowing])
    lengths = np.abs(circulation[strongest] / circulation[flowing])
    n = graph.n_items
    roads = sparse.csr_array((lengths, (start, end)), shape=(n, n))
    first, last = graph.i[strongest], graph.j[strongest]
    if circulation[strongest] < 0:
        first, last = last, first
    _, before = sparse.csgraph.dijkstra(roads, indices=last, return_predecessors=True)
    path = [int(first)]
    while path[-1] != last:
        path.append(int(before[path[-1]]))
    path.reverse()
    nodes = [int(first), *path]
    ends = np.array(list(pairwise(nodes)))
    edges = graph.find_edges(ends.min(axis=1), ends.max(axis=1))
    return edges, np.where(ends[:, 0] < ends[:, 1], 1.0, -1.0)
