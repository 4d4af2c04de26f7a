"""The log in tables: what SQLite and PostgreSQL have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Protocol, TypeVar

from sqlalchemy import Connection, case, delete, exists, null, select, text, update

from hodgerank.campaign.events import PERSONAL, Event, LogChanged
from hodgerank.campaign.stores.pending import Pending
from hodgerank.campaign.stores.rows import Row, event_of
from hodgerank.campaign.stores.schema import access_keys, campaigns, events
from hodgerank.errors import CampaignError

T = TypeVar("T")

PAGE = 2000
"""Rows per query. Between pages no transaction is open, however slowly they are used."""

_NAMES = [column.name for column in events.columns if column.name != "campaign"]


class Look(Protocol):
    """Runs a short query on a connection of its own; tells trouble in words."""

    def __call__(self, query: Callable[[Connection], T], /) -> T:
        """What the query returns."""


def campaign_ids(look: Look) -> list[str]:
    """The campaigns that have events, oldest first."""
    query = select(campaigns.c.created, campaigns.c.id).where(campaigns.c.last > 0)
    return [campaign for _, campaign in sorted(map(tuple, look(lambda c: c.execute(query).all())))]


def last_number(connection: Connection, campaign: str) -> int:
    """The number of the last event; 0 for a campaign without any."""
    found = connection.scalar(select(campaigns.c.last).where(campaigns.c.id == campaign))
    return 0 if found is None else int(found)


def read_log(look: Look, campaign: str, after: int, name: str) -> Iterator[Event]:
    """Events after this number, up to the last one there is when the reading begins.

    Page by page: the log only grows, so pages fit together without a transaction around them,
    unless a worker is forgotten between two of them.
    """
    last = look(lambda connection: last_number(connection, campaign))
    return chain.from_iterable(_pages(look, campaign, after, last, name))


def _pages(
    look: Look, campaign: str, after: int, last: int, name: str
) -> Iterator[Iterable[Event]]:
    for first in range(after, last, PAGE):
        until = min(first + PAGE, last)
        rows = look(partial(_page, campaign=campaign, after=first, until=until))
        if len(rows) != until - first:
            raise CampaignError(
                f"{name} is damaged: of the events {first + 1:,} to {until:,} of campaign "
                f"{campaign} it has {len(rows):,}; restore it from a copy"
            )
        if first > after and look(partial(_has_forgotten, campaign=campaign, after=last)):
            raise LogChanged(f"{name}: a worker was forgotten while it was read; read it again")
        yield map(event_of, rows)


def _has_forgotten(connection: Connection, campaign: str, after: int) -> bool:
    """Whether names were replaced since there was this event: what was read before may have one."""
    later = exists().where(
        events.c.campaign == campaign, events.c.seq > after, events.c.kind == "worker_forgotten"
    )
    return bool(connection.scalar(select(later)))


def _page(connection: Connection, campaign: str, after: int, until: int) -> list[Row]:
    """Rows as the driver has them: those of SQLAlchemy take longer."""
    mark = _mark(connection)
    result = connection.exec_driver_sql(
        f"SELECT {', '.join(_NAMES)} FROM events "
        f"WHERE campaign = {mark} AND seq > {mark} AND seq <= {mark} ORDER BY seq",
        (campaign, after, until),
    )
    try:
        return list(result.cursor.fetchall())
    finally:
        result.close()


def begin_log(connection: Connection, campaign: str, name: str) -> Pending:
    """Have the log of a campaign to oneself until the transaction of the connection ends."""
    lock = f"SELECT last FROM campaigns WHERE id = {_mark(connection)}"
    if connection.dialect.name != "sqlite":  # there nobody else writes
        lock += " FOR UPDATE"
    last = connection.exec_driver_sql(lock, (campaign,)).scalar()
    if last is None:  # two processes may be at this point
        connection.execute(
            text("INSERT INTO campaigns VALUES (:id, 0, 0) ON CONFLICT DO NOTHING"),
            {"id": campaign},
        )
        last = connection.exec_driver_sql(lock, (campaign,)).scalar()
    assert last is not None

    def stored(after: int) -> Iterator[Event]:
        pages = _pages(lambda query: query(connection), campaign, after, last, name)
        return chain.from_iterable(pages)

    def forget(worker: str, pseudonym: str) -> None:
        theirs = events.c.campaign == campaign, events.c.worker == worker
        kept = case((events.c.kind.in_(PERSONAL), null()), else_=events.c.data)
        connection.execute(update(events).where(*theirs).values(worker=pseudonym, data=kept))
        keys = access_keys.c
        mine = keys.campaign == campaign, keys.role == "worker", keys.holder == worker
        connection.execute(delete(access_keys).where(*mine))

    return Pending(last, stored, forget)


def write_log(connection: Connection, campaign: str, pending: Pending) -> None:
    """Put what is pending into the tables."""
    mark = _mark(connection)
    marks = ", ".join([mark] * (1 + len(_NAMES)))
    connection.exec_driver_sql(
        f"INSERT INTO events (campaign, {', '.join(_NAMES)}) VALUES ({marks})",
        [(campaign, *row) for row in pending.rows],
    )
    connection.exec_driver_sql(
        f"UPDATE campaigns SET last = {mark} WHERE id = {mark}", (pending.last, campaign)
    )
    first, at, *_ = pending.rows[0]
    if first == 1:
        connection.execute(update(campaigns).where(campaigns.c.id == campaign).values(created=at))


def _mark(connection: Connection) -> str:
    """How the driver writes the place of a value."""
    return "?" if connection.dialect.name == "sqlite" else "%s"
