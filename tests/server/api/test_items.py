"""Items over HTTP."""

from __future__ import annotations

import io

import pytest
from PIL import Image

STRANGE = ["a/b", "..", "%2F", "a?b#c", "ключ", '"<x>', "media:x"]


def items_of(program, campaign):
    return program.get(f"/campaigns/{campaign.id}/items")["items"]


def test_items_join_all_or_none(served, owner):
    campaign = served.campaign("abc")
    here = f"/campaigns/{campaign.id}/items"
    added = owner.post(here, {"items": [{"item": "d", "text": "four"}, {"item": "e"}]}, 201)
    assert [item["item"] for item in added["items"]] == ["d", "e"]
    again = owner.post(here, {"items": [{"item": "f"}, {"item": "a"}]}, 422)
    assert "already" in again["detail"]
    assert [item["item"] for item in items_of(owner, campaign)] == list("abcde")
    assert campaign.items[3].text == "four"


def test_ids_may_be_any_words_and_are_named_in_the_body(served, owner):
    campaign = served.campaign([*STRANGE, "plain"])
    here = f"/campaigns/{campaign.id}/items"
    retired = owner.post(f"{here}/retire", {"items": STRANGE})
    assert [item["is_retired"] for item in retired["items"]] == [True] * len(STRANGE)
    assert campaign.retired == STRANGE
    owner.post(f"{here}/restore", {"items": STRANGE[1:]})
    assert campaign.retired == STRANGE[:1]


def test_integers_and_strings_are_not_mixed_up(served, owner):
    campaign = served.campaign([1, 2, 3])
    here = f"/campaigns/{campaign.id}/items"
    assert owner.post(f"{here}/retire", {"items": ["1"]}, 404)["error"] == "UnknownItem"
    assert owner.post(f"{here}/retire", {"items": [True]}, 422)["errors"]
    owner.post(f"{here}/retire", {"items": [1]})
    assert campaign.retired == [1]


def test_none_are_retired_where_one_is_not_there(served, owner):
    campaign = served.campaign("abc")
    found = owner.post(f"/campaigns/{campaign.id}/items/retire", {"items": ["a", "x"]}, 404)
    assert "not among the items" in found["detail"]
    assert campaign.retired == []


def test_words_are_edited_and_the_rest_stays(served, owner):
    campaign = served.campaign({"a": "one", "b": "two"})
    given = {"item": "a", "text": "a better one"}
    found = owner.ask("PATCH", f"/campaigns/{campaign.id}/items", given).json()["items"]
    assert found == [
        {"item": "a", "text": "a better one", "media": "", "track": "", "is_retired": False}
    ]
    assert [item.text for item in campaign.items] == ["a better one", "two"]


@pytest.mark.parametrize(
    "media",
    [
        "/etc/passwd",
        "../secret.png",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "//elsewhere.org/x.png",
        "https://elsewhere.org/x.png\nSet-Cookie: x",
        "https://user@elsewhere.org/x.png",
        "https://elsewhere.org;script-src *",
        f"media:{'0' * 64}.png",
        "media:../../campaigns.db",
    ],
)
def test_media_that_are_neither_addresses_nor_uploads_are_refused(served, owner, media):
    campaign = served.campaign("ab")
    here = f"/campaigns/{campaign.id}/items"
    changed = owner.ask("PATCH", here, {"item": "a", "media": media})
    assert (changed.status_code, changed.json()["error"]) == (422, "InvalidArgument")
    added = owner.post(here, {"items": [{"item": "c", "media": media}]}, 422)
    assert "neither an address" in added["detail"]
    assert [item.media for item in campaign.items] == ["", ""]


def test_uploads_and_addresses_are_shown_to_who_answers(served, owner):
    picture = io.BytesIO()
    Image.new("RGB", (2, 2), "red").save(picture, "PNG")
    name = served.context.media.add(picture.getvalue(), "red.png")
    campaign = served.campaign(["a", "b"])
    here = f"/campaigns/{campaign.id}"
    owner.ask("PATCH", f"{here}/items", {"item": "a", "media": name})
    owner.ask("PATCH", f"{here}/items", {"item": "b", "media": "https://example.org/b.png"})
    [task] = served.program("judge").post(f"{here}/tasks", {})["tasks"]
    shown = {task[side]["item"]: task[side]["media"] for side in ("left", "right")}
    assert shown == {
        "a": f"/media/{campaign.id.replace(' ', '%20')}/{name.removeprefix('media:')}",
        "b": "https://example.org/b.png",
    }


def test_paths_of_the_server_are_not_shown_to_who_answers(served):
    from hodgerank.campaign.items import CampaignItem

    campaign = served.campaign([CampaignItem("a", media="/srv/secret/a.png"), CampaignItem("b")])
    [task] = served.program("judge").post(f"/campaigns/{campaign.id}/tasks", {})["tasks"]
    assert [task["left"]["media"], task["right"]["media"]] == ["", ""]
