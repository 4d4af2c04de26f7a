"""Standings: results of each campaign, recomputed as votes arrive.

A reached target is recorded even without viewers. Charts are drawn once for all viewers, and only
while there are any.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.summaries import CampaignProgress
from hodgerank.errors import HodgeRankError
from hodgerank.server.analyses.live_view import (
    AnswersForecast,
    TrackView,
    forecast_answers,
    take_snapshot,
)
from hodgerank.server.context import ServerContext, read

logger = logging.getLogger("hodgerank.server")

LOOK_SECONDS = 1.0
FEWEST_SECONDS = 3.0
"""Seconds between the end of one computation and the start of the next."""
SHARE_OF_TIME = 0.25
"""Maximum share of the analysis process for standings of one campaign."""
AFTER_FAILURE_SECONDS = 60.0


@dataclass(frozen=True)
class Standing:
    """Results of a campaign as of one place in its log.

    Attributes
    ----------
    seconds
        Duration of the computation.
    not_counted
        Number of answers that do not count, by reason.
    views
        Views of the tracks with viewers.
    forecasts
        Basis of the forecasts, which may be some votes older.
    """

    progress: CampaignProgress
    seconds: float
    not_counted: Mapping[str, int]
    views: Mapping[str, TrackView]
    forecasts: Mapping[str, AnswersForecast]


class Standings:
    """The latest standing of each campaign, and the tasks that renew them."""

    def __init__(self, context: ServerContext) -> None:
        self._context = context
        self._latest: dict[str, Standing] = {}
        self._forecasts: dict[str, dict[str, AnswersForecast]] = {}
        self._watched: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._rests_until: dict[str, float] = {}
        self._news = asyncio.Condition()

    def latest(self, id: str) -> Standing | None:
        """Return the latest standing, if any."""
        return self._latest.get(id)

    async def next(self, id: str, after: int) -> Standing:
        """Return the first standing after this place in the log."""
        async with self._news:
            await self._news.wait_for(
                lambda: id in self._latest and self._latest[id].progress.counts.seq > after
            )
            return self._latest[id]

    @contextmanager
    def watching(self, id: str, track: str) -> Iterator[None]:
        """Register a viewer of a track for the duration of the block."""
        self._watched[id][track] += 1
        if id not in self._latest or track not in self._latest[id].views:
            self._rests_until.pop(id, None)
        try:
            yield
        finally:
            self._watched[id] -= Counter([track])

    async def view(self, id: str, track: str) -> TrackView:
        """Return the view of a track, computed on demand."""

        def found() -> TrackView | None:
            return self._latest[id].views.get(track) if id in self._latest else None

        with self.watching(id, track):
            async with self._news:
                await self._news.wait_for(lambda: found() is not None)
                view = found()
                assert view is not None
                return view

    async def keep_up(self) -> None:
        """Renew standings and forecasts forever."""
        await asyncio.gather(
            _repeat(self._context, self._renew, self._rests_until),
            _repeat(self._context, self._foresee, {}),
        )

    async def _renew(self, campaign: Campaign) -> bool:
        """Renew the standing if anything changed; return whether that was all for now."""
        id, known = campaign.id, self._latest.get(campaign.id)
        watched, forecasts = frozenset(self._watched[id]), self._forecasts.setdefault(id, {})
        begin = monotonic()
        seq = await read(campaign, lambda state, now: state.seq)
        if (
            known is not None
            and known.progress.counts.seq >= seq
            and known.views.keys() >= watched
            and known.forecasts is forecasts
        ):
            return False
        found = await self._context.analysis.ask(take_snapshot, id, watched, forecasts)
        await asyncio.to_thread(campaign.note, found.progress)
        async with self._news:
            seconds = monotonic() - begin
            self._latest[id] = Standing(
                found.progress, seconds, found.not_counted, found.views, forecasts
            )
            self._news.notify_all()
        return found.views.keys() >= frozenset(self._watched[id])  # others may have come meanwhile

    async def _foresee(self, campaign: Campaign) -> bool:
        """Renew the forecast if it is too old; return whether it was."""
        id, standing = campaign.id, self._latest.get(campaign.id)
        if standing is None:
            return False
        known = self._forecasts.get(id, {})
        rule = await read(campaign, lambda state, now: state.settings.stop)
        wanted = [
            track
            for track in standing.progress.tracks
            if not track.is_enough
            and (track.track not in known or not known[track.track].holds_for(track, rule))
        ]
        if rule is None or standing.progress.counts.status == "closed" or not wanted:
            return False
        self._forecasts[id] = await self._context.forecaster.ask(forecast_answers, id, known)
        return True


async def _repeat(
    context: ServerContext,
    step: Callable[[Campaign], Awaitable[bool]],
    rests_until: dict[str, float],
) -> None:
    """Run one step for each campaign repeatedly; slow steps run less often."""
    took: dict[str, float] = {}
    while True:
        for campaign in context.opened():
            begin = monotonic()
            if begin < rests_until.get(campaign.id, 0.0):
                continue
            rest = FEWEST_SECONDS
            try:
                if not await step(campaign):
                    continue
            except Exception as error:
                is_known = isinstance(error, HodgeRankError)
                logger.warning("%s: %s", campaign.id, error, exc_info=not is_known)
                rest = AFTER_FAILURE_SECONDS
            end = monotonic()
            takes = min(end - begin, took.get(campaign.id, 0.0))
            took[campaign.id] = end - begin
            rests_until[campaign.id] = end + max(rest, takes * (1 / SHARE_OF_TIME - 1))
        await asyncio.sleep(LOOK_SECONDS)
