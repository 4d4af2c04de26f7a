from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.errors import CampaignError
from hodgerank.server import standings as module
from hodgerank.server.analyses.live_view import forecast_answers, take_snapshot
from hodgerank.server.standings import Standings
from server.loops import run as in_a_loop
from server.pages.owning import answer, context_at

PATIENCE = 30


@pytest.fixture
def context(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(module, "FEWEST_SECONDS", 0.02)
    context = context_at(str(tmp_path / "campaigns.db"))
    yield context
    context.close()


@asynccontextmanager
async def kept_up(context, *ids):
    standings = Standings(context)
    for id in ids:
        await context.campaign(id)
    task = asyncio.create_task(standings.keep_up())
    try:
        async with asyncio.timeout(PATIENCE):
            yield standings
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def create(context, items=("a", "b", "c"), id="cups", **settings):
    return Campaign.create(context.database, list(items), question="?", id=id, **settings)


def test_a_reached_rule_is_noted_while_nobody_looks(context):
    campaign = create(context, stop="tau >= 0.1")
    answer(campaign, 3)

    async def run():
        async with kept_up(context, "cups") as standings:
            return await standings.next("cups", 0)

    standing = in_a_loop(run())
    assert standing.progress.is_enough
    assert standing.views == {}
    assert "enough" in [event.kind for event in campaign.events()]


def test_the_next_standing_is_beyond_the_one_that_is_known(context):
    campaign = create(context)

    async def run():
        async with kept_up(context, "cups") as standings:
            first = await standings.next("cups", 0)
            await asyncio.to_thread(answer, campaign, 1)
            seq = campaign.counts.seq
            return first, await standings.next("cups", seq - 1)

    first, second = in_a_loop(run())
    assert (first.progress.counts.n_votes, second.progress.counts.n_votes) == (0, 1)


def test_drawn_is_what_somebody_watches_and_once_for_all(context, monkeypatch):
    asked = _looks(context, monkeypatch)
    answer(create(context), 3)

    async def run():
        async with kept_up(context, "cups") as standings:
            await standings.next("cups", 0)
            views = await asyncio.gather(*(standings.view("cups", "") for _ in range(5)))
            await asyncio.sleep(0.2)
            return views

    views = in_a_loop(run())
    assert all(view is views[0] for view in views)
    assert asked[0] == set()
    assert asked.count({""}) == 1


def test_a_campaign_in_which_nothing_happens_is_looked_at_once(context, monkeypatch):
    asked = _looks(context, monkeypatch)
    answer(create(context), 3)

    async def run():
        async with kept_up(context, "cups") as standings:
            await standings.next("cups", 0)
            await asyncio.sleep(0.3)

    in_a_loop(run())
    assert len(asked) == 1


def test_a_forecast_comes_later_and_is_counted_on(context, monkeypatch):
    monkeypatch.setattr("hodgerank.collecting.forecast.CONTINUATIONS", 8)
    campaign = create(context, [f"i{k}" for k in range(5)], stop="tau >= 0.85")
    answer(campaign, 10)

    async def run():
        async with kept_up(context, "cups") as standings:
            first = await standings.next("cups", 0)
            while (standing := standings.latest("cups")).progress.tracks[0].forecast is None:
                await asyncio.sleep(0.01)
            await asyncio.to_thread(answer, campaign, 1, ["eve"])
            return first, standing, await standings.next("cups", campaign.counts.seq - 1)

    first, foreseen, after = in_a_loop(run())
    assert first.progress.tracks[0].forecast is None
    before = foreseen.progress.tracks[0].forecast
    assert "more votes to reach" in foreseen.progress.sentence
    assert after.progress.tracks[0].forecast.votes == before.votes - 1


def test_what_fails_rests_and_the_others_go_on(context, monkeypatch, caplog):
    tries = []

    def failing(campaign, watched, foreseen):
        if campaign.id == "broken":
            tries.append(campaign.id)
            raise CampaignError("the log is damaged")
        return take_snapshot(campaign, watched, foreseen)

    monkeypatch.setattr(module, "take_snapshot", failing)
    monkeypatch.setattr(context.analysis, "_answer", _unpickled(context.analysis))
    create(context, id="broken")
    campaign = create(context)

    async def run():
        async with kept_up(context, "broken", "cups") as standings:
            first = await standings.next("cups", 0)
            await asyncio.to_thread(answer, campaign, 1)
            await standings.next("cups", first.progress.counts.seq)
            await asyncio.sleep(0.1)

    in_a_loop(run())
    assert tries == ["broken"]
    assert "the log is damaged" in caplog.text


def test_a_campaign_without_a_rule_is_not_foreseen(context, monkeypatch):
    asked = []
    monkeypatch.setattr(
        module, "forecast_answers", lambda *args: asked.append(args) or forecast_answers(*args)
    )
    answer(create(context), 3)

    async def run():
        async with kept_up(context, "cups") as standings:
            await standings.next("cups", 0)
            await asyncio.sleep(0.2)

    in_a_loop(run())
    assert asked == []


def _looks(context, monkeypatch):
    """What was watched at each look, as they come."""
    asked = []

    def noting(campaign, watched, foreseen):
        asked.append(set(watched))
        return take_snapshot(campaign, watched, foreseen)

    monkeypatch.setattr(module, "take_snapshot", noting)
    monkeypatch.setattr(context.analysis, "_answer", _unpickled(context.analysis))
    return asked


def _unpickled(analysis):
    """Functions that a test made cannot be pickled."""

    def answer_directly(what, id, args, options):
        if id not in analysis._campaigns:
            analysis._campaigns[id] = Campaign.open(analysis._database, id, read_only=True)
        return what(analysis._campaigns[id], *args, **options)

    return answer_directly
