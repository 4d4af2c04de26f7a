"""A server that computes rankings, for the pages of the owner."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from server.browser.owning import enter
from server.live_server import LiveServer, live_server
from server.watched_browser import WatchedBrowser


@pytest.fixture(scope="session")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One server for all tests of the owner's pages: each makes a campaign of its own."""
    with live_server(tmp_path_factory.mktemp("ranked"), with_standings=True) as server:
        yield server


@pytest.fixture
def watched_owner(chromium: Browser, ranked: LiveServer) -> Iterator[WatchedBrowser]:
    """The browser of the owner."""
    browser = WatchedBrowser(chromium, ranked.url)
    yield browser
    assert browser.close() == []


@pytest.fixture
def owner(watched_owner: WatchedBrowser, ranked: LiveServer) -> Page:
    """A page of an owner who is signed in, on a screen of 1280 x 720."""
    return enter(watched_owner.page(), ranked)
