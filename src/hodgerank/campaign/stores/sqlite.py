"""SqliteStore: campaigns in a file, written by one process and read by any."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from math import inf
from pathlib import Path
from threading import Condition, Lock
from time import monotonic
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from hodgerank.campaign.events import Event
from hodgerank.campaign.stores.access_keys import AccessKeys
from hodgerank.campaign.stores.file_lock import FileIdentity, FileLock
from hodgerank.campaign.stores.snapshot_files import SnapshotFiles
from hodgerank.campaign.stores.sql import (
    SqlKeys,
    begin_log,
    campaign_ids,
    last_number,
    log_digest,
    read_log,
    require_head,
    revision_of,
    upgrade,
    write_log,
)
from hodgerank.campaign.stores.sqlite_reader import SqliteReader, engine_of
from hodgerank.campaign.stores.store import Pending, ProcessGuard
from hodgerank.errors import CampaignError, CannotRead, CannotWrite
from hodgerank.private_files import create_private

T = TypeVar("T")

POLL_SECONDS = 0.1
TRACES = 1
"""`user_version` of a file whose free space may contain names that were replaced."""


class SqliteStore:
    """A `Store` in one file, with two more beside it while it is open (`-wal`, `-shm`).

    A folder beside it (`-snapshots`) caches states of long logs; it may be deleted.

    Parameters
    ----------
    path
        The file.
    create
        Whether to create it if it does not exist.
    read_only
        Only read: nothing is locked or created.
    """

    def __init__(self, path: Path | str, *, create: bool = False, read_only: bool = False) -> None:
        self.name = str(path)
        self._path = Path(os.path.realpath(path))  # where SQLite puts its other files
        self._is_read_only = read_only
        self._is_closed = False
        self._process = ProcessGuard()
        self._files = FileIdentity(self._path, self.name)
        self._one_writer = Lock()
        self._news = Condition()
        self._last: dict[str, int] = {}
        self._lock: FileLock | None = None
        self._writer: Connection | None = None
        self._reader = SqliteReader(self._path)
        self.keys: AccessKeys = SqlKeys(self._look, self._transact)
        self.snapshots = SnapshotFiles(
            Path(f"{self._path}-snapshots"), self._last_number, partial(log_digest, self._look)
        )
        try:
            self._require_place(create and not read_only)
            if read_only:
                require_head(self._revision(), self.name)
            else:
                self._open_for_writing(create)
        except BaseException:
            self.close()
            raise

    def _open_for_writing(self, create: bool) -> None:
        if self._path.exists():
            self._revision()  # refuses files of other programs before creating any
        self._lock = FileLock(self._path, self.name)
        if create:
            try:
                create_private(self._path)  # SQLite gives the files beside it the same permissions
            except OSError as error:
                raise CannotWrite(f"{self.name} cannot be created: {error.strerror}") from error
        with self._telling("opened"):
            self._open_writer(create)

    def campaigns(self) -> list[str]:
        """Return the ids of campaigns with a log, oldest first."""
        return campaign_ids(self._look)

    def read(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """Yield the durable events after this number, in order."""
        if self._writer is not None and after >= self._last.get(campaign, inf):
            self._require_open()
            return iter(())  # nobody else writes, so the last number need not be looked up
        return read_log(self._look, campaign, after, self.name)

    @contextmanager
    def writing(self, campaign: str) -> Iterator[Pending]:
        """Begin a transaction; durable at the end of the block, rolled back on an error."""
        with self._alone() as connection:
            pending = begin_log(connection, campaign, self.name)
            yield pending
            if write_log(connection, campaign, pending):
                if pending.forgotten:
                    connection.exec_driver_sql(f"PRAGMA user_version = {TRACES}")
                connection.exec_driver_sql("COMMIT")
            else:
                connection.exec_driver_sql("ROLLBACK")
            self._files.require()  # they may have gone meanwhile
            self.keys.n_removals += len(pending.revoked)
            with self._news:
                self._last[campaign] = pending.last
                self._news.notify_all()

    def _transact(self, work: Callable[[Connection], T], /) -> T:
        """Run a writing function in a transaction of its own."""
        with self._alone() as connection:
            result = work(connection)
            connection.exec_driver_sql("COMMIT")
            self._files.require()
            return result

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """Yield the one writing connection, in a transaction that the block ends."""
        self._require_writable()
        with self._one_writer, self._telling("written"):
            self._require_open()
            self._files.require()
            connection = self._writer or self._open_writer(create=False)
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                yield connection
            except (DBAPIError, sqlite3.Error):
                self._close_writer()  # after a full disk it may not be what it was
                raise
            except BaseException:
                with suppress(DBAPIError):
                    connection.exec_driver_sql("ROLLBACK")
                raise

    def wait(self, campaign: str, after: int, seconds: float) -> bool:
        """Wait for events after this number, at most this many seconds; return whether there are.

        The writing process knows at once; others check ten times a second.
        """
        until = monotonic() + seconds
        last = self._last_number(campaign)
        with self._news:
            last = max(last, self._last.get(campaign, 0))  # there was no lock until here
            while last <= after and not self._is_closed and (left := until - monotonic()) > 0:
                if self._is_read_only:
                    self._news.wait(min(left, POLL_SECONDS))
                    last = last if self._is_closed else self._last_number(campaign)
                else:
                    self._news.wait(left)
                    last = self._last.get(campaign, 0)
        return last > after

    def _last_number(self, campaign: str) -> int:
        return self._look(lambda connection: last_number(connection, campaign))

    def wipe(self) -> None:
        """Rewrite the file if it may contain traces of names that were replaced.

        SQLite leaves copies of rows in the free space of pages, even with `secure_delete` on.
        """
        self._require_writable()
        with self._one_writer, self._telling("wiped"):
            self._require_open()
            self._files.require()
            try:
                self._wipe(self._writer or self._open_writer(create=False))
            except (DBAPIError, sqlite3.Error):
                self._close_writer()
                raise

    def _wipe(self, connection: Connection) -> None:
        if connection.exec_driver_sql("PRAGMA user_version").scalar() != TRACES:
            return
        self.snapshots.wipe()
        connection.exec_driver_sql("VACUUM")
        sizes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        self._files.may_shrink(connection.exec_driver_sql(sizes).scalar_one())
        is_busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").scalar()
        if is_busy:
            raise CannotWrite(
                f"{self.name} cannot be rewritten while another program reads it: close that "
                "program, and try again"
            )
        self._files.has_shrunk()
        connection.exec_driver_sql("PRAGMA user_version = 0")

    def close(self) -> None:
        """Release the file; a forked child leaves everything to its parent."""
        if not self._process or self._is_closed:
            return
        with self._one_writer, self._news:
            self._is_closed = True
            self._reader.close()
            self._close_writer()  # the last one to go tidies up
            if self._lock:
                self._lock.release()
            self._news.notify_all()

    def _revision(self) -> str | None:
        return self._look(lambda connection: revision_of(connection, self.name))

    def _open_writer(self, create: bool) -> Connection:
        """Open the one writing connection, and upgrade the database."""
        connection = engine_of(self._path, "mode=rwc" if create else "mode=rw").connect()
        try:
            revision = revision_of(connection, self.name)
            if revision is None and not create:
                require_head(revision, self.name)
            mode = connection.exec_driver_sql("PRAGMA journal_mode = WAL").scalar()
            if mode != "wal":
                raise CannotWrite(
                    f"{self.name} is on a file system that SQLite cannot use (journal_mode "
                    f"{mode}): move it to a local disk"
                )
            connection.exec_driver_sql("PRAGMA synchronous = FULL")
            connection.exec_driver_sql(f"PRAGMA journal_size_limit = {1 << 24}")
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            upgrade(connection, revision, self.name)
            connection.exec_driver_sql("COMMIT")
            with suppress(DBAPIError, CannotWrite):  # it is tried again the next time
                self._wipe(connection)
        except BaseException:
            connection.close()
            raise
        self._writer = connection
        self._files.opened()
        return connection

    def _close_writer(self) -> None:
        connection, self._writer = self._writer, None
        self._files.closed()
        if connection is not None:
            with suppress(DBAPIError, sqlite3.Error):
                connection.close()

    def _look(self, query: Callable[[Connection], T], /) -> T:
        """Run a query on a connection of its own."""
        self._require_open()
        with self._telling("read"):
            return self._reader.look(query, is_written_here=self._writer is not None)

    @contextmanager
    def _telling(self, what: str) -> Iterator[None]:
        """Return a message for an error code of SQLite."""
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            origin = error.orig if isinstance(error, DBAPIError) else error
            code = getattr(origin, "sqlite_errorcode", 0) & 0xFF
            if code == sqlite3.SQLITE_NOTADB:
                raise CannotRead(f"{self.name} is not a database of campaigns") from None
            kind = CannotRead if what == "read" else CannotWrite
            raise kind(f"{self.name} cannot be {what}: {_REMEDIES.get(code, origin)}") from error

    def _require_place(self, create: bool) -> None:
        if self._path.is_dir():
            raise CampaignError(f"{self.name} is a folder: name a file")
        if not self._path.parent.is_dir():
            raise CampaignError(f"the folder of {self.name} does not exist: create it first")
        self._require_no_orphan()
        exists = self._path.exists()
        if not exists and not create:
            raise CampaignError(f"there is no file {self.name}: create a campaign there first")
        if self._is_read_only:
            if not _may(self._path, os.R_OK):
                raise CampaignError(f"{self.name}: no permission to read it")
        elif exists and not _may(self._path, os.R_OK | os.W_OK):
            raise CampaignError(f"{self.name}: no permission to write it; or open it read only")
        elif not _may(self._path.parent, os.W_OK | os.X_OK):
            raise CampaignError(
                f"{self.name}: no permission to create files in its folder, which writing needs"
            )
        elif exists and self._path.stat().st_nlink > 1:
            raise CampaignError(
                f"{self.name} has several names (hard links), which SQLite does not support: "
                "remove the other names, or open a copy"
            )

    def _require_no_orphan(self) -> None:
        """Refuse a journal without its database, which SQLite would discard."""
        journal = Path(f"{self._path}-wal")
        has_answers = _size(journal) > 0  # looked at first: who makes both begins with the database
        if has_answers and _size(self._path) == 0:
            raise CampaignError(
                f"{journal} belongs to a database that was moved or deleted, and may hold "
                "answers: put the database back beside it, or move the file away"
            )

    def _require_writable(self) -> None:
        if self._is_read_only:
            raise CampaignError(f"{self.name} was opened read only: open it for writing")

    def _require_open(self) -> None:
        self._process.require(self.name)
        if self._is_closed:
            raise CannotRead(f"{self.name} is closed: open it again")


_REMEDIES = {
    sqlite3.SQLITE_FULL: "the disk is full: free some space, and try again",
    sqlite3.SQLITE_IOERR: "disk error: check that the disk is connected and not full",
    sqlite3.SQLITE_BUSY: "another program has locked it: close that program, and try again",
}


def _may(path: Path, do: int) -> bool:
    return os.access(path, do, effective_ids=os.access in os.supports_effective_ids)


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
