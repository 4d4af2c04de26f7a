"""Campaigns over HTTP."""

from __future__ import annotations

import threading
import time

import pytest

from hodgerank.campaign.settings import CampaignSettings

TWO = [{"item": "a"}, {"item": "b"}]


def test_an_owner_begins_a_campaign_and_is_told_where_it_is(owner):
    given = {
        "id": "näw & new",
        "items": [{"item": 1, "text": "one"}, {"item": 2, "track": ""}],
        "settings": {"question": "Which?", "budget": 20, "attention": {"focus": False}},
    }
    response = owner.ask("POST", "/campaigns", given)
    assert response.status_code == 201
    assert response.headers["Location"] == "/api/v1/campaigns/n%C3%A4w%20%26%20new"
    found = owner.get(response.headers["Location"].removeprefix("/api/v1"))
    assert found == response.json()
    assert found["id"] == "näw & new"
    settings = CampaignSettings.of(found["settings"])
    assert settings.budget == 20
    assert not settings.attention.focus
    assert found["counts"]["n_items"] == 2
    assert [item["item"] for item in owner.get("/campaigns/näw & new/items")["items"]] == [1, 2]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"id": "a/b", "items": TWO, "settings": {"question": "?"}}, "used in an address"),
        ({"id": "..", "items": TWO, "settings": {"question": "?"}}, "used in an address"),
        ({"id": "NA", "items": TWO, "settings": {"question": "?"}}, "rename it"),
        ({"id": "c", "items": TWO[:1], "settings": {"question": "?"}}, "at least 2 items"),
        ({"id": "c", "items": TWO, "settings": {}}, "question is empty"),
        ({"id": "c", "items": TWO, "settings": {"question": "?", "x": 1}}, "settings/x"),
        ({"id": "c", "items": TWO, "settings": {"question": "?", "stop": "?"}}, "stopping rule"),
        ({"id": "c", "items": TWO, "settings": {"question": "?", "ties": 1}}, "settings/ties"),
        ({"id": "c", "items": [*TWO, {"item": 1}], "settings": {"question": "?"}}, "integers"),
        ({"id": "c", "items": [*TWO, {"item": True}], "settings": {"question": "?"}}, "items/2"),
        ({"id": "c", "items": [*TWO, {"item": 1.5}], "settings": {"question": "?"}}, "items/2"),
        ({"id": "c", "items": TWO, "settings": {"question": "?"}, "more": 1}, "more"),
    ],
)
def test_what_cannot_be_a_campaign_is_refused_in_words(owner, given, words):
    response = owner.ask("POST", "/campaigns", given)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert words in response.json()["detail"]
    assert "c" not in [one["id"] for one in owner.get("/campaigns")["campaigns"]]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"nan", b"\xff", b'{"id": ' + b"[" * 100_000])
def test_a_body_that_is_no_json_is_refused(owner, body):
    response = owner.ask(
        "POST", "/campaigns", content=body, headers={"content-type": "application/json"}
    )
    assert response.status_code in (400, 422)
    assert response.headers["content-type"] == "application/problem+json"


def test_a_name_is_taken_once(served, owner):
    campaign = served.campaign()
    given = {"id": campaign.id, "items": TWO, "settings": {"question": "?"}}
    assert owner.ask("POST", "/campaigns", given).status_code == 409


def test_a_token_of_one_campaign_makes_no_other_and_sees_no_other(served):
    here, there = served.campaign(), served.campaign()
    program = served.program("owner", here.id)
    given = {"id": "mine", "items": TWO, "settings": {"question": "?"}}
    assert program.ask("POST", "/campaigns", given).status_code == 403
    assert program.get("/campaigns") == {"campaigns": [{"id": here.id}]}
    assert program.ask("GET", f"/campaigns/{there.id}").status_code == 404
    assert program.ask("GET", "/campaigns/nowhere").status_code == 404


def test_settings_change_by_name_and_the_rest_stays(served, owner):
    campaign = served.campaign(budget=50, ties=True)
    given = {"budget": None, "panel": {"kind": "prolific"}, "open_per_item": 3}
    found = owner.ask("PATCH", f"/campaigns/{campaign.id}/settings", given).json()
    assert CampaignSettings.of(found) == campaign.settings
    assert (campaign.settings.budget, campaign.settings.ties) == (None, True)
    assert campaign.settings.panel.kind == "prolific"
    wrong = owner.ask("PATCH", f"/campaigns/{campaign.id}/settings", {"grades": 99})
    assert wrong.status_code == 422
    assert "at most 50" in wrong.json()["detail"]
    gold = {"gold": [{"better": "a", "worse": "nobody"}]}
    unknown = owner.ask("PATCH", f"/campaigns/{campaign.id}/settings", gold)
    assert (unknown.status_code, unknown.json()["error"]) == (404, "UnknownItem")


def test_a_judge_is_not_told_right_answers_codes_and_ways_in(served):
    secret = "s3cret"
    campaign = served.campaign(
        gold=[{"better": "a", "worse": "b"}],
        joining={"questions": [{"question": "?", "answers": [secret, "y"], "right": secret}]},
        panel={"completed": secret},
        pages={"entrance": secret},
    )
    for role, is_told in (("owner", True), ("reader", True), ("judge", False)):
        response = served.program(role).ask("GET", f"/campaigns/{campaign.id}")
        assert (secret in response.text) is is_told
        assert ("gold" in response.json()["settings"]) is is_told
        assert CampaignSettings.of(response.json()["settings"]).question == "Which one?"


def test_a_campaign_pauses_resumes_begins_anew_and_ends(served, owner):
    campaign = served.campaign()
    [task] = campaign.lease("ann")
    campaign.answer(task, 1)
    here = f"/campaigns/{campaign.id}"
    assert owner.post(f"{here}/pause")["status"] == "paused"
    assert owner.post(f"{here}/resume")["status"] == "open"
    assert owner.get(f"{here}/counts")["n_votes"] == 1
    assert owner.post(f"{here}/reset")["n_votes"] == 0
    assert owner.post(f"{here}/close")["status"] == "closed"
    assert "the campaign is closed" in owner.post(f"{here}/resume", status=409)["detail"]


def test_news_are_waited_for_no_longer_than_wanted(served, owner):
    campaign = served.campaign()
    seq = campaign.counts.seq
    begin = time.monotonic()
    found = owner.get(f"/campaigns/{campaign.id}/counts", params={"after": seq, "seconds": 0.4})
    assert found["seq"] == seq
    assert time.monotonic() - begin >= 0.4
    later = threading.Timer(0.3, campaign.pause)
    later.start()
    begin = time.monotonic()
    found = owner.get(f"/campaigns/{campaign.id}/counts", params={"after": seq, "seconds": 20})
    later.join()
    assert found["seq"] == seq + 1
    assert time.monotonic() - begin < 10


def test_the_link_for_workers_gets_a_key_unless_it_is_named(served, owner):
    items = [{"item": "a"}, {"item": "b"}]
    keys = []
    for number, pages in enumerate([None, None, {"entrance": ""}, {"entrance": "door"}]):
        settings = {"question": "Which?", **({"pages": pages} if pages else {})}
        content = {"id": f"keyed-{number}", "items": items, "settings": settings}
        keys.append(owner.post("/campaigns", content, 201)["settings"]["pages"]["entrance"])
    assert keys[2:] == ["", "door"]
    assert keys[0] != keys[1]
    assert min(map(len, keys[:2])) >= 12
