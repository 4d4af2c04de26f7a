"""Store: where the logs of campaigns are kept. A new database is one file that has these."""

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
    """A transaction that has the log of one campaign to itself."""

    def news(self, after: int) -> Iterable[Event]:
        """Events with a higher number than this, in order."""

    def append(self, events: Sequence[Event]) -> None:
        """Put events at the end; their numbers go on from the last one."""

    def forget(self, worker: str, pseudonym: str) -> None:
        """Replace a name in all events, and empty the data of those that are `PERSONAL`.

        The keys of the worker go too. An event at the end tells those who know the old name.
        """

    def revoke(self, worker: str, kinds: tuple[str, ...]) -> None:
        """Take away the keys of these kinds with which a worker answers in this campaign.

        In the same transaction as the events, so that nobody is banned with a key in hand.
        """


class Store(Protocol):
    """The logs of several campaigns, in one place.

    Used by one thread at a time for writing, by any for reading.
    """

    name: str
    """What messages call it: a path, or an address without its password."""

    keys: AccessKeys
    """Who may do what, for those who serve campaigns to others."""

    @property
    def snapshots(self) -> SnapshotFiles | None:
        """Where folded states are kept beside the logs; None where they are not."""

    def campaigns(self) -> list[str]:
        """The ids of those that have a log, oldest first."""

    def read(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """The events with a higher number than `after`, as they are durable now, in order.

        Raises `LogChanged` where a worker is forgotten meanwhile.
        """

    def writing(self, campaign: str) -> AbstractContextManager[Transaction]:
        """Begin a transaction; durable when the block is left, undone where it raises.

        Raises `CannotWrite` where it could not be made durable, at any point of the block.
        """

    def wait(self, campaign: str, after: int, seconds: float) -> bool:
        """Wait until there are events with a higher number, no longer than this; whether so."""

    def wipe(self) -> None:
        """Leave no trace of names that were replaced; what the store cannot reach may stay."""

    def close(self) -> None:
        """Let others have it."""


T = TypeVar("T")

MOST_TRIES = 10


def retry_read(read: Callable[[], T]) -> T:
    """What `read` returns, who begins at the first event; again where the log changed meanwhile."""
    for _ in range(MOST_TRIES - 1):
        try:
            return read()
        except LogChanged:
            continue
    return read()


class ProcessGuard:
    """Remembers who opened a store.

    Connections, locks and threads do not go through a fork: a child that went on with its copies
    could damage the database of its parent.
    """

    def __init__(self) -> None:
        self._process = os.getpid()

    def __bool__(self) -> bool:
        return os.getpid() == self._process

    def require(self, name: str) -> None:
        """Refuse, in words, to go on elsewhere."""
        if not self:
            raise CampaignError(
                f"{name} was opened by process {self._process}, and this is its child "
                f"{os.getpid()}: open it again after the fork"
            )


Row: TypeAlias = tuple[Any, ...]
"""The fields of an event in their order; `data` is JSON."""


def row_of(event: Event) -> Row:
    """What a store keeps of an event; refuses what would come back as something else."""
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
    """The event that a row was made of."""
    if row[9] is None:
        return tuple.__new__(Event, row)
    return tuple.__new__(Event, (*row[:9], json.loads(row[9])))


def without_name(row: Row, worker: str, pseudonym: str) -> Row:
    """A row in which a worker has another name, and nothing personal is left."""
    if row[3] != worker:
        return row
    return (*row[:3], pseudonym, *row[4:9], None if row[2] in PERSONAL else row[9])


def _number(value: float, what: str) -> float:
    number = float(value)
    if not isfinite(number):  # SQLite keeps NaN as nothing, and JSON has neither
        raise InvalidArgument(f"{what} must be a finite number, not {value}")
    return number


def _text(value: str | None, what: str) -> str | None:
    """`value` if every database keeps it: PostgreSQL has no NUL, UTF-8 no half of a character."""
    if value is None or value.isascii():
        fits = value is None or "\0" not in value
    else:
        fits = "\0" not in value and not any("\ud800" <= each <= "\udfff" for each in value)
    if fits:
        return value
    raise InvalidArgument(f"{what} {short(ascii(value))} is not text that can be kept")


def _json(data: Mapping[str, Any]) -> str:
    """ASCII, so that what is not text for a database is an escape."""
    try:
        return json.dumps(dict(data), separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"data cannot be kept as JSON: {error}") from None


class Pending:
    """A `Transaction` that keeps events in memory, so that a batch reaches the database at once.

    Attributes
    ----------
    rows
        What is to be written when the block is left.
    forgotten
        The names that were replaced.
    revoked
        Workers whose keys go, and of which kinds.
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
        """The number of the last event, with those that are appended here."""
        return self._stored_last + len(self.rows)

    def news(self, after: int) -> Iterable[Event]:
        """Events with a higher number than this, in order."""
        return self._news(after) if after < self.last else ()

    def _news(self, after: int) -> Iterator[Event]:
        if after < self._stored_last:
            yield from self._stored(after)
        yield from map(event_of, self.rows[max(0, after - self._stored_last) :])

    def append(self, events: Sequence[Event]) -> None:
        """Put all of them at the end, or none.

        Raises `InvalidArgument` for what cannot be kept. A wrong number is a `CannotWrite`: who
        gave it knows another log than this, and has to read it anew.
        """
        rows = [row_of(event) for event in events]
        for number, row in enumerate(rows, self.last + 1):
            if row[0] != number:
                raise CannotWrite(f"event {row[0]} does not follow event {number - 1}")
        self.rows += rows

    def forget(self, worker: str, pseudonym: str) -> None:
        """Replace a name in all events, those that are appended here too."""
        self._forget_stored(worker, pseudonym)
        self.rows = [without_name(row, worker, pseudonym) for row in self.rows]
        self.forgotten.append(worker)
        self.revoke(worker, KEY_KINDS)

    def revoke(self, worker: str, kinds: tuple[str, ...]) -> None:
        """Let keys go when the block is left."""
        self.revoked.append((worker, kinds))
