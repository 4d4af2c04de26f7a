"""PostgresStore: campaigns in a PostgreSQL database, for several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Condition, Thread
from threading import Event as Signal
from time import monotonic
from typing import Any, TypeVar, cast

import psycopg
from sqlalchemy import Connection, Engine, create_engine, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionLeft

from hodgerank.campaign.events import Event
from hodgerank.campaign.stores.access_keys import AccessKeys
from hodgerank.campaign.stores.sql import (
    HEAD,
    SqlKeys,
    begin_log,
    campaign_ids,
    last_number,
    read_log,
    require_head,
    revision_of,
    upgrade,
    write_log,
)
from hodgerank.campaign.stores.store import Pending, ProcessGuard
from hodgerank.errors import CampaignError, CannotRead, CannotWrite, HodgeRankError, InvalidArgument

CHANNEL = "hodgerank_campaigns"
POLL_SECONDS = 1.0
"""Seconds between queries while waiting, since a notification may be lost."""
END_SECONDS = 0.25
"""Seconds after which the listening connection checks whether to end."""


def notify(connection: Connection, campaign: str, last: int) -> None:
    """Notify listeners once the transaction is committed."""
    connection.execute(
        text("SELECT pg_notify(:channel, :words)"),
        {"channel": CHANNEL, "words": f"{last} {campaign}"},
    )


class Listener:
    """One connection that listens for all waiting threads, from the first wait on."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._last: dict[str, int] = {}
        self._news = Condition()
        self._closing = Signal()
        self._thread: Thread | None = None

    def wait(self, campaign: str, after: int, seconds: float, last: Callable[[], int]) -> bool:
        """Wait until there is a higher number than `after`; `last` queries the database."""
        until = monotonic() + seconds
        with self._news:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="hodgerank-listener", daemon=True)
                self._thread.start()
        while not self._closing.is_set():
            if last() > after:
                return True
            with self._news:
                self._news.wait_for(
                    lambda: self._last.get(campaign, 0) > after or self._closing.is_set(),
                    min(POLL_SECONDS, max(0.0, until - monotonic())),
                )
                if self._last.get(campaign, 0) > after:
                    return True
            if monotonic() >= until:
                break
        return False

    def close(self) -> None:
        """Wake all waiting threads, and close the connection."""
        self._closing.set()
        with self._news:
            self._news.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._closing.is_set():
            with suppress(DBAPIError, psycopg.Error):  # until it is back, who waits looks
                self._listen()
            self._closing.wait(POLL_SECONDS)

    def _listen(self) -> None:
        with self._engine.connect() as connection:
            driver = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
            connection.detach()  # from the pool: nobody else should get what is notified
            driver.autocommit = True
            driver.execute(f"LISTEN {CHANNEL}")
            while not self._closing.is_set():
                for notification in driver.notifies(timeout=END_SECONDS, stop_after=1):
                    number, _, campaign = notification.payload.partition(" ")
                    with self._news:
                        self._last[campaign] = max(int(number), self._last.get(campaign, 0))
                        self._news.notify_all()


T = TypeVar("T")

_REACHING = {"connect_timeout": 10, "keepalives_idle": 10, "keepalives_interval": 5}
"""Settings by which a vanished server is noticed, unless the address overrides them."""

# A process frozen in a transaction loses its lock after 30 s, and others wait that long.
# They hold for one transaction, so that they work through a pooler of connections too.
_LIMITS = text(
    """
    SELECT set_config('idle_in_transaction_session_timeout', '30s', true),
           set_config('lock_timeout', '40s', true),
           CASE current_setting('synchronous_commit')
           WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
    """
)
_MIGRATING = text("SELECT pg_advisory_xact_lock(7163514918)")
"""Lock number of hodgerank: tables are created or upgraded by one process at a time."""


class PostgresStore:
    """A `Store` in the tables of one schema of a PostgreSQL database.

    Parameters
    ----------
    url
        `postgresql://user:password@host:5432/database`, with the parameters libpq knows.
    create
        Whether to create the tables if there are none.
    read_only
        Never write, not even to upgrade the tables.
    """

    snapshots = (
        None  # snapshots contain names, and there may be machines on which they cannot be wiped
    )

    def __init__(self, url: str, *, create: bool = False, read_only: bool = False) -> None:
        address = _address(url)
        query = {key: value for key, value in address.query.items() if "pass" not in key}
        self.name = (
            address.set(drivername="postgresql", query=query)._replace(password=None)
        ).render_as_string()
        self._secrets = [address.password, address.query.get("password")]
        self._is_read_only = read_only
        self._is_closed = False
        self._process = ProcessGuard()
        self._engine = create_engine(
            address,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={
                key: value for key, value in _REACHING.items() if key not in address.query
            },
        )
        self._listener = Listener(self._engine)
        self.keys: AccessKeys = SqlKeys(self._look, self._transact)
        try:
            revision = self._look(lambda connection: revision_of(connection, self.name))
            if read_only or (revision is None and not create):
                require_head(revision, self.name)
            elif revision != HEAD:
                with self._telling(CannotWrite, "upgraded"), self._engine.begin() as connection:
                    connection.execute(_MIGRATING)
                    upgrade(connection, revision_of(connection, self.name), self.name)
        except BaseException:
            self.close()
            raise

    def campaigns(self) -> list[str]:
        """Return the ids of campaigns with a log, oldest first."""
        return campaign_ids(self._look)

    def read(self, campaign: str, after: int = 0) -> Iterator[Event]:
        """Yield the durable events after this number, in order."""
        return read_log(self._look, campaign, after, self.name)

    @contextmanager
    def writing(self, campaign: str) -> Iterator[Pending]:
        """Begin a transaction; durable at the end of the block, rolled back on an error."""
        self._require_open()
        if self._is_read_only:
            raise CampaignError(f"{self.name} was opened read only: open it for writing")
        with self._telling(CannotWrite, "written"), self._engine.connect() as connection:
            connection.execute(_LIMITS)
            pending = begin_log(connection, campaign, self.name)
            yield pending
            if write_log(connection, campaign, pending):
                if pending.rows:
                    notify(connection, campaign, pending.last)
                connection.commit()
                self.keys.n_removals += len(pending.revoked)

    def wait(self, campaign: str, after: int, seconds: float) -> bool:
        """Wait for events after this number, for limited seconds; return whether there are."""

        def last() -> int:
            return self._look(lambda connection: last_number(connection, campaign))

        self._require_open()
        return self._listener.wait(campaign, after, seconds, last)

    def wipe(self) -> None:
        """Leave it to PostgreSQL, which does it when it vacuums."""

    def close(self) -> None:
        """Close the connections; a forked child leaves them to its parent."""
        if self._process and not self._is_closed:
            self._is_closed = True
            self._listener.close()
            self._engine.pool.dispose()

    def _transact(self, work: Callable[[Connection], T], /) -> T:
        """Run a writing function in a transaction of its own."""
        self._require_open()
        with self._telling(CannotWrite, "written"), self._engine.begin() as connection:
            return work(connection)

    def _look(self, query: Callable[[Connection], T], /) -> T:
        """Run a query on a connection of its own."""
        self._require_open()
        with self._telling(CannotRead, "read"), self._engine.connect() as connection:
            return query(connection)

    @contextmanager
    def _telling(self, kind: type[HodgeRankError], what: str) -> Iterator[None]:
        """Return PostgreSQL's error without confidential parts."""
        try:
            yield
        except (DBAPIError, NoConnectionLeft) as error:
            words = " ".join(str(getattr(error, "orig", error)).split())
            for secret in self._secrets:
                if secret:
                    words = words.replace(str(secret), "***")
            raise kind(f"{self.name} cannot be {what}: {words}") from error
        finally:
            if self._is_closed:  # while a connection was in use: it has come back to the pool since
                self._engine.pool.dispose()

    def _require_open(self) -> None:
        self._process.require(self.name)
        if self._is_closed:
            raise CannotRead(f"{self.name} is closed: open it again")


def _address(url: str) -> URL:
    scheme, _, rest = url.partition("://")
    try:
        if scheme not in ("postgresql", "postgres", "postgresql+psycopg"):
            raise ValueError
        return make_url(f"postgresql+psycopg://{rest}")
    except (ArgumentError, ValueError):  # its words may have the password
        raise InvalidArgument(
            "this is not an address of PostgreSQL: postgresql://user:password@host:5432/database"
        ) from None
