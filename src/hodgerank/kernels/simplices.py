"""Triangles of a sparse graph. Edges are i < j in lexicographic order.

Compiled, because a complete graph of 500 items has 20 million triangles.
"""

import numba
import numpy as np


@numba.njit(cache=True)
def find_triangles(starts, heads, triangles):  # type: ignore[no-untyped-def]
    """Count the triangles i < j < k; write the edges (ij, jk, ik) of as many as there is room for.

    `starts` and `heads` are the edges as rows of j sorted by i.
    """
    found = 0
    for i in range(len(starts) - 1):
        for a in range(starts[i], starts[i + 1]):
            j = heads[a]
            b, c = a + 1, starts[j]
            while b < starts[i + 1] and c < starts[j + 1]:
                if heads[b] == heads[c]:
                    if found < len(triangles):
                        triangles[found, 0] = a
                        triangles[found, 1] = c
                        triangles[found, 2] = b
                    found += 1
                    b += 1
                    c += 1
                elif heads[b] < heads[c]:
                    b += 1
                else:
                    c += 1
    return found


@numba.njit(cache=True)
def edges_of_triangles(starts, heads):  # type: ignore[no-untyped-def]
    """Which edges are part of a triangle."""
    part = np.zeros(len(heads), np.bool_)
    for i in range(len(starts) - 1):
        for a in range(starts[i], starts[i + 1]):
            j = heads[a]
            b, c = a + 1, starts[j]
            while b < starts[i + 1] and c < starts[j + 1]:
                if heads[b] == heads[c]:
                    part[a] = part[b] = part[c] = True
                    b += 1
                    c += 1
                elif heads[b] < heads[c]:
                    b += 1
                else:
                    c += 1
    return part


@numba.njit(cache=True)
def strongest_curls(starts, heads, flows, variances, k):  # type: ignore[no-untyped-def]
    """The k triangles with the largest squared curl relative to its variance, unordered.

    Returns their edges (ij, jk, ik) and the ratios; unused places have ratio -1.
    """
    edges = np.full((k, 3), -1, np.int64)
    ratios = np.full(k, -1.0)
    weakest = 0
    for i in range(len(starts) - 1):
        for a in range(starts[i], starts[i + 1]):
            j = heads[a]
            b, c = a + 1, starts[j]
            while b < starts[i + 1] and c < starts[j + 1]:
                if heads[b] == heads[c]:
                    curl = flows[a] + flows[c] - flows[b]
                    ratio = curl * curl / (variances[a] + variances[c] + variances[b])
                    if ratio > ratios[weakest]:
                        ratios[weakest] = ratio
                        edges[weakest, 0] = a
                        edges[weakest, 1] = c
                        edges[weakest, 2] = b
                        weakest = int(np.argmin(ratios))
                    b += 1
                    c += 1
                elif heads[b] < heads[c]:
                    b += 1
                else:
                    c += 1
    return edges, ratios
