"""ParserProcesses: uploads are parsed in child processes with limits of memory and time.

A file can make a parser ask for terabytes, loop, crash or recurse without end. Then its process
ends, the user is told, and the server and other uploads go on. Processes are kept warm between
uploads, since starting one takes about a second.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from queue import LifoQueue
from typing import Any, ParamSpec, TypeVar

from hodgerank.errors import HodgeRankError, InvalidArgument
from hodgerank.server.analysis_process import (
    NICENESS,
    end_processes,
    end_with,
    without_interrupts,
)
from hodgerank.server.media.validation import ValidatedFile, validate_file
from hodgerank.server.uploads.read_upload import Upload, read_upload

T = TypeVar("T")
P = ParamSpec("P")

N_PROCESSES = 2
MOST_BYTES = 1 << 30
"""Memory of one process beyond what it has at its start."""
SECONDS, BYTES_PER_SECOND = 30.0, 4 << 20
"""Time for any upload, and one second more for so many bytes of it."""
_START_SECONDS = 60.0
_THREADS = "POLARS_MAX_THREADS"
_OOM_SCORE = Path("/proc/self/oom_score_adj")
_STATM = Path("/proc/self/statm")

TOO_SLOW = "reading it takes too long, so it may be damaged or built to do harm: save it again"
TOO_MUCH_MEMORY = (
    "reading it needs too much memory, so it may be damaged or built to do harm: save it again, "
    "or split it"
)
CRASHED = "reading it failed, so it may be damaged or built to do harm: save it again, or as CSV"
TOO_DEEP = "it is nested too deeply: save it again as a flat table"

logger = logging.getLogger("hodgerank.server")


class ParserProcesses:
    """Child processes that parse uploads, started when needed; others wait for a free one.

    Parameters
    ----------
    most_bytes
        Memory of each process beyond what it has at its start; enforced on Linux.
    seconds
        Time for one upload, and more for large ones.
    """

    def __init__(
        self, n: int = N_PROCESSES, most_bytes: int = MOST_BYTES, seconds: float = SECONDS
    ) -> None:
        self._seconds = seconds
        self._all = [_Parser(most_bytes) for _ in range(n)]
        self._free: LifoQueue[_Parser] = LifoQueue()  # the one that is warm comes first
        for parser in reversed(self._all):
            self._free.put(parser)

    def read_upload(
        self,
        files: Sequence[tuple[str, Path]],
        *,
        columns: Mapping[str, str | None] | None = None,
        encoding: str | None = None,
        folder: Path | None = None,
    ) -> Upload:
        """Read files as `read_upload` does; what stops its process is a fault of the upload."""
        n_bytes = sum(path.stat().st_size for _, path in files)
        try:
            return self._run(
                n_bytes, read_upload, files, columns=columns, encoding=encoding, folder=folder
            )
        except InvalidArgument as error:
            return Upload(faults=(str(error),))

    def validate_media(self, path: Path) -> ValidatedFile:
        """Validate a media file as `validate_file` does."""
        return self._run(path.stat().st_size, validate_file, path)

    def _run(self, n_bytes: int, what: Callable[P, T], /, *args: P.args, **options: P.kwargs) -> T:
        parser = self._free.get()
        try:
            return parser.run(self._seconds + n_bytes / BYTES_PER_SECOND, what, args, options)
        finally:
            self._free.put(parser)

    def close(self) -> None:
        """End the processes."""
        for parser in self._all:
            parser.close()


class _Parser:
    """One process, and its successors."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._pool: ProcessPoolExecutor | None = None

    def run(
        self, seconds: float, what: Callable[..., T], args: tuple[Any, ...], options: dict[str, Any]
    ) -> T:
        """Run a function in the process; InvalidArgument if the process does not survive it."""
        pool = self._started()
        try:
            return pool.submit(_answer, what, args, options).result(seconds)
        except TimeoutError:
            self.close()
            raise InvalidArgument(TOO_SLOW) from None
        except BrokenProcessPool:
            self.close()
            logger.warning("a process that parses uploads ended, and the upload was refused")
            raise InvalidArgument(CRASHED) from None
        except _Failed as failure:
            self.close()  # its memory may be in pieces
            if failure.details:
                logger.error("an upload could not be parsed\n%s", failure.details)
            raise InvalidArgument(str(failure)) from None

    def _started(self) -> ProcessPoolExecutor:
        """The process, ready; a new one if the last has ended since."""
        if self._pool is not None:
            with suppress(BrokenProcessPool):
                self._pool.submit(os.getpid).result(_START_SECONDS)
                return self._pool
            self.close()
        self._pool = ProcessPoolExecutor(
            1, get_context("spawn"), _begin, (os.getpid(), self._most_bytes)
        )
        with without_interrupts():
            started = self._pool.submit(os.getpid)
        started.result(_START_SECONDS)
        return self._pool

    def close(self) -> None:
        """End the process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            end_processes(pool)


class _Failed(Exception):
    """Failure of a parser that is no message for users."""

    def __init__(self, words: str, details: str = "") -> None:
        super().__init__(words, details)
        self.details = details

    def __str__(self) -> str:
        return str(self.args[0])


def _begin(parent: int, most_bytes: int) -> None:
    """Initialise the new process: load the parsers, and then limit the memory."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends it
    os.environ[_THREADS] = "1"
    if sys.platform != "win32":
        os.nice(NICENESS)
        threading.Thread(target=end_with, args=(parent,), daemon=True).start()
    with suppress(OSError):
        _OOM_SCORE.write_text("1000")  # if memory runs out, this process ends before the server
    import polars as pl

    pl.read_csv(b"id\na\n")
    _limit_memory(most_bytes)


if sys.platform == "win32":

    def _limit_memory(most_bytes: int) -> None:
        """Only time is limited there."""

else:
    import resource

    def _limit_memory(most_bytes: int) -> None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError, ValueError):  # macOS does not know it
            size = int(_STATM.read_text().split()[0]) * resource.getpagesize() + most_bytes
            _, hard = resource.getrlimit(resource.RLIMIT_AS)
            size = size if hard == resource.RLIM_INFINITY else min(size, hard)
            resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _answer(what: Callable[..., T], args: tuple[Any, ...], options: dict[str, Any]) -> T:
    try:
        return what(*args, **options)
    except HodgeRankError:
        raise
    except MemoryError:
        raise _Failed(TOO_MUCH_MEMORY) from None
    except RecursionError:
        raise _Failed(TOO_DEEP) from None
    except BaseException:  # a panic of Polars is no Exception
        raise _Failed(CRASHED, traceback.format_exc()) from None
