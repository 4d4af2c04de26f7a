"""Who looks on does not wait for who writes: no GET takes the lock of the database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event as Signal
from threading import Timer
from time import monotonic
from typing import Any

import httpx
import pytest

from hodgerank.campaign.campaign import Campaign
from hodgerank.campaign.stores import sqlite_reader
from hodgerank.cli import main
from hodgerank.server.auth import _cookie_name
from hodgerank.server.routes import ROUTES
from server.live_server import LiveServer, live_server
from server.pages.owning import answer

PROMPT = 8.0
"""Seconds: much less than who wants the lock waits here. Reports take some by themselves."""
ELSEWHERE = {
    # Not about the database, or never ends.
    "/static/{name}",
    "/new/staged/{staged}/{name}",
    "/media/{campaign}/{name}",
    "/c/{campaign}/stream",
}
VALUES = {"entrance": "door", "name": "votes.csv", "number": 0}
QUERIES = {
    "/c/{campaign}/workers/one": "name=ann",
    "/c/{campaign}/workers/without": "name=ann",
}


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_reader, "BUSY_SECONDS", 60.0)  # who wants the lock waits for it
        with live_server(tmp_path_factory.mktemp("reads")) as server:
            yield server


@pytest.fixture(scope="module")
def campaign(live: LiveServer) -> Campaign:
    """One that has enough answers, which nobody has noted yet."""
    campaign = live.campaign(
        list("abcdefgh"), stop="tau >= 0.1", pages={"entrance": "door"}, answers_per_worker=100
    )
    campaign.join("ann")
    answer(campaign, 12)
    campaign.lease("ann", 2)
    return campaign


@contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Another program writes to the file all the time."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def browsers(live: LiveServer, campaign: Campaign) -> dict[str, dict[str, Any]]:
    """What an owner, a worker and a program send."""
    place = live.url.removeprefix("http://")
    keys = live.context.keys
    session = keys.issue("session", "worker", "ann", campaign=campaign.id)
    token = keys.issue("token", "owner", "program")
    return {
        "/w/": {"cookies": {_cookie_name(place, campaign.id): session}},
        "/api/": {"headers": {"Authorization": f"Bearer {token}"}},
        "/metrics": {"headers": {"Authorization": f"Bearer {token}"}},
        "/": {"cookies": {_cookie_name(place, None): live.owner_session()}},
    }


def test_every_get_answers_while_another_program_has_the_lock(live, campaign):
    known = browsers(live, campaign)
    paths = [route.path for route in ROUTES if route.method == "GET"]
    slow = {}
    with locked(live.context.database.name):
        blocked = campaign.log.begin(lambda state, now: None)
        for path in paths:
            if path in ELSEWHERE:
                continue
            given = next(given for start, given in known.items() if path.startswith(start))
            url = live.url + path.format(campaign=campaign.id, **VALUES)
            begin = monotonic()
            with httpx.Client(timeout=30, **given) as client:
                reply = client.get(f"{url}?{QUERIES.get(path, '')}")
            is_open = path != "/j/{campaign}"  # the address of the entrance is missing
            assert reply.status_code in ((200, 303) if is_open else (404,)), (path, reply.text)
            if (seconds := monotonic() - begin) > PROMPT:
                slow[path] = seconds
        assert not slow
        assert not blocked.done()
    assert campaign.lease("ann", 1)


@pytest.mark.parametrize(
    "words",
    [
        ["status", "{file}", "--name", "{id}", "--no-forecast"],
        ["list", "{file}"],
        ["export", "{file}", "--name", "{id}", "-o", "{folder}/votes.csv"],
        ["export", "{file}", "--name", "{id}", "-o", "{folder}/log.jsonl"],
        ["settings", "{file}", "--name", "{id}"],
    ],
    ids=lambda words: " ".join(words[:1] + words[-1:]),
)
def test_commands_that_look_answer_meanwhile(live, campaign, tmp_path, words):
    file = live.context.database.name
    given = [word.format(file=file, id=campaign.id, folder=tmp_path) for word in words]
    with locked(file):
        begin = monotonic()
        with pytest.raises(SystemExit) as ended:
            main(["campaign", *given])
        assert not ended.value.code
        assert monotonic() - begin < PROMPT


def test_what_is_read_is_durable(tmp_path, monkeypatch):
    """A look during a commit waits for it, so that nobody sees what may be lost."""
    with Campaign.create(tmp_path / "c.db", list("abc"), question="?") as campaign:
        store, at_disk, go_on = campaign.database.store, Signal(), Signal()
        require = store._files.require

        def slow_disk() -> None:
            if at_disk.is_set():
                go_on.wait(10)
            require()

        monkeypatch.setattr(store._files, "require", slow_disk)
        pausing = campaign.log.begin(
            lambda state, now: (state.record("paused", now), at_disk.set())[0]
        )
        at_disk.wait(10)
        Timer(0.2, go_on.set).start()
        begin = monotonic()
        assert campaign.counts.status == "paused"
        assert monotonic() - begin > 0.1
        pausing.result()


def test_reads_on_postgresql_take_no_lock(postgres_url):
    psycopg = pytest.importorskip("psycopg")
    with Campaign.create(postgres_url, list("abc"), question="?") as campaign:
        campaign.lease("ann")
        with psycopg.connect(postgres_url) as other:
            other.execute("SELECT last FROM campaigns FOR UPDATE")
            blocked = campaign.log.begin(lambda state, now: None)
            begin = monotonic()
            assert campaign.counts.n_out == 1
            assert campaign.progress().counts.n_workers == 1
            assert campaign.workers()[0].worker == "ann"
            assert monotonic() - begin < PROMPT
            assert not blocked.done()
            other.rollback()
        blocked.result()
