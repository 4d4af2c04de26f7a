"""ApiKeys: tokens of people and programs, and their rights."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from starlette.concurrency import run_in_threadpool

from hodgerank.campaign.stores.access_keys import AccessKey, AccessKeys

Kind = Literal["link", "session", "token"]
Role = Literal["owner", "judge", "reader", "worker"]

TOKEN_BYTES = 32
REMEMBERED_SECONDS = 5.0
"""Seconds for which another process may still accept a revoked key."""
MOST_REMEMBERED = 100_000
GRACE_SECONDS = 3600.0
"""The clocks of servers may differ."""
MOST_REMOVED = 100_000


@dataclass(frozen=True)
class SignedOut:
    """Numbers of ended owner sessions and revoked unused links."""

    n_sessions: int
    n_links: int


class ApiKeys:
    """The keys of a database, with a cache of a few seconds."""

    def __init__(self, kept: AccessKeys, clock: Callable[[], float] = time.time) -> None:
        self._kept, self._clock = kept, clock
        self._remembered: dict[str, tuple[float, AccessKey]] = {}
        self._n_removals = kept.n_removals

    def issue(
        self,
        kind: Kind,
        role: Role,
        holder: str,
        *,
        campaign: str | None = None,
        seconds: float | None = None,
    ) -> str:
        """Create a token, which cannot be read again."""
        token, now = secrets.token_urlsafe(TOKEN_BYTES), self._clock()
        expires = None if seconds is None else now + seconds
        self._kept.add(AccessKey(_digest(token), kind, role, campaign, holder, now, expires))
        return token

    async def find(self, token: str) -> AccessKey | None:
        """Return the key of a token, if it is valid."""
        digest, now = _digest(token), self._clock()
        if self._n_removals != self._kept.n_removals:  # by a command, for one
            self._n_removals = self._kept.n_removals
            self._remembered.clear()
        at, key = self._remembered.get(digest, (0.0, None))
        if key is None or now - at > REMEMBERED_SECONDS:
            n_before = self._kept.n_removals
            key = await run_in_threadpool(self._kept.find, digest)
            if key is None:
                self._remembered.pop(digest, None)
                return None
            if len(self._remembered) >= MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[digest] = now, key
            if self._kept.n_removals != n_before:  # it may have been this one, after the look
                self._remembered.pop(digest, None)
        return None if key.expires is not None and key.expires < now else key

    def redeem(self, token: str) -> AccessKey | None:
        """Use a link once; of several attempts, one succeeds."""
        key = self._kept.find(_digest(token))
        if key is None or key.kind != "link" or not self._kept.remove(digest=key.digest):
            return None
        return None if key.expires is not None and key.expires < self._clock() else key

    def all(self, **values: str | None) -> list[AccessKey]:
        """Return valid keys with these values, oldest first."""
        now = self._clock()
        known = self._kept.all(**values)
        return [key for key in known if key.expires is None or key.expires >= now]

    def revoke(self, **values: str | None) -> int:
        """Revoke the keys with these values; return how many."""
        return self._kept.remove(**values)

    def remove_expired(self) -> int:
        """Delete keys that expired an hour ago or earlier; return how many."""
        return self._kept.remove_expired(self._clock() - GRACE_SECONDS, MOST_REMOVED)

    def owner_sessions(self) -> list[AccessKey]:
        """Return the sessions of owners, oldest first."""
        return self.all(kind="session", role="owner")

    def owner_links(self) -> list[AccessKey]:
        """Return unused links of owners, oldest first."""
        return self.all(kind="link", role="owner")

    def sign_out_owners(self, but: str | None = None) -> SignedOut:
        """End sessions of owners, except that with one digest, and revoke unused links.

        Sessions of workers and API tokens are not affected.
        """
        n_links = self._end(self.owner_links())  # first, so that none becomes a session meanwhile
        others = [key for key in self.owner_sessions() if key.digest != but]
        return SignedOut(self._end(others), n_links)

    def _end(self, keys: list[AccessKey]) -> int:
        return sum(self.revoke(digest=key.digest) for key in keys)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
