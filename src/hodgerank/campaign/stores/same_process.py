"""SameProcess: refuses what a fork has copied."""

from __future__ import annotations

import os

from hodgerank.errors import CampaignError


class SameProcess:
    """Remembers who opened a store.

    Connections, locks and threads do not go through a fork: a child that went on with its copies
    could damage the database of its parent.
    """

    def __init__(self) -> None:
        self._process = os.getpid()

    def __bool__(self) -> bool:
        return os.getpid() == self._process

    def require(self, name: str) -> None:
        """Refuse, in words, to go on elsewhere."""
        if not self:
            raise CampaignError(
                f"{name} was opened by process {self._process}, and this is its child "
                f"{os.getpid()}: open it again after the fork"
            )
