from __future__ import annotations

import re

import pytest

from hodgerank.campaign.items import CampaignItem
from server.pages.owning import HOSTILE, answer

CROWD = [f"w{k}" for k in range(6)]


def session(owned, campaign, worker):
    return owned.context.keys.issue("session", "worker", worker, campaign=campaign.id)


def is_signed_in(owned, token):
    return owned.client.portal.call(owned.context.keys.find, token) is not None


def test_where_nobody_has_come_the_page_says_what_to_do(owned):
    campaign = owned.campaign()
    assert "Nobody has joined yet" in owned.page("c", campaign.id, "workers", "table")


def test_the_page_comes_at_once_and_its_table_when_it_is_computed(owned):
    campaign = owned.campaign()
    html = owned.page("c", campaign.id, "workers")
    assert f'data-part="/c/{campaign.id}/workers/table"' in html


def test_every_worker_has_a_row(owned):
    campaign = owned.campaign([f"i{k}" for k in range(6)], repeat_share=0.2)
    answer(campaign, 60, CROWD)
    html = owned.page("c", campaign.id, "workers", "table")
    assert re.findall(r'name="worker" value="(\w+)"', html) == sorted(CROWD)
    assert html.count("10<span") + html.count(">10<") >= 6
    assert "2.0" in html  # seconds


def test_a_fault_is_named_and_explained(owned):
    campaign = owned.campaign([f"i{k}" for k in range(10)])
    answer(campaign, 180, CROWD)
    for _ in range(40):
        [task] = campaign.lease("lefty")
        campaign.answer(task, 1, seconds=2)
    html = owned.page("c", campaign.id, "workers", "table")
    assert "position-clicking" in html
    assert "the votes follow the side on which an item is shown" in html
    assert html.index('value="lefty"') < html.index('value="w0"')  # faults come first
    assert "At most 5% of the workers with a warning" in html


def test_workers_of_several_tracks_are_assessed_together(owned):
    items = [CampaignItem(f"{t}{k}", track=t) for t in ("day", "night") for k in range(4)]
    campaign = owned.campaign(items)
    scores = {item.id: -float(item.id[-1]) for item in items}
    answer(campaign, 72, CROWD, scores)
    html = owned.page("c", campaign.id, "workers", "table")
    assert html.count('name="worker"') == 6
    assert "After 72 votes" in html


def test_a_ban_marks_the_votes_and_ends_the_session(owned):
    campaign = owned.campaign()
    answer(campaign, 4)
    token = session(owned, campaign, "ann")
    reply = owned.post("c", campaign.id, "workers", "ban", worker=["ann"], reason="tosses coins")
    assert reply.headers["location"] == f"/c/{campaign.id}/workers?done=ban"
    assert not is_signed_in(owned, token)
    ann, bob = campaign.workers()
    assert (ann.is_banned, ann.ban_reason, bob.is_banned) == (True, "tosses coins", False)
    assert "tosses coins" in owned.page("c", campaign.id, "workers", "one", name="ann")
    owned.post("c", campaign.id, "workers", "restore", worker=["ann"])
    assert not campaign.workers()[0].is_banned


def test_several_are_banned_at_once(owned):
    campaign = owned.campaign()
    answer(campaign, 4)
    owned.post("c", campaign.id, "workers", "ban", worker=["ann", "bob"])
    assert campaign.counts.n_banned == 2


def test_where_nobody_is_selected_nothing_is_done(owned):
    campaign = owned.campaign()
    reply = owned.post("c", campaign.id, "workers", "ban", reason="x")
    assert reply.headers["location"].endswith("done=nobody")


def test_who_is_let_in_again_loses_the_old_browser(owned):
    campaign = owned.campaign()
    answer(campaign, 2)
    token = session(owned, campaign, "ann")
    page = owned.page("c", campaign.id, "workers", "one", name="ann")
    assert "Signed in in 1 browser." in page
    owned.post("c", campaign.id, "workers", "admit", worker="ann")
    assert not is_signed_in(owned, token)
    assert not campaign.workers()[0].is_banned


def test_personal_data_go_only_if_the_name_is_typed(owned):
    campaign = owned.campaign()
    answer(campaign, 4, ["ann@example.org", "bob"])
    name = "ann@example.org"
    token = session(owned, campaign, name)
    refused = owned.post("c", campaign.id, "workers", "forget", worker=name, typed="ann")
    assert refused.status_code == 422
    assert campaign.workers()[0].worker == name
    owned.post("c", campaign.id, "workers", "forget", worker=name, typed=name)
    assert campaign.workers()[0].worker.startswith("forgotten-")
    assert campaign.counts.n_votes == 4
    assert not is_signed_in(owned, token)
    assert name not in owned.page("c", campaign.id, "workers", "table")


def test_the_ranking_without_a_worker_is_that_after_a_ban(owned):
    campaign = owned.campaign([f"i{k}" for k in range(5)])
    answer(campaign, 30, ["ann", "bob", "eve"])
    html = owned.page("c", campaign.id, "workers", "without", name="eve")
    before = campaign.ranking()
    campaign.ban("eve")
    after = campaign.ranking()
    moved = [item for item in before.items if before[item].rank != after[item].rank]
    assert f"{len(moved)} of 5 items change" in html
    for item in moved:
        place = rf"<bdi>{item}</bdi></th><td class=\"right\">(\d+)</td><td class=\"right\">(\d+)"
        assert re.search(place, html).groups() == (
            str(before[item].rank),
            str(after[item].rank),
        )
    leader = str(after.items[0])
    assert f"{leader} stays first" in html or f"{leader} becomes first" in html


def test_without_the_only_worker_nothing_is_left(owned):
    campaign = owned.campaign()
    answer(campaign, 2, ["ann"])
    html = owned.page("c", campaign.id, "workers", "without", name="ann")
    assert "Nobody else has answered" in html


def test_a_worker_who_is_not_there_has_no_page(owned):
    owned.page("c", owned.campaign().id, "workers", "one", name="nobody", status=404)


def test_hostile_names_are_text(owned):
    campaign = owned.campaign([f"{HOSTILE}{k}" for k in range(3)])
    answer(campaign, 6, [HOSTILE, "b", "c"])
    campaign.ban("b", HOSTILE)
    for parts, query in (
        (["table"], {}),
        (["one"], {"name": HOSTILE}),
        (["one"], {"name": "b"}),
        (["without"], {"name": HOSTILE}),
    ):
        assert "&lt;script&gt;" in owned.page("c", campaign.id, "workers", *parts, **query)


@pytest.mark.parametrize("act", ["ban", "restore", "admit", "forget"])
def test_pages_of_others_cannot_act(owned, act):
    campaign = owned.campaign()
    answer(campaign, 2)
    reply = owned.client.post(
        f"/c/{campaign.id}/workers/{act}",
        data={"worker": "ann", "typed": "ann"},
        headers={"origin": "https://evil.example"},
    )
    assert reply.status_code == 403
    assert not campaign.workers()[0].is_banned


@pytest.mark.slow
def test_five_hundred_workers_are_shown(owned):
    campaign = owned.campaign([f"i{k}" for k in range(30)])
    votes = [(f"i{k % 30}", f"i{(k * 7 + 1) % 30}", 1, f"w{k % 500}") for k in range(1000)]
    campaign.import_votes([vote for vote in votes if vote[0] != vote[1]])
    html = owned.page("c", campaign.id, "workers", "table")
    assert html.count('name="worker"') == 500


def test_who_is_signed_in_nowhere_cannot_be_let_in_again(owned):
    campaign = owned.campaign()
    answer(campaign, 6)
    assert "Allow joining again" not in owned.page("c", campaign.id, "workers", "one", name="ann")
    session(owned, campaign, "ann")
    html = owned.page("c", campaign.id, "workers", "one", name="ann")
    assert "Signed in in 1 browser." in html


def test_the_page_of_a_worker_explains_its_numbers_and_is_true_of_the_banned(owned):
    campaign = owned.campaign([f"i{k}" for k in range(10)])
    answer(campaign, 180, CROWD)
    html = owned.page("c", campaign.id, "workers", "one", name="w0")
    assert "Reliability: 1 follows the common scores" in html
    campaign.ban("w0")
    html = owned.page("c", campaign.id, "workers", "one", name="w0")
    assert "The answers are kept." in html


def test_nobody_is_called_ok_where_nothing_can_be_said(owned):
    campaign = owned.campaign([f"i{k}" for k in range(6)])
    answer(campaign, 60, CROWD, {f"i{k}": 0.0 for k in range(6)})
    html = owned.page("c", campaign.id, "workers", "table")
    assert "show no agreement beyond chance" in html
    assert html.count(">not known<") == 6
    assert ">ok<" not in html
