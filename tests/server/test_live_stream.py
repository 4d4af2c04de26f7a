from __future__ import annotations

import asyncio
import json
from contextlib import aclosing

import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.server import live_stream
from hodgerank.server.live_stream import LiveUpdates, pulse
from hodgerank.server.standings import Standings
from server.loops import run as in_a_loop

START = 1_700_000_000.0


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def campaign(clock):
    with Campaign.create(None, ["a", "b", "c"], question="?", budget=900, clock=clock) as made:
        yield made


def look(campaign):
    return campaign.log.read(pulse)


def say(campaign, worker, outcome=1):
    [task] = campaign.lease(worker)
    campaign.answer(task, outcome)


def test_answers_of_the_last_minute_are_counted(campaign, clock):
    say(campaign, "ann")
    clock.now += 50
    say(campaign, "ann")
    assert look(campaign).per_minute == 2
    clock.now += 20
    assert look(campaign).per_minute == 1
    clock.now += 60
    assert look(campaign).per_minute == 0


def test_answers_that_were_taken_back_or_reset_are_not_of_the_last_minute(campaign):
    for _ in range(3):
        say(campaign, "ann")
    campaign.undo("ann")
    assert look(campaign).per_minute == look(campaign).counts.n_votes == 2
    campaign.reset()
    assert look(campaign).per_minute == 0


def test_who_is_banned_is_not_here(campaign):
    say(campaign, "ann")
    say(campaign, "bob")
    campaign.ban("bob")
    assert look(campaign).here == ("ann",)


def test_who_did_something_within_two_minutes_is_here(campaign, clock):
    say(campaign, "ann")
    clock.now += 100
    say(campaign, "bob")
    assert (look(campaign).here, look(campaign).n_here) == (("bob", "ann"), 2)
    clock.now += 30
    assert look(campaign).here == ("bob",)


def test_of_many_who_are_here_some_are_named(campaign):
    for k in range(live_stream.MOST_NAMED + 5):
        campaign.lease(f"w{k}")
    found = look(campaign)
    assert (len(found.here), found.n_here) == (live_stream.MOST_NAMED, live_stream.MOST_NAMED + 5)


def test_what_the_page_is_told_goes_to_json(campaign):
    say(campaign, "ann")
    told = json.loads(json.dumps(look(campaign).to_dict()))
    assert (told["answers"], told["budget"], told["status"], told["here"]) == (
        1,
        900,
        "open",
        ["ann"],
    )


def event(text):
    name, data = text.strip().split("\n")
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def test_who_watches_hears_of_every_change(campaign, monkeypatch):
    monkeypatch.setattr(live_stream, "TICK_SECONDS", 0.01)

    async def watch():
        async with aclosing(LiveUpdates(Standings(None)).stream(campaign, "")) as events:
            first = event(await anext(events))
            say(campaign, "ann")
            return first, event(await anext(events))

    (name, before), (_, after) = in_a_loop(watch())
    assert name == "counts"
    assert (before["answers"], after["answers"]) == (0, 1)


def test_who_watches_hears_that_nothing_happens(campaign, monkeypatch):
    monkeypatch.setattr(live_stream, "TICK_SECONDS", 0.01)
    monkeypatch.setattr(live_stream, "SILENT_SECONDS", 0.05)

    async def watch():
        async with aclosing(LiveUpdates(Standings(None)).stream(campaign, "")) as events:
            return [await anext(events) for _ in range(2)]

    assert in_a_loop(watch())[1] == ": still here\n\n"


def test_a_stream_ends_so_that_the_key_is_shown_again(campaign, monkeypatch):
    monkeypatch.setattr(live_stream, "LONGEST_SECONDS", 0.05)
    monkeypatch.setattr(live_stream, "SILENT_SECONDS", 0.02)

    async def watch():
        return [one async for one in LiveUpdates(Standings(None)).stream(campaign, "")]

    assert len(in_a_loop(watch())) >= 1


def test_one_ticker_serves_all_who_watch_and_ends_with_them(campaign, monkeypatch):
    looks = []
    monkeypatch.setattr(live_stream, "TICK_SECONDS", 0.02)
    monkeypatch.setattr(
        live_stream, "pulse", lambda state, now: looks.append(now) or pulse(state, now)
    )

    async def watch():
        told = LiveUpdates(Standings(None))
        streams = [told.stream(campaign, "") for _ in range(20)]
        await asyncio.gather(*(anext(stream) for stream in streams))
        n_looks = len(looks)
        for stream in streams:
            await stream.aclose()
        await asyncio.sleep(0.1)
        return n_looks, len(looks), len(asyncio.all_tasks())

    at_first, in_the_end, n_tasks = in_a_loop(watch())
    assert at_first == 1
    assert in_the_end <= 2
    assert n_tasks == 1  # this one
