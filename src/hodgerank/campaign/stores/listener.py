"""Listener: who waits for events of PostgreSQL is woken by it, or looks from time to time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Condition, Thread
from threading import Event as Signal
from time import monotonic
from typing import Any, cast

import psycopg
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

CHANNEL = "hodgerank_campaigns"
POLL_SECONDS = 1.0
"""How often who waits looks by itself: a notification may be lost with its connection."""
END_SECONDS = 0.25
"""How long the connection listens until it looks whether it should end."""


def notify(connection: Connection, campaign: str, last: int) -> None:
    """Tell those who listen, once the transaction is committed."""
    connection.execute(
        text("SELECT pg_notify(:channel, :words)"),
        {"channel": CHANNEL, "words": f"{last} {campaign}"},
    )


class Listener:
    """One connection that listens for all who wait, from the first wait on."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._last: dict[str, int] = {}
        self._news = Condition()
        self._closing = Signal()
        self._thread: Thread | None = None

    def wait(self, campaign: str, after: int, seconds: float, last: Callable[[], int]) -> bool:
        """Wait until there is a higher number than `after`; `last` asks the database."""
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
        """Wake who waits, and let the connection go."""
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
