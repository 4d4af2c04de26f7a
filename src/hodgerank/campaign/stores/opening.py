"""open_store: an address becomes a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hodgerank.campaign.stores.memory import MemoryStore
from hodgerank.campaign.stores.store import Store
from hodgerank.errors import InvalidArgument, MissingDependency

POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")


def open_store(
    address: str | Path | None, *, create: bool = False, read_only: bool = False
) -> Store:
    """The store at a file or a PostgreSQL address; None is memory.

    Packages that only some stores need are imported where they are used.
    """
    if address is None:
        return MemoryStore()
    if isinstance(address, str) and address.startswith(POSTGRES):
        return _postgres(address, create, read_only)
    _require_no_address(str(address))
    return _sqlite(address, create, read_only)


def _require_no_address(path: str) -> None:
    """Refuse what was meant as one: nobody looks for answers in a folder `mysql:`."""
    scheme, _, rest = path.partition(":")
    is_misspelt = rest.startswith("/") and scheme.lower().startswith("postgres")
    if is_misspelt or "://" in path:
        raise InvalidArgument(
            "this is no address of campaigns: addresses begin with postgresql://, and anything "
            "else is a file"
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
