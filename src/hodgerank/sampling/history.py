"""The answers a sampler was told, in the order they came."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from hodgerank.data.comparisons import NO_WORKER, Comparisons, ReadReport
from hodgerank.sampling.designs.design import AnswerBatch
from hodgerank.types import BoolArray, FloatArray, IntArray, Item


class History:
    """Growing columns of answers; items and workers by position."""

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
        """Position of a worker, who is remembered."""
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
        """Add an answer at the end."""
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
        """Add answers at the end, in their order."""
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

    def since(self, start: int) -> AnswerBatch:
        """The answers from a position on, as designs take them."""
        left, right = np.array(self._left[start:]), np.array(self._right[start:])
        outcome, shown = np.array(self._outcome[start:]), np.array(self._display_known[start:])
        workers = [*self._worker_codes, None]  # NO_WORKER is the last
        return AnswerBatch(
            np.minimum(left, right).astype(np.int64),
            np.maximum(left, right).astype(np.int64),
            np.where(left > right, -outcome, outcome),
            np.array(self._weight[start:]),
            [workers[code] for code in self._worker[start:]],
            np.where(left < right, shown, -shown).astype(np.int64),
        )

    @property
    def workers(self) -> tuple[Item, ...]:
        """Those who are known by name, by their positions."""
        return tuple(self._worker_codes)

    @property
    def n_workers(self) -> int:
        """Number of workers who are known by name."""
        return len(self._worker_codes)

    def n_answers_of(self, worker: Item) -> int:
        """Number of answers a worker has given."""
        return len(self._rows_of.get(self._worker_codes.get(worker, NO_WORKER), ()))

    def pairs_of(self, worker: Item) -> set[tuple[int, int]]:
        """The pairs i < j a worker has answered."""
        rows = self._rows_of.get(self._worker_codes.get(worker, NO_WORKER), ())
        pairs = ((self._left[row], self._right[row]) for row in rows)
        return {(min(pair), max(pair)) for pair in pairs}

    def comparisons(self, items: Sequence[Item], *, adaptive: bool) -> Comparisons:
        """All of it, for the estimators."""
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
    """As an array of this kind holds them."""
    return values.astype(np.dtype(kind)).tobytes()
