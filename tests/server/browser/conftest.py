"""Watched browsers, and a server that computes rankings, for the pages of the owner."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from hodgerank.collecting import forecast
from hodgerank.server import standings
from server.browser.owning import enter
from server.live_server import LiveServer, live_server
from server.watched_browser import PHONE, WatchedBrowser, launched


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """One browser process for the tests of this package: its loop is in the way of others."""
    with launched() as browser:
        yield browser


@pytest.fixture(scope="package")
def worker_browser(chromium: Browser, live: LiveServer) -> WatchedBrowser:
    """The browsers of workers."""
    return WatchedBrowser(chromium, live.url)


@pytest.fixture
def watched(worker_browser: WatchedBrowser) -> Iterator[WatchedBrowser]:
    """Browsers that fail the test if a page asks others, breaks its policy, or makes an error."""
    yield worker_browser
    assert worker_browser.forget() == []


@pytest.fixture
def page(watched: WatchedBrowser) -> Page:
    """A page on a screen of 1280 x 720."""
    return watched.page()


@pytest.fixture
def phone(watched: WatchedBrowser) -> Page:
    """A page on a phone with touch, 360 pixels wide."""
    return watched.page(**PHONE)


@pytest.fixture(scope="package")
def without_rest() -> Iterator[None]:
    """What is new is computed at once, and forecasts play no more futures than they must."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(standings, "LOOK_SECONDS", 0.1)
        patch.setattr(standings, "FEWEST_SECONDS", 0.5)
        patch.setattr(forecast, "CONTINUATIONS", 8)
        yield


@pytest.fixture(scope="package")
def ranked(tmp_path_factory: pytest.TempPathFactory, without_rest: None) -> Iterator[LiveServer]:
    """One server for all tests of the owner's pages: each makes a campaign of its own."""
    with live_server(tmp_path_factory.mktemp("ranked"), with_standings=True) as server:
        yield server


@pytest.fixture(scope="package")
def owner_browser(chromium: Browser, ranked: LiveServer) -> WatchedBrowser:
    """The browsers of owners."""
    return WatchedBrowser(chromium, ranked.url)


@pytest.fixture
def watched_owner(owner_browser: WatchedBrowser) -> Iterator[WatchedBrowser]:
    """The browser of the owner."""
    yield owner_browser
    assert owner_browser.forget() == []


@pytest.fixture
def owner(watched_owner: WatchedBrowser, ranked: LiveServer) -> Page:
    """A page of an owner who is signed in, on a screen of 1280 x 720."""
    return enter(watched_owner.page(), ranked)
