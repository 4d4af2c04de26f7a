"""A browser that notices what a page must not do: ask others, break rules, or make errors."""

from __future__ import annotations

import os
from shutil import which
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("HODGERANK_TEST_CHROMIUM") or next(filter(None, map(which, NAMES)), None)
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
PATIENCE = 20_000  # milliseconds


def launch(playwright: Playwright) -> Browser:
    """Chromium, without a window."""
    # Root has no sandbox; a fake device has no sound card either.
    flags = ["--no-sandbox", "--mute-audio"] if os.geteuid() == 0 else ["--mute-audio"]
    flags.append("--autoplay-policy=no-user-gesture-required")
    if CHROMIUM is None:
        pytest.skip("NO CHROMIUM, no page is tested in a browser: install chromium")
    try:
        return playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
    except Exception as error:
        pytest.skip(f"NO CHROMIUM, no page is tested in a browser: {str(error).splitlines()[0]}")


class WatchedBrowser:
    """Browsers with nothing in common, all of which are watched.

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
        return self.context(**options).new_page()

    def forgive(self, *parts: str) -> None:
        """Expect offences that contain this."""
        self.forgiven.extend(parts)

    def close(self) -> list[str]:
        """Go away; what was noticed and not expected."""
        for context in self._contexts:
            context.close()
        return [one for one in self.offences if not any(part in one for part in self.forgiven)]

    def _look_at_request(self, request: Request) -> None:
        parts, home = urlsplit(request.url), urlsplit(self._home)
        is_inside = parts.scheme in ("data", "blob", "about")
        if not is_inside and (parts.scheme, parts.netloc) != (home.scheme, home.netloc):
            self.offences.append(f"request: {request.url}")

    def _look_at_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.offences.append(f"console: {message.text} {message.location.get('url', '')}")
