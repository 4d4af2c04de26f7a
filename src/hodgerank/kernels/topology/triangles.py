"""Triangles of a sparse graph. Edges are i < j in lexicographic order.

`starts` and `heads` are the edges as rows of j sorted by i; a triangle i < j < k is its edges (ij,
jk, ik). All walks are alike: `edge_to[k]` is the edge from i to k, and an edge from a smaller i, of
which it is not cleared, comes before row i. Compiled, because a complete graph of 500 items has 20
million triangles; each walk is written out, because a generator takes twenty times as long. Where
most pairs are edges, `bit_rows` are faster.
"""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.topology import bit_rows
from hodgerank.types import CodeArray, FloatArray, IntArray


@compiled(inline="always")
def _point_at_edges(edge_to: IntArray, starts: IntArray, heads: CodeArray, i: int) -> None:
    for edge in range(starts[i], starts[i + 1]):
        edge_to[heads[edge]] = edge


def triangles_per_edge(starts: IntArray, heads: CodeArray) -> IntArray:
    """How many triangles each edge is part of."""
    count = bit_rows.common_neighbours if bit_rows.suit(starts, heads) else walked_triangles
    return count(starts, heads)


@compiled
def walked_triangles(starts: IntArray, heads: CodeArray) -> IntArray:
    """The same, where few pairs are edges."""
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


def circles(
    starts: IntArray, heads: CodeArray, ratios: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """How much each column of `ratios`, up to 64 of them, runs in circles of three.

    A triangle whose three ratios all point round is as strong as the weakest of them. Returns the
    sum of (strength - 1)^2 over the circles that are stronger than 1, and the largest strength (1
    if there are none).
    """
    measure = bit_rows.circles_in_bits if bit_rows.suit(starts, heads) else walked_circles
    return measure(starts, heads, ratios)


@compiled
def walked_circles(
    starts: IntArray, heads: CodeArray, ratios: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The same, where few pairs are edges.

    Columns are the bits of a word: most triangles are settled at one glance.
    """
    n, n_columns = len(starts) - 1, ratios.shape[1]
    ahead, back = np.zeros(len(heads), np.uint64), np.zeros(len(heads), np.uint64)
    for edge in range(len(heads)):
        for column in range(n_columns):
            bit = np.uint64(1) << np.uint64(column)
            if ratios[edge, column] > 1:
                ahead[edge] |= bit
            elif ratios[edge, column] < -1:
                back[edge] |= bit
    sums, largest = np.zeros(n_columns), np.ones(n_columns)
    edge_to = np.full(n, -1, np.int64)
    for i in range(n):
        _point_at_edges(edge_to, starts, heads, i)
        first = starts[i]
        for ij in range(first, starts[i + 1]):
            ahead_ij, back_ij = ahead[ij], back[ij]
            if ahead_ij | back_ij == 0:
                continue
            j = heads[ij]
            for jk in range(starts[j], starts[j + 1]):
                ik = edge_to[heads[jk]]
                if ik < first:
                    continue
                found = (ahead_ij & ahead[jk] & back[ik]) | (back_ij & back[jk] & ahead[ik])
                column = 0
                while found:
                    if found & np.uint64(1):
                        weakest = min(
                            abs(ratios[ij, column]),
                            abs(ratios[jk, column]),
                            abs(ratios[ik, column]),
                        )
                        sums[column] += (weakest - 1) ** 2
                        largest[column] = max(largest[column], weakest)
                    found >>= np.uint64(1)
                    column += 1
    return sums, largest


@compiled
def strongest_circles(
    starts: IntArray, heads: CodeArray, ratios: FloatArray, least: float, k: int
) -> tuple[IntArray, FloatArray, int]:
    """The k strongest circles of at least some strength, unordered, and how many there are.

    Returns their edges and strengths; unused places have strength -1.
    """
    n = len(starts) - 1
    edge_to = np.full(n, -1, np.int64)
    edges = np.full((k, 3), -1, np.int64)
    strengths = np.full(k, -1.0)
    weakest, n_found = 0, 0
    for i in range(n):
        _point_at_edges(edge_to, starts, heads, i)
        first = starts[i]
        for ij in range(first, starts[i + 1]):
            if abs(ratios[ij]) < least:
                continue
            j = heads[ij]
            for jk in range(starts[j], starts[j + 1]):
                ik = edge_to[heads[jk]]
                if ik < first:
                    continue
                round_ijk = min(ratios[ij], ratios[jk], -ratios[ik])
                round_ikj = min(-ratios[ij], -ratios[jk], ratios[ik])
                strength = max(round_ijk, round_ikj)
                if strength < least:
                    continue
                n_found += 1
                if strength > strengths[weakest]:
                    strengths[weakest] = strength
                    edges[weakest, 0], edges[weakest, 1], edges[weakest, 2] = ij, jk, ik
                    weakest = int(np.argmin(strengths))
    return edges, strengths, n_found
