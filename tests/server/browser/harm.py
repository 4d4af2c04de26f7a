"""Harm: what a page must not do with texts of others, and what it is to show of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import APIResponse, BrowserContext, Dialog, Page, Response

from hodgerank.display import UNSEEN
from hodgerank.server.routes import ROUTES, Route
from server.browser.hostile_texts import Attack
from server.watched_browser import WatchedBrowser

ENOUGH = 30
"""Letters of a text that tell that it is shown: pages cut the rest where room is short."""
EXPECTED = ("Failed to load resource: the server responded with a status of 4",)
"""Pages that say what is wrong, and pictures that are not there."""

COMPUTED = re.compile(r"49[$#]|[}$#]49")
"""What becomes of `{{7*7}}${7*7}#{7*7}` if any of it is a template."""

WATCH = """
window.__hacked = (field) => console.error(`ran (${field})`);
addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
});
"""

LOOK = r"""() => {
  const wrong = [];
  const harmless = /^data:(image\/|text\/csv;base64,)/;
  const leads = ["src", "srcset", "href", "xlink:href", "action", "formaction", "poster", "data"];
  const foreign = ["iframe", "frame", "object", "embed", "base", "portal", "applet"];
  const isOwn = (address) => new URL(address, location.href).origin === location.origin;
  for (const one of document.querySelectorAll("*")) {
    const tell = () => wrong.push(one.cloneNode().outerHTML.slice(0, 200));
    if (foreign.includes(one.localName)) tell();
    if (one.localName === "script" && one.type !== "application/json") {
      const { pathname } = new URL(one.src || "none:", location.href);
      if (one.type !== "module" || !pathname.startsWith("/static/")) tell();
    }
    for (const { name, value } of one.attributes) {
      if (name.startsWith("on") || name === "srcdoc") tell();
      if (name === "autofocus" && !one.closest("dialog")) tell();
      if (leads.includes(name) && !harmless.test(value) && !isOwn(value)) tell();
    }
    if (one.getAttribute("src") === "x") tell();
  }
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (!parentElement.closest("script, style, noscript")) texts.push(data);
  }
  for (const one of document.querySelectorAll("input, textarea, option")) texts.push(one.value);
  return { wrong, texts };
}"""


class Inspection:
    """All that browsers have seen of an attack.

    Attributes
    ----------
    harm
        What must not be.
    texts
        What stood on the pages as text.
    visited
        Routes that have answered what they are for.
    """

    def __init__(self, browser: WatchedBrowser, attack: Attack) -> None:
        self._browser, self._attack = browser, attack
        self.harm: list[str] = []
        self.texts: list[str] = []
        self.visited: set[tuple[str, str]] = set()
        browser.forgive(*EXPECTED)

    def context(self) -> BrowserContext:
        """A browser of somebody."""
        context = self._browser.context(accept_downloads=False)
        context.add_init_script(WATCH)
        context.on("dialog", self._look_at_dialog)
        context.on("response", self._look_at_response)
        return context

    def look(self, page: Page) -> str:
        """What stands on a page, which is noted, as is all that should not be in it."""
        found: dict[str, Any] = page.evaluate(LOOK)
        self.harm += [f"{page.url}: {one}" for one in found["wrong"]]
        words = plain("\n".join(found["texts"]))
        if COMPUTED.search(words):
            self.harm.append(f"{page.url}: a template was computed")
        self.texts.append(words)
        return words

    def ask(self, page: Page, address: str) -> APIResponse:
        """What a program gets that has the cookies of a page."""
        answer = page.context.request.get(address, headers={"Accept": "text/html"})
        self._note("GET", answer.url, answer.status, answer.headers)
        return answer

    def shows(self, text: str) -> bool:
        """Whether a text was on a page, or at least its beginning."""
        beginning = plain(text)[:ENOUGH]
        return any(beginning in words for words in self.texts)

    def close(self) -> list[str]:
        """All harm, with the fields that it came from."""
        return [self._attack.told(one) for one in [*self.harm, *self._browser.close()]]

    def _look_at_dialog(self, dialog: Dialog) -> None:
        self.harm.append(f"{dialog.page and dialog.page.url}: a dialog, {dialog.message}")
        dialog.dismiss()

    def _look_at_response(self, response: Response) -> None:
        self._note(response.request.method, response.url, response.status, response.headers)

    def _note(self, method: str, url: str, status: int, headers: Mapping[str, str]) -> None:
        if headers.get("x-content-type-options") != "nosniff":
            self.harm.append(f"{url}: may be taken for something else")
        if status == 200 and (route := route_of(method, url)) is not None:
            self.visited.add((route.method, route.path))


def plain(text: str) -> str:
    """A text without what browsers leave out or replace, and with single spaces."""
    return re.sub(r"\s+", " ", UNSEEN.sub(" ", text).replace("\ufffd", " "))


def route_of(method: str, url: str) -> Route | None:
    """The first row of the table that an address belongs to."""
    path = re.sub(r"^\w+://[^/]*", "", url).partition("?")[0].partition("#")[0]
    for route in ROUTES:
        pattern = "[^/]+".join(map(re.escape, re.split(r"\{\w+\}", route.path)))
        if route.method == method and re.fullmatch(pattern, path):
            return route
    return None
