"""Media: what items of a campaign show, to those who may see it, whole or in part."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from starlette.testclient import TestClient

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.server.app import create_app
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.views import media

ORIGIN = "http://localhost:8000"


def picture(seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (60, 80, 3), np.uint8)
    written = BytesIO()
    Image.fromarray(pixels).save(written, "PNG")
    return written.getvalue()


@pytest.fixture
def context(tmp_path):
    return ServerContext(ServerConfig(str(tmp_path / "campaigns.db")))


@pytest.fixture
def client(context):
    """Two campaigns, cats and dogs, with a picture each and one that nobody shows."""
    for number, id in enumerate(("cats", "dogs")):
        kept = context.media.add(picture(number), id)
        items = [CampaignItem("a", media=kept), CampaignItem("b", "words")]
        Campaign.create(context.database, items, question="Which?", id=id)
    with TestClient(create_app(context), base_url=ORIGIN, headers={"Origin": ORIGIN}) as client:
        yield client


@pytest.fixture
def address(client, context):
    """Where the picture of cats is."""
    campaign = client.portal.call(context.campaign, "cats")
    return "/media/cats/" + campaign.items[0].media.removeprefix("media:")


@pytest.fixture
def reader(client, context):
    """Who may read everything."""
    token = context.keys.issue("token", "reader", "reader")
    client.headers["Authorization"] = f"Bearer {token}"
    return client


def test_a_picture_arrives_as_it_was_and_cannot_do_anything(reader, address):
    answer = reader.get(address)
    assert answer.status_code == 200
    assert answer.content == picture(0)
    headers = answer.headers
    assert headers["content-type"] == "image/png"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "private, max-age=31536000, immutable"
    assert int(headers["content-length"]) == len(picture(0))


def test_a_part_may_be_asked_for(reader, address):
    whole = picture(0)
    for asked, first, last in (("0-9", 0, 9), ("100-", 100, len(whole) - 1), ("-5", -5, -1)):
        answer = reader.get(address, headers={"Range": f"bytes={asked}"})
        part = whole[first:] if asked.startswith("-") else whole[first : last + 1]
        assert (answer.status_code, answer.content) == (206, part)
        start = len(whole) - len(part) if asked.startswith("-") else first
        end = start + len(part) - 1
        assert answer.headers["content-range"] == f"bytes {start}-{end}/{len(whole)}"


def test_a_part_behind_the_end_is_refused_and_several_are_the_whole(reader, address):
    answer = reader.get(address, headers={"Range": "bytes=999999999-"})
    assert answer.status_code == 416
    assert answer.headers["content-range"] == f"bytes */{len(picture(0))}"
    answer = reader.get(address, headers={"Range": "bytes=" + ",".join(["0-1"] * 1000)})
    assert (answer.status_code, answer.content) == (200, picture(0))
    answer = reader.get(address, headers={"Range": "bytes=0-9", "If-Range": '"other"'})
    assert answer.status_code == 200


def test_what_a_browser_has_is_not_sent_again(reader, address):
    tag = reader.get(address).headers["etag"]
    answer = reader.get(address, headers={"If-None-Match": tag})
    assert (answer.status_code, answer.content) == (304, b"")


def test_its_size_can_be_asked_for_alone(reader, address):
    answer = reader.head(address)
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) == len(picture(0))


def test_a_large_file_is_read_in_pieces(reader, address, monkeypatch):
    monkeypatch.setattr(media, "PIECE", 1000)
    assert reader.get(address).content == picture(0)


def test_who_has_no_key_sees_nothing(client, address):
    assert client.get(address).status_code == 401


def test_a_worker_sees_what_their_own_campaign_shows_and_no_more(client, context, address):
    other = "/media/dogs/" + client.portal.call(context.campaign, "dogs").items[0].media[6:]
    assert client.post("/j/cats", follow_redirects=False).status_code == 303
    assert client.get(address).status_code == 200
    assert client.get(other).status_code == 401
    assert client.get(other.replace("dogs", "cats")).status_code == 404


def test_nothing_else_of_the_library_is_served(reader, context):
    lonely = context.media.add(picture(7), "lonely").removeprefix("media:")
    assert reader.get(f"/media/cats/{lonely}").status_code == 404
    for name in ("..%2f..%2fcampaigns.db", "campaigns.db", "%00", "a" * 5000):
        assert reader.get(f"/media/cats/{name}").status_code == 404
    assert reader.get(f"/media/mice/{lonely}").status_code == 404


def test_a_file_that_was_taken_away_is_said_to_be_gone(reader, context, address):
    context.media.path_of("media:" + address.rpartition("/")[2]).unlink()
    answer = reader.get(address)
    assert answer.status_code == 404
    assert "no longer exists" in answer.json()["detail"]


def test_what_an_item_does_not_show_any_more_is_gone(reader, context, address):
    campaign = reader.portal.call(context.campaign, "cats")
    campaign.edit("a", media="")
    assert reader.get(address).status_code == 404
