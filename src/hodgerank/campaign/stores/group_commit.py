"""GroupCommit: one writing thread; everything that waits shares one disk write."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Condition, Thread, current_thread
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from hodgerank.campaign.stores.store import ProcessGuard, Store, Transaction
from hodgerank.errors import CannotRead, CannotWrite, HodgeRankError

T = TypeVar("T")

MOST_WORKS = 1000
GATHERING_SECONDS = 0.002


class Refusal:
    """An error that a work returns, raised once what it appended before is durable."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Postponement:
    """A work returns it to run again when something is done; what it appended is kept."""

    def __init__(self, until: Future[Any]) -> None:
        self.until = until


class _Work(NamedTuple):
    run: Callable[[Transaction], Any]
    future: Future[Any]


class GroupCommit:
    """Runs works on the logs of a store, in order, in a thread of its own.

    Works of one campaign that wait together share a transaction; each returns after it is durable.

    Attributes
    ----------
    failures
        Number of failed transactions by campaign, increased before waiting callers get the error.
    transaction
        The current or last transaction: done when it is durable or has failed.
    """

    def __init__(self, store: Store) -> None:
        self.failures: Counter[str] = Counter()
        self.transaction: Future[None] = Future()
        self._store = store
        self._process = ProcessGuard()
        self._waiting: dict[str, deque[_Work]] = {}  # the longest waiting campaign comes first
        self._change = Condition()
        self._is_closed = False
        self._n_last = 0  # works in the last transaction
        self._thread = Thread(target=self._run, name="hodgerank-group-commit", daemon=True)
        self._thread.start()

    def submit(
        self, campaign: str, work: Callable[[Transaction], T | Refusal | Postponement]
    ) -> Future[T]:
        """Queue `work` on the log of a campaign; the future has its result.

        A work that raises a `HodgeRankError` has appended nothing, and fails alone; one that
        returns a `Refusal` may have. With anything else that is raised the whole transaction
        fails: `CannotWrite` for those who were in it too.
        """
        self._process.require(self._store.name)
        future: Future[T] = Future()
        self._queue(campaign, _Work(work, future))
        return future

    def _queue(self, campaign: str, work: _Work) -> None:
        with self._change:
            if self._is_closed:
                raise CannotRead(f"{self._store.name} is closed: open it again")
            self._waiting.setdefault(campaign, deque()).append(work)
            self._change.notify()

    def _queue_again(self, campaign: str, work: _Work, _: Future[Any]) -> None:
        try:
            self._queue(campaign, work)
        except CannotRead as error:
            work.future.set_exception(error)

    def close(self) -> None:
        """Finish submitted works, and accept no more."""
        if not self._process:
            return
        with self._change:
            self._is_closed = True
            self._change.notify()
        if current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while taken := self._take():
            self._commit(*taken)
            del taken  # nothing is kept alive while there is nothing to do

    def _take(self) -> tuple[str, list[_Work]] | None:
        """Return the works of the campaign that has waited longest; None when there are no more."""
        with self._change:
            while not self._waiting:
                if self._is_closed:
                    return None
                self._change.wait()
            self._gather()
            campaign = next(iter(self._waiting))
            queue = self._waiting.pop(campaign)
            works = [queue.popleft() for _ in range(min(len(queue), MOST_WORKS))]
            if queue:
                self._waiting[campaign] = queue  # behind the others
            self._n_last = len(works)
            return campaign, works

    def _gather(self) -> None:
        """Wait a moment for as many works as last time, since transactions are costly."""
        until, queue = monotonic() + GATHERING_SECONDS, next(iter(self._waiting.values()))
        while len(self._waiting) == 1 and len(queue) < self._n_last and not self._is_closed:
            if (left := until - monotonic()) <= 0:
                return
            self._change.wait(left)

    def _commit(self, campaign: str, works: list[_Work]) -> None:
        works = [
            work
            for work in works
            if work.future.running() or work.future.set_running_or_notify_cancel()
        ]
        if not works:
            return
        answers: dict[Future[Any], Any] = {}
        transaction = self.transaction = Future()
        try:
            with self._store.writing(campaign) as writing:
                for work in works:
                    answers[work.future] = _answer(work, writing)
        except BaseException as error:
            self.failures[campaign] += 1
            transaction.set_result(None)
            unanswered = [work.future for work in works if work.future not in answers]
            _tell_of_failure(error, [work.future for work in works], unanswered[:1])
            return
        transaction.set_result(None)
        for work in works:
            future, answer = work.future, answers[work.future]
            if isinstance(answer, Postponement):
                answer.until.add_done_callback(partial(self._queue_again, campaign, work))
            elif isinstance(answer, Refusal):
                future.set_exception(answer.error)
            else:
                future.set_result(answer)


def _tell_of_failure(
    error: BaseException, futures: list[Future[Any]], raised_by: list[Future[Any]]
) -> None:
    """Return a separate exception for each caller, since threads must not share one."""
    is_a_bug = not isinstance(error, HodgeRankError)
    for future in futures:
        if is_a_bug and future in raised_by:
            future.set_exception(error)
        else:
            words = (
                ("another write in the same transaction failed; try again")
                if is_a_bug
                else str(error)
            )
            told = CannotWrite(words)
            told.__cause__ = error
            future.set_exception(told)


def _answer(work: _Work, writing: Transaction) -> Any:
    """Return the result of a work, or its refusal."""
    try:
        return work.run(writing)
    except (CannotRead, CannotWrite):
        raise
    except HodgeRankError as error:
        return Refusal(error)
