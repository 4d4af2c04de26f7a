from __future__ import annotations

import json
from threading import Event

import pytest

from hodgerank.campaign.items import CampaignItem
from hodgerank.campaign.sampler_feed import SamplerFeed
from hodgerank.server.views import worker_request
from server.pages.visiting import Visitor, worker

FOUR = {f"secret-{k}": f"Sentence {k}" for k in range(4)}


def answer(visitor, task, outcome=1, **more):
    return visitor.say("answer", task=task["id"], outcome=outcome, **more)


def test_an_answer_brings_the_next_tasks(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    first, second = ann.turn()["tasks"]
    said = answer(ann, first, 1, seconds=1.5, is_focused=True).json()
    assert (said["step"], said["answered"], said["about"]) == ("open", 1, 6)
    following, _ = said["tasks"]
    assert following["id"] == second["id"]
    [row] = campaign.answers()
    assert (row["outcome"], row["seconds"]) == (1, 1.5)


def test_an_answer_is_saved_at_once_while_the_next_pair_takes_long(live, monkeypatch):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    first, second = ann.turn()["tasks"]
    is_told, tell = Event(), SamplerFeed._tell
    monkeypatch.setattr(SamplerFeed, "_tell", lambda *given: is_told.wait(60) and tell(*given))
    monkeypatch.setattr(worker_request, "LONGEST_WAIT", 0.05)
    campaign.change(seed=9)  # another sampler, which takes long
    said = answer(ann, first).json()
    assert (said["step"], said["answered"]) == ("open", 1)
    assert [task["id"] for task in said["tasks"]] == [second["id"]]
    said = answer(ann, second).json()
    assert (said["step"], said["why"], said["answered"], said["tasks"]) == ("wait", "busy", 2, [])
    assert campaign.counts.n_votes == 2
    is_told.set()
    monkeypatch.setattr(worker_request, "LONGEST_WAIT", 30.0)
    assert len(ann.turn()["tasks"]) == 2


def test_the_first_tasks_are_in_the_page(live):
    ann = worker(live, live.campaign(FOUR))
    assert ann.data()["turn"]["tasks"] == ann.turn()["tasks"]


def test_tasks_that_a_page_has_are_not_sent_again(live):
    ann = worker(live, live.campaign(FOUR))
    first, second = ann.turn()["tasks"]
    said = ann.turn("answer", task=first["id"], outcome=1, has=[second["id"]])
    assert said["tasks"][0] == {"id": second["id"]}
    assert set(said["tasks"][1]) == {"id", "left", "right"}


def test_nothing_tells_what_a_task_is_for(live):
    gold = [{"better": "secret-0", "worse": "secret-1"}]
    ann = worker(live, live.campaign(FOUR, gold=gold, gold_share=0.5, repeat_share=0.5))
    said = ann.turn()
    while said["tasks"]:
        text = json.dumps(said)
        assert not any(word in text for word in ("secret", "gold", "repeat", "purpose", "w-"))
        said = answer(ann, said["tasks"][0]).json()


def test_the_same_answer_again_changes_nothing_and_another_one_is_refused(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    task = ann.turn()["tasks"][0]
    assert [answer(ann, task).status_code for _ in range(3)] == [200, 200, 200]
    assert answer(ann, task, -1).status_code == 409
    assert campaign.counts.n_given == 1


def test_a_task_of_somebody_else_cannot_be_answered_skipped_or_seen(live):
    campaign = live.campaign(FOUR)
    ann, bob = worker(live, campaign), worker(live, campaign)
    task = ann.turn()["tasks"][0]
    assert answer(bob, task).status_code == 409
    for reason in ("cannot decide", "cannot be shown"):
        assert bob.say("skip", task=task["id"], reason=reason).status_code == 409
    assert task["id"] not in [one["id"] for one in bob.turn(has=[task["id"]])["tasks"]]
    assert campaign.counts.n_given == 0


@pytest.mark.parametrize(
    "body",
    [
        {"outcome": 0.5},
        {"outcome": 0},
        {"outcome": "1"},
        {"outcome": None},
        {"outcome": True},
        {"outcome": 1, "seconds": -1},
        {"outcome": 1, "seconds": "2"},
        {"outcome": 1, "is_focused": "yes"},
        {"outcome": 1, "weight": 9},
        {"outcome": 1, "worker": "bob"},
        {"outcome": 1, "has": ["x"] * 6},
        {"outcome": 1, "has": "x"},
        {},
    ],
    ids=str,
)
def test_what_is_not_an_answer_is_refused(live, body):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    assert ann.say("answer", task=ann.turn()["tasks"][0]["id"], **body).status_code == 422
    assert campaign.counts.n_given == 0


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"task": "x", "outcome": NaN}'])
def test_what_is_not_json_is_refused(live, content):
    ann = worker(live, live.campaign(FOUR))
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    sent = ann.http.post(f"{ann.inside}/answer", content=content, headers=headers)
    assert sent.status_code == 422


@pytest.mark.parametrize("task", ["", "x", "0" * 32, "\u0000", "x" * 101])
def test_a_task_that_does_not_exist_is_refused(live, task):
    ann = worker(live, live.campaign(FOUR))
    assert ann.say("answer", task=task, outcome=1).status_code in (409, 422)
    assert ann.say("skip", task=task, reason="cannot be shown").status_code in (409, 422)


def test_a_pair_that_was_skipped_does_not_come_back(live):
    ann = worker(live, live.campaign({"a": "Tea", "b": "Milk"}))
    task = ann.turn()["tasks"][0]
    said = ann.turn("skip", task=task["id"])
    assert (said["step"], said["why"]) == ("done", "pairs")
    assert ann.turn("skip", task=task["id"])["step"] == "done"


def test_only_reasons_of_the_campaign_are_taken(live):
    campaign = live.campaign(FOUR, skip_reasons=["too hard"])
    ann = worker(live, campaign)
    task = ann.turn()["tasks"][0]
    assert ann.say("skip", task=task["id"], reason="no fun").status_code == 422
    assert ann.turn("skip", task=task["id"], reason="too hard")["step"] == "open"


def test_what_cannot_be_shown_can_be_skipped_even_where_nothing_else_can(live):
    campaign = live.campaign(FOUR, skip_reasons=[])
    ann = worker(live, campaign)
    first, second = ann.turn()["tasks"]
    assert ann.say("skip", task=first["id"]).status_code == 409
    for _ in range(2):
        assert ann.turn("skip", task=first["id"], reason="cannot be shown")["answered"] == 0
    answer(ann, second)
    assert ann.say("skip", task=second["id"], reason="cannot be shown").status_code == 409
    assert [summary.n_skipped for summary in campaign.workers()] == [1]


def test_the_pair_of_an_answer_that_is_taken_back_is_the_next_one(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    assert ann.say("undo").status_code == 409
    task = ann.turn()["tasks"][0]
    answer(ann, task)
    said = ann.turn("undo")
    assert said["answered"] == 0
    assert said["tasks"][0]["id"] != task["id"]
    assert said["tasks"][0]["left"] == task["left"]
    assert answer(ann, task).status_code == 409


def test_a_pause_is_waited_for(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    campaign.pause()
    assert (ann.turn()["step"], ann.turn()["why"]) == ("wait", "paused")
    campaign.resume()
    assert ann.turn()["step"] == "open"


def test_the_last_tasks_of_others_are_waited_for(live):
    campaign = live.campaign(FOUR, budget=2)
    ann, bob = worker(live, campaign), worker(live, campaign)
    first, second = ann.turn()["tasks"]
    assert (bob.turn()["step"], bob.turn()["why"]) == ("wait", "busy")
    answer(ann, first)
    answer(ann, second)
    assert (bob.turn()["step"], bob.turn()["why"]) == ("done", "budget")


@pytest.mark.parametrize(
    ("settings", "about"),
    [
        ({}, 6),
        ({"answers_per_worker": 4}, 4),
        ({"answers_per_worker": 40}, 6),
        ({"budget": 3}, 3),
        ({"repeat_share": 0.5}, 9),
    ],
)
def test_how_many_it_will_be_is_what_limits_leave(live, settings, about):
    assert worker(live, live.campaign(FOUR, **settings)).turn()["about"] == about


def test_nobody_can_say_how_many_it_will_be_where_there_are_many_pairs(live):
    items = [f"i{k}" for k in range(30)]
    assert worker(live, live.campaign(items)).turn()["about"] is None
    assert worker(live, live.campaign(items, answers_per_worker=20)).turn()["about"] == 20


def test_the_stamp_changes_with_the_settings(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    before = ann.turn()["stamp"]
    answer(ann, ann.turn()["tasks"][0])
    assert ann.turn()["stamp"] == before
    campaign.change(question="Which is longer?")
    assert ann.turn()["stamp"] != before


def test_one_answer_is_one_decision(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    task = ann.turn()["tasks"][0]
    before = campaign.counts.seq
    answer(ann, task)
    kinds = [event.kind for event in campaign.events(before)]
    assert kinds == ["answered", "issued"]


def test_media_have_addresses_of_the_campaign(live):
    media = "media:" + "ab" * 32 + ".png"
    items = [
        CampaignItem("a", media=media),
        CampaignItem("b", "Words", "https://example.org/b.mp4"),
    ]
    campaign = live.campaign(items)
    ann = worker(live, campaign)
    [task] = ann.turn()["tasks"]
    shown = sorted((task["left"], task["right"]), key=lambda one: one["kind"])
    assert shown == [
        {"kind": "image", "src": f"/media/{campaign.id}/{media[6:]}"},
        {"kind": "video", "src": "https://example.org/b.mp4", "text": "Words"},
    ]
    policy = ann.see().headers["content-security-policy"]
    assert (
        "img-src 'self' https://example.org data:; media-src 'self' https://example.org;" in policy
    )


def test_strangers_are_sent_to_the_door(live):
    campaign = live.campaign(FOUR)
    stranger = Visitor(live, campaign)
    assert stranger.say("tasks").status_code == 401
    assert stranger.see().headers["location"].endswith(f"/j/{campaign.id}")
    stranger.http.cookies = worker(live, live.campaign(FOUR)).http.cookies
    assert stranger.say("tasks").status_code == 401


def test_pairs_that_are_out_when_all_is_retired_are_among_those_to_be_answered(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    ann.turn()
    for item in FOUR:
        campaign.retire(item)
    said = ann.turn()
    assert said["about"] == (len(said["tasks"]) or None)


def test_an_answer_after_a_reset_is_refused_with_its_reason(live):
    campaign = live.campaign(FOUR)
    ann = worker(live, campaign)
    task = ann.turn()["tasks"][0]
    campaign.reset()
    refusal = answer(ann, task)
    assert (refusal.status_code, refusal.json()["why"]) == (409, "void")
