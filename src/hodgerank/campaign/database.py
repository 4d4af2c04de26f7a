"""Database: the campaigns at one address, and the one thread that writes to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from weakref import WeakMethod

from hodgerank.campaign.stores.group_commit import GroupCommit
from hodgerank.campaign.stores.memory import MemoryStore
from hodgerank.campaign.stores.store import Store
from hodgerank.errors import InvalidArgument, MissingDependency

POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")


def open_store(
    address: str | Path | None, *, create: bool = False, read_only: bool = False
) -> Store:
    """Return the store of a file or PostgreSQL address; None is memory.

    Packages that only some stores need are imported where they are used.
    """
    if address is None:
        return MemoryStore()
    if isinstance(address, str) and address.startswith(POSTGRES):
        return _postgres(address, create, read_only)
    _require_no_address(str(address))
    return _sqlite(address, create, read_only)


def _require_no_address(path: str) -> None:
    """Refuse other addresses, which would become files of that name."""
    scheme, _, rest = path.partition(":")
    is_misspelt = rest.startswith("/") and scheme.lower().startswith("postgres")
    if is_misspelt or "://" in path:
        raise InvalidArgument(
            "this address is not supported: use postgresql://... or the path of a file"
        )


def _sqlite(path: str | Path, create: bool, read_only: bool) -> Store:
    with _needing("hodgerank[campaign]", "keeping campaigns in a file"):
        from hodgerank.campaign.stores.sqlite import SqliteStore

        return SqliteStore(path, create=create, read_only=read_only)


def _postgres(url: str, create: bool, read_only: bool) -> Store:
    with _needing("hodgerank[postgres]", "keeping campaigns in PostgreSQL"):
        from hodgerank.campaign.stores.postgres import PostgresStore

        return PostgresStore(url, create=create, read_only=read_only)


@contextmanager
def _needing(extra: str, purpose: str) -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("sqlalchemy", "alembic", "psycopg"):
            raise MissingDependency(extra, purpose) from None
        raise


class Database:
    """A file, a PostgreSQL address, or None for memory, with one or several campaigns.

    >>> with Database() as database:
    ...     database.campaigns()
    []
    """

    def __init__(
        self, address: str | Path | None = None, *, create: bool = True, read_only: bool = False
    ) -> None:
        self.store = open_store(address, create=create and not read_only, read_only=read_only)
        self.commits = None if read_only else GroupCommit(self.store)
        self._last_works: list[WeakMethod[Callable[[], None]]] = []

    @property
    def name(self) -> str:
        """Name in messages."""
        return self.store.name

    def campaigns(self) -> list[str]:
        """Return the ids of all campaigns, oldest first."""
        return self.store.campaigns()

    def before_closing(self, work: Callable[[], None]) -> None:
        """Call a method when everything is written, if its object is still in use."""
        in_use = [each for each in self._last_works if each() is not None]
        self._last_works = [*in_use, WeakMethod(work)]

    def close(self) -> None:
        """Finish pending work, and release the file or connections."""
        if self.commits is not None:
            self.commits.close()
            works, self._last_works = self._last_works, []
            for each in works:
                if (work := each()) is not None:
                    work()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
