from __future__ import annotations

import pickle

import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.server.analyses.live_view import take_snapshot


@pytest.fixture
def campaign():
    items = [CampaignItem(f"{t}{k}", track=t) for t in ("day", "night") for k in range(3)]
    with Campaign.create(None, items, question="?", stop="tau >= 0.9") as made:
        yield made


def say(campaign, n, worker="ann"):
    for _ in range(n):
        [task] = campaign.lease(worker)
        campaign.answer(task, 1 if str(task.left) < str(task.right) else -1)


def test_progress_is_that_of_the_campaign(campaign):
    say(campaign, 4)
    assert take_snapshot(campaign, (), {}).progress == campaign.progress()


def test_only_watched_tracks_are_drawn(campaign):
    say(campaign, 4)
    found = take_snapshot(campaign, ("night",), {})
    assert list(found.views) == ["night"]
    assert {row.item for row in found.views["night"].rows} == {"night0", "night1", "night2"}


def test_a_track_without_answers_has_its_items_and_nothing_more(campaign):
    view = take_snapshot(campaign, ("day",), {}).views["day"]
    assert (view.n_votes, len(view.rows), view.n_parts, view.curve) == (0, 3, 3, "")


@pytest.mark.parametrize("n", [1, 2, 6])
def test_any_number_of_answers_can_be_drawn_and_pickled(campaign, n):
    say(campaign, n)
    found = take_snapshot(campaign, ("day", "night"), {})
    assert pickle.loads(pickle.dumps(found)) == found
    for view in found.views.values():
        assert ("<figure" in view.curve) == bool(view.n_votes)
        assert " style=" not in view.curve


def test_answers_join_the_items(campaign):
    say(campaign, 6)
    views = take_snapshot(campaign, ("day", "night"), {}).views
    assert {(view.n_parts, view.n_loops) for view in views.values()} == {(1, 0)}


def test_ties_alone_can_be_looked_at():
    with Campaign.create(None, ["a", "b"], question="?", ties=True) as campaign:
        [task] = campaign.lease("ann")
        campaign.answer(task, 0)
        view = take_snapshot(campaign, ("",), {}).views[""]
        assert view.parts == ()
        assert view.statements
