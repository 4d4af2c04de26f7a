"""LiveUpdates: live updates of a campaign by server-sent events."""

from __future__ import annotations

import asyncio
import json
from bisect import bisect
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.snapshot import CampaignSnapshot
from hodgerank.campaign.summaries import Counts, counts
from hodgerank.errors import HodgeRankError
from hodgerank.server.context import read
from hodgerank.server.standings import Standing, Standings

TICK_SECONDS = 1.0
SILENT_SECONDS = 15.0
"""Seconds after which a comment is sent, to notice closed connections."""
LONGEST_SECONDS = 60.0
"""Seconds of a stream; browsers reconnect by themselves, and show their key again."""
HERE_SECONDS = 120.0
MOST_NAMED = 20
MINUTE = 60.0


@dataclass(frozen=True)
class LiveUpdate:
    """Counts of a campaign at this moment.

    Attributes
    ----------
    per_minute
        Votes within the last minute.
    here, n_here
        Active workers: those who did something within the last two minutes and are not banned, the
        latest first, and their number.
    """

    counts: Counts
    per_minute: int
    here: tuple[str, ...]
    n_here: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for the page."""
        number = self.counts
        return {
            "status": number.status,
            "answers": number.n_votes,
            "budget": number.budget,
            "out": number.n_out,
            "workers": number.n_workers,
            "at": number.at,
            "per_minute": self.per_minute,
            "here": list(self.here),
            "n_here": self.n_here,
        }


def pulse(state: CampaignSnapshot, now: float) -> LiveUpdate:
    """Count cheaply, while others wait."""
    recent = [
        one
        for one in state.workers
        if (one.last_at or 0.0) > now - HERE_SECONDS and not one.is_banned
    ]
    recent.sort(key=lambda one: -(one.last_at or 0.0))
    tasks = state.tasks
    latest = tasks.answers[bisect(tasks.answered_at, now - MINUTE) :]
    return LiveUpdate(
        counts=counts(state),
        per_minute=sum(tasks.is_counted[row] for row in latest),
        here=tuple(one.name for one in recent[:MOST_NAMED]),
        n_here=len(recent),
    )


class LiveUpdates:
    """One ticker for each campaign with viewers."""

    def __init__(self, standings: Standings) -> None:
        self._standings = standings
        self._channels: dict[str, _Channel] = {}

    async def stream(self, campaign: Campaign, track: str) -> AsyncIterator[str]:
        """Yield events for a viewer of a track: 'counts', and 'standing' if there is a new one."""
        channel = self._channels.setdefault(campaign.id, _Channel(campaign, self._standings))
        with self._standings.watching(campaign.id, track):
            try:
                async for event in channel.listen():
                    yield event
            finally:
                if not channel.n_listening:
                    self._channels.pop(campaign.id, None)


class _Channel:
    """Latest event of a campaign, and its listeners."""

    def __init__(self, campaign: Campaign, standings: Standings) -> None:
        self._campaign, self._standings = campaign, standings
        self._pulse: LiveUpdate | None = None
        self._standing: Standing | None = None
        self._edition = 0
        self._ticking: asyncio.Task[None] | None = None
        self._news = asyncio.Condition()
        self.n_listening = 0

    async def listen(self) -> AsyncIterator[str]:
        edition, told, shown = 0, None, None
        end = monotonic() + LONGEST_SECONDS
        self.n_listening += 1
        if self._ticking is None:
            self._ticking = asyncio.create_task(self._tick())
        try:
            while monotonic() < end:
                edition = await self._beyond(edition)
                if self._pulse is told and self._standing is shown:
                    yield ": still here\n\n"
                if self._pulse is not told and self._pulse is not None:
                    told = self._pulse
                    yield _event("counts", told.to_dict())
                if self._standing is not shown and self._standing is not None:
                    shown = self._standing
                    yield _event("standing", {"seq": shown.progress.counts.seq})
        finally:
            self.n_listening -= 1
            if not self.n_listening and self._ticking is not None:
                self._ticking.cancel()
                self._ticking = None

    async def _beyond(self, edition: int) -> int:
        """Return the next event, or the same one after a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SILENT_SECONDS), self._news:
                await self._news.wait_for(lambda: self._edition != edition)
        return self._edition

    async def _tick(self) -> None:
        while True:
            with suppress(HodgeRankError):  # whoever answers is told of a full disk
                found = await read(self._campaign, pulse)
                standing = self._standings.latest(self._campaign.id)
                if found != self._pulse or standing is not self._standing:
                    async with self._news:
                        self._pulse = self._pulse if found == self._pulse else found
                        self._standing = standing
                        self._edition += 1
                        self._news.notify_all()
            await asyncio.sleep(TICK_SECONDS)


def _event(name: str, data: dict[str, Any]) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"
