"""run_async: drive a sampler with judges that take their time: people, language models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from inspect import isawaitable, iscoroutinefunction
from pathlib import Path
from typing import Any

from hodgerank.errors import InvalidArgument, NothingToAsk
from hodgerank.sampling.answers import Answer
from hodgerank.sampling.loop import Campaigning, OnAnswer, Run, progress_bar
from hodgerank.sampling.protocol import Sampler
from hodgerank.sampling.stopping import StoppingRule
from hodgerank.types import Pair


async def run_async(
    sampler: Sampler,
    judge: Callable[[Pair], Any],
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
) -> Run:
    """Keep many pairs out at once; each is chosen knowing which others are out.

    Answers are told as they come. A judge that raises or takes too long is asked again about the
    same pair, after a delay that doubles; a pair that fails for good goes back to the sampler, and
    twenty of them in a row raise `JudgeFailed`. Whatever happens, the answers so far are in the
    sampler and in the log.

    Parameters
    ----------
    sampler, budget, stop, log, on_answer, progress
        As in `run`. With a log, a run that was interrupted goes on where it ended.
    judge
        From a `Pair` to what an oracle of `run` returns: a coroutine function, or a function that
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
    campaign = Campaigning(sampler, budget, stop, log, on_answer)
    out: dict[asyncio.Task[Answer | None], Pair] = {}
    set_aside: list[Pair] = []
    reason = campaign.reason_to_stop()

    is_coroutine = iscoroutinefunction(judge) or iscoroutinefunction(type(judge).__call__)
    # threads of our own: a pair must not wait for one while its time is running
    threads = ThreadPoolExecutor(max_workers=concurrency, thread_name_prefix="judge")

    async def call(pair: Pair) -> Any:
        if is_coroutine:
            return await judge(pair)
        said = await asyncio.get_running_loop().run_in_executor(threads, judge, pair)
        return await said if isawaitable(said) else said

    async def once(pair: Pair) -> Answer | None:
        return Answer.of(await asyncio.wait_for(call(pair), timeout))

    async def insist(pair: Pair) -> Answer | None:
        for attempt in range(retries):
            try:
                return await once(pair)
            except Exception:
                await asyncio.sleep(retry_delay * 2**attempt)
        return await once(pair)

    def fill() -> str | None:
        """Send out as many pairs as may be out, but no more than the budget can still use."""
        free = min(concurrency, budget - sampler.n_answers) - len(out)
        if free <= 0:
            return None
        try:
            pairs = sampler.ask(free, pending=[*out.values(), *set_aside])
        except NothingToAsk as error:
            return None if out else str(error)
        for pair in pairs:
            out[asyncio.create_task(insist(pair))] = pair
        return None

    with progress_bar(campaign, progress) as advance:
        try:
            while reason is None:
                reason = fill()
                if reason is not None:
                    break
                done, _ = await asyncio.wait(out, return_when=asyncio.FIRST_COMPLETED)
                missed = []
                for task in [task for task in out if task in done]:  # in the order they went out
                    pair = out.pop(task)
                    answer = None if task.exception() else task.result()
                    if answer is None:
                        missed.append((pair, task.exception()))
                    else:
                        campaign.take(pair, answer)
                        advance()
                for pair, error in missed:
                    set_aside.append(pair)
                    campaign.miss(pair, error)
                reason = campaign.reason_to_stop()
        finally:
            for task in out:
                task.cancel()
            await asyncio.gather(*out, return_exceptions=True)
            threads.shutdown(wait=False, cancel_futures=True)
    return campaign.result(reason)
