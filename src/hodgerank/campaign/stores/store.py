"""Store: where the logs of campaigns are kept. A new database is one file that has these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from hodgerank.campaign.events import Event
from hodgerank.campaign.stores.access_keys import AccessKeys


class Writing(Protocol):
    """A transaction that has the log of one campaign to itself."""

    def news(self, after: int) -> Iterable[Event]:
        """Events with a higher number than this, in order."""

    def append(self, events: Sequence[Event]) -> None:
        """Put events at the end; their numbers go on from the last one."""

    def forget(self, worker: str, pseudonym: str) -> None:
        """Replace a name in all events, and empty the data of those that are `PERSONAL`.

        The keys of the worker go too. An event at the end tells those who know the old name.
        """


class Store(Protocol):
    """The logs of several campaigns, in one place.

    Used by one thread at a time for writing, by any for reading.
    """

    name: str
    """What messages call it: a path, or an address without its password."""

    keys: AccessKeys
    """Who may do what, for those who serve campaigns to others."""

    def campaigns(self) -> list[str]:
        """The ids of those that have a log, oldest first."""

    def read(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """The events with a higher number than `after`, as they are durable now, in order.

        Raises `LogChanged` where a worker is forgotten meanwhile.
        """

    def writing(self, campaign: str) -> AbstractContextManager[Writing]:
        """Begin a transaction; durable when the block is left, undone where it raises.

        Raises `CannotWrite` where it could not be made durable, at any point of the block.
        """

    def wait(self, campaign: str, after: int, seconds: float) -> bool:
        """Wait until there are events with a higher number, no longer than this; whether so."""

    def wipe(self) -> None:
        """Leave no trace of names that were replaced; what the store cannot reach may stay."""

    def close(self) -> None:
        """Let others have it."""
