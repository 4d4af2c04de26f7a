"""MemoryStore: logs in memory, for tests, notebooks and trials."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock

from hodgerank.campaign.events import Event
from hodgerank.campaign.stores.access_keys import OWN_ROLES, AccessKeys, MemoryKeys
from hodgerank.campaign.stores.store import Pending, ProcessGuard, Row, event_of, without_name
from hodgerank.errors import CannotRead


class MemoryStore:
    """A `Store` in memory."""

    name = "memory"
    snapshots = None

    def __init__(self) -> None:
        self.keys: AccessKeys = MemoryKeys()
        self._logs: dict[str, list[Row]] = {}
        self._is_closed = False
        self._process = ProcessGuard()
        self._one_writer = Lock()
        self._news = Condition()

    def campaigns(self) -> list[str]:
        """Return the ids of campaigns with a log, oldest first."""
        self._require_open()
        with self._news:
            return sorted(self._logs, key=lambda campaign: (self._logs[campaign][0][1], campaign))

    def read(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """Return the events after this number."""
        self._require_open()
        with self._news:
            rows = self._logs.get(campaign, [])[after:]
        return map(event_of, rows)

    @contextmanager
    def writing(self, campaign: str) -> Iterator[Pending]:
        """Begin a transaction; an error in the block discards it."""
        self._require_open()
        with self._one_writer:
            log = self._logs.get(campaign, [])

            def forget(worker: str, pseudonym: str) -> None:
                nonlocal log
                log = [without_name(row, worker, pseudonym) for row in log]

            pending = Pending(len(log), lambda after: map(event_of, log[after:]), forget)
            yield pending
            if pending.rows:
                with self._news:
                    log.extend(pending.rows)
                    self._logs[campaign] = log
                    self._news.notify_all()
            for worker, kinds in pending.revoked:
                self.keys.remove(campaign=campaign, role=OWN_ROLES, holder=worker, kind=kinds)

    def wait(self, campaign: str, after: int, seconds: float) -> bool:
        """Wait for events after this number, for limited seconds; return whether there are."""
        self._require_open()

        def are_there() -> bool:
            return len(self._logs.get(campaign, ())) > after

        with self._news:
            self._news.wait_for(lambda: are_there() or self._is_closed, seconds)
            return are_there()

    def wipe(self) -> None:
        """Do nothing: memory keeps no traces."""

    def close(self) -> None:
        """Discard everything."""
        with self._news:
            self._is_closed = True
            self._news.notify_all()

    def _require_open(self) -> None:
        self._process.require(self.name)
        if self._is_closed:
            raise CannotRead("this store is closed: open another one")
