"""Script injection tried in every field of every page: nothing runs, and all of it is text."""

from __future__ import annotations

from functools import partial
from itertools import chain, cycle

import httpx
import pytest
from playwright.sync_api import Route

from hodgerank.campaign.page_settings import PARAMETERS
from hodgerank.server.routes import ROUTES
from server.browser.attacked import attacked
from server.browser.attacked_addresses import TURNS, visit_all
from server.browser.attacked_forms import send_everything_wrong, send_refused_settings, send_token
from server.browser.attacked_uploads import send_files
from server.browser.attacked_working import work
from server.browser.harm import Inspection
from server.browser.hostile_texts import VOLLEYS, Attack
from server.browser.owning import enter
from server.live_server import live_server
from server.watched_browser import WatchedBrowser

PANELS = [kind for kind, keys in PARAMETERS.items() if keys]
ENDS = ("withdrawn", "screened_out")
SOME_OF_EACH = tuple(chain(*VOLLEYS.values()))[1::3]
CAMPAIGNS = [pytest.param(SOME_OF_EACH, PANELS[0], ENDS[0], 0, id="some of each")] + [
    pytest.param(payloads, panel, ends, turn, id=name, marks=pytest.mark.slow)
    for turn, ((name, payloads), panel, ends) in enumerate(
        zip(VOLLEYS.items(), cycle(PANELS), cycle(ENDS), strict=False)
    )
]
EVERY_GET = {(route.method, route.path) for route in ROUTES if route.method == "GET"}
UNSAFE = """<!doctype html><title>{0}</title><body><p>{0}</p><p title="{0}"></p><p title='{0}'></p>
<a href="{0}">a</a><textarea>{0}</textarea><!-- {0} --><style>p {{ {0} }}</style>
<script>"{0}"</script>"""


@pytest.fixture(scope="module")
def attacked_server(tmp_path_factory, without_rest):
    """A server of its own: what is in its list of campaigns is not fit for other tests."""
    with live_server(tmp_path_factory.mktemp("attacked"), with_standings=True) as server:
        yield server


@pytest.mark.slow
@pytest.mark.parametrize(("payloads", "panel", "ends", "turn"), CAMPAIGNS)
def test_nothing_that_others_wrote_runs_on_any_page(
    chromium, attacked_server, payloads, panel, ends, turn
):
    attack = Attack(payloads)
    inspection = Inspection(WatchedBrowser(chromium, attacked_server.url), attack)
    one = attacked(attacked_server, attack, panel)
    work(one, inspection, ends)
    one.campaign.change(pages={"markdown": True, "entrance": "in"})
    work(one, inspection, "completed")
    page = enter(inspection.context().new_page(), attacked_server)
    send_refused_settings(one, inspection, page)
    send_everything_wrong(one, inspection, page)
    send_files(one, inspection, page)
    send_token(one, inspection, page)
    visit_all(one, inspection, page, turn)
    assert inspection.close() == []
    assert [text for text in one.to_show if not inspection.shows(text)] == []
    assert EVERY_GET - inspection.visited == set()


def test_every_route_has_its_turn():
    assert len(VOLLEYS) == TURNS


@pytest.mark.parametrize("volley", VOLLEYS)
def test_what_is_for_programs_is_never_taken_for_a_page(attacked_server, volley):
    attack = Attack(tuple(reversed(VOLLEYS[volley])))
    one = attacked(attacked_server, attack, "link")
    token = attacked_server.context.keys.issue("token", "owner", "program")
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/html, text/event-stream"}
    api = f"/api/v1{one.home.replace('/c/', '/campaigns/', 1)}"
    client = httpx.Client(base_url=attacked_server.url, headers=headers, timeout=60, verify=False)
    with client as program:
        for name, (value, words) in one.hostile.refused.items():
            group, _, key = name.rpartition(".")
            changes = {group: {key: value}} if group else {key: value}
            answer = program.patch(f"{api}/settings", json=changes)
            assert _kind(answer) == (422, "application/problem+json"), name
            assert words in answer.json()["detail"] or answer.json()["errors"], name
        with program.stream("GET", f"{api}/events") as answer:
            assert _kind(answer) == (200, "text/event-stream")


def _kind(answer: httpx.Response) -> tuple[int, str]:
    assert answer.headers["x-content-type-options"] == "nosniff"
    return answer.status_code, answer.headers["content-type"].partition(";")[0]


def test_a_page_that_escapes_nothing_is_noticed(chromium, attacked_server):
    browser = WatchedBrowser(chromium, attacked_server.url)
    payloads = [payload for volley in list(VOLLEYS)[:2] for payload in VOLLEYS[volley]]
    inspection = Inspection(browser, Attack(tuple(payloads)))
    page, missed = inspection.context().new_page(), []
    for payload in payloads:
        inspection.harm, browser.offences = [], []
        html = UNSAFE.format(Attack((payload,)).text("all of it"))
        page.route("**/*", partial(_answer, html))
        page.goto("/unsafe")
        inspection.look(page)
        if not inspection.harm and not browser.offences:
            missed.append(payload)
        page.unroute_all(behavior="ignoreErrors")
    browser.close()
    assert missed == []


def _answer(html: str, route: Route) -> None:
    headers = {"x-content-type-options": "nosniff"}
    route.fulfill(body=html, content_type="text/html", headers=headers)
