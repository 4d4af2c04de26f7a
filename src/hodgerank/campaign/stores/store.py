"""Store: interface of the databases that hold the logs of campaigns."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from math import isfinite
from operator import index
from typing import Any, Protocol, TypeAlias, TypeVar

from hodgerank.campaign.events import PERSONAL, Event, LogChanged
from hodgerank.campaign.stores.access_keys import KEY_KINDS, AccessKeys
from hodgerank.campaign.stores.snapshot_files import SnapshotFiles
from hodgerank.display import short
from hodgerank.errors import CampaignError, CannotWrite, InvalidArgument


class Transaction(Protocol):
    """A transaction with exclusive access to the log of one campaign."""

    def news(self, after: int) -> Iterable[Event]:
        """Return events after this number, in order."""

    def append(self, events: Sequence[Event]) -> None:
        """Append events; their numbers continue from the last one."""

    def forget(self, worker: str, pseudonym: str) -> None:
        """Replace a name in all events, and clear the data of `PERSONAL` events.

        The keys of the worker are removed too. A final event informs readers that know the old
        name.
        """

    def revoke(self, worker: str, kinds: tuple[str, ...]) -> None:
        """Revoke keys of these kinds with which a worker answers in this campaign.

        In the same transaction as the events, so that a banned worker never keeps a key.
        """


class Store(Protocol):
    """The logs of several campaigns.

    Used by one thread at a time for writing, by any for reading.
    """

    name: str
    """Name in messages: a path, or an address without its password."""

    keys: AccessKeys
    """Access keys, for servers."""

    @property
    def snapshots(self) -> SnapshotFiles | None:
        """Saved states beside the logs; None if there are none."""

    def campaigns(self) -> list[str]:
        """Return the ids of campaigns with a log, oldest first."""

    def read(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """Yield the durable events after this number, in order.

        Raises `LogChanged` if a worker is forgotten meanwhile.
        """

    def writing(self, campaign: str) -> AbstractContextManager[Transaction]:
        """Begin a transaction; durable at the end of the block, rolled back on an error.

        Raises `CannotWrite` if it cannot be made durable, at any point of the block.
        """

    def wait(self, campaign: str, after: int, seconds: float) -> bool:
        """Wait for events after this number, for limited seconds; return whether there are."""

    def wipe(self) -> None:
        """Remove traces of names that were replaced, as far as the store can."""

    def close(self) -> None:
        """Release the file or connections."""


T = TypeVar("T")

MOST_TRIES = 10


def retry_read(read: Callable[[], T]) -> T:
    """Return the result of `read`, repeated from the first event if the log changed meanwhile."""
    for _ in range(MOST_TRIES - 1):
        try:
            return read()
        except LogChanged:
            continue
    return read()


class ProcessGuard:
    """Remembers the process that opened a store.

    Connections, locks and threads do not survive a fork: a child that used its copies could damage
    the database of its parent.
    """

    def __init__(self) -> None:
        self._process = os.getpid()

    def __bool__(self) -> bool:
        return os.getpid() == self._process

    def require(self, name: str) -> None:
        """Refuse use in a forked child."""
        if not self:
            raise CampaignError(
                f"{name} was opened by process {self._process}, and this is its child process "
                f"{os.getpid()}: open it again after the fork"
            )


Row: TypeAlias = tuple[Any, ...]
"""The fields of an event in their order; `data` is JSON."""


def row_of(event: Event) -> Row:
    """Return the row of an event; refuse values that would not be restored exactly."""
    return (
        index(event.seq),
        _number(event.at, "at"),
        event.kind,
        _text(event.worker, "worker"),
        _text(event.task, "task"),
        event.left if event.left is None else index(event.left),
        event.right if event.right is None else index(event.right),
        event.outcome if event.outcome is None else _number(event.outcome, "outcome"),
        event.seconds if event.seconds is None else _number(event.seconds, "seconds"),
        event.data if event.data is None else _json(event.data),
    )


def event_of(row: Row) -> Event:
    """Return the event of a row."""
    if row[9] is None:
        return tuple.__new__(Event, row)
    return tuple.__new__(Event, (*row[:9], json.loads(row[9])))


def without_name(row: Row, worker: str, pseudonym: str) -> Row:
    """Return a row with another name for a worker, and without personal data."""
    if row[3] != worker:
        return row
    return (*row[:3], pseudonym, *row[4:9], None if row[2] in PERSONAL else row[9])


def _number(value: float, what: str) -> float:
    number = float(value)
    if not isfinite(number):  # SQLite keeps NaN as nothing, and JSON has neither
        raise InvalidArgument(f"{what} must be a finite number, not {value}")
    return number


def _text(value: str | None, what: str) -> str | None:
    """Return `value` if every database can store it: no NUL, no lone surrogates."""
    if value is None or value.isascii():
        fits = value is None or "\0" not in value
    else:
        fits = "\0" not in value and not any("\ud800" <= each <= "\udfff" for each in value)
    if fits:
        return value
    raise InvalidArgument(f"{what} {short(ascii(value))} cannot be stored as text")


def _json(data: Mapping[str, Any]) -> str:
    """Return JSON in ASCII, so that characters that no database stores are escaped."""
    try:
        return json.dumps(dict(data), separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"data cannot be stored as JSON: {error}") from None


class Pending:
    """A `Transaction` that collects events in memory, and writes them in one batch.

    Attributes
    ----------
    rows
        Rows to write at the end of the block.
    forgotten
        Names that were replaced.
    revoked
        Workers whose keys are revoked, and of which kinds.
    """

    def __init__(
        self,
        last: int,
        stored: Callable[[int], Iterable[Event]],
        forget_stored: Callable[[str, str], None],
    ) -> None:
        self.rows: list[Row] = []
        self.forgotten: list[str] = []
        self.revoked: list[tuple[str, tuple[str, ...]]] = []
        self._stored_last = last
        self._stored, self._forget_stored = stored, forget_stored

    @property
    def last(self) -> int:
        """Number of the last event, including those appended here."""
        return self._stored_last + len(self.rows)

    def news(self, after: int) -> Iterable[Event]:
        """Return events after this number, in order."""
        return self._news(after) if after < self.last else ()

    def _news(self, after: int) -> Iterator[Event]:
        if after < self._stored_last:
            yield from self._stored(after)
        yield from map(event_of, self.rows[max(0, after - self._stored_last) :])

    def append(self, events: Sequence[Event]) -> None:
        """Append all events, or none.

        Raises `InvalidArgument` for values that cannot be stored, and `CannotWrite` for a wrong
        number, since the caller must then read the log again.
        """
        rows = [row_of(event) for event in events]
        for number, row in enumerate(rows, self.last + 1):
            if row[0] != number:
                raise CannotWrite(f"event {row[0]} does not follow event {number - 1}")
        self.rows += rows

    def forget(self, worker: str, pseudonym: str) -> None:
        """Replace a name in all events, including those appended here."""
        self._forget_stored(worker, pseudonym)
        self.rows = [without_name(row, worker, pseudonym) for row in self.rows]
        self.forgotten.append(worker)
        self.revoke(worker, KEY_KINDS)

    def revoke(self, worker: str, kinds: tuple[str, ...]) -> None:
        """Revoke keys at the end of the block."""
        self.revoked.append((worker, kinds))
