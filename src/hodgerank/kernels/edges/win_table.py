"""Counting plain choices in a table of all ordered pairs, and what it says about edges."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.compilation import compiled
from hodgerank.types import CodeArray, FloatArray, IntArray

WIN_BLOCK = 64  # rows and columns looked at together, so that both halves of the table are near


@compiled
def count_wins(
    beats: CodeArray, left: CodeArray, right: CodeArray, outcome: FloatArray, place: IntArray
) -> None:
    """Add to beats[a, b] how often a was preferred to b; `place` is the row of each item."""
    for row in range(len(left)):
        a, b = place[left[row]], place[right[row]]
        if outcome[row] > 0:
            beats[a, b] += 1
        else:
            beats[b, a] += 1


@compiled
def edges_of(beats: CodeArray) -> tuple[CodeArray, CodeArray, IntArray, FloatArray]:
    """Pairs i < j that were asked, in lexicographic order: i, j, number of answers, mean for i."""
    n = len(beats)
    start = np.zeros(n + 1, np.int64)
    for a in range(0, n, WIN_BLOCK):
        for b in range(a, n, WIN_BLOCK):
            for i in range(a, min(a + WIN_BLOCK, n)):
                for j in range(max(b, i + 1), min(b + WIN_BLOCK, n)):
                    if beats[i, j] + beats[j, i] > 0:
                        start[i + 1] += 1
    start = np.cumsum(start)
    m = start[n]
    low, high = np.empty(m, np.int32), np.empty(m, np.int32)
    answers, means = np.empty(m, np.int64), np.empty(m)
    for a in range(0, n, WIN_BLOCK):
        for b in range(a, n, WIN_BLOCK):
            for i in range(a, min(a + WIN_BLOCK, n)):
                for j in range(max(b, i + 1), min(b + WIN_BLOCK, n)):
                    total = beats[i, j] + beats[j, i]
                    if total > 0:
                        k = start[i]
                        low[k], high[k], answers[k] = i, j, total
                        means[k] = (beats[i, j] - beats[j, i]) / total
                        start[i] += 1
    return low, high, answers, means
