"""PatientJudge: asks a judge that takes time, and asks again where that fails."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from hodgerank.collecting.play import Judge
from hodgerank.errors import JudgeFailed, StopAsking
from hodgerank.types import Pair


class PatientJudge:
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
