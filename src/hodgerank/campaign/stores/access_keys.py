"""Who may do what: keys of owners, workers and programs, kept beside the logs.

What a holder has is a random token; the database knows its digest only, so that who reads the file
can open nothing with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeAlias

Wanted: TypeAlias = str | tuple[str, ...] | None
"""A value that keys are looked up by; of several, any will do."""

KEY_KINDS = ("link", "session", "token")

OWN_ROLES = ("worker", "judge")
"""Roles of those who answer under the name of the holder. A reader or an owner does not."""


class AccessKey(NamedTuple):
    """What the holder of a token may do.

    Attributes
    ----------
    digest
        SHA-256 of the token.
    kind
        'link' is used once, 'session' belongs to a browser, 'token' to a program.
    role
        'owner', 'judge', 'reader' or 'worker'.
    campaign
        The only one it is for; None for all.
    holder
        The worker's name, or what the owner calls it.
    expires
        Seconds since 1970; None is never.
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
        How often this process took keys away. Whoever remembers keys compares it.
    """

    n_removals: int

    def add(self, key: AccessKey) -> None:
        """A key that is durable when this returns."""

    def find(self, digest: str) -> AccessKey | None:
        """The key of a token, expired ones too."""

    def all(self, **values: Wanted) -> list[AccessKey]:
        """Those with these values, oldest first."""

    def remove(self, **values: Wanted) -> int:
        """Those with these values go; how many. Of several who try, one hears of each key."""


class MemoryKeys:
    """`AccessKeys` that end with the process."""

    def __init__(self) -> None:
        self.n_removals = 0
        self._keys: dict[str, AccessKey] = {}

    def add(self, key: AccessKey) -> None:
        """A key."""
        self._keys[key.digest] = key

    def find(self, digest: str) -> AccessKey | None:
        """The key of a token, expired ones too."""
        return self._keys.get(digest)

    def all(self, **values: Wanted) -> list[AccessKey]:
        """Those with these values, oldest first."""
        known = sorted(self._keys.values(), key=lambda key: key.created)
        return [key for key in known if _has(key, values)]

    def remove(self, **values: Wanted) -> int:
        """Those with these values go; how many."""
        gone = sum(self._keys.pop(key.digest, None) is not None for key in self.all(**values))
        self.n_removals += 1
        return gone


def _has(key: AccessKey, values: Mapping[str, Wanted]) -> bool:
    fields = key._asdict()
    return all(
        fields[name] in value if isinstance(value, tuple) else fields[name] == value
        for name, value in values.items()
    )
