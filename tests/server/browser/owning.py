"""An owner in a browser."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from server.live_server import LiveServer

PATIENCE = 30_000
"""Milliseconds that the analyst may take, who begins with the first question."""


def enter(page: Page, server: LiveServer) -> Page:
    """Sign in by the one-time link."""
    page.goto(server.owner_link())
    expect(page.get_by_role("heading", name="Campaigns")).to_be_visible()
    return page


def wait_for_parts(page: Page) -> None:
    """Until everything that is computed has come."""
    for waiting in (".waiting", "[data-part]", "[data-row]"):
        expect(page.locator(waiting)).to_have_count(0, timeout=PATIENCE)
