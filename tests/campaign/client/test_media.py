"""Media of a campaign on a server: files go there with their items, and come back as they were."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from itertools import count
from typing import Any

import pytest

from campaign.client.middlemen import CuttingProxy, answering
from hodgerank.campaign import Campaign, CampaignItem, RemoteCampaign
from hodgerank.campaign.client import connection as connection_module
from hodgerank.campaign.client.address import read_address
from hodgerank.errors import CampaignError, InvalidArgument
from hodgerank.judges.fake_llm import FakeLLM, ModelProfile
from hodgerank.judges.run_on_campaign import judge_campaign, judge_for
from server.media.made import NOT_TAKEN, picture

seeds = count(5000)


@pytest.fixture
def pictures(tmp_path):
    """Files by their paths, with what they hold."""
    made = {}
    for name in "abc":
        path = tmp_path / f"{name} ü.png"
        path.write_bytes(picture("PNG", seed=next(seeds)))
        made[str(path)] = path.read_bytes()
    return made


def items_of(pictures: Any) -> list[CampaignItem]:
    return [CampaignItem(k, media=media) for k, media in enumerate(pictures)]


@pytest.fixture
def make(live, clients, tmp_path):
    """Makes campaigns of one kind: here, or there."""
    numbers = count(1)

    def local(items):
        return Campaign.create(tmp_path / f"{next(numbers)}.db", items, question="Which?")

    def remote(items):
        id = f"media {tmp_path.name} {next(numbers)}"
        token = clients.token()
        return RemoteCampaign.create(live.url, items, token=token, id=id, question="Which?")

    return {"here": local, "there": remote}


@pytest.mark.parametrize("where", ["here", "there"])
def test_a_script_with_pictures_does_not_care_where_it_runs(make, pictures, where):
    first, second, third = pictures
    with make[where](items_of([first, second])) as campaign:
        campaign.add([CampaignItem(2, "words", third)])
        campaign.add([CampaignItem(3, media="https://example.org/a.png"), 4])
        campaign.edit(1, media=third)
        campaign.edit(0, text="words")
        shown = [item.media for item in campaign.items]
        found = [campaign.media_file(media).read_bytes() for media in shown[:3]]
        assert found == [pictures[first], pictures[third], pictures[third]]
        assert shown[3:] == ["https://example.org/a.png", ""]
        for media in shown[3:]:
            with pytest.raises(InvalidArgument, match="on this machine"):
                campaign.media_file(media)


def test_each_file_is_sent_once_and_fetched_once(make, pictures, monkeypatch):
    sent, fetched = [], []
    call, media = connection_module.Connection.call, connection_module.Connection.media

    def watched(self, method, *path, **options):
        sent.append(path)
        return call(self, method, *path, **options)

    def watched_media(self, *path):
        fetched.append(path)
        return media(self, *path)

    monkeypatch.setattr(connection_module.Connection, "call", watched)
    monkeypatch.setattr(connection_module.Connection, "media", watched_media)
    one = next(iter(pictures))
    with make["there"](items_of([one] * 5)) as campaign:
        assert sent.count(("media",)) == 1
        files = {campaign.media_file(item.media) for item in campaign.items}
    assert len(files) == len(fetched) == 1
    assert not files.pop().exists()  # when the campaign is left


def test_who_has_left_fetches_nothing(make, pictures):
    campaign = make["there"](items_of(pictures))
    media = campaign.items[0].media
    campaign.media_file(media)
    campaign.leave()
    with pytest.raises(CampaignError, match="is closed: open it again"):
        campaign.media_file(media)


def test_what_cannot_be_read_is_told_before_anything_is_sent(live, clients, pictures, tmp_path):
    token = clients.token()
    for media in (str(tmp_path / "none.png"), "javascript:alert(1)", "a\0b"):
        items = [*items_of(pictures), CampaignItem("x", media=media)]
        with pytest.raises(InvalidArgument, match=r"the media of x: .* cannot be read"):
            RemoteCampaign.create(live.url, items, token=token, id="unread", question="?")
    items = [*items_of(pictures), CampaignItem("x", media=str(tmp_path))]
    with pytest.raises(InvalidArgument, match="is not a file"):
        RemoteCampaign.create(live.url, items, token=token, id="unread", question="?")
    assert "unread" not in live.context.database.campaigns()


@pytest.mark.parametrize("kind", ["SVG", "page", "nothing", "words"])
def test_a_file_that_is_refused_is_named(live, clients, tmp_path, kind):
    content, words = NOT_TAKEN[kind]
    path = tmp_path / "it.png"
    path.write_bytes(content)
    client = clients.of(live.campaign())
    with pytest.raises(InvalidArgument, match=r"it\.png: ") as refused:
        client.edit("item-0", media=str(path))
    assert words in str(refused.value)
    assert client.items[0].media == ""


def test_a_file_that_is_too_large_is_named(live, clients, tmp_path, monkeypatch):
    monkeypatch.setattr(live.context.media, "largest", 1 << 20)
    path = tmp_path / "large.png"
    path.write_bytes(bytes(8 << 20))
    client = clients.of(live.campaign())
    with pytest.raises(InvalidArgument, match=r"large\.png: it has more than 1 MB"):
        client.edit("item-0", media=str(path))


def test_a_file_that_changes_while_it_is_sent_is_told(live, clients, pictures, monkeypatch):
    client = clients.of(live.campaign())
    path = next(iter(pictures))
    sent = connection_module.Connection._sent

    def cut(self, *arguments, **options):
        with open(path, "r+b") as file:
            file.truncate(10)
        return sent(self, *arguments, **options)

    monkeypatch.setattr(connection_module.Connection, "_sent", cut)
    with pytest.raises(InvalidArgument, match="was shortened while it was read"):
        client.edit("item-0", media=path)


def test_an_upload_that_gets_lost_is_sent_again(live, clients, pictures, monkeypatch):
    monkeypatch.setattr(connection_module, "WAITS", (0.0, 0.01, 0.01, 0.01))
    proxy = CuttingProxy(live.url)
    try:
        campaign = live.campaign()
        client = clients.of(campaign, url=proxy.url)
        [path, *_] = pictures
        proxy.cut_before, proxy.cut_after = 1, 1
        client.edit("item-0", media=path)
        assert live.context.media.path_of(campaign.items[0].media).read_bytes() == pictures[path]
    finally:
        proxy.close()


def test_judges_and_readers_see_media_and_send_none(live, clients, pictures):
    campaign = live.campaign()
    owner = clients.of(campaign)
    [path, *_] = pictures
    owner.edit("item-0", media=path)
    media = owner.items[0].media
    for role in ("judge", "reader"):
        client = clients.of(campaign, role)
        assert client.media_file(media).read_bytes() == pictures[path]
        with pytest.raises(CampaignError, match="requires the role owner"):
            client.edit("item-1", media=path)


def test_what_the_campaign_does_not_show_is_not_fetched(live, clients):
    client = clients.of(live.campaign())
    with pytest.raises(InvalidArgument, match=r"has no 000.* to show"):
        client.media_file(f"media:{'0' * 64}.png")
    for media in ("/srv/a.png", "media:../../campaigns.db", ""):
        with pytest.raises(InvalidArgument, match="on this machine"):
            client.media_file(media)


def test_other_bytes_than_those_of_the_name_are_refused(make, pictures, monkeypatch):
    with make["there"](items_of(pictures)) as campaign:
        media = campaign.items[0].media
        monkeypatch.setattr(campaign._connection, "media", lambda *_: b"other bytes")
        with pytest.raises(CampaignError, match="sent a damaged copy"):
            campaign.media_file(media)


def test_half_a_file_is_none(monkeypatch):
    monkeypatch.setattr(connection_module, "WAITS", (0.0, 0.01))

    def break_off(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.close_connection = True

    with answering(break_off) as (url, seen):
        connection = connection_module.Connection(read_address(url, None)[0], "token", 5)
        with pytest.raises(CampaignError, match="cannot be reached"):
            connection.media("c", "a.png")
    assert len(seen) == 3
    assert {headers["Authorization"] for headers in seen} == {"Bearer token"}


# Models


def images_in(call: Any) -> list[bytes]:
    parts = [part for message in call.body["messages"] for part in _parts(message)]
    urls = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
    return [base64.b64decode(url.partition(",")[2]) for url in urls]


def _parts(message: Any) -> list[Any]:
    return [] if isinstance(message["content"], str) else message["content"]


@pytest.mark.parametrize("where", ["here", "there"])
def test_models_see_the_very_bytes(make, pictures, where):
    known = {hashlib.sha256(content).hexdigest(): content for content in pictures.values()}
    scores = {f"sha256:{digest}": float(k) for k, digest in enumerate(known)}
    with (
        make[where](items_of(pictures)) as campaign,
        FakeLLM(scores, profiles=ModelProfile(acuity=2)) as fake_llm,
    ):
        judge = judge_for(campaign, "m", base_url=fake_llm.base_url)

        async def run():
            try:
                return await judge_campaign(judge, campaign)
            finally:
                await judge.close()

        assert asyncio.run(run()).n_answers == 3
        assert len(fake_llm.calls) == 3
        for call in fake_llm.calls:
            left, right = (side.removeprefix("sha256:") for side in (call.left, call.right))
            assert images_in(call) == [known[left], known[right]]
        rows = campaign.answers()
    paths = list(pictures)
    asked = {frozenset(images_in(call)) for call in fake_llm.calls}
    assert asked == {
        frozenset((pictures[paths[row["left"]]], pictures[paths[row["right"]]])) for row in rows
    }
