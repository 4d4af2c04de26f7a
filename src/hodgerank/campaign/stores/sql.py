"""Tables of campaigns, the same in SQLite and PostgreSQL.

A change is a new file in `migrations/versions`, and its number is the new `HEAD`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Protocol, TypeVar

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Double,
    Integer,
    MetaData,
    Table,
    Text,
    and_,
    case,
    delete,
    exists,
    insert,
    inspect,
    null,
    select,
    text,
    true,
    update,
)

from hodgerank.campaign.events import PERSONAL, Event, LogChanged
from hodgerank.campaign.stores.access_keys import OWN_ROLES, AccessKey, Wanted
from hodgerank.campaign.stores.store import Pending, Row, event_of
from hodgerank.errors import CampaignError, CannotRead

HEAD = "0002"
"""Revision of these tables."""

REVISION_TABLE = "hodgerank_revision"
"""Table with the revision; not Alembic's usual name, which other programs may use."""

metadata = MetaData()

campaigns = Table(
    "campaigns",
    metadata,
    Column("id", Text, primary_key=True),
    Column("created", Double, nullable=False),
    Column("last", BigInteger, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("campaign", Text, primary_key=True),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("kind", Text, nullable=False),
    Column("worker", Text),
    Column("task", Text),
    Column("left_item", Integer),
    Column("right_item", Integer),
    Column("outcome", Double),
    Column("seconds", Double),
    Column("data", Text),
    sqlite_with_rowid=False,  # the rows of a campaign lie together, in order
)

access_keys = Table(
    "access_keys",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("campaign", Text),
    Column("holder", Text, nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double),
)


T = TypeVar("T")

PAGE = 2000
"""Rows per query. Between pages no transaction is open, however slowly they are used."""

_NAMES = [column.name for column in events.columns if column.name != "campaign"]


class Query(Protocol):
    """Runs a short query on a connection of its own; tells trouble in words."""

    def __call__(self, query: Callable[[Connection], T], /) -> T:
        """Run a short query on a connection of its own."""


def campaign_ids(look: Query) -> list[str]:
    """Return the campaigns that have events, oldest first."""
    query = select(campaigns.c.created, campaigns.c.id).where(campaigns.c.last > 0)
    return [campaign for _, campaign in sorted(map(tuple, look(lambda c: c.execute(query).all())))]


def last_number(connection: Connection, campaign: str) -> int:
    """Return the number of the last event; 0 for a campaign without any."""
    found = connection.scalar(select(campaigns.c.last).where(campaigns.c.id == campaign))
    return 0 if found is None else int(found)


def read_log(look: Query, campaign: str, after: int, name: str) -> Iterator[Event]:
    """Yield events after this number, up to the last one when the reading begins.

    Page by page: the log only grows, so pages fit together without a transaction around them,
    unless a worker is forgotten between two of them.
    """
    last = look(lambda connection: last_number(connection, campaign))
    return chain.from_iterable(_pages(look, campaign, after, last, name))


def _pages(
    look: Query, campaign: str, after: int, last: int, name: str
) -> Iterator[Iterable[Event]]:
    for first in range(after, last, PAGE):
        until = min(first + PAGE, last)
        rows = look(partial(_page, campaign=campaign, after=first, until=until))
        if len(rows) != until - first:
            raise CannotRead(
                f"{name} is damaged: of the events {first + 1:,} to {until:,} of campaign "
                f"{campaign} only {len(rows):,} exist; restore it from a backup"
            )
        if first > after and look(partial(_has_forgotten, campaign=campaign, after=last)):
            raise LogChanged(f"{name}: a worker was forgotten while it was read; read it again")
        yield map(event_of, rows)


def _has_forgotten(connection: Connection, campaign: str, after: int) -> bool:
    """Return whether names were replaced since this event."""
    later = exists().where(
        events.c.campaign == campaign, events.c.seq > after, events.c.kind == "worker_forgotten"
    )
    return bool(connection.scalar(select(later)))


def _page(connection: Connection, campaign: str, after: int, until: int) -> list[Row]:
    """Return rows of the driver, which are faster than those of SQLAlchemy."""
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


DIGEST_PAGE = 20_000
_TEXTS, _NUMBERS = ("kind", "worker", "task", "data"), (*_NAMES[5:9], "at")
_DIGEST = ", ".join(
    (
        "SELECT count(*)",
        *(f"group_concat(ifnull({name}, ''), '\x1f')" for name in _TEXTS),
        *(f"total(ifnull({name}, -7) * seq)" for name in _NUMBERS),
    )
) + (" FROM events WHERE campaign = ? AND seq > ? AND seq <= ?")


def log_digest(look: Query, campaign: str, until: int) -> str:
    """Return a digest of the events up to a number, for SQLite only.

    SQLite concatenates texts and adds up numbers weighted by their positions. Fetching the rows
    would take several times as long.
    """
    found = sha256()
    for first in range(0, until, DIGEST_PAGE):
        window = campaign, first, min(first + DIGEST_PAGE, until)
        for part in look(partial(_digest_parts, window=window)):
            found.update(f"{part}\n".encode())
    return found.hexdigest()


def _digest_parts(connection: Connection, window: tuple[str, int, int]) -> Iterable[object]:
    return connection.exec_driver_sql(_DIGEST, window).one()


def begin_log(connection: Connection, campaign: str, name: str) -> Pending:
    """Lock the log of a campaign until the transaction ends."""
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

    return Pending(last, stored, forget)


def write_log(connection: Connection, campaign: str, pending: Pending) -> bool:
    """Write pending rows to the tables; return whether there were any."""
    for worker, kinds in pending.revoked:
        theirs = _with(campaign=campaign, role=OWN_ROLES, holder=worker, kind=kinds)
        connection.execute(delete(access_keys).where(theirs))
    if pending.rows:
        _append(connection, campaign, pending)
    return bool(pending.rows or pending.revoked)


def _append(connection: Connection, campaign: str, pending: Pending) -> None:
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
    """Return the parameter mark of the driver."""
    return "?" if connection.dialect.name == "sqlite" else "%s"


class Transact(Protocol):
    """Runs something that writes, alone; durable when it returns."""

    def __call__(self, work: Callable[[Connection], T], /) -> T:
        """Return the result of the work."""


class SqlKeys:
    """`AccessKeys` in a table."""

    def __init__(self, look: Query, transact: Transact) -> None:
        self.n_removals = 0
        self._look, self._transact = look, transact

    def add(self, key: AccessKey) -> None:
        """Add a key, which is durable when this returns."""
        self._transact(lambda connection: connection.execute(insert(access_keys), key._asdict()))

    def find(self, digest: str) -> AccessKey | None:
        """Return the key of a token, also if expired."""
        return next(iter(self.all(digest=digest)), None)

    def all(self, **values: Wanted) -> list[AccessKey]:
        """Return the keys with these values, oldest first."""
        query = select(access_keys).where(_with(**values)).order_by(access_keys.c.created)
        rows = self._look(lambda connection: connection.execute(query).all())
        return [AccessKey(*row) for row in rows]

    def remove(self, **values: Wanted) -> int:
        """Remove the keys with these values; return how many."""
        gone = delete(access_keys).where(_with(**values))
        n_gone = self._transact(lambda connection: connection.execute(gone).rowcount)
        self.n_removals += 1
        return n_gone

    def remove_expired(self, before: float, most: int) -> int:
        """Delete keys that expired before this time, at most so many; return how many."""
        old = select(access_keys.c.digest).where(access_keys.c.expires < before).limit(most)
        gone = delete(access_keys).where(access_keys.c.digest.in_(old))
        return self._transact(lambda connection: connection.execute(gone).rowcount)


def _with(**values: Wanted) -> ColumnElement[bool]:
    return and_(
        true(),
        *(
            access_keys.c[name].in_(value)
            if isinstance(value, tuple)
            else access_keys.c[name].is_not_distinct_from(value)
            for name, value in values.items()
        ),
    )


MIGRATIONS = Path(__file__).parent / "migrations"


def revision_of(connection: Connection, name: str) -> str | None:
    """Return the revision of a database, None if it is empty; refuse those of other programs."""
    tables = inspect(connection).get_table_names()
    if REVISION_TABLE in tables:
        found = connection.scalar(text(f"SELECT version_num FROM {REVISION_TABLE}"))
        if found is not None:
            return str(found)
    if {"campaigns", "events", REVISION_TABLE}.isdisjoint(tables) and (
        not tables or connection.dialect.name == "postgresql"  # which programs may share
    ):
        return None
    raise CampaignError(
        f"{name} is a database of another program ({', '.join(sorted(tables)[:3])}): use a "
        "separate database for campaigns"
    )


def upgrade(connection: Connection, revision: str | None, name: str, to: str = "head") -> None:
    """Migrate the tables to a revision, within the transaction of the connection."""
    if revision == HEAD:
        return
    # Imported here: most databases are at the head, and Alembic takes its time.
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(MIGRATIONS))
    known = {script.revision for script in scripts.walk_revisions()}
    if revision is not None and revision not in known:
        raise newer(name)
    context = MigrationContext.configure(connection, opts={"version_table": REVISION_TABLE})
    with Operations.context(context):
        for script in reversed(list(scripts.iterate_revisions(to, revision or "base"))):
            script.module.upgrade()
            context.stamp(scripts, script.revision)


def require_head(revision: str | None, name: str) -> None:
    """Refuse tables of another revision."""
    if revision is None:
        raise CampaignError(f"{name} has no campaigns: create one first")
    if revision > HEAD:
        raise newer(name)
    if revision < HEAD:
        raise CampaignError(
            f"{name} was made by an older hodgerank: open it once for writing to upgrade it"
        )


def newer(name: str) -> CampaignError:
    """Refuse a database of a newer version."""
    return CampaignError(f"{name} was made by a newer hodgerank: install the newer version")
