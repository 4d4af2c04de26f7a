"""CountingDesign: random pairs, independently or in rounds."""

from __future__ import annotations

import numpy as np

from hodgerank.kernels.selection.rounds import least_asked_pair
from hodgerank.sampling.blocked import Blocked
from hodgerank.sampling.designs.design import AnswerBatch, Design, Told
from hodgerank.types import FloatArray, IntArray


class CountingDesign(Design):
    """All pairs are equal, or those asked least often come first."""

    def __init__(self, n: int, *, in_rounds: bool) -> None:
        super().__init__()
        self._in_rounds = in_rounds
        self._counts = np.zeros((n, n), np.int64)

    def _learn(self, told: Told, was_out: bool) -> None:
        """Count the answer, unless it was counted when it went out."""
        if not was_out:
            self._counts[told.i, told.j] += 1

    def _learn_many(self, answers: AnswerBatch) -> None:
        np.add.at(self._counts, (answers.i, answers.j), 1)

    def _expect(self, i: int, j: int) -> None:
        self._counts[i, j] += 1

    def _withdraw(self, i: int, j: int) -> None:
        self._counts[i, j] -= 1

    def enlarge(self) -> None:
        """Make room for one more item."""
        self._counts = np.pad(self._counts, (0, 1))

    def gains(self, i: IntArray, j: IntArray) -> FloatArray:
        """The same for all pairs, or less for those asked more often."""
        return 1 / (1.0 + self._counts[i, j]) if self._in_rounds else np.ones(len(i))

    def search(self, blocked: Blocked, key: int) -> tuple[int, int]:
        """Any pair, or any of those asked least often."""
        return least_asked_pair(self._counts, self._in_rounds, blocked.matrix, bool(blocked), key)
