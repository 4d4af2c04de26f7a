"""Huber's loss over many cells in one pass."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import FloatArray, IntArray


@compiled
def huber_sums(
    t: FloatArray, edge: IntArray, value: FloatArray, weight: FloatArray, penalty: float
) -> tuple[float, FloatArray, FloatArray]:
    """The loss, and of each edge its slope and the weight of the cells within the penalty."""
    loss, slope, inside = 0.0, np.zeros(len(t)), np.zeros(len(t))
    for cell in range(len(edge)):
        e = edge[cell]
        r = value[cell] - t[e]
        inner = min(max(r, -penalty), penalty)
        loss += weight[cell] * (inner * (r - inner / 2))
        slope[e] += weight[cell] * inner
        inside[e] += weight[cell] if abs(r) <= penalty else 0.0
    return loss, slope, inside
