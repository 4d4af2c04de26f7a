"""Repetitions: which pairs were answered, how often, and how the last time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hodgerank.sampling.designs.design import AnswerBatch
from hodgerank.types import FloatArray, IntArray

NEW = (0, 0.0)  # how often a pair was answered before, and the last answer


class Repetitions:
    """Pairs i < j in the order in which they were first answered."""

    def __init__(self) -> None:
        self._row: dict[tuple[int, int], int] = {}
        self._ends = np.empty((2, 0), np.int64)
        self._times = np.empty(0, np.int64)
        self._last = np.empty(0)

    def before(self, i: int, j: int) -> tuple[int, float]:
        """How often a pair was answered, and the last answer."""
        row = self._row.get((i, j))
        return NEW if row is None else (int(self._times[row]), float(self._last[row]))

    def add(self, i: int, j: int, outcome: float) -> tuple[int, float]:
        """One more answer; returns what was `before` it."""
        row = self._row.get((i, j))
        if row is None:
            self._add_row(i, j, outcome)
            return NEW
        before = int(self._times[row]), float(self._last[row])
        self._times[row] = before[0] + 1
        self._last[row] = outcome
        return before

    def _add_row(self, i: int, j: int, outcome: float) -> None:
        row = self._row[i, j] = len(self._row)
        if row == len(self._times):
            room = max(16, row)
            self._ends = np.concatenate((self._ends, np.empty((2, room), np.int64)), axis=1)
            self._times = np.concatenate((self._times, np.empty(room, np.int64)))
            self._last = np.concatenate((self._last, np.empty(room)))
        self._ends[0, row], self._ends[1, row] = i, j
        self._times[row], self._last[row] = 1, outcome

    def add_many(self, answers: AnswerBatch) -> tuple[IntArray, FloatArray]:
        """Many answers in turn; what was before each of them."""
        columns = (answers.i.tolist(), answers.j.tolist(), answers.outcome.tolist())
        before = [self.add(*row) for row in zip(*columns, strict=True)]
        times, last = zip(*before, strict=True) if before else ((), ())
        return np.array(times, np.int64), np.array(last, float)

    def with_pending(self, out: Mapping[tuple[int, int], int]) -> Repetitions:
        """A copy that takes pairs which are out so many times as answered so often."""
        found = Repetitions()
        found._row, found._ends = self._row.copy(), self._ends.copy()
        found._times, found._last = self._times.copy(), self._last.copy()
        found.add_pending(out)
        return found

    def add_pending(self, out: Mapping[tuple[int, int], int]) -> None:
        """Take pairs that are out so many times as answered so often, however that was."""
        for (i, j), times in out.items():
            for _ in range(times):
                self.add(i, j, 0.0)

    @property
    def pairs(self) -> tuple[IntArray, IntArray, IntArray]:
        """Ends of all pairs that were answered, and how often."""
        n = len(self._row)
        return self._ends[0, :n], self._ends[1, :n], self._times[:n]


def all_new(answers: AnswerBatch) -> tuple[IntArray, FloatArray]:
    """What was before each of many answers, if nobody repeats anything."""
    n = len(answers.i)
    return np.zeros(n, np.int64), np.zeros(n)
