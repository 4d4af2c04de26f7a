"""The campaign of the demo."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import count
from typing import Any

import numpy as np

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.commands import workers
from hodgerank.campaign.commands.answers import answer
from hodgerank.campaign.commands.leases import lease
from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.tasks import Task
from hodgerank.data.simulate import BEHAVIOURS
from hodgerank.errors import CampaignError, NoTask
from hodgerank.kernels.links import LINKS
from hodgerank.server.context import ServerContext, read, transact
from hodgerank.server.demo.pictures import KINDS, pictures
from hodgerank.types import Item

SEATS = ("honest",) * 11 + ("position-biased", "position-biased", "random")
"""Simulated workers at the same time; one who is done is replaced by another of the kind."""
SECONDS = {"honest": 2.4, "position-biased": 1.6, "random": 0.5}
"""Median seconds per answer."""
MOST_ANSWERS = 45
REST_SECONDS = 3.0


class DemoCrowd:
    """Simulates workers in a campaign whose items have known scores."""

    def __init__(self, campaign: Campaign, scores: Mapping[Item, float], seed: int = 1) -> None:
        self._campaign, self._scores = campaign, scores
        self._rng = np.random.default_rng(seed)
        self._numbers = count(1)

    async def play(self) -> None:
        """Run forever."""
        n_before = await read(self._campaign, lambda state, now: len(state.workers))
        self._numbers = count(n_before + 1)
        async with asyncio.TaskGroup() as seats:
            for kind in SEATS:
                seats.create_task(self._sit(kind))

    async def _sit(self, kind: str) -> None:
        while True:
            await asyncio.sleep(self._rng.uniform(0, REST_SECONDS))
            await self._work(kind, f"simulated-{next(self._numbers):02d}")

    async def _work(self, kind: str, name: str) -> None:
        """Run one worker until they leave."""
        n_left = int(self._rng.integers(MOST_ANSWERS // 2, MOST_ANSWERS))
        try:
            await transact(self._campaign, lambda state, now: workers.join(state, now, name, {}))
            while n_left:
                if (task := await self._next(name)) is None:
                    await asyncio.sleep(REST_SECONDS)
                    continue
                await self._answer(kind, task)
                n_left -= 1
            await transact(
                self._campaign, lambda state, now: workers.finish(state, now, name, "completed")
            )
        except CampaignError:  # banned, or no pair is left for them: somebody else comes
            await asyncio.sleep(REST_SECONDS)

    async def _next(self, name: str) -> Task | None:
        """Return a task; None if waiting may help."""
        try:
            [task] = await transact(
                self._campaign,
                lambda state, now: lease(state, now, self._campaign.new_id, name, 1),
            )
        except NoTask as refusal:
            if refusal.why in ("pairs", "limit", "banned", "left"):
                raise
            return None
        return task

    async def _answer(self, kind: str, task: Task) -> None:
        seconds = float(SECONDS[kind] * self._rng.lognormal(0, 0.4))
        await asyncio.sleep(seconds)
        left, right = (self._scores.get(item, 0.0) for item in task.pair)
        chance = LINKS["bradley-terry"].cdf(np.array([left - right]))
        [outcome] = BEHAVIOURS[kind](chance, self._rng)
        await transact(
            self._campaign,
            lambda state, now: answer(
                state, now, task.id, float(outcome), task.worker, seconds, True, 1.0
            ),
        )


ID = "demo"
SETTINGS: dict[str, Any] = {
    "title": "Twelve pictures of one lake",
    "question": "Which picture looks better?",
    "ties": True,
    "stop": "tau >= 0.9",
    "repeat_share": 0.05,
    "gold": [{"better": KINDS[0].name, "worse": KINDS[-1].name}],
    "gold_share": 0.03,
}


def begin_demo(context: ServerContext) -> None:
    """Draw the pictures and create the campaign, unless it exists."""
    if ID not in context.database.campaigns():
        drawn = pictures().items()
        items = [CampaignItem(name, media=context.media.add(file, name)) for name, file in drawn]
        Campaign.create(context.database, items, SETTINGS, id=ID)


async def play_demo(context: ServerContext) -> None:
    """Simulate workers of the campaign forever."""
    campaign = await context.campaign(ID)
    assert campaign is not None
    await DemoCrowd(campaign, {kind.name: kind.score for kind in KINDS}).play()
