"""The demonstration: pictures that are the same each time, and workers who are not all alike."""

from __future__ import annotations

import asyncio
from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image

from hodgerank.campaign.campaign import Campaign
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.demo import campaign as demo
from hodgerank.server.demo.campaign import (
    ID,
    MOST_ANSWERS,
    SEATS,
    SETTINGS,
    DemoCrowd,
    begin_demo,
    play_demo,
)
from hodgerank.server.demo.pictures import KINDS, pictures

SCORES = {kind.name: kind.score for kind in KINDS}


@pytest.fixture(scope="module")
def drawn():
    return pictures()


def test_twelve_pictures_of_one_size_are_drawn_the_same_each_time(drawn):
    assert len(set(drawn.values())) == 12
    assert {Image.open(BytesIO(file)).size for file in drawn.values()} == {(720, 480)}
    assert drawn == pictures()
    assert sum(map(len, drawn.values())) < 4_000_000


def test_the_better_a_picture_is_the_higher_its_score():
    assert all(one.score > other.score for one, other in pairwise(KINDS))


@pytest.fixture
def fast(monkeypatch):
    """Workers who hurry."""
    monkeypatch.setattr(demo, "SECONDS", dict.fromkeys(demo.SECONDS, 0.001))
    monkeypatch.setattr(demo, "REST_SECONDS", 0.01)


def play(campaign: Campaign, seconds: float = 20.0, until=lambda counts: False) -> None:
    async def work() -> None:
        playing = asyncio.create_task(DemoCrowd(campaign, SCORES).play())
        for _ in range(int(seconds / 0.05)):
            await asyncio.sleep(0.05)
            assert not playing.done(), playing.exception()
            if until(await asyncio.to_thread(lambda: campaign.counts)):
                break
        playing.cancel()
        await asyncio.wait([playing])

    asyncio.run(work())


def test_simulated_workers_are_named_so_and_come_and_go(fast):
    with Campaign.create(None, list(SCORES), {**SETTINGS, "stop": None}) as campaign:
        play(campaign, until=lambda counts: counts.n_given > 900)
        workers = campaign.workers()
        assert campaign.counts.n_given > 900
        assert workers[0].worker == "simulated-01"
        assert len(workers) > len(SEATS)
        assert any(worker.outcome == "completed" for worker in workers)
        assert max(worker.n_answers for worker in workers) <= MOST_ANSWERS
        ranking = campaign.ranking()
        assert set(ranking.items[:3]) <= set(list(SCORES)[:5])


def test_the_crowd_waits_while_it_is_paused_and_goes_on_then(fast):
    with Campaign.create(None, list(SCORES), {**SETTINGS, "stop": None}) as campaign:
        campaign.pause()
        play(campaign, 0.3)
        assert campaign.counts.n_given == 0
        campaign.resume()
        play(campaign, until=lambda counts: counts.n_given > 20)
        assert campaign.counts.n_given > 20


def test_the_crowd_survives_bans_a_reset_and_the_end(fast):
    with Campaign.create(None, list(SCORES), {**SETTINGS, "stop": None}) as campaign:
        play(campaign, until=lambda counts: counts.n_given > 20)
        for worker in campaign.workers():
            campaign.ban(worker.worker)
        campaign.reset()
        play(campaign, until=lambda counts: counts.n_given > 20)
        campaign.close()
        play(campaign, 0.2)


def test_a_demonstration_that_is_kept_goes_on(fast, tmp_path):
    rules = ServerConfig(str(tmp_path / "campaigns.db"))
    n_items = []
    for _ in range(2):
        context = ServerContext(rules)
        begin_demo(context)

        async def look(context=context) -> None:
            playing = asyncio.create_task(play_demo(context))
            campaign = await context.campaign(ID)
            before = await asyncio.to_thread(lambda: campaign.counts.n_given)
            while (await asyncio.to_thread(lambda: campaign.counts.n_given)) < before + 5:
                await asyncio.sleep(0.02)
                assert not playing.done()
            playing.cancel()
            await asyncio.wait([playing])
            n_items.append(len(await asyncio.to_thread(lambda: campaign.items)))

        asyncio.run(look())
        assert all(item.media in context.media for item in asyncio.run(context.campaign(ID)).items)
        context.close()
    assert n_items == [12, 12]
