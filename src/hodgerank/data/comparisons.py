"""Comparisons: one row per answer, validated once, immutable, in integer codes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hodgerank.errors import InvalidComparisons, UnknownItem
from hodgerank.notebook import Displayed, Preview
from hodgerank.types import BoolArray, CodeArray, FloatArray, IntArray, Item

NO_WORKER = -1
_FILLED_IN: Any = None  # a default that __post_init__ replaces by an array


@dataclass(frozen=True)
class ReadReport:
    """What was read, which layout was taken, and what was left out."""

    source: str = "memory"
    layout: str = "left, right, outcome"
    rows: int = 0
    both_bad: int = 0
    skipped: int = 0
    rejected: int = 0
    rejections: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """One line: source, layout, what is missing from the answers."""
        left_out = [
            f"{count:,} {name}"
            for count, name in (
                (self.both_bad, "'both bad'"),
                (self.skipped, "skipped"),
                (self.rejected, "invalid"),
            )
            if count
        ]
        tail = f"; left out: {', '.join(left_out)}" if left_out else ""
        return f"{self.source}: {self.rows:,} rows as {self.layout}{tail}"


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Displayed):
    """Answers to "which of these two is better?".

    Attributes
    ----------
    items
        Distinct items; rows refer to them by position.
    left, right
        Item codes as shown.
    outcome
        In [-1, 1]: positive prefers left, 0 is a tie, +-1 a plain choice.
    workers, worker
        Distinct workers and each answer's worker code, `NO_WORKER` (-1) where none is known.
    display_known
        Whether left and right are where the worker saw them (default: yes, for all); position
        effects can be estimated from such answers alone.
    weight, time
        Optional, one per answer. A weight is a precision: an answer of weight 2 has half the
        noise variance.
    multiplicity
        Optional: how many equal answers a row stands for, each of this weight. Only tables
        reduced where they live have it.
    truth
        True scores of the items where they are known (simulations, gold standards).
    report
        How the answers were read.
    backend
        The dataframe library results go back to.
    """

    items: tuple[Item, ...]
    left: CodeArray
    right: CodeArray
    outcome: FloatArray
    workers: tuple[Item, ...] = ()
    worker: CodeArray = _FILLED_IN
    display_known: BoolArray = _FILLED_IN
    weight: FloatArray | None = None
    time: NDArray[Any] | None = None
    multiplicity: IntArray | None = None
    truth: FloatArray | None = None
    report: ReadReport = field(default_factory=ReadReport)
    backend: str = "polars"

    def __post_init__(self) -> None:
        m = len(self.left)
        worker = np.full(m, NO_WORKER, np.int32) if self.worker is None else self.worker
        known = True if self.display_known is None else self.display_known
        self._set("left", self.left, np.int32)
        self._set("right", self.right, np.int32)
        self._set("outcome", self.outcome, np.float64)
        self._set("worker", worker, np.int32)
        self._set("display_known", np.broadcast_to(known, (m,)), np.bool_)
        for name in ("weight", "truth"):
            if getattr(self, name) is not None:
                self._set(name, getattr(self, name), np.float64)
        if self.time is not None:
            self._set("time", self.time, None)
        if self.multiplicity is not None:
            if np.asarray(self.multiplicity).dtype.kind not in "iu":
                raise InvalidComparisons("multiplicity is a whole number")
            self._set("multiplicity", self.multiplicity, np.int64)
        self._validate(m)

    def _set(self, name: str, values: ArrayLike, dtype: Any) -> None:
        array = np.asarray(values, dtype=dtype).view()
        array.flags.writeable = False
        object.__setattr__(self, name, array)

    def _validate(self, m: int) -> None:
        for name in ("left", "right", "outcome", "worker", "weight", "time", "multiplicity"):
            column = getattr(self, name)
            if column is not None and column.shape != (m,):
                raise InvalidComparisons(
                    f"{name} has shape {column.shape}, but there are {m:,} answers"
                )
        if len(set(self.items)) != len(self.items):
            raise InvalidComparisons("the same item is listed twice")
        if self.truth is not None and self.truth.shape != (len(self.items),):
            raise InvalidComparisons(
                f"truth has shape {self.truth.shape}, but there are {len(self.items):,} items"
            )
        if not m:
            return
        codes_ok = (
            min(self.left.min(), self.right.min()) >= 0
            and max(self.left.max(), self.right.max()) < len(self.items)
            and self.worker.min() >= NO_WORKER
            and self.worker.max() < max(len(self.workers), 0)
        )
        if not codes_ok:
            raise InvalidComparisons("item and worker codes must be positions in items and workers")
        self._refuse(self.left == self.right, "compare an item with itself")
        if not (self.outcome.min() >= -1 and self.outcome.max() <= 1):
            self._refuse(~(np.abs(self.outcome) <= 1), "have an outcome outside [-1, 1]")
        if self.weight is not None:
            usable = np.isfinite(self.weight) & (self.weight > 0)
            self._refuse(~usable, "have a weight that is not positive")
        if self.multiplicity is not None:
            self._refuse(self.multiplicity < 1, "have a multiplicity below 1")

    def _refuse(self, bad: BoolArray, what: str) -> None:
        if bad.any():
            rows = np.flatnonzero(bad)
            shown = ", ".join(str(row) for row in rows[:5])
            raise InvalidComparisons(f"{len(rows):,} answers {what}, first at index {shown}")

    def __len__(self) -> int:
        """Number of rows: of answers, unless rows stand for several."""
        return len(self.left)

    def _headline(self) -> str:
        return f"{self.n_answers:,} answers, {self.n_items:,} items, {self.n_workers:,} workers"

    def _preview(self) -> Preview:
        workers = [*self.workers, ""]  # NO_WORKER is the last
        rows = (
            (
                self.items[self.left[k]],
                self.items[self.right[k]],
                float(self.outcome[k]),
                workers[self.worker[k]],
            )
            for k in range(len(self))
        )
        return Preview(("left", "right", "outcome", "worker"), rows, len(self))

    @property
    def n_answers(self) -> int:
        """Number of answers; more than rows where rows stand for several."""
        return len(self) if self.multiplicity is None else int(self.multiplicity.sum())

    @property
    def answers_per_row(self) -> IntArray:
        """How many answers each row stands for."""
        return np.ones(len(self), np.int64) if self.multiplicity is None else self.multiplicity

    @property
    def total_weight(self) -> FloatArray:
        """Of all answers that a row stands for."""
        return np.asarray(self.answers_per_row * (1.0 if self.weight is None else self.weight))

    @property
    def n_items(self) -> int:
        """Number of items, compared or not."""
        return len(self.items)

    @property
    def n_workers(self) -> int:
        """Number of distinct workers."""
        return len(self.workers)

    @cached_property
    def _codes(self) -> dict[Item, int]:
        return {item: code for code, item in enumerate(self.items)}

    def code(self, item: Item) -> int:
        """The position of an item in `items`."""
        try:
            return self._codes[item]
        except KeyError:
            raise UnknownItem(item, self.items) from None

    def select(self, rows: ArrayLike) -> Comparisons:
        """The same items and workers, with some of the answers (a mask or positions)."""
        chosen = np.asarray(rows)
        chosen = chosen if chosen.size else chosen.astype(np.int64)
        return replace(
            self,
            left=self.left[chosen],
            right=self.right[chosen],
            outcome=self.outcome[chosen],
            worker=self.worker[chosen],
            display_known=self.display_known[chosen],
            weight=None if self.weight is None else self.weight[chosen],
            time=None if self.time is None else self.time[chosen],
            multiplicity=None if self.multiplicity is None else self.multiplicity[chosen],
        )

    def repeated(self) -> Comparisons:
        """The same answers, one row for each."""
        if self.multiplicity is None:
            return self
        rows = np.repeat(np.arange(len(self)), self.multiplicity)
        return replace(self.select(rows), multiplicity=None)

    def to_frame(self, backend: str | None = None) -> Any:
        """One row per answer: left, right, outcome, and worker, weight and time where known.

        Where the display order is not known for any answer, the columns are winner and loser if
        that loses nothing.
        """
        from hodgerank.data.sources.frames import build_frame

        if self.multiplicity is not None:
            return self.repeated().to_frame(backend)
        items = np.array(self.items, dtype=object)
        columns: dict[str, Any]
        if len(self) and not self.display_known.any() and bool((np.abs(self.outcome) == 1).all()):
            left_won = self.outcome > 0
            columns = {
                "winner": items[np.where(left_won, self.left, self.right)],
                "loser": items[np.where(left_won, self.right, self.left)],
            }
        else:
            whole = bool((self.outcome == np.rint(self.outcome)).all())
            outcome = self.outcome.astype(np.int64) if whole else self.outcome
            columns = {"left": items[self.left], "right": items[self.right], "outcome": outcome}
        if self.workers:
            names = np.array([*self.workers, None], dtype=object)  # NO_WORKER is the last
            columns["worker"] = names[self.worker]
        if self.weight is not None:
            columns["weight"] = self.weight
        if self.time is not None:
            columns["time"] = self.time
        return build_frame(columns, backend or self.backend)
