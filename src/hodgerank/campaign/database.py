"""Database: the campaigns of one address, and the one thread that writes to it."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from hodgerank.campaign.stores.group_commit import GroupCommit
from hodgerank.campaign.stores.opening import open_store


class Database:
    """A file, a PostgreSQL address, or None for memory; opened by `Campaign`, or for several.

    >>> with Database() as database:
    ...     database.campaigns()
    []
    """

    def __init__(
        self, address: str | Path | None = None, *, create: bool = True, read_only: bool = False
    ) -> None:
        self.store = open_store(address, create=create and not read_only, read_only=read_only)
        self.commits = None if read_only else GroupCommit(self.store)

    @property
    def name(self) -> str:
        """What messages call it."""
        return self.store.name

    def campaigns(self) -> list[str]:
        """The ids of all campaigns, oldest first."""
        return self.store.campaigns()

    def close(self) -> None:
        """Finish what was begun, and let others have it."""
        if self.commits is not None:
            self.commits.close()
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
