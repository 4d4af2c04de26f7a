"""Events over HTTP: the log from any place on, and as it grows."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import quote, urlsplit

import pytest

from hodgerank.campaign.log_file import log_lines
from hodgerank.server.views import live as events_module
from server.live_server import live_server


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    with live_server(tmp_path_factory.mktemp("events")) as server:
        yield server


@contextmanager
def stream(live, campaign, token, after=None, **headers) -> Iterator[HTTPResponse]:
    """An open stream of events."""
    connection = HTTPConnection(urlsplit(live.url).netloc, timeout=20)
    query = "" if after is None else f"?after={after}"
    path = f"/api/v1/campaigns/{quote(campaign.id)}/events{query}"
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream", **headers}
    connection.request("GET", path, headers=headers)
    try:
        yield connection.getresponse()
    finally:
        connection.close()


def next_event(response) -> dict:
    """The fields of the next event; comments are passed over."""
    fields: dict[str, str] = {}
    while line := response.readline().decode().rstrip("\n"):
        name, _, value = line.partition(": ")
        fields[name] = value
    return fields if "data" in fields else next_event(response)


def test_lines_are_those_of_an_exported_log(served):
    campaign = served.campaign()
    [task] = campaign.lease("ann")
    campaign.answer(task, 1)
    reader = served.program("reader")
    here = f"/campaigns/{campaign.id}/events"
    response = reader.ask("GET", here)
    assert response.headers["content-type"] == "application/jsonl"
    lines = response.content.splitlines()
    assert lines == [line.rstrip() for line in log_lines("", campaign.events())][1:-1]
    assert json.loads(lines[-1])["kind"] == "answered"
    assert json.loads(lines[-2])["left"] == task.left
    later = reader.ask("GET", here, params={"after": len(lines) - 2}).content.splitlines()
    assert later == lines[-2:]
    assert reader.ask("GET", here, params={"after": 1000}).content == b""
    assert reader.ask("GET", here, params={"after": -1}).status_code == 422


def test_many_events_come_in_order(served, monkeypatch):
    monkeypatch.setattr(events_module, "BATCH", 7)
    campaign = served.campaign([str(k) for k in range(40)])
    lines = (
        served.program("reader").ask("GET", f"/campaigns/{campaign.id}/events").text.splitlines()
    )
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 42))


def test_a_stream_goes_on_as_things_happen(live):
    campaign = live.campaign(["a", "b", "c"])
    token = live.context.keys.issue("token", "reader", "ann")
    with stream(live, campaign, token) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        begun = [next_event(response) for _ in range(4)]
        assert [event["event"] for event in begun] == ["created", *["item_added"] * 3]
        threading.Timer(0.2, campaign.pause).start()
        paused = next_event(response)
    assert (paused["event"], paused["id"]) == ("paused", "5")
    assert json.loads(paused["data"])["seq"] == 5


def test_a_stream_that_was_lost_is_taken_up_where_it_was(live):
    campaign = live.campaign(["a", "b", "c"])
    token = live.context.keys.issue("token", "reader", "ann")
    with stream(live, campaign, token) as response:
        seen = [next_event(response)["id"] for _ in range(2)]
    campaign.pause()
    with stream(live, campaign, token, after=1, **{"Last-Event-ID": seen[-1]}) as response:
        seen += [next_event(response)["id"] for _ in range(3)]
    with stream(live, campaign, token, after=4) as response:
        seen.append(next_event(response)["event"])
    assert seen == ["1", "2", "3", "4", "5", "paused"]


def test_a_stream_ends_when_its_token_is_taken_away(live, monkeypatch):
    monkeypatch.setattr(events_module, "HEARTBEAT_SECONDS", 0.1)
    campaign = live.campaign(["a", "b", "c"])
    token = live.context.keys.issue("token", "reader", "short of time")
    with stream(live, campaign, token, after=4) as response:
        while not response.readline().startswith(b":"):
            pass
        live.context.keys.revoke(holder="short of time")
        assert response.read().strip(b":\n") == b""  # to its end
