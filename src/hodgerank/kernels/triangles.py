"""Triangles of a graph and the flow around them. Edges are i < j in lexicographic order."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.linalg.conjugate_gradients import conjugate_gradients
from hodgerank.types import CodeArray, FloatArray, IntArray

BitRows: TypeAlias = NDArray[np.uint64]

MOST_ITEMS = 3_000  # for which a matrix takes 72 MB
FAINT = 0.5  # strength up to which a cyclic triangle does not count
WORD = 64
_ONE = np.uint64(1)
_PAIRS, _FOURS, _BYTES, _SUM = (
    np.uint64(0x5555555555555555),
    np.uint64(0x3333333333333333),
    np.uint64(0x0F0F0F0F0F0F0F0F),
    np.uint64(0x0101010101010101),
)


def suits_bit_rows(starts: IntArray, heads: CodeArray) -> bool:
    """Whether bit rows take less work than walking along the edges, and fit into memory."""
    n = len(starts) - 1
    walked = int(np.diff(starts)[heads].sum())
    return n <= MOST_ITEMS and len(heads) * (n // WORD + 1) <= walked


@compiled(inline="always")
def _count(x: np.uint64) -> np.uint64:
    """Return the number of set bits; the compiler maps this to one instruction."""
    x = x - ((x >> np.uint64(1)) & _PAIRS)
    x = (x & _FOURS) + ((x >> np.uint64(2)) & _FOURS)
    x = (x + (x >> np.uint64(4))) & _BYTES
    return (x * _SUM) >> np.uint64(56)


@compiled(inline="always")
def _set(rows: BitRows, i: int, j: int) -> None:
    rows[i, j // WORD] |= _ONE << np.uint64(j % WORD)


@compiled
def common_neighbours(starts: IntArray, heads: CodeArray) -> IntArray:
    """Return the number of common neighbours of each edge's endpoints: its triangles."""
    n = len(starts) - 1
    rows = np.zeros((n, n // WORD + 1), np.uint64)
    for i in range(n):
        for edge in range(starts[i], starts[i + 1]):
            _set(rows, i, heads[edge])
            _set(rows, heads[edge], i)
    counts = np.zeros(len(heads), np.int64)
    for i in range(n):
        for edge in range(starts[i], starts[i + 1]):
            j, shared = heads[edge], np.uint64(0)
            for word in range(rows.shape[1]):
                shared += _count(rows[i, word] & rows[j, word])
            counts[edge] = np.int64(shared)
    return counts


@compiled
def circles_in_bits(
    starts: IntArray, heads: CodeArray, ratios: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute `circles` with bit rows, column after column."""
    n, n_columns = len(starts) - 1, ratios.shape[1]
    sums, largest = np.zeros(n_columns), np.full(n_columns, FAINT)
    sizes = np.zeros((n, n))
    ahead, back = np.zeros((2, n, n // WORD + 1), np.uint64)
    for column in range(n_columns):
        own = ratios[:, column].copy()
        ahead[:] = 0
        back[:] = 0
        for i in range(n):
            for edge in range(starts[i], starts[i + 1]):
                sizes[i, heads[edge]] = abs(own[edge])
                if own[edge] > FAINT:
                    _set(ahead, i, heads[edge])
                elif own[edge] < -FAINT:
                    _set(back, i, heads[edge])
        total, most = 0.0, FAINT
        for i in range(n):
            for edge in range(starts[i], starts[i + 1]):
                j, size = heads[edge], abs(own[edge])
                if size <= FAINT:
                    continue
                for word in range(j // WORD, ahead.shape[1]):
                    if own[edge] > FAINT:
                        found = ahead[j, word] & back[i, word]
                    else:
                        found = back[j, word] & ahead[i, word]
                    while found:
                        rest = found & (found - _ONE)  # without its lowest bit
                        k = WORD * word + np.int64(_count((found ^ rest) - _ONE))
                        weakest = min(size, sizes[j, k], sizes[i, k])
                        total += (weakest - FAINT) ** 2
                        most = max(most, weakest)
                        found = rest
        sums[column], largest[column] = total, most
    return sums, largest


@compiled(inline="always")
def _point_at_edges(edge_to: IntArray, starts: IntArray, heads: CodeArray, i: int) -> None:
    for edge in range(starts[i], starts[i + 1]):
        edge_to[heads[edge]] = edge


def triangles_per_edge(starts: IntArray, heads: CodeArray) -> IntArray:
    """Return the number of triangles of each edge."""
    count = common_neighbours if suits_bit_rows(starts, heads) else walked_triangles
    return count(starts, heads)


@compiled
def walked_triangles(starts: IntArray, heads: CodeArray) -> IntArray:
    """Count the triangles of each edge by walking, for sparse graphs."""
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
    """Return the edges of all `n_triangles` triangles, one row each."""
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
    """Return the k triangles with the largest squared curl relative to its variance, unordered.

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
    """Measure cyclic triangles in each column of `ratios`, at most 64 columns.

    A triangle is cyclic if its three ratios all point round; its strength is the smallest of them.
    Returns the sum of (strength - FAINT)^2 over cyclic triangles stronger than `FAINT`, and the
    largest strength (`FAINT` if there are none).
    """
    measure = circles_in_bits if suits_bit_rows(starts, heads) else walked_circles
    return measure(starts, heads, ratios)


@compiled
def walked_circles(
    starts: IntArray, heads: CodeArray, ratios: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute `circles` by walking, for sparse graphs.

    Columns are the bits of a word, so that most triangles are excluded for all columns at once.
    """
    n, n_columns = len(starts) - 1, ratios.shape[1]
    ahead, back = np.zeros(len(heads), np.uint64), np.zeros(len(heads), np.uint64)
    for edge in range(len(heads)):
        for column in range(n_columns):
            bit = np.uint64(1) << np.uint64(column)
            if ratios[edge, column] > FAINT:
                ahead[edge] |= bit
            elif ratios[edge, column] < -FAINT:
                back[edge] |= bit
    sums, largest = np.zeros(n_columns), np.full(n_columns, FAINT)
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
                        sums[column] += (weakest - FAINT) ** 2
                        largest[column] = max(largest[column], weakest)
                    found >>= np.uint64(1)
                    column += 1
    return sums, largest


@compiled
def strongest_circles(
    starts: IntArray, heads: CodeArray, ratios: FloatArray, least: float, k: int
) -> tuple[IntArray, FloatArray, int]:
    """Return the k strongest cyclic triangles of at least `least` strength, and their number.

    Returns their edges and strengths, unordered; unused places have strength -1.
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


TOLERANCE = 1e-12
MAX_ITERATIONS = 5_000


def curl_operator(triangles: IntArray, n_edges: int) -> sparse.csr_array:
    """Return D1: the sum of a flow around triangles given by edges (ij, jk, ik), i < j < k."""
    n = len(triangles)
    signs = np.tile([1.0, 1.0, -1.0], n)
    edges = triangles.flatten()  # a copy, which scipy may sort
    return sparse.csr_array((signs, edges, 3 * np.arange(n + 1)), shape=(n, n_edges))


def curl_part(
    curl: sparse.csr_array, weights: FloatArray, flows: FloatArray, tolerance: float = TOLERANCE
) -> tuple[FloatArray, FloatArray, float]:
    """Project flows (columns) on the span of M^-1 D1^T; return potentials z and relative residual.

    Conjugate gradients on (D1 M^-1 D1^T) z = D1 flow, scaled by the diagonal. Started at z = 0 they
    converge to the solution of least norm in that scale, although the system is singular.
    """
    columns = flows if flows.ndim == 2 else flows[:, None]
    adjoint = curl.T.tocsr()
    inverse = 1 / weights[:, None]
    scale = 1 / np.sqrt(abs(curl) @ inverse)

    found = conjugate_gradients(
        lambda z: np.asarray(scale * (curl @ (inverse * (adjoint @ (scale * z))))),
        scale * (curl @ columns),
        lambda r: r.copy(),
        tolerance=tolerance,
        max_iterations=MAX_ITERATIONS,
    )
    part = inverse * (adjoint @ (scale * found.x))
    potential = (scale * found.x).reshape(-1, *flows.shape[1:])
    return part.reshape(flows.shape), potential, found.size
