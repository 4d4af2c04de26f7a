"""Access keys of owners, workers and programs, stored beside the logs.

The holder has a random token; the database stores only its digest, so the file gives no access.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeAlias

Wanted: TypeAlias = str | tuple[str, ...] | None
"""A value by which keys are looked up, or several alternatives."""

KEY_KINDS = ("link", "session", "token")

OWN_ROLES = ("worker", "judge")
"""Roles that answer under the name of the holder; readers and owners do not."""


class AccessKey(NamedTuple):
    """Access rights of the holder of a token.

    Attributes
    ----------
    digest
        SHA-256 of the token.
    kind
        'link' is used once, 'session' belongs to a browser, 'token' to a program.
    role
        'owner', 'judge', 'reader' or 'worker'.
    campaign
        The only campaign it is for; None for all.
    holder
        Name of the worker, or a label given by the owner.
    expires
        Seconds since 1970; None means never.
    """

    digest: str
    kind: str
    role: str
    campaign: str | None
    holder: str
    created: float
    expires: float | None


class AccessKeys(Protocol):
    """All keys of a database.

    Attributes
    ----------
    n_removals
        How often this process revoked keys; caches compare it.
    """

    n_removals: int

    def add(self, key: AccessKey) -> None:
        """Add a key, which is durable when this returns."""

    def find(self, digest: str) -> AccessKey | None:
        """Return the key of a token, also if expired."""

    def all(self, **values: Wanted) -> list[AccessKey]:
        """Return the keys with these values, oldest first."""

    def remove(self, **values: Wanted) -> int:
        """Remove the keys with these values; return how many, each counted by one call."""

    def remove_expired(self, before: float, most: int) -> int:
        """Delete keys that expired before this time, at most so many; return how many."""


class MemoryKeys:
    """`AccessKeys` in memory."""

    def __init__(self) -> None:
        self.n_removals = 0
        self._keys: dict[str, AccessKey] = {}

    def add(self, key: AccessKey) -> None:
        """Add a key."""
        self._keys[key.digest] = key

    def find(self, digest: str) -> AccessKey | None:
        """Return the key of a token, also if expired."""
        return self._keys.get(digest)

    def all(self, **values: Wanted) -> list[AccessKey]:
        """Return the keys with these values, oldest first."""
        known = sorted(self._keys.values(), key=lambda key: key.created)
        return [key for key in known if _has(key, values)]

    def remove(self, **values: Wanted) -> int:
        """Remove the keys with these values; return how many."""
        gone = sum(self._keys.pop(key.digest, None) is not None for key in self.all(**values))
        self.n_removals += 1
        return gone

    def remove_expired(self, before: float, most: int) -> int:
        """Delete keys that expired before this time, at most so many; return how many."""
        old = [key.digest for key in self._keys.values() if (key.expires or before) < before]
        for digest in old[:most]:
            del self._keys[digest]
        return len(old[:most])


def _has(key: AccessKey, values: Mapping[str, Wanted]) -> bool:
    fields = key._asdict()
    return all(
        fields[name] in value if isinstance(value, tuple) else fields[name] == value
        for name, value in values.items()
    )
