"""An owner in a browser."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from server.live_server import LiveServer

PATIENCE = 30_000
"""Milliseconds that the analysis may take, who begins with the first question."""


def enter(page: Page, server: LiveServer) -> Page:
    """Come as somebody who is signed in: there are not as many links as tests."""
    name, token = f"hodgerank-{urlsplit(server.url).port}", server.owner_session()
    page.context.add_cookies([{"name": name, "value": token, "url": server.url}])
    page.goto(server.url)
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    return page


def wait_for_parts(page: Page) -> None:
    """Until everything that is computed has come."""
    for waiting in (".waiting", "[data-part]", "[data-row]"):
        expect(page.locator(waiting)).to_have_count(0, timeout=PATIENCE)
