"""Huber's loss on cells: distinct outcomes of an edge with their weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.kernels.edges import group_rows
from hodgerank.kernels.linalg.laplacian import inner_product
from hodgerank.types import FloatArray, IntArray


@compiled
def huber_sums(
    t: FloatArray, edge: IntArray, value: FloatArray, weight: FloatArray, penalty: float
) -> tuple[float, FloatArray, FloatArray]:
    """Return the loss, and for each edge its slope and the weight within the penalty."""
    loss, slope, inside = 0.0, np.zeros(len(t)), np.zeros(len(t))
    for cell in range(len(edge)):
        e = edge[cell]
        r = value[cell] - t[e]
        inner = min(max(r, -penalty), penalty)
        loss += weight[cell] * (inner * (r - inner / 2))
        slope[e] += weight[cell] * inner
        inside[e] += weight[cell] if abs(r) <= penalty else 0.0
    return loss, slope, inside


# Edges whose votes are all outliers keep a little curvature, so that steps stay finite.
FLAT = 1e-6
MANY_CELLS = 200_000  # from which loading the compiler pays off


class Cells(NamedTuple):
    """Edge, outcome (from the view of item i) and total weight of each cell."""

    edge: IntArray
    value: FloatArray
    weight: FloatArray


def group_cells(edge: IntArray, value: FloatArray, weight: FloatArray) -> tuple[Cells, IntArray]:
    """Return cells in the order of edge and value, and the cell of each vote."""
    values, which = _distinct_values(value)
    n_values = np.int64(len(values))
    keys, cell = group_rows(edge * n_values + which, int((edge.max(initial=-1) + 1) * n_values))
    edges, positions = np.divmod(keys, n_values)
    return Cells(edges, values[positions], np.bincount(cell, weight).astype(float)), cell


def _distinct_values(value: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the distinct outcomes, ascending, and their codes; ties and choices need no sort."""
    if bool(((value == np.rint(value)) & (np.abs(value) <= 1)).all()):
        present, which = group_rows(value.astype(np.int64) + 1, 3)
        return (present - 1).astype(float), which
    values, which = np.unique(value, return_inverse=True)
    return values, which


def soft(r: FloatArray, penalty: float) -> FloatArray:
    """Shrink towards 0 by the penalty (soft thresholding)."""
    return np.asarray(np.sign(r) * np.maximum(np.abs(r) - penalty, 0.0))


def huber_objective(
    cells: Cells, penalty: float, n_edges: int
) -> Callable[[FloatArray], tuple[float, FloatArray, FloatArray]]:
    """Return minus Huber's loss as a function of edge differences, for `newton.maximise`."""
    floor = FLAT * np.bincount(cells.edge, cells.weight, n_edges)
    if len(cells.edge) > MANY_CELLS:

        def compiled_objective(t: FloatArray) -> tuple[float, FloatArray, FloatArray]:
            loss, slope, inside = huber_sums(t, *cells, penalty)
            return -loss, slope, inside + floor

        return compiled_objective

    def objective(t: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        r = cells.value - t[cells.edge]
        inner = np.clip(r, -penalty, penalty)
        loss = inner_product(cells.weight, inner * (r - inner / 2))
        slope = np.bincount(cells.edge, cells.weight * inner, n_edges)
        inside = np.bincount(cells.edge, cells.weight * (np.abs(r) <= penalty), n_edges)
        return -loss, np.asarray(slope, float), np.asarray(inside + floor, float)

    return objective
