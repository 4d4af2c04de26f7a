"""run_async: drive a sampler with judges that take their time: people, language models."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from inspect import isawaitable, iscoroutinefunction
from pathlib import Path
from typing import Any, Literal

from hodgerank.collecting.call_loop import Budget, CallLoop
from hodgerank.collecting.collector import Collector, OnAnswer, RunResult
from hodgerank.collecting.run import Judge
from hodgerank.collecting.stopping import StoppingRule
from hodgerank.errors import (
    InvalidArgument,
    InvalidComparisons,
    JudgeFailed,
    NothingToAsk,
    StopAsking,
    require_one_of,
)
from hodgerank.sampling.answers import Answer
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Item, Pair


class Allowance:
    """Counts how often pairs are asked, either way round.

    `per_pair` is how often a pair may be asked, the answers that the sampler has included; or a
    function that tells how often it may be asked from now on.

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
        """Ask it once more; False if that is more than it may be."""
        key = frozenset(pair)
        if key not in self._left:
            self._left[key] = self._per_pair(pair) if callable(self._per_pair) else self._per_pair
        self._left[key] -= 1
        if self._left[key] <= 0:
            self.used_up.add(pair)
        return self._left[key] >= 0


class RetryingJudge:
    """A judge with a time-out and some more tries, after a delay that doubles.

    Parameters
    ----------
    judge
        A coroutine function, or a function that is then called in threads.
    concurrency
        How many pairs may be out at once.
    retries, retry_delay
        How often a pair is tried again, and the seconds before the first further try.
    timeout
        Seconds a judge may take; None waits for ever.
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
        # threads of our own: a pair must not wait for one while its time is running
        self._threads = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="judge")

    async def ask(self, pair: Pair) -> Any:
        """What the judge says, however long it takes; raises what the last try raised."""
        for attempt in range(self._retries):
            try:
                return await self._once(pair)
            except (StopAsking, JudgeFailed):
                raise
            except Exception:
                await asyncio.sleep(self._retry_delay * 2**attempt)
        return await self._once(pair)

    async def _once(self, pair: Pair) -> Any:
        return await asyncio.wait_for(self._call(pair), self._timeout)

    async def _call(self, pair: Pair) -> Any:
        if self._is_coroutine:
            return await self._judge(pair)
        loop = asyncio.get_running_loop()
        said = await loop.run_in_executor(self._threads, self._judge, pair)
        return await said if isawaitable(said) else said

    def close(self) -> None:
        """Leave the threads: those that still wait cannot be stopped."""
        self._threads.shutdown(wait=False, cancel_futures=True)


ASKED_ENOUGH = "every pair has been asked as often as it may be"


async def run_async(
    sampler: Sampler,
    judge: Judge,
    budget: int,
    *,
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
    """Keep many pairs out at once; each is chosen knowing which others are out.

    Answers are told as they come. A judge that raises or takes too long is asked again about the
    same pair, after a delay that doubles; a pair that fails for good goes back to the sampler, and
    twenty of them in a row raise `JudgeFailed`. A judge that raises `StopAsking` ends the run with
    its reason, one that raises `JudgeFailed` with that error, and one that returns what is no
    answer is a mistake in a program, and ends the run too. When a run ends, pairs that are out are
    waited for: their answers count. Whatever happens, the answers so far are in the sampler and in
    the log.

    Parameters
    ----------
    sampler, budget, stop, log, on_answer, progress
        As in `run`. With a log, a run that was interrupted goes on where it ended.
    judge
        As in `run`: a coroutine function, or a function that
        is then called in threads (which cannot be stopped when they take too long, only left).
    concurrency
        How many pairs are out at once.
    retries
        How often a pair is tried again.
    timeout
        Seconds a judge may take; None waits for ever.
    retry_delay
        Seconds before the first further try.
    per_pair
        How often a pair may be asked, earlier answers included; or a function of the pair that
        tells how often it may be from now on. Default: as often as the sampler likes.
    orders
        'single' asks a pair as the sampler shows it, 'both' the other way round too.
    set_aside
        Pairs, as they were shown, that were asked before and got no answer.
    on_end
        Called with the reason when no more pairs will be asked, before those out are waited for.

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
            set_aside=set_aside,
            on_end=on_end,
        )
        return await loop.collect(progress)
    finally:
        patient.close()


class PairLoop(CallLoop[Pair]):
    """Pairs that a sampler chooses, asked one by one; options are those of `run_async`."""

    def __init__(
        self,
        collector: Collector,
        ask: Callable[[Pair], Coroutine[Any, Any, Any]],
        *,
        concurrency: int,
        per_pair: int | Callable[[Pair], int] | None,
        both_orders: bool,
        set_aside: Iterable[Pair],
        on_end: Callable[[str], None] | None,
    ) -> None:
        super().__init__(concurrency, collector.budget)
        self._collector, self._ask, self._on_end = collector, ask, on_end
        self._both_orders = both_orders
        self._allowance = None if per_pair is None else Allowance(collector.sampler, per_pair)
        self._set_aside = list(set_aside)  # without an answer
        self._chosen: deque[Pair] = deque()  # and not yet sent
        self._advance: Callable[[], None] = lambda: None

    async def collect(self, progress: bool | None) -> RunResult:
        """All of it, with a bar where one is wanted."""
        with self._collector.progress_bar(progress) as self._advance:
            reason = await self.run()
        return self._collector.result(reason)

    @property
    def n_votes(self) -> int:
        """Those that the sampler was told."""
        return self._collector.sampler.n_votes

    def reason_to_stop(self) -> str:
        """Why no more should be asked; empty if there is no reason."""
        return super().reason_to_stop() or self._collector.reason_to_stop()

    def end(self, reason: str) -> None:
        """Tell whoever wants to know."""
        if self._on_end is not None:
            self._on_end(reason)

    async def fill(self) -> str:
        """Send out as many pairs as may be out; why there is nothing to wait for, if so."""
        while (free := self.n_free) > 0:
            if not self._chosen:
                pairs = self._next(free)
                if isinstance(pairs, str):
                    return "" if self.out else pairs
                for pair in pairs[: 1 if self._both_orders else None]:
                    self._chosen.append(pair)
                    if self._both_orders:
                        self._chosen.append(Pair(pair.right, pair.left))
            pair = self._chosen.popleft()
            if self._allowance is None or self._allowance.take(pair):
                self.send(self._ask(pair), pair)
        return ""

    def _next(self, n: int) -> list[Pair] | str:
        """What to ask, or why there is nothing."""
        pending = [*self.out.values(), *self._set_aside]
        used_up = () if self._allowance is None else self._allowance.used_up
        try:
            return self._collector.sampler.ask(n, pending=pending, exclude=used_up)
        except NothingToAsk as error:
            return ASKED_ENOUGH if used_up else str(error)

    def take(self, done: list[tuple[Pair, asyncio.Task[Any]]]) -> None:
        """Tell the sampler what came."""
        missed: list[BaseException | None] = []
        nonsense: InvalidComparisons | None = None
        for pair, task in done:
            error = task.exception()
            try:
                answer = None if error else Answer.of(task.result(), pair)
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
        # after the answers, which are kept whatever follows
        if nonsense is not None:
            raise nonsense
        for failure in missed:
            try:
                self._collector.miss(failure)
            except JudgeFailed as enough:
                self.fail(enough)
        self._advance()
