"""run_async: drive a sampler with judges that take their time: people, language models."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, TypeAlias

from hodgerank.collecting.collector import Collector, OnAnswer, RunResult
from hodgerank.collecting.patient_judge import PatientJudge
from hodgerank.collecting.play import Judge
from hodgerank.collecting.stopping import StoppingRule
from hodgerank.errors import InvalidArgument, InvalidComparisons, NothingToAsk
from hodgerank.sampling.answer import Answer
from hodgerank.sampling.sampler import Sampler
from hodgerank.types import Pair

Task: TypeAlias = asyncio.Task[Any]


async def run_async(
    sampler: Sampler,
    judge: Judge,
    budget: int,
    *,
    concurrency: int = 64,
    retries: int = 3,
    timeout: float | None = 120.0,
    retry_delay: float = 1.0,
    stop: StoppingRule | None = None,
    log: Path | str | None = None,
    on_answer: OnAnswer | None = None,
    progress: bool | None = None,
) -> RunResult:
    """Keep many pairs out at once; each is chosen knowing which others are out.

    Answers are told as they come. A judge that raises or takes too long is asked again about the
    same pair, after a delay that doubles; a pair that fails for good goes back to the sampler, and
    twenty of them in a row raise `JudgeFailed`. A judge that returns what is no answer is a mistake
    in a program, and ends the run. Whatever happens, the answers so far are in the sampler and in
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

    Examples
    --------
    >>> import asyncio, hodgerank as hr
    >>> async def judge(pair):
    ...     return 1 if pair.left < pair.right else -1
    >>> sampler = hr.AutoSampler(["a", "b", "c", "d"], seed=1)
    >>> asyncio.run(hr.run_async(sampler, judge, budget=20, concurrency=4)).ranking.items
    ('a', 'b', 'c', 'd')
    """
    if concurrency < 1 or retries < 0:
        raise InvalidArgument("concurrency must be at least 1 and retries at least 0")
    collector = Collector(sampler, budget, stop, log, on_answer)
    patient = PatientJudge(
        judge, concurrency=concurrency, retries=retries, retry_delay=retry_delay, timeout=timeout
    )
    out = _Outstanding(collector, patient, concurrency)
    with collector.progress_bar(progress) as advance:
        try:
            while (reason := collector.reason_to_stop() or out.fill()) is None:
                await out.collect()
                advance()
        finally:
            await out.cancel()
            patient.close()
    return collector.result(reason)


class _Outstanding:
    """Pairs that are out with the judge, and pairs that were set aside without an answer."""

    def __init__(self, collector: Collector, judge: PatientJudge, concurrency: int) -> None:
        self._collector, self._judge, self._most = collector, judge, concurrency
        self._pairs: dict[Task, Pair] = {}
        self._set_aside: list[Pair] = []

    def fill(self) -> str | None:
        """Send out as many pairs as may be out; why there is nothing to wait for, if so.

        No more go out than the budget can still use.
        """
        sampler = self._collector.sampler
        free = min(self._most, self._collector.budget - sampler.n_answers) - len(self._pairs)
        if free <= 0:
            return None
        try:
            pairs = sampler.ask(free, pending=[*self._pairs.values(), *self._set_aside])
        except NothingToAsk as error:
            return None if self._pairs else str(error)
        for pair in pairs:
            self._pairs[asyncio.create_task(self._judge.ask(pair))] = pair
        return None

    async def collect(self) -> None:
        """Wait for at least one pair, and tell the sampler what came, in the order it went out."""
        done, _ = await asyncio.wait(self._pairs, return_when=asyncio.FIRST_COMPLETED)
        missed: list[BaseException | None] = []
        nonsense: InvalidComparisons | None = None
        for task in [task for task in self._pairs if task in done]:
            pair = self._pairs.pop(task)
            try:
                answer = None if task.exception() else Answer.of(task.result(), pair)
            except InvalidComparisons as error:
                nonsense = nonsense or error
                continue
            if answer is None:
                self._set_aside.append(pair)
                missed.append(task.exception())
            else:
                sampler = self._collector.sampler
                sampler.tell(pair, answer.outcome, answer.worker, weight=answer.weight)
                self._collector.keep(pair, answer)
        # after the answers, which are kept whatever follows
        if nonsense is not None:
            raise nonsense
        for failure in missed:
            self._collector.miss(failure)

    async def cancel(self) -> None:
        """Wait for nothing any more."""
        for task in self._pairs:
            task.cancel()
        await asyncio.gather(*self._pairs, return_exceptions=True)
