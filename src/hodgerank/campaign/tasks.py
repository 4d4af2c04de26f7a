"""Tasks: pairs assigned to workers, and their status."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from math import nan
from typing import TypeAlias

import numpy as np

from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item, Pair


class Status(IntEnum):
    """Status of a task."""

    OPEN = 0
    ANSWERED = 1
    UNDONE = 2
    SKIPPED = 3
    EXPIRED = 4
    VOID = 5  # its worker was banned, or the votes were reset, while it was in progress
    RESET = 6  # it was answered before the votes were reset


class Purpose(IntEnum):
    """Why a pair was shown."""

    CHOSEN = 0  # by the sampler
    REPEAT = 1  # an earlier pair of the worker, sides swapped
    GOLD = 2
    IMPORTED = 3  # an imported vote, without a task

    @property
    def counts(self) -> bool:
        """Whether answers are votes; other answers are checks of the worker."""
        return self in (Purpose.CHOSEN, Purpose.IMPORTED)


@dataclass(frozen=True)
class Task:
    """A pair assigned to a worker.

    Attributes
    ----------
    id
        Secret id; whoever knows it may answer.
    purpose
        'chosen' by the sampler, 'repeat' or 'gold'; not shown to workers.
    expires
        When the lease ends, in seconds since 1970.
    """

    id: str
    worker: str
    pair: Pair
    track: str
    purpose: str
    expires: float

    @property
    def left(self) -> Item:
        """Item shown on the left."""
        return self.pair.left

    @property
    def right(self) -> Item:
        """Item shown on the right."""
        return self.pair.right


TaskColumns: TypeAlias = tuple[CodeArray, CodeArray, FloatArray, CodeArray]
"""Left, right, outcome and worker of some rows."""


class TaskTable:
    """One row for each task and each imported vote; a million fit in memory.

    Attributes
    ----------
    row_of
        Rows by task id.
    worker, left, right
        By number; items as shown.
    outcome, is_counted
        Outcome of answered rows, and whether they count as votes.
    late, displaced
        Rows answered after their lease; rows whose task went to another worker.
    again
        Tasks that repeat a pair whose answer the worker undid.
    expected
        Sign of the right answer of gold pairs.
    repeats
        Row that a repeat repeats.
    verdicts
        Results of attention checks, if any applied.
    answers, answered_at, seconds
        Answered rows in order, their times, and the response times.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.row_of: dict[str, int] = {}
        self.worker, self.left, self.right = array("i"), array("i"), array("i")
        self.status, self.purpose, self.is_counted = bytearray(), bytearray(), bytearray()
        self.expires, self.outcome = array("d"), array("d")
        self.weight: dict[int, float] = {}  # where it is not one
        self.late: set[int] = set()
        self.displaced: set[int] = set()
        self.display_unknown: set[int] = set()
        self.again: set[int] = set()
        self.expected: dict[int, int] = {}
        self.repeats: dict[int, int] = {}
        self.verdicts: dict[int, Mapping[str, bool]] = {}
        self.skip_reasons: dict[int, str] = {}
        self.answers, self.answered_at, self.seconds = array("i"), array("d"), array("d")

    def __len__(self) -> int:
        return len(self.ids)

    def add(
        self, id: str, worker: int, left: int, right: int, purpose: Purpose, expires: float
    ) -> int:
        """Add a task; return its row."""
        row = len(self.ids)
        self.ids.append(id)
        if id:
            self.row_of[id] = row
        self.worker.append(worker)
        self.left.append(left)
        self.right.append(right)
        self.purpose.append(purpose)
        self.status.append(Status.OPEN)
        self.is_counted.append(0)
        self.expires.append(expires)
        self.outcome.append(nan)
        return row

    def answer(self, row: int, outcome: float, at: float, seconds: float | None) -> None:
        """Record an answer."""
        self.status[row] = Status.ANSWERED
        self.outcome[row] = outcome
        self.answers.append(row)
        self.answered_at.append(at)
        self.seconds.append(nan if seconds is None else seconds)

    def pair(self, row: int) -> tuple[int, int]:
        """Return the items of a row, the lower number first."""
        left, right = self.left[row], self.right[row]
        return (left, right) if left < right else (right, left)

    def is_missed(self, row: int, outcome: float) -> bool:
        """Return whether an answer to a gold pair is wrong."""
        return outcome * self.expected[row] <= 0

    def is_contradicted(self, row: int, outcome: float) -> bool:
        """Return whether an answer to a repeat, with sides swapped, contradicts the earlier one."""
        return outcome * self.outcome[self.repeats[row]] > 0

    def was_issued_since(self, row: int) -> bool:
        """Return whether the sampler chose the same pair again after this row, for any worker."""
        low, high = self.pair(row)
        left, right = (np.array(column[row + 1 :]) for column in (self.left, self.right))
        same = (np.minimum(left, right) == low) & (np.maximum(left, right) == high)
        chosen = np.frombuffer(self.purpose, np.uint8)[row + 1 :] == Purpose.CHOSEN
        later = row + 1 + np.flatnonzero(same & chosen)
        return not self.again.issuperset(later.tolist())

    @property
    def n_answered(self) -> int:
        """Return the answered rows."""
        return int(np.count_nonzero(np.frombuffer(self.status, np.uint8) == Status.ANSWERED))

    @property
    def counted(self) -> IntArray:
        """Rows that count, in the order of their answers."""
        rows = np.array(self.answers, np.int64)
        return rows[self.counted_mask[rows]] if len(rows) else rows

    @property
    def counted_mask(self) -> BoolArray:
        """Return which rows count."""
        return np.frombuffer(bytes(self.is_counted), np.bool_)

    def columns(self, rows: IntArray) -> TaskColumns:
        """Return left, right, outcome and worker of some rows."""
        left, right, outcome, worker = (
            np.asarray(column)[rows]  # of the whole column there is no copy
            for column in (self.left, self.right, self.outcome, self.worker)
        )
        return left, right, outcome, worker
