"""Answer: the reply of a judge; History: the votes of a sampler."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons, ReadReport
from hodgerank.display import short
from hodgerank.errors import InvalidComparisons
from hodgerank.sampling.designs.design import VoteBatch
from hodgerank.types import BoolArray, FloatArray, IntArray, Item, Pair

MOST_WEIGHT = 1e6


@dataclass(frozen=True)
class Answer:
    """An outcome with worker and weight; a judge may return it instead of a bare outcome."""

    outcome: float
    worker: Item | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "outcome", read_outcome(self.outcome))
        object.__setattr__(self, "worker", read_worker(self.worker))
        object.__setattr__(self, "weight", read_weight(self.weight))

    @classmethod
    def of(cls, said: Any, pair: Pair) -> Answer | None:
        """Read the reply of a judge: an outcome, with the worker or not, or None for no answer."""
        if said is None or isinstance(said, Answer):
            return said
        try:
            return cls(*said) if isinstance(said, tuple) and len(said) == 2 else cls(said)
        except InvalidComparisons as error:
            about = f"({short(str(pair.left))}, {short(str(pair.right))})"
            raise InvalidComparisons(
                f"the judge returned {short(repr(said))} for {about}: {error}. Return an "
                "outcome, a tuple of outcome and worker, an Answer, or None for no answer"
            ) from None


def read_outcome(value: Any) -> float:
    """Return a number in [-1, 1]."""
    number = _number(value)
    if not -1 <= number <= 1:
        raise InvalidComparisons(
            "an outcome is a number from -1 (right is better) to 1 (left is better), "
            f"not {short(repr(value))}"
        )
    return number


def read_weight(value: Any) -> float:
    """Return a positive number; beyond a million to one, single votes are lost in rounding."""
    number = _number(value)
    if not 1 / MOST_WEIGHT <= number <= MOST_WEIGHT:
        raise InvalidComparisons(
            f"a weight is relative to one plain vote and must be between "
            f"{1 / MOST_WEIGHT:g} and {MOST_WEIGHT:g}, not {short(repr(value))}"
        )
    return number


def read_worker(value: Any) -> Item | None:
    """Return an integer or a string, or None for an unknown worker."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, int | str):
        return value
    raise InvalidComparisons(f"a worker is an integer or a string, not {short(repr(value))}")


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


class History:
    """Growing columns of votes, with items and workers by position."""

    def __init__(self) -> None:
        self._left = array("i")
        self._right = array("i")
        self._worker = array("i")
        self._outcome = array("d")
        self._weight = array("d")
        self._display_known = array("b")
        self._worker_codes: dict[Item, int] = {}
        self._rows_of: dict[int, array[int]] = {}

    def __len__(self) -> int:
        return len(self._left)

    def worker_code(self, worker: Item | None) -> int:
        """Return the position of a worker, adding new ones."""
        if worker is None:
            return NO_WORKER
        return self._worker_codes.setdefault(worker, len(self._worker_codes))

    def append(
        self,
        left: int,
        right: int,
        outcome: float,
        worker: int,
        weight: float,
        display_known: bool = True,
    ) -> None:
        """Append a vote."""
        if worker != NO_WORKER:
            self._rows_of.setdefault(worker, array("q")).append(len(self))
        self._left.append(left)
        self._right.append(right)
        self._outcome.append(outcome)
        self._worker.append(worker)
        self._weight.append(weight)
        self._display_known.append(display_known)

    def extend(
        self,
        left: IntArray,
        right: IntArray,
        outcome: FloatArray,
        worker: IntArray,
        weight: FloatArray,
        display_known: BoolArray,
    ) -> None:
        """Append votes in order."""
        if not len(worker):
            return
        order = np.argsort(worker, kind="stable")
        distinct, starts = np.unique(worker[order], return_index=True)
        for code, rows in zip(distinct.tolist(), np.split(order, starts[1:]), strict=True):
            if code != NO_WORKER:
                self._rows_of.setdefault(code, array("q")).frombytes(_bytes(len(self) + rows, "q"))
        self._left.frombytes(_bytes(left, "i"))
        self._right.frombytes(_bytes(right, "i"))
        self._outcome.frombytes(_bytes(outcome, "d"))
        self._worker.frombytes(_bytes(worker, "i"))
        self._weight.frombytes(_bytes(weight, "d"))
        self._display_known.frombytes(_bytes(display_known, "b"))

    def since(self, start: int) -> VoteBatch:
        """Return the votes from a position on, in the form that designs use."""
        left, right = np.array(self._left[start:]), np.array(self._right[start:])
        outcome, shown = np.array(self._outcome[start:]), np.array(self._display_known[start:])
        workers = [*self._worker_codes, None]  # NO_WORKER is the last
        return VoteBatch(
            np.minimum(left, right).astype(np.int64),
            np.maximum(left, right).astype(np.int64),
            np.where(left > right, -outcome, outcome),
            np.array(self._weight[start:]),
            [workers[code] for code in self._worker[start:]],
            np.where(left < right, shown, -shown).astype(np.int64),
        )

    @property
    def workers(self) -> tuple[Item, ...]:
        """The named workers, by position."""
        return tuple(self._worker_codes)

    @property
    def n_workers(self) -> int:
        """Number of named workers."""
        return len(self._worker_codes)

    def n_votes_of(self, worker: Item) -> int:
        """Return the number of votes of a worker."""
        return len(self._rows_of.get(self._worker_codes.get(worker, NO_WORKER), ()))

    def pairs_of(self, worker: Item) -> set[tuple[int, int]]:
        """Return the pairs i < j that a worker has judged."""
        rows = self._rows_of.get(self._worker_codes.get(worker, NO_WORKER), ())
        pairs = ((self._left[row], self._right[row]) for row in rows)
        return {(min(pair), max(pair)) for pair in pairs}

    def comparisons(self, items: Sequence[Item], *, adaptive: bool) -> Comparisons:
        """Return all votes, for the estimators."""
        weight = np.array(self._weight)
        return Comparisons(
            items=tuple(items),
            left=np.array(self._left, np.int32),
            right=np.array(self._right, np.int32),
            outcome=np.array(self._outcome),
            workers=tuple(self._worker_codes),
            worker=np.array(self._worker, np.int32),
            display_known=np.array(self._display_known, np.bool_),
            weight=None if (weight == 1).all() else weight,
            report=ReadReport(source="sampler", rows=len(self), adaptive=adaptive),
        )


def _bytes(values: IntArray | FloatArray | BoolArray, kind: str) -> bytes:
    """Return the bytes of an array of this type code."""
    return values.astype(np.dtype(kind)).tobytes()
