"""A browser that notices what a page must not do: ask others, break rules, or make errors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from shutil import which
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Request,
    ViewportSize,
    expect,
    sync_playwright,
)

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("HODGERANK_TEST_CHROMIUM") or next(filter(None, map(which, NAMES)), None)
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SCREEN: ViewportSize = {"width": 1280, "height": 720}
PATIENCE = 20_000  # milliseconds
expect.set_options(timeout=PATIENCE)


@contextmanager
def launched() -> Iterator[Browser]:
    """Chromium, without a window; without Chromium the tests are skipped."""
    # Root has no sandbox; a fake device has no sound card either.
    flags = ["--no-sandbox", "--mute-audio"] if os.geteuid() == 0 else ["--mute-audio"]
    flags.append("--autoplay-policy=no-user-gesture-required")
    if CHROMIUM is None:
        pytest.skip("NO CHROMIUM, no page is tested in a browser: install chromium-headless-shell")
    with ExitStack() as stack:
        try:
            playwright = stack.enter_context(sync_playwright())
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        except Exception as error:
            reason = str(error).splitlines()[0]
            pytest.skip(f"CHROMIUM FAILED, no page is tested in a browser: {reason}")
        stack.callback(browser.close)
        yield browser


class WatchedBrowser:
    """Browsers with nothing in common, all of which are watched.

    Pages are used again by the next test, when they have forgotten everything: new ones take
    three times as long.

    Attributes
    ----------
    offences
        Requests to other places, broken policies, errors of scripts and of the console.
    forgiven
        Parts of what a test expects among them.
    """

    def __init__(self, browser: Browser, home: str) -> None:
        self._browser, self._home = browser, home
        self.offences: list[str] = []
        self.forgiven: list[str] = []
        self._contexts: list[BrowserContext] = []
        self._idle: list[tuple[dict[str, Any], Page]] = []
        self._busy: list[tuple[dict[str, Any], Page]] = []

    def context(self, **options: Any) -> BrowserContext:
        """A browser of somebody else."""
        context = self._browser.new_context(base_url=self._home, **options)
        context.set_default_timeout(PATIENCE)
        context.on("request", self._look_at_request)
        context.on("console", self._look_at_console)
        context.on("weberror", lambda error: self.offences.append(f"error: {error.error}"))
        self._contexts.append(context)
        return context

    def page(self, **options: Any) -> Page:
        """A page in a browser of its own."""
        for kept in self._idle:
            if kept[0] == options:
                self._idle.remove(kept)
                break
        else:
            kept = options, self.context(**options).new_page()
        self._busy.append(kept)
        return kept[1]

    def forgive(self, *parts: str) -> None:
        """Expect offences that contain this."""
        self.forgiven.extend(parts)

    def forget(self) -> list[str]:
        """Be as new for the next test; what was noticed in this one and not expected."""
        kept = [page.context for _, page in self._busy + self._idle]
        for context in [one for one in self._contexts if one not in kept]:
            context.close()
        self._contexts, found = kept, self._unforgiven()
        for options, page in self._busy:
            _empty(page, options.get("viewport", SCREEN))
        self._idle += self._busy
        self._busy = []
        self.offences, self.forgiven = [], []
        return found

    def close(self) -> list[str]:
        """Go away; what was noticed and not expected."""
        for context in self._contexts:
            context.close()
        return self._unforgiven()

    def _unforgiven(self) -> list[str]:
        return [one for one in self.offences if not any(part in one for part in self.forgiven)]

    def _look_at_request(self, request: Request) -> None:
        parts, home = urlsplit(request.url), urlsplit(self._home)
        is_inside = parts.scheme in ("data", "blob", "about")
        if not is_inside and (parts.scheme, parts.netloc) != (home.scheme, home.netloc):
            self.offences.append(f"request: {request.url}")

    def _look_at_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.offences.append(f"console: {message.text} {message.location.get('url', '')}")


def _empty(page: Page, viewport: ViewportSize) -> None:
    """Leave nothing of a test in a page and its browser."""
    for other in page.context.pages:
        if other is not page:
            other.close()
    page.unroute_all(behavior="ignoreErrors")
    page.context.unroute_all(behavior="ignoreErrors")
    page.context.set_offline(False)
    _leave(page)  # before its session ends: a page that is still open would ask and be refused
    page.context.clear_cookies()
    page.set_viewport_size(viewport)
    page.emulate_media(color_scheme="null", reduced_motion="null")
    page.evaluate("localStorage.clear(); sessionStorage.clear()")


def _leave(page: Page) -> None:
    """Show a page that does nothing by itself, even if the last one is just loading another."""
    with suppress(Error):  # what waits for a time, and what is loading, end here
        page.evaluate("for (let i = setTimeout(() => 0); i; i--) clearTimeout(i); window.stop()")
    for is_last in (*[False] * 9, True):
        try:
            page.goto("/enter")  # of the same server: elsewhere is another process
            return
        except Error:
            if is_last:
                raise
            page.wait_for_timeout(50)
