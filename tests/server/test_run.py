"""Running the server: where it listens, how it is seen, and how its streams end."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace

import pytest
from PIL import Image

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.items import CampaignItem
from hodgerank.errors import CampaignError, InvalidArgument
from hodgerank.server import bind_options, run
from hodgerank.server.adopt_media import adopt_media
from hodgerank.server.bind_options import (
    BindOptions,
    Prefix,
    is_loopback,
    listen,
    read_prefix,
    require_certificate,
)
from hodgerank.server.context import ServerConfig, ServerContext
from hodgerank.server.open_streams import StreamKeeper, Streams


def bound(**given):
    usual = {
        "host": "127.0.0.1", "public_url": None, "root_path": None, "proxies": (),
        "certificate": None, "key": None,
    }  # fmt: skip
    return BindOptions.of(**{**usual, **given})


# Listening


def test_the_next_free_port_is_taken_unless_one_is_named(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        monkeypatch.setattr(bind_options, "USUAL_PORT", taken)
        with listen("127.0.0.1") as door:
            assert taken < door.getsockname()[1] < taken + bind_options.MOST_TRIES
        with pytest.raises(CampaignError, match=f"port {taken} is in use by another program"):
            listen("127.0.0.1", taken)


def test_where_every_port_is_taken_that_is_said(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as other:
        monkeypatch.setattr(bind_options, "USUAL_PORT", other.getsockname()[1])
        monkeypatch.setattr(bind_options, "MOST_TRIES", 1)
        with pytest.raises(CampaignError, match="is in use"):
            listen("127.0.0.1")


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "a\x00b", "x" * 300])
def test_what_is_no_address_of_this_machine_is_refused(host):
    with pytest.raises(CampaignError, match="is not an address of this machine"):
        listen(host, 0)


@pytest.mark.parametrize("error", [PermissionError(13, "no"), OSError(99999, "the moon is full")])
def test_what_the_system_refuses_is_said_in_words(monkeypatch, error):
    def refuse(*_, **__):
        raise error

    monkeypatch.setattr(socket, "create_server", refuse)
    words = "no permission to listen on port 80" if error.errno == 13 else "the moon is full"
    with pytest.raises(CampaignError, match=words):
        listen("127.0.0.1", 80)


def test_loopback_is_known_by_name_and_address():
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.3.2.1", "::1")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.7", "example.org")))


def test_files_that_are_no_certificate_are_refused(tmp_path):
    with pytest.raises(CampaignError, match="there is no file"):
        require_certificate(tmp_path / "nothing.pem", None)
    (tmp_path / "words.pem").write_text("words")
    with pytest.raises(CampaignError, match="are not a certificate and its key"):
        require_certificate(tmp_path / "words.pem", tmp_path / "words.pem")


# BindOptions


def test_the_address_is_where_others_find_it():
    assert bound().address(8000) == "http://127.0.0.1:8000"
    assert bound(host="0.0.0.0").address(8000) == "http://localhost:8000"
    assert bound(host="::1").address(8000) == "http://[::1]:8000"
    assert bound(root_path="votes/").address(8000) == "http://127.0.0.1:8000/votes"
    public = bound(public_url="https://rank.example.org/votes/")
    assert public.address(8000) == "https://rank.example.org/votes"
    assert public.prefix == "/votes"


@pytest.mark.parametrize(
    "url",
    ["rank.example.org", "ftp://a.org", "https://", "https://a.org?x", "https://a.org#x",
     "https://me@a.org", "https://a.org:0", "https://[", "https://a.org:99999"],
)  # fmt: skip
def test_what_nobody_can_open_is_not_how_others_reach_it(url):
    with pytest.raises(InvalidArgument, match="is not a valid public address"):
        bound(public_url=url)


def test_open_doors_without_tls_are_warned_of():
    [caution] = bound(host="0.0.0.0").cautions()
    assert "others on the network can read" in caution
    [caution] = bound(proxies=["10.0.0.7"]).cautions()
    assert "--public-url" in caution
    assert bound().cautions() == []
    assert bound(proxies=["10.0.0.7"], public_url="https://a.org").cautions() == []


def test_tls_of_a_proxy_that_is_not_believed_is_warned_of():
    [caution] = bound(public_url="https://a.org").cautions()
    assert "--behind-proxy" in caution
    assert bound(public_url="http://a.org").cautions() == []


@pytest.mark.parametrize("address", ["*", "everybody", "10.0.0.0/99", ""])
def test_proxies_are_named_by_address(address):
    with pytest.raises(InvalidArgument, match="is not an address of a proxy"):
        bound(proxies=[address])
    assert bound(proxies=["10.0.0.7/24"]).proxies == ("10.0.0.0/24",)


# Prefix


@pytest.mark.parametrize("path", ["/j", "/w/x", "media", "/api/v2", "/a b", "/a?b", "/é/%2e"])
def test_paths_that_are_mistaken_for_others_are_refused(path):
    with pytest.raises(InvalidArgument):
        read_prefix(path)


@pytest.mark.parametrize(
    ("asked", "path"),
    [("/votes/enter", "/votes/enter"), ("/enter", "/votes/enter"), ("/votes", "/votes"),
     ("/votesenter", "/votes/votesenter"), ("/", "/votes/")],
)  # fmt: skip
def test_a_proxy_may_take_the_path_off_or_leave_it(asked, path):
    seen = []

    async def app(scope, receive, send):
        seen.append((scope["root_path"], scope["path"]))

    asyncio.run(Prefix(app, "/votes")({"type": "http", "path": asked}, None, None))
    assert seen == [("/votes", path)]


# Streams


def keeper(streams, kind=b"text/event-stream"):
    async def app(scope, receive, send):
        headers = [(b"content-type", kind)]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await asyncio.Event().wait()

    return StreamKeeper(app, streams)


def test_streams_are_counted_and_end_properly():
    streams, sent = Streams(), []

    async def send(message):
        sent.append(message)

    async def run():
        scope = {"type": "http", "method": "GET"}
        task = asyncio.create_task(keeper(streams)(scope, None, send))
        await asyncio.sleep(0)
        n_open = len(streams)
        streams.end()
        await task
        await keeper(streams)(scope, None, send)  # who comes too late
        return n_open

    assert asyncio.run(run()) == 1
    assert len(streams) == 0
    assert [message["type"] for message in sent] == 2 * [
        "http.response.start",
        "http.response.body",
    ]
    assert not sent[1].get("more_body")


def test_what_is_cancelled_otherwise_stays_so():
    streams = Streams()

    async def send(message):
        pass

    async def run(kind):
        scope = {"type": "http", "method": "GET"}
        task = asyncio.create_task(keeper(streams, kind)(scope, None, send))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(run(b"text/event-stream"))
    assert asyncio.run(run(b"text/html"))


# Browser


@pytest.fixture
def desktop(monkeypatch):
    """A machine before which somebody sits; the addresses that were opened."""
    opened = []
    for name in run.FAR_AWAY:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    terminal = SimpleNamespace(isatty=lambda: True)
    monkeypatch.setattr(run, "sys", SimpleNamespace(stderr=terminal, platform="linux"))
    monkeypatch.setattr(run.webbrowser, "get", lambda: None)
    monkeypatch.setattr(run.webbrowser, "open", opened.append)
    monkeypatch.setattr(run, "Thread", _AtOnce)
    return opened


class _AtOnce:
    def __init__(self, target, daemon):
        self._target = target

    def start(self):
        self._target()


def test_the_browser_is_opened_where_somebody_sits(desktop):
    assert run.open_browser("http://127.0.0.1:8000/enter")
    assert desktop == ["http://127.0.0.1:8000/enter"]


@pytest.mark.parametrize("name", [*run.FAR_AWAY, "DISPLAY"])
def test_no_browser_is_opened_far_away_or_without_a_screen(desktop, monkeypatch, name):
    monkeypatch.setenv(name, "" if name == "DISPLAY" else "1")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert not run.open_browser("http://127.0.0.1:8000")
    assert desktop == []


def test_a_browser_that_fails_is_no_failure(desktop, monkeypatch):
    def fail(*_):
        raise run.webbrowser.Error

    monkeypatch.setattr(run.webbrowser, "open", fail)
    assert run.open_browser("http://127.0.0.1:8000")
    monkeypatch.setattr(run.webbrowser, "get", fail)
    assert not run.open_browser("http://127.0.0.1:8000")


# Adopting


def test_pictures_that_have_gone_from_the_library_are_told(tmp_path):
    context = ServerContext(ServerConfig(str(tmp_path / "campaigns.db")))
    Image.new("RGB", (4, 4), "red").save(tmp_path / "red.png")
    name = context.media.add(tmp_path / "red.png", "red.png")
    items = [CampaignItem("red", media=name), CampaignItem("text", "only words")]
    Campaign.create(context.database, items, question="Which?", id="cats")
    assert adopt_media(context) == []
    context.media.path_of(name).unlink()
    [told, what_to_do] = adopt_media(context)
    assert told.startswith(f"cats: red cannot be shown: {name} is not in ")
    assert "name it with --media" in what_to_do
    context.close()


def test_pictures_named_by_their_place_come_into_the_library(tmp_path):
    Image.new("RGB", (4, 4), "red").save(tmp_path / "red.png")
    (tmp_path / "words.png").write_text("<svg onload=alert(1)>")
    items = [
        CampaignItem("red", media=str(tmp_path / "red.png")),
        CampaignItem("words", media=str(tmp_path / "words.png")),
        CampaignItem("far", media="https://example.org/far.png"),
        CampaignItem("text", "only words"),
        *(CampaignItem(f"gone {k}", media=str(tmp_path / f"gone {k}.png")) for k in range(20)),
    ]
    context, told = ServerContext(ServerConfig(str(tmp_path / "campaigns.db"))), []
    Campaign.create(context.database, items, question="Which?", id="cats")
    refused = adopt_media(context, told.append)
    shown = {item.id: item.media for item in asyncio.run(context.campaign("cats")).items}
    assert shown["red"].startswith("media:")
    assert context.media.path_of(shown["red"]).read_bytes() == (tmp_path / "red.png").read_bytes()
    assert shown["far"] == "https://example.org/far.png"
    assert told == ["opening cats", "checking the media of cats"]
    assert len(refused) == 11
    assert refused[0].startswith("cats: words cannot be shown: ")
    assert refused[-1] == "cats: and 11 more items"
    n_events = asyncio.run(context.campaign("cats")).counts.seq
    assert adopt_media(context) == refused
    assert asyncio.run(context.campaign("cats")).counts.seq == n_events
    context.close()
