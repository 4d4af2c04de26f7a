"""Triangles of a sparse graph. Edges are i < j in lexicographic order.

`starts` and `heads` are the edges as rows of j sorted by i; a triangle i < j < k is its edges (ij,
jk, ik). All walks are alike: `edge_to[k]` is the edge from i to k, and an edge from a smaller i, of
which it is not cleared, comes before row i. Compiled, because a complete graph of 500 items has 20
million triangles; each walk is written out, because a generator takes twenty times as long.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, FloatArray, IntArray


@compiled(inline="always")
def _point_at_edges(edge_to: IntArray, starts: IntArray, heads: CodeArray, i: int) -> None:
    for edge in range(starts[i], starts[i + 1]):
        edge_to[heads[edge]] = edge


@compiled
def triangles_per_edge(starts: IntArray, heads: CodeArray) -> IntArray:
    """How many triangles each edge is part of."""
    n = len(starts) - 1
    edge_to = np.full(n, -1, np.int64)
    counts = np.zeros(len(heads), np.int64)
    for i in range(n):
        _point_at_edges(edge_to, starts, heads, i)
        first = starts[i]
        for ij in range(first, starts[i + 1]):
            j = heads[ij]
            for jk in range(starts[j], starts[j + 1]):
                ik = edge_to[heads[jk]]
                if ik >= first:
                    counts[ij] += 1
                    counts[jk] += 1
                    counts[ik] += 1
    return counts


@compiled
def list_triangles(starts: IntArray, heads: CodeArray, n_triangles: int) -> IntArray:
    """The edges of every triangle, a row each; there are `n_triangles`."""
    n = len(starts) - 1
    edge_to = np.full(n, -1, np.int64)
    triangles = np.empty((n_triangles, 3), np.int64)
    found = 0
    for i in range(n):
        _point_at_edges(edge_to, starts, heads, i)
        first = starts[i]
        for ij in range(first, starts[i + 1]):
            j = heads[ij]
            for jk in range(starts[j], starts[j + 1]):
                ik = edge_to[heads[jk]]
                if ik >= first:
                    triangles[found, 0], triangles[found, 1], triangles[found, 2] = ij, jk, ik
                    found += 1
    return triangles


@compiled
def strongest_curls(
    starts: IntArray, heads: CodeArray, flows: FloatArray, variances: FloatArray, k: int
) -> tuple[IntArray, FloatArray]:
    """The k triangles with the largest squared curl relative to its variance, unordered.

    Returns their edges and the ratios; unused places have ratio -1.
    """
    n = len(starts) - 1
    edge_to = np.full(n, -1, np.int64)
    edges = np.full((k, 3), -1, np.int64)
    ratios = np.full(k, -1.0)
    weakest = 0
    for i in range(n):
        _point_at_edges(edge_to, starts, heads, i)
        first = starts[i]
        for ij in range(first, starts[i + 1]):
            j = heads[ij]
            for jk in range(starts[j], starts[j + 1]):
                ik = edge_to[heads[jk]]
                if ik >= first:
                    curl = flows[ij] + flows[jk] - flows[ik]
                    ratio = curl * curl / (variances[ij] + variances[jk] + variances[ik])
                    if ratio > ratios[weakest]:
                        ratios[weakest] = ratio
                        edges[weakest, 0], edges[weakest, 1], edges[weakest, 2] = ij, jk, ik
                        weakest = int(np.argmin(ratios))
    return edges, ratios
