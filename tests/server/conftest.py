"""A live server and watched browsers for tests of pages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from server.live_server import LiveServer, live_server
from server.watched_browser import PHONE, WatchedBrowser, launch


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """One server for all tests: each makes a campaign of its own. It computes no rankings."""
    with live_server(tmp_path_factory.mktemp("house")) as server:
        yield server


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser process for the tests of a file: its loop is in the way of other files."""
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture
def watched(chromium: Browser, live: LiveServer) -> Iterator[WatchedBrowser]:
    """Browsers that fail the test if a page asks others, breaks its policy, or makes an error."""
    browser = WatchedBrowser(chromium, live.url)
    yield browser
    assert browser.close() == []


@pytest.fixture
def page(watched: WatchedBrowser) -> Page:
    """A page on a screen of 1280 x 720."""
    return watched.page()


@pytest.fixture
def phone(watched: WatchedBrowser) -> Page:
    """A page on a phone with touch, 360 pixels wide."""
    return watched.page(**PHONE)
