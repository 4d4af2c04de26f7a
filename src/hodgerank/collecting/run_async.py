"""run_async: drive a sampler with slow judges in parallel: people, language models."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from inspect import isawaitable, iscoroutinefunction
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from hodgerank.collecting.call_loop import Budget, CallLoop, StopReason
from hodgerank.collecting.collector import Collector, OnAnswer, RunResult
from hodgerank.collecting.run import Judge, Workers, answer_of, who_is_available
from hodgerank.collecting.stopping import StoppingRule
from hodgerank.errors import (
    InvalidArgument,
    InvalidComparisons,
    JudgeFailed,
    NothingToAsk,
    StopAsking,
    require_one_of,
)
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item, Pair


class Allowance:
    """Counts how often pairs are asked, in either order.

    `per_pair` is how often a pair may be asked, including votes that the sampler has; or a function
    that returns how often it may still be asked.

    Attributes
    ----------
    used_up
        Pairs that may not be asked any more.
    """

    def __init__(self, sampler: Sampler, per_pair: int | Callable[[Pair], int]) -> None:
        self._per_pair = per_pair
        self._left: dict[frozenset[Item], int] = {}
        self.used_up: set[Pair] = set()
        if callable(per_pair):
            return
        if per_pair < 1:
            raise InvalidArgument(f"per_pair is how often a pair is asked, not {per_pair!r}")
        votes = sampler.votes
        ends = zip(votes.left.tolist(), votes.right.tolist(), strict=True)
        asked = Counter(frozenset((votes.items[a], votes.items[b])) for a, b in ends)
        for key, times in asked.items():
            self._left[key] = per_pair - times
            if times >= per_pair:
                self.used_up.add(Pair(*key))

    def take(self, pair: Pair) -> bool:
        """Count one more request; return False if the pair may not be asked again."""
        key = frozenset(pair)
        if key not in self._left:
            self._left[key] = self._per_pair(pair) if callable(self._per_pair) else self._per_pair
        self._left[key] -= 1
        if self._left[key] <= 0:
            self.used_up.add(pair)
        return self._left[key] >= 0


class Turn(NamedTuple):
    """A pair in progress, and the worker and context if they were chosen with it."""

    pair: Pair
    worker: Item | None = None
    context: str | None = None

    @property
    def arguments(self) -> tuple[Any, ...]:
        """Arguments of the judge."""
        return (self.pair,) if self.worker is None else (self.pair, self.worker)


class RetryingJudge:
    """A judge with a time-out and retries, after a delay that doubles.

    Parameters
    ----------
    judge
        A coroutine function, or a function that is called in threads.
    concurrency
        Pairs in progress at the same time.
    retries, retry_delay
        Number of retries, and the seconds before the first.
    timeout
        Seconds until a judge times out; None waits forever.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        concurrency: int,
        retries: int,
        retry_delay: float,
        timeout: float | None,
    ) -> None:
        self._judge = judge
        self._is_coroutine = iscoroutinefunction(judge) or iscoroutinefunction(type(judge).__call__)
        self._retries, self._retry_delay, self._timeout = retries, retry_delay, timeout
        # own threads, since a pair must not wait for one while its time is running
        self._threads = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="judge")

    async def ask(self, turn: Turn) -> Any:
        """Return the judge's answer after retries; raise the error of the last try."""
        for attempt in range(self._retries):
            try:
                return await self._once(turn)
            except (StopAsking, JudgeFailed):
                raise
            except Exception:
                await asyncio.sleep(self._retry_delay * 2**attempt)
        return await self._once(turn)

    async def _once(self, turn: Turn) -> Any:
        return await asyncio.wait_for(self._call(turn), self._timeout)

    async def _call(self, turn: Turn) -> Any:
        if self._is_coroutine:
            return await self._judge(*turn.arguments)
        loop = asyncio.get_running_loop()
        said = await loop.run_in_executor(self._threads, self._judge, *turn.arguments)
        return await said if isawaitable(said) else said

    def close(self) -> None:
        """Leave the threads: those still waiting cannot be stopped."""
        self._threads.shutdown(wait=False, cancel_futures=True)


ASKED_ENOUGH = StopReason("every pair has been asked as often as allowed", "no_pair")


async def run_async(
    sampler: Sampler,
    judge: Judge,
    budget: int,
    *,
    workers: Workers | None = None,
    concurrency: int = 64,
    retries: int = 3,
    timeout: float | None = 120.0,
    retry_delay: float = 1.0,
    per_pair: int | Callable[[Pair], int] | None = None,
    orders: Literal["single", "both"] = "single",
    set_aside: Iterable[Pair] = (),
    stop: StoppingRule | None = None,
    log: Path | str | None = None,
    on_answer: OnAnswer | None = None,
    on_end: Callable[[str], None] | None = None,
    progress: bool | None = None,
) -> RunResult:
    """Ask about several pairs at once; each is chosen knowing which others are in progress.

    The sampler is told each answer as it comes. A judge that raises an error or times out is asked
    again about the same pair, after a delay that doubles. A pair that fails finally goes back to
    the sampler; twenty of them in a row raise `JudgeFailed`. A judge ends the run by raising
    `StopAsking` (with its reason) or `JudgeFailed`; an invalid answer ends it with an error. At the
    end, pairs in progress are waited for, and their answers count. The votes collected are always
    in the sampler and in the log.

    Parameters
    ----------
    sampler, budget, stop, log, on_answer, progress
        As in `run`. With a log, an interrupted run resumes.
    judge
        As in `run`: a coroutine function, or a function that is called in threads (which cannot be
        stopped when they time out).
    workers
        As in `run`; each worker has one pair in progress. Not with `orders='both'`.
    concurrency
        Pairs in progress at the same time.
    retries
        Retries for each pair.
    timeout
        Seconds until a judge times out; None waits forever.
    retry_delay
        Seconds before the first retry.
    per_pair
        How often a pair may be asked, including earlier votes; or a function of the pair that
        returns how often it may still be asked. Default: no limit.
    orders
        'single' asks a pair in the sampler's order, 'both' also in the opposite order.
    set_aside
        Pairs, as shown, that were asked before without an answer.
    on_end
        Called with the reason when no more pairs will be asked, before waiting for those in
        progress.

    Examples
    --------
    >>> import asyncio, hodgerank as hr
    >>> async def judge(pair):
    ...     return 1 if pair.left < pair.right else -1
    >>> sampler = hr.AutoSampler(["a", "b", "c", "d"], seed=1)
    >>> asyncio.run(hr.run_async(sampler, judge, budget=20, concurrency=4)).ranking.items
    ('a', 'b', 'c', 'd')
    """
    if concurrency < 1 or retries < 0:  # before the sampler is told what the log holds
        raise InvalidArgument("concurrency must be at least 1 and retries at least 0")
    require_one_of(orders, ("single", "both"), "orders")
    if workers is not None and orders == "both":
        raise InvalidArgument(
            "workers are chosen for single pairs: leave out orders='both', or let the judge name "
            "the worker"
        )
    patient = RetryingJudge(
        judge, concurrency=concurrency, retries=retries, retry_delay=retry_delay, timeout=timeout
    )
    try:
        loop = PairLoop(
            Collector(sampler, Budget(budget), stop, log, on_answer),
            patient.ask,
            concurrency=concurrency,
            per_pair=per_pair,
            both_orders=orders == "both",
            workers=workers,
            set_aside=set_aside,
            on_end=on_end,
        )
        return await loop.collect(progress)
    finally:
        patient.close()


class TurnsAhead(Protocol):
    """Turns that come before those of the sampler."""

    @property
    def reason_to_end(self) -> str:
        """Why the sampler is not asked; empty if it is."""

    def next(self) -> Turn | None:
        """Return the next turn; None if none is due."""


class PairLoop(CallLoop[Turn]):
    """Asks the pairs that a sampler chooses; options are those of `run_async`.

    `ahead` has turns that come first. They count towards how often a pair may be asked.
    """

    def __init__(
        self,
        collector: Collector,
        ask: Callable[[Turn], Coroutine[Any, Any, Any]],
        *,
        concurrency: int,
        per_pair: int | Callable[[Pair], int] | None,
        both_orders: bool,
        set_aside: Iterable[Pair],
        on_end: Callable[[str], None] | None,
        workers: Workers | None = None,
        ahead: TurnsAhead | None = None,
    ) -> None:
        super().__init__(concurrency, collector.budget)
        self._ahead = ahead
        self._collector, self._ask, self._on_end = collector, ask, on_end
        self._both_orders = both_orders
        self._available = None if workers is None else who_is_available(workers)
        self._allowance = None if per_pair is None else Allowance(collector.sampler, per_pair)
        self._set_aside = list(set_aside)  # without an answer
        self._chosen: deque[Turn] = deque()  # not yet sent
        self._advance: Callable[[], None] = lambda: None

    async def collect(self, progress: bool | None) -> RunResult:
        """Run to the end, with a progress bar if wanted."""
        with self._collector.progress_bar(progress) as self._advance:
            reason = await self.run()
        return self._collector.result(reason)

    @property
    def n_votes(self) -> int:
        """Number of votes that the sampler was told."""
        return self._collector.sampler.n_votes

    def reason_to_stop(self) -> str:
        """Return why to stop; empty if there is no reason."""
        return super().reason_to_stop() or self._collector.reason_to_stop()

    def end(self, reason: str) -> None:
        """Report the end of the run."""
        if self._on_end is not None:
            self._on_end(reason)

    async def fill(self) -> str:
        """Send as many pairs as allowed; return why nothing is in progress, if so."""
        while (free := self.n_free) > 0:
            if self._ahead is not None and (first := self._ahead.next()) is not None:
                if self._allowance is not None:
                    self._allowance.take(first.pair)
                self.send(self._ask(first), first)
                continue
            if not self._chosen:
                turns = self._next(free)
                if isinstance(turns, str):
                    return "" if self.out else turns
                for turn in turns[: 1 if self._both_orders else None]:
                    self._chosen.append(turn)
                    if self._both_orders:
                        self._chosen.append(Turn(Pair(turn.pair.right, turn.pair.left)))
            turn = self._chosen.popleft()
            if self._allowance is None or self._allowance.take(turn.pair):
                self.send(self._ask(turn), turn)
        return ""

    def _next(self, n: int) -> list[Turn] | str:
        """Return the next pairs, or why there are none."""
        if self._ahead is not None and (reason := self._ahead.reason_to_end):
            return reason
        sampler, busy = self._collector.sampler, {turn.worker for turn in self.out.values()}
        pending = [*(turn.pair for turn in self.out.values()), *self._set_aside]
        used_up = () if self._allowance is None else self._allowance.used_up
        try:
            if self._available is None:
                return [Turn(pair) for pair in sampler.ask(n, pending=pending, exclude=used_up)]
            free = [worker for worker in self._available() if worker not in busy]
            if not free:
                return StopReason("no worker is available", "no_pair")
            worker, pair = sampler.assign(free, pending=pending, exclude=used_up)
            return [Turn(pair, worker)]
        except NothingToAsk as error:
            return ASKED_ENOUGH if used_up else StopReason(str(error), "no_pair")

    def take(self, done: list[tuple[Turn, asyncio.Task[Any]]]) -> None:
        """Tell the sampler an answer."""
        missed: list[BaseException | None] = []
        nonsense: InvalidComparisons | None = None
        for (pair, worker, context), task in done:
            error = task.exception()
            if isinstance(error, NothingToAsk) and self._allowance is not None:
                if context is None:
                    self._allowance.used_up.add(pair)  # there are fewer judges than before
                continue
            try:
                answer = None if error else answer_of(task.result(), pair, worker)
            except InvalidComparisons as mistake:
                nonsense = nonsense or mistake
                continue
            if answer is None:
                self._set_aside.append(pair)
                missed.append(error)
            else:
                sampler = self._collector.sampler
                sampler.tell(pair, answer.outcome, answer.worker, weight=answer.weight)
                self._collector.keep(pair, answer)
        # after the answers, which are kept in any case
        if nonsense is not None:
            raise nonsense
        for failure in missed:
            try:
                self._collector.miss(failure)
            except JudgeFailed as enough:
                self.fail(enough)
        self._advance()
