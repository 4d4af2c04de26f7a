"""SqlKeys: keys in a table, the same in SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sqlalchemy import ColumnElement, Connection, and_, delete, insert, select, true

from hodgerank.campaign.stores.access_keys import AccessKey
from hodgerank.campaign.stores.schema import access_keys
from hodgerank.campaign.stores.sql_log import Look

T = TypeVar("T")


class Transact(Protocol):
    """Runs something that writes, alone; durable when it returns."""

    def __call__(self, work: Callable[[Connection], T], /) -> T:
        """What the work returns."""


class SqlKeys:
    """`AccessKeys` in a table."""

    def __init__(self, look: Look, transact: Transact) -> None:
        self._look, self._transact = look, transact

    def add(self, key: AccessKey) -> None:
        """A key that is durable when this returns."""
        self._transact(lambda connection: connection.execute(insert(access_keys), key._asdict()))

    def find(self, digest: str) -> AccessKey | None:
        """The key of a token, expired ones too."""
        return next(iter(self.all(digest=digest)), None)

    def all(self, **values: str | None) -> list[AccessKey]:
        """Those with these values, oldest first."""
        query = select(access_keys).where(_with(values)).order_by(access_keys.c.created)
        rows = self._look(lambda connection: connection.execute(query).all())
        return [AccessKey(*row) for row in rows]

    def remove(self, **values: str | None) -> int:
        """Those with these values go; how many."""
        gone = delete(access_keys).where(_with(values))
        return self._transact(lambda connection: connection.execute(gone).rowcount)


def _with(values: dict[str, str | None]) -> ColumnElement[bool]:
    return and_(
        true(), *(access_keys.c[name].is_not_distinct_from(v) for name, v in values.items())
    )
