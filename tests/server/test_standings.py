from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.errors import CampaignError
from hodgerank.server import result_cache as module
from hodgerank.server.analyses.live_view import foresee, look
from hodgerank.server.result_cache import Standings
from server.loops import run as in_a_loop
from server.pages.owning import answer, house_at

PATIENCE = 30


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(module, "FEWEST_SECONDS", 0.02)
    house = house_at(str(tmp_path / "campaigns.db"))
    yield house
    house.close()


@asynccontextmanager
async def kept_up(house, *ids):
    standings = Standings(house)
    for id in ids:
        await house.campaign(id)
    task = asyncio.create_task(standings.keep_up())
    try:
        async with asyncio.timeout(PATIENCE):
            yield standings
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def create(house, items=("a", "b", "c"), id="cups", **settings):
    return Campaign.create(house.database, list(items), question="?", id=id, **settings)


def test_a_reached_rule_is_noted_while_nobody_looks(house):
    campaign = create(house, stop="tau >= 0.1")
    answer(campaign, 3)

    async def run():
        async with kept_up(house, "cups") as standings:
            return await standings.next("cups", 0)

    standing = in_a_loop(run())
    assert standing.progress.is_enough
    assert standing.views == {}
    assert "enough" in [event.kind for event in campaign.log()]


def test_the_next_standing_is_beyond_the_one_that_is_known(house):
    campaign = create(house)

    async def run():
        async with kept_up(house, "cups") as standings:
            first = await standings.next("cups", 0)
            await asyncio.to_thread(answer, campaign, 1)
            seq = campaign.counts.seq
            return first, await standings.next("cups", seq - 1)

    first, second = in_a_loop(run())
    assert (first.progress.counts.n_answers, second.progress.counts.n_answers) == (0, 1)


def test_drawn_is_what_somebody_watches_and_once_for_all(house, monkeypatch):
    asked = _looks(house, monkeypatch)
    answer(create(house), 3)

    async def run():
        async with kept_up(house, "cups") as standings:
            await standings.next("cups", 0)
            views = await asyncio.gather(*(standings.view("cups", "") for _ in range(5)))
            await asyncio.sleep(0.2)
            return views

    views = in_a_loop(run())
    assert all(view is views[0] for view in views)
    assert asked[0] == set()
    assert asked.count({""}) == 1


def test_a_campaign_in_which_nothing_happens_is_looked_at_once(house, monkeypatch):
    asked = _looks(house, monkeypatch)
    answer(create(house), 3)

    async def run():
        async with kept_up(house, "cups") as standings:
            await standings.next("cups", 0)
            await asyncio.sleep(0.3)

    in_a_loop(run())
    assert len(asked) == 1


def test_a_forecast_comes_later_and_is_counted_on(house, monkeypatch):
    monkeypatch.setattr("hodgerank.collecting.forecast.MOST_FUTURES", 8)
    campaign = create(house, [f"i{k}" for k in range(5)], stop="tau >= 0.85")
    answer(campaign, 10)

    async def run():
        async with kept_up(house, "cups") as standings:
            first = await standings.next("cups", 0)
            while (standing := standings.latest("cups")).progress.tracks[0].forecast is None:
                await asyncio.sleep(0.01)
            await asyncio.to_thread(answer, campaign, 1, ["eve"])
            return first, standing, await standings.next("cups", campaign.counts.seq - 1)

    first, foreseen, after = in_a_loop(run())
    assert first.progress.tracks[0].forecast is None
    before = foreseen.progress.tracks[0].forecast
    assert "takes about" in foreseen.progress.sentence
    assert after.progress.tracks[0].forecast.answers == before.answers - 1


def test_what_fails_rests_and_the_others_go_on(house, monkeypatch, caplog):
    tries = []

    def failing(campaign, watched, foreseen):
        if campaign.id == "broken":
            tries.append(campaign.id)
            raise CampaignError("the log is damaged")
        return look(campaign, watched, foreseen)

    monkeypatch.setattr(module, "look", failing)
    monkeypatch.setattr(house.analyst, "_answer", _unpickled(house.analyst))
    create(house, id="broken")
    campaign = create(house)

    async def run():
        async with kept_up(house, "broken", "cups") as standings:
            first = await standings.next("cups", 0)
            await asyncio.to_thread(answer, campaign, 1)
            await standings.next("cups", first.progress.counts.seq)
            await asyncio.sleep(0.1)

    in_a_loop(run())
    assert tries == ["broken"]
    assert "the log is damaged" in caplog.text


def test_a_campaign_without_a_rule_is_not_foreseen(house, monkeypatch):
    asked = []
    monkeypatch.setattr(module, "foresee", lambda *args: asked.append(args) or foresee(*args))
    answer(create(house), 3)

    async def run():
        async with kept_up(house, "cups") as standings:
            await standings.next("cups", 0)
            await asyncio.sleep(0.2)

    in_a_loop(run())
    assert asked == []


def _looks(house, monkeypatch):
    """What was watched at each look, as they come."""
    asked = []

    def noting(campaign, watched, foreseen):
        asked.append(set(watched))
        return look(campaign, watched, foreseen)

    monkeypatch.setattr(module, "look", noting)
    monkeypatch.setattr(house.analyst, "_answer", _unpickled(house.analyst))
    return asked


def _unpickled(analyst):
    """Functions that a test made cannot be pickled."""

    def answer_directly(what, id, args, options):
        if id not in analyst._campaigns:
            analyst._campaigns[id] = Campaign.open(analyst._database, id, read_only=True)
        return what(analyst._campaigns[id], *args, **options)

    return answer_directly
