"""SamplerFeed: a sampler, and the votes it is told."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from concurrent.futures import Future
from threading import Thread
from typing import Any, NamedTuple, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from hodgerank.campaign.items import ItemRegistry
from hodgerank.campaign.settings import CampaignSettings
from hodgerank.campaign.tasks import TaskColumns, TaskTable
from hodgerank.data.comparisons import Comparisons, ReadReport
from hodgerank.errors import NoTask, NothingToAsk
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import CodeArray, IntArray, Item

T = TypeVar("T")
Places: TypeAlias = tuple[int, int]
"""A pair of items by their positions in a track, as shown."""

MANY = 16  # answers that are told at once rather than one by one
NOBODY = -1  # a worker who has answered nothing
JOINED = -1  # the step of an item; those of answers are their rows


class NotReady(NoTask):
    """The next pair is not known yet; a thread is at work.

    Attributes
    ----------
    until
        Done when it is worth asking again.
    """

    def __init__(self, until: Future[Any]) -> None:
        self.until = until
        super().__init__("busy", "the next pair is being chosen: try again later")


class Answers(Protocol):
    """Access to the answers of a track."""

    def counted(self) -> IntArray:
        """Return the rows that count, in the order of their answers."""

    def votes(self, rows: IntArray) -> Callable[[], Comparisons]:
        """Return what makes votes of these rows, which a thread may call.

        Items and workers are numbers, items by position in the track.
        """

    def tell(self, sampler: Sampler, row: int) -> None:
        """Tell a sampler one of them."""


class Wanted(NamedTuple):
    """Request for pairs to be chosen ahead.

    Attributes
    ----------
    n_steps
        Number of steps (votes and new items) that the sampler is told first.
    n
        Number of pairs.
    pending, exclude, resting
        Pairs in progress, and pairs and items that may not be asked about.
    are_different
        Whether all chosen pairs must be different.
    """

    n_steps: int
    n: int
    pending: Collection[Places]
    exclude: Collection[Places]
    resting: Set[int]
    are_different: bool


class SamplerFeed:
    """A sampler and what it has still to be told, which happens when it is asked.

    While a log is read, no sampler is asked, and so none is told. Slow work is done in threads, one
    after the other. A request that comes earlier is refused with `NotReady`: it may be made where
    nobody can wait.
    """

    def __init__(
        self,
        settings: CampaignSettings,
        answers: Answers,
        n_items: int,
        rows: IntArray | None = None,
    ) -> None:
        self._settings, self._answers, self._n_items = settings, answers, n_items
        self._steps = array("q", b"" if rows is None else rows.astype(np.int64).tobytes())
        self._n_joined = 0  # later than the first answers
        self._n_told = 0  # steps, those included that a thread is about to tell
        self._sampler: Sampler | None = None
        self._resting: Set[int] = frozenset()
        self._last: Future[Any] | None = None  # of what was begun in threads

    def to_dict(self) -> dict[str, Any]:
        """Return the steps that the sampler is told, for a snapshot."""
        return {"n_items": self._n_items, "n_joined": self._n_joined, "steps": self._steps}

    @classmethod
    def of(cls, settings: CampaignSettings, answers: Answers, parts: Mapping[str, Any]) -> Self:
        """Restore the feed that `to_dict` returned, with a sampler that was told nothing."""
        feed = cls(settings, answers, parts["n_items"])
        feed._n_joined, feed._steps = parts["n_joined"], parts["steps"]
        return feed

    @property
    def n_votes(self) -> int:
        """Number of answers among the steps."""
        return len(self._steps) - self._n_joined

    @property
    def n_steps(self) -> int:
        """Number of answers, and of items added after the first answer."""
        return len(self._steps)

    @property
    def seconds_to_begin(self) -> float:
        """Approximate seconds to tell the sampler everything; 0 if that has begun."""
        if self._n_told or len(self._steps) < MANY:
            return 0.0
        sampler = self._settings.build_sampler(range(2))  # those of many items take their time
        return self.n_votes * sampler.seconds_per_answer(self._n_items)

    def add(self, row: int) -> None:
        """Add an answer."""
        self._steps.append(row)

    def add_item(self) -> None:
        """Add an item."""
        if self._steps:
            self._n_joined += 1
            self._steps.append(JOINED)
        else:  # it is one of the first
            self._n_items += 1

    def go_on(self) -> None:
        """Begin to tell the sampler what it does not know, where that is much."""
        is_idle = self._last is None or self._last.done()
        if is_idle and len(self._steps) - self._n_told >= MANY:
            begin, parts = self._parts(len(self._steps))
            self._begin(lambda: self._tell(begin, parts))

    def choose(self, wanted: Wanted) -> Future[list[Places]]:
        """Begin to choose pairs ahead."""
        begin, parts = self._parts(wanted.n_steps)

        def choose() -> list[Places]:
            sampler = self._tell(begin, parts)
            self._rest(sampler, wanted.resting)
            worker = NOBODY if wanted.are_different else None
            try:
                pairs = sampler.ask(wanted.n, wanted.pending, None, worker, wanted.exclude)
            except NothingToAsk:
                return []
            return [(int(left), int(right)) for left, right in pairs]

        return self._begin(choose)

    def ask(
        self,
        pending: Iterable[Places],
        worker: int | None,
        exclude: Iterable[Places],
        resting: Set[int],
    ) -> Places | None:
        """Return the next pair, chosen after all steps; None if no pair is allowed.

        Raises `NotReady` if the sampler has much to learn first, or is in use by a thread.
        """
        sampler = self._told()
        self._rest(sampler, resting)
        try:
            left, right = sampler.ask(pending=pending, worker=worker, exclude=exclude)
        except NothingToAsk:
            return None
        return int(left), int(right)

    def draw_slopes(self, workers: Iterable[int]) -> dict[Item, float]:
        """Return drawn slopes of workers, as in `Sampler.draw_slopes`, after all steps."""
        return self._told().draw_slopes(workers)

    def _told(self) -> Sampler:
        """Return the sampler after all steps; raise `NotReady` while threads have it."""
        if self._last is not None and not self._last.done():
            raise NotReady(self._last)
        last, self._last = self._last, None
        if self._is_outgrown:
            self._sampler = None
        elif self._sampler is None and last is not None and (error := last.exception()):
            self._n_told = 0  # who asks next tries again
            raise error
        sampler, steps = self._sampler, self._steps[self._n_told :]
        if sampler is None or len(steps) >= MANY:
            begin, parts = self._parts(len(self._steps))
            raise NotReady(self._begin(lambda: self._tell(begin, parts)))
        self._n_told = len(self._steps)
        for step in steps:
            if step == JOINED:
                sampler.add_item(len(sampler.items))
            else:
                self._answers.tell(sampler, step)
        return sampler

    @property
    def _is_outgrown(self) -> bool:
        """Whether items came before the first answer, and after the sampler was built."""
        sampler = self._sampler
        return sampler is not None and not self._n_told and len(sampler.items) != self._n_items

    def _parts(self, end: int) -> tuple[int, list[Callable[[], Comparisons] | None]]:
        """The step from which on it is to be told, and the answers; None where an item joins.

        Copied beforehand, since a thread cannot look at columns that grow.
        """
        first, begin = self._n_told, 0
        rows = np.array(self._steps[first:end], np.int64)
        self._n_told = max(first, end)
        parts: list[Callable[[], Comparisons] | None] = []
        for place in [*np.flatnonzero(rows == JOINED).tolist(), len(rows)]:
            if place > begin:
                parts.append(self._answers.votes(rows[begin:place]))
            if place < len(rows):
                parts.append(None)
            begin = place + 1
        return first, parts

    def _tell(self, begin: int, parts: Iterable[Callable[[], Comparisons] | None]) -> Sampler:
        sampler, self._sampler = self._sampler, None  # there is none if this fails
        if begin == 0 and sampler is not None and len(sampler.items) != self._n_items:
            sampler = None  # it was outgrown before the first answer
        if sampler is None:
            assert begin == 0, "the sampler is lost"
            sampler, self._resting = self._settings.build_sampler(range(self._n_items)), frozenset()
        for part in parts:
            if part is None:
                sampler.add_item(len(sampler.items))
            else:
                sampler.tell_many(part())
        self._sampler = sampler
        return sampler

    def _rest(self, sampler: Sampler, resting: Set[int]) -> None:
        """Ask no more about these items, and again about others."""
        for place in resting - self._resting:
            sampler.retire_item(place)
        for place in self._resting - resting:
            sampler.restore_item(place)
        self._resting = frozenset(resting)

    def _begin(self, work: Callable[[], T]) -> Future[T]:
        """Let a thread do something, after all that was begun before."""
        before = self._last
        done: Future[T] = Future()

        def run() -> None:
            try:
                if before is not None and (error := before.exception()) and self._sampler is None:
                    raise error  # the sampler is lost: this says why
                done.set_result(work())
            except BaseException as error:
                done.set_exception(error)

        self._last = done
        Thread(target=run, name="hodgerank-sampler", daemon=True).start()
        return done


class TrackAnswers:
    """Rows of the task table whose items are in one track."""

    def __init__(self, tasks: TaskTable, items: ItemRegistry, track: int) -> None:
        self._tasks, self._items, self._track = tasks, items, track

    def counted(self) -> IntArray:
        """The rows that count, in the order they were answered."""
        rows = self._tasks.counted
        if len(self._items.tracks) == 1 or not len(rows):
            return rows
        track = np.array(self._items.track)[np.array(self._tasks.left)[rows]]
        return np.asarray(rows[track == self._track])

    def votes(self, rows: IntArray) -> Callable[[], Comparisons]:
        """Return what makes votes of these rows; items are numbered by place in the track."""
        columns = self._tasks.columns(rows)
        place = np.array(self._items.place, np.int32)

        def votes() -> Comparisons:
            last = max(place[side].max(initial=-1) for side in columns[:2])
            return self._comparisons(rows, columns, place, range(int(last) + 1), None)

        return votes

    def comparisons(
        self, rows: IntArray, items: Sequence[Item], workers: Sequence[Item] | None
    ) -> Comparisons:
        """These rows, with names for the items of the track and for workers."""
        place = np.array(self._items.place, np.int32)
        return self._comparisons(rows, self._tasks.columns(rows), place, items, workers)

    def _comparisons(
        self,
        rows: IntArray,
        columns: TaskColumns,
        place: CodeArray,
        items: Sequence[Item],
        workers: Sequence[Item] | None,
    ) -> Comparisons:
        """Weights and display of a row never change, so that a thread may look at them."""
        tasks, (left, right, outcome, worker) = self._tasks, columns
        known_workers, who = np.unique(worker[worker >= 0], return_inverse=True)
        worker[worker >= 0] = who
        weight = None
        if tasks.weight:
            weight = np.array([tasks.weight.get(row, 1.0) for row in rows.tolist()])
        known = np.ones(len(rows), np.bool_)
        if tasks.display_unknown:
            known = np.array([row not in tasks.display_unknown for row in rows.tolist()], np.bool_)
        return Comparisons(
            items=tuple(items),
            left=place[left],
            right=place[right],
            outcome=outcome,
            workers=tuple(k if workers is None else workers[k] for k in known_workers.tolist()),
            worker=worker,
            display_known=known,
            weight=weight,
            report=ReadReport(source="campaign", rows=len(rows)),
        )

    def tell(self, sampler: Sampler, row: int) -> None:
        """Tell a sampler one of them."""
        tasks, place = self._tasks, self._items.place
        if row in tasks.display_unknown:
            sampler.tell_many(self.votes(np.array([row]))())
            return
        pair = place[tasks.left[row]], place[tasks.right[row]]
        worker = tasks.worker[row]
        sampler.tell(
            pair,
            tasks.outcome[row],
            worker if worker >= 0 else None,
            weight=tasks.weight.get(row, 1.0),
        )
