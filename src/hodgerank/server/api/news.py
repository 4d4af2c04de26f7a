"""News: waiting for something to happen in a campaign, with one look for all who wait."""

from __future__ import annotations

import asyncio
from math import inf
from time import monotonic

from hodgerank.campaign.campaign import Campaign
from hodgerank.server.house import decide

LOOK_SECONDS = 0.25


class News:
    """The ends of logs, as they were when somebody last looked."""

    def __init__(self) -> None:
        self._looks: dict[str, tuple[float, int]] = {}

    async def wait(self, campaign: Campaign, after: int, seconds: float) -> bool:
        """Wait until a log goes beyond this place, no longer than so many seconds; whether so.

        Other processes may write to it too: so it is looked at, and not only listened to.
        """
        until = monotonic() + seconds
        while (seq := await self._last(campaign)) <= after and (left := until - monotonic()) > 0:
            await asyncio.sleep(min(left, LOOK_SECONDS))
        return seq > after

    async def _last(self, campaign: Campaign) -> int:
        at, seq = self._looks.get(campaign.id, (-inf, 0))
        now = monotonic()
        if now - at >= LOOK_SECONDS:
            self._looks[campaign.id] = now, seq  # the others need not look as well
            seq = await decide(campaign, lambda state, _: state.seq)
            self._looks[campaign.id] = now, seq
        return seq
