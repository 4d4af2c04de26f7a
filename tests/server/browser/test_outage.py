"""A database that is out of reach for a while: no answer is lost, and nobody sees its address."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from hodgerank.campaign.stores.sqlite import SqliteStore
from server.browser.working import (
    begin,
    expect_count,
    outcomes,
    press,
    wait_for_pair,
    wait_until_sent,
)
from server.live_server import LiveServer, live_server
from server.watched_browser import PATIENCE

FOUR = {f"secret-{k}": f"Sentence {k}" for k in range(4)}
Outage = Callable[[], AbstractContextManager[None]]


@contextmanager
def unreadable(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let every query on SQLite fail, as on a disk that has gone."""

    def fail(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("unable to open database file")

    with patch.context() as patched:
        patched.setattr("hodgerank.campaign.stores.sqlite_reader.SqliteReader.look", fail)
        patched.setattr(SqliteStore, "_open_writer", fail)
        patched.setattr("hodgerank.campaign.stores.sqlite.begin_log", fail)
        yield


@pytest.fixture
def sqlite_outage(tmp_path: Path, monkeypatch) -> Iterator[tuple[LiveServer, Outage]]:
    with live_server(tmp_path) as live:
        yield live, lambda: unreadable(monkeypatch)


@pytest.fixture
def postgres_outage(
    tmp_path: Path, postgres_server: str, monkeypatch
) -> Iterator[tuple[LiveServer, Outage]]:
    """A database of its own, which accepts no connection during the outage."""
    import psycopg

    monkeypatch.chdir(tmp_path)  # where the folder of media is made
    name = f"outage_{secrets.token_hex(8)}"
    path, _, query = postgres_server.partition("?")
    url = f"{path.rpartition('/')[0]}/{name}{'?' * bool(query)}{query}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")

        @contextmanager
        def away() -> Iterator[None]:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
            )
            yield
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

        try:
            with live_server(tmp_path, database=url) as live:
                yield live, away
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.parametrize("database", ["sqlite_outage", "postgres_outage"])
def test_answers_are_kept_until_the_database_is_back(database, request, chromium):
    live, outage = request.getfixturevalue(database)
    campaign = live.campaign(FOUR)
    page = chromium.new_page(base_url=live.url)
    page.set_default_timeout(PATIENCE)
    begin(page, live, campaign)
    press(page, "1")
    wait_until_sent(page)
    with outage():
        press(page, "2")
        press(page, "1")
        expect(page.locator("#said")).to_contain_text("kept here and sent later: 2")
        page.once("dialog", lambda dialog: dialog.accept())
        page.reload()
        expect(page.locator("main")).to_contain_text("cannot reach its data")
        expect(page.locator("meta[http-equiv=refresh]")).to_have_count(1)
    wait_for_pair(page)  # by itself
    wait_until_sent(page)
    expect_count(page, "3 of about 6")
    assert outcomes(campaign) == [1, -1, 1]
    page.close()


@pytest.mark.parametrize("database", ["sqlite_outage", "postgres_outage"])
def test_visitors_do_not_see_where_the_database_is(database, request):
    live, outage = request.getfixturevalue(database)
    campaign = live.campaign(FOUR)
    token = live.context.keys.issue("token", "judge", "machine", campaign=campaign.id)
    addresses = [live.join_link(campaign), f"{live.url}/healthz", f"{live.url}/"]
    lease = f"{live.url}/api/v1/campaigns/{campaign.id}/tasks"
    hidden = live.context.database.store.name, "socket", "unable to open", "not currently accepting"
    with outage():
        for address in addresses:
            for accept in ("text/html", "application/json"):
                found = httpx.get(address, headers={"Accept": accept}, timeout=30)
                assert found.status_code in (401, 503)
                assert not any(words in found.text for words in hidden)
        found = httpx.post(lease, json={}, headers={"Authorization": f"Bearer {token}"}, timeout=30)
        assert found.status_code == 503
        assert found.headers["Retry-After"]
        assert not any(words in found.text for words in hidden)
