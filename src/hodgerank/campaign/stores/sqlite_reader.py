"""SqliteReader: queries on a file that another process may be writing, or nobody."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import TypeVar

from sqlalchemy import Connection, Engine, NullPool, Pool, QueuePool, create_engine
from sqlalchemy.exc import DBAPIError

T = TypeVar("T")

BUSY_SECONDS = 10.0


class SqliteReader:
    """Reads without making files.

    A connection to a file that nobody has open would leave two files beside it, unless it is told
    that nobody writes. Then what it read holds only if nobody began to until the end.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._engine = engine_of(path, "mode=ro", QueuePool, max_overflow=-1)
        self._engine_of_still_file = engine_of(path, "mode=ro&immutable=1")
        self._lock = Lock()
        self._n_looking = 0
        self._is_closed = False

    def look(self, query: Callable[[Connection], T], is_written_here: bool) -> T:
        """Run a short query; a file that began to change meanwhile is asked again."""
        with self._looking():
            while not is_written_here and (before := self._stillness()):
                try:
                    with self._engine_of_still_file.connect() as connection:
                        result = query(connection)
                except (DBAPIError, sqlite3.Error):
                    if before == self._stillness():
                        raise
                else:
                    if before == self._stillness():
                        return result
            with self._engine.connect() as connection:
                return query(connection)

    def close(self) -> None:
        """Let the connections go; where a thread still looks, it does so when it is done."""
        with self._lock:
            self._is_closed = True
            self._let_go()

    @contextmanager
    def _looking(self) -> Iterator[None]:
        with self._lock:
            self._n_looking += 1
        try:
            yield
        finally:
            with self._lock:
                self._n_looking -= 1
                if self._is_closed:
                    self._let_go()

    def _let_go(self) -> None:
        # A connection that comes back to a pool that was disposed of would stay open.
        if self._n_looking == 0:
            self._engine.dispose()

    def _stillness(self) -> tuple[int, ...] | None:
        """Return inode, size and time of the file; None if it is missing or open for writing."""
        if any(Path(f"{self._path}{end}").exists() for end in ("-wal", "-journal")):
            return None
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


def engine_of(path: Path, options: str, pool: type[Pool] = NullPool, **sizes: int) -> Engine:
    """Connections in the driver's autocommit mode: transactions begin where they are said to."""

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            f"{path.as_uri()}?{options}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )

    return create_engine(
        "sqlite://", creator=connect, poolclass=pool, hide_parameters=True, **sizes
    )
