"""Repetitions: which pairs were answered, how often, and how the last time."""

from __future__ import annotations

import numpy as np

from hodgerank.sampling.designs.design import AnswerBatch
from hodgerank.types import FloatArray, IntArray


class Repetitions:
    """Pairs i < j in the order in which they were first answered."""

    def __init__(self) -> None:
        self._row: dict[tuple[int, int], int] = {}
        self._ends = np.empty((0, 2), np.int64)
        self._times = np.empty(0, np.int64)
        self._last = np.empty(0)

    def before(self, i: int, j: int) -> tuple[int, float]:
        """How often a pair was answered, and the last answer."""
        row = self._row.get((i, j))
        return (0, 0.0) if row is None else (int(self._times[row]), float(self._last[row]))

    def add(self, i: int, j: int, outcome: float) -> None:
        """One more answer."""
        row = self._row.setdefault((i, j), len(self._row))
        if row == len(self._times):
            room = max(16, row)
            self._ends = np.concatenate((self._ends, np.zeros((room, 2), np.int64)))
            self._times = np.concatenate((self._times, np.zeros(room, np.int64)))
            self._last = np.concatenate((self._last, np.zeros(room)))
        self._ends[row] = i, j
        self._times[row] += 1
        self._last[row] = outcome

    def add_many(self, answers: AnswerBatch) -> tuple[IntArray, FloatArray]:
        """Many answers in turn; what was before each of them."""
        times, last = np.empty(len(answers.i), np.int64), np.empty(len(answers.i))
        columns = (answers.i.tolist(), answers.j.tolist(), answers.outcome.tolist())
        for k, (i, j, outcome) in enumerate(zip(*columns, strict=True)):
            times[k], last[k] = self.before(i, j)
            self.add(i, j, outcome)
        return times, last

    @property
    def pairs(self) -> tuple[IntArray, IntArray, IntArray]:
        """Ends of all pairs that were answered, and how often."""
        n = len(self._row)
        return self._ends[:n, 0], self._ends[:n, 1], self._times[:n]
