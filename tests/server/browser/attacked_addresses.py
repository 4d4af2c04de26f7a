"""Every address of the table of routes, as it is meant and with attacks in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from urllib.parse import quote, urlencode

from playwright.sync_api import Error, Page

import hodgerank.server
from hodgerank.campaign.page_settings import PARAMETERS
from hodgerank.server.routes import ROUTES, Route
from server.browser.attacked import Attacked
from server.browser.harm import Inspection
from server.browser.owning import wait_for_parts

TURNS = 3
ELSEWHERE_SEEN = ("/w/", "/j/", "/media/", "/new/staged/")
"""What workers see, and what pages show as pictures."""


def visit_all(one: Attacked, inspection: Inspection, page: Page, turn: int) -> None:
    """Every page that an owner can see, and some as hostile addresses would have them.

    Which ones is up to the turn: of three turns, each route has one.
    """
    for address in _addresses(one):
        if address.startswith("/api/"):
            answer = inspection.ask(page, address)
            assert "html" not in answer.headers["content-type"], address
        else:
            visit(inspection, page, address)
    seen, first = set(), len(one.attack.fields)
    for address in _wrong_addresses(one, ROUTES[turn::TURNS]):
        answer = inspection.ask(page, address)
        is_page = answer.headers["content-type"].startswith("text/html")
        words = answer.text() if is_page else ""
        # Pages that do not repeat what they were asked for look as they did before.
        repeats = any(int(number) >= first for number in re.findall(r"\((\d+)\)", words))
        if is_page and (repeats or not answer.ok) and words not in seen:
            seen.add(words)
            visit(inspection, page, address)


def visit(inspection: Inspection, page: Page, address: str) -> None:
    """Look at what is at an address, if it is a page."""
    try:
        answer = page.goto(address, wait_until="commit")
    except Error as error:
        if "Download is starting" not in str(error):
            raise
        return
    assert answer is not None
    if answer.headers["content-type"].startswith("text/html"):
        page.wait_for_load_state()
        wait_for_parts(page)
        inspection.look(page)


def _addresses(one: Attacked) -> Iterator[str]:
    """Of all that can be got, each with what it needs to answer."""
    known = {"campaign": [one.campaign.id], "number": ["1", "2", "3"]}
    asked = {
        "workers/one": [{"name": name} for name in (one.workers[0], one.workers[-1])],
        "workers/without": [{"name": one.workers[1]}],
        "ranking": [{"track": one.campaign.tracks[0]}],
        "trust": [{"track": one.campaign.tracks[0]}],
        "new/rule": [{"text": one.attack.text("rule")}],
    }
    names = {"/static/{name}": "owner.js", "/c/{campaign}/export/{name}": "votes.csv"}
    for route in ROUTES:
        if route.method != "GET" or route.path.startswith(ELSEWHERE_SEEN):
            continue
        values = {**known, "name": [names.get(route.path, "")]}
        queries = next((asked[end] for end in asked if route.path.endswith(end)), [{}])
        yield from _filled(route.path, values, queries)


def _wrong_addresses(one: Attacked, routes: Sequence[Route]) -> Iterator[str]:
    """The same with something else in each part, and in everything that is asked for."""
    names = [*_asked_for(), *(key for keys in PARAMETERS.values() for key in keys.values())]
    query = {name: one.attack.text(f"?{name}") for name in names}
    for route in routes:
        if route.method != "GET" or route.path.endswith("/stream"):
            continue
        parts = [piece.partition("}")[0] for piece in route.path.split("{")[1:]]
        good = {"campaign": one.campaign.id, "number": "0"}
        yield from _filled(route.path, {p: [good.get(p, "x")] for p in parts}, [query])
        for wrong in parts:
            values = {part: [good.get(part, "x")] for part in parts}
            values[wrong] = [one.attack.part(f"{{{wrong}}}")]
            yield from _filled(route.path, values, [{}])


def _filled(
    path: str, values: Mapping[str, list[str]], queries: list[dict[str, str]]
) -> Iterator[str]:
    parts = [piece.partition("}")[0] for piece in path.split("{")[1:]]
    for chosen in product(*(values[part] for part in parts)):
        address = path
        for part, value in zip(parts, chosen, strict=True):
            address = address.replace(f"{{{part}}}", quote(value, safe=""))
        for query in queries:
            yield address + (f"?{urlencode(query)}" if query else "")


def _asked_for() -> set[str]:
    """The names of all that pages look for in addresses, by their source."""
    folder = Path(hodgerank.server.__file__).parent
    source = "\n".join(file.read_text(encoding="utf-8") for file in folder.rglob("*.py"))
    return set(re.findall(r'query_params(?:\.get\(|\[)"(\w+)"', source))
