"""AnalysisProcess: slow analyses in a separate process, from the log alone.

So the process that assigns pairs never waits for a ranking.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from time import sleep
from typing import Any, Concatenate, ParamSpec, TypeVar

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.database import Database

T = TypeVar("T")
P = ParamSpec("P")

NICENESS = 10
_WATCH_SECONDS = 1.0
_END_SECONDS = 2.0


class AnalysisProcess:
    """One process that has the database open for reading.

    It runs functions whose first argument is a campaign to read and whose result can be pickled,
    one after the other.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._pool: ProcessPoolExecutor | None = None

    async def ask(
        self,
        what: Callable[Concatenate[Campaign, P], T],
        id: str,
        *args: P.args,
        **options: P.kwargs,
    ) -> T:
        """Run an analysis of a campaign, once more in a new process if the first died."""
        try:
            return await self._ask(what, id, args, options)
        except BrokenProcessPool:
            self.close()
            return await self._ask(what, id, args, options)

    async def _ask(
        self, what: Callable[..., T], id: str, args: tuple[Any, ...], options: dict[str, Any]
    ) -> T:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                1, get_context("spawn"), _begin, (self._address, os.getpid())
            )
        with without_interrupts():  # the process may be made here, and inherits it
            asked = self._pool.submit(_answer, what, id, args, options)
        return await asyncio.wrap_future(asked)

    def close(self) -> None:
        """End the process."""
        if self._pool is not None:
            end_processes(self._pool)  # who closes the database after it is the last one
            self._pool = None


def end_processes(pool: ProcessPoolExecutor) -> None:
    """Kill the processes of a pool, busy or not."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
        process.join(_END_SECONDS)


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Delay Ctrl-C, which a process that is just starting would report as an error."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_database: Database | None = None
_campaigns: dict[str, Campaign] = {}


def _begin(address: str, parent: int) -> None:
    """Initialise the new process."""
    global _database
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    if sys.platform != "win32":
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    _database = Database(address, read_only=True)


def _answer(what: Callable[..., T], id: str, args: tuple[Any, ...], options: dict[str, Any]) -> T:
    assert _database is not None
    if id not in _campaigns:
        _campaigns[id] = Campaign.open(_database, id, read_only=True)
    return what(_campaigns[id], *args, **options)


def end_with(parent: int) -> None:
    """End with the parent, which may have been killed."""
    while os.getppid() == parent:
        sleep(_WATCH_SECONDS)
    os._exit(1)
