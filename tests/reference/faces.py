"""Faces of small graphs by trying all, and Betti numbers by dense ranks."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np

Pair = tuple[int, int]


def ring(face: tuple[int, ...]) -> list[Pair]:
    """The edges around a face, in its direction."""
    return list(pairwise((*face, face[0])))


def triangles(pairs: set[Pair], n: int) -> list[tuple[int, ...]]:
    return [t for t in combinations(range(n), 3) if set(combinations(t, 2)) <= pairs]


def quadrangles(pairs: set[Pair], n: int) -> list[tuple[int, ...]]:
    """Every induced 4-cycle, in cyclic order from its smallest item."""
    found = []
    for four in combinations(range(n), 4):
        inside = {pair for pair in combinations(four, 2) if pair in pairs}
        for far in four[1:]:
            near = [k for k in four[1:] if k != far]
            around = {tuple(sorted(edge)) for edge in ring((four[0], near[0], far, near[1]))}
            if inside == around:
                found.append((four[0], near[0], far, near[1]))
    return found


def boundaries(pairs: set[Pair], faces: list[tuple[int, ...]]) -> np.ndarray:
    """D1: one row per face, one column per edge in order."""
    where = {pair: e for e, pair in enumerate(sorted(pairs))}
    rows = np.zeros((len(faces), len(where)), np.int64)
    for row, face in zip(rows, faces, strict=True):
        for a, b in ring(face):
            row[where[min(a, b), max(a, b)]] = 1 if a < b else -1
    return rows


def rank_modulo_2(rows: np.ndarray) -> int:
    """By elimination."""
    rows, rank = rows % 2, 0
    for column in range(rows.shape[1]):
        pivots = np.flatnonzero(rows[rank:, column])
        if not len(pivots):
            continue
        rows[[rank, rank + pivots[0]]] = rows[[rank + pivots[0], rank]]
        others = np.flatnonzero(rows[:, column])
        rows[others[others != rank]] ^= rows[rank]
        rank += 1
    return rank


def betti(pairs: set[Pair], n: int, faces: list[tuple[int, ...]]) -> tuple[int, int]:
    """beta_0 and beta_1 modulo 2, with the given faces filled."""
    gradient = np.zeros((len(pairs), n), np.int64)
    for row, ends in zip(gradient, sorted(pairs), strict=True):
        row[list(ends)] = 1
    rank = rank_modulo_2(gradient)
    return n - rank, len(pairs) - rank - rank_modulo_2(boundaries(pairs, faces))
