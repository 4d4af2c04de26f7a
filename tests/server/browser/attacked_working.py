"""Workers of a campaign in which every field was attacked."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from playwright.sync_api import Page, expect

from hodgerank.campaign.page_settings import PARAMETERS
from server.browser.attacked import Attacked
from server.browser.attacked_forms import send_form
from server.browser.harm import Inspection
from server.browser.working import A_MOMENT, wait_for_pair


def work(one: Attacked, inspection: Inspection, ends: str) -> None:
    """From the link to the last page, which comes after this end; all pages are looked at."""
    context = inspection.context()
    # The way back is to an address of this server, so that nobody else is asked: they stay here.
    context.route("**/healthz?*", lambda route: route.fulfill(status=204))
    page, panel = context.new_page(), one.campaign.settings.panel
    told = {part: one.attack.name(f"panel.{part}") for part in PARAMETERS[panel.kind]}
    keys = PARAMETERS[panel.kind]
    page.goto(f"{one.door}?{urlencode({keys[part]: text for part, text in told.items()})}")
    inspection.look(page)
    send_form(page, {})  # without consent
    inspection.look(page)
    page.locator("[name=consent]").check()
    page.locator("button.begin").click()
    page.wait_for_url("**/questions")
    inspection.look(page)
    with page.expect_navigation():
        _answer_wrongly(page)
    expect(page.locator("[role=alert]")).to_be_visible()
    inspection.look(page)
    if ends == "screened_out":
        _answer_wrongly(page)
    else:
        one.campaign.quiz(told["worker"], True)
        page.goto(f"/w/{quote(one.campaign.id, safe='')}")
        _compare(one, inspection, page)
        if ends == "completed":
            [task, *_] = one.campaign.lease(told["worker"])
            one.campaign.answer(task, 1)
            one.workers.append(told["worker"])
            one.to_show.extend(told.values())
        page.locator("[data-opens=stopping]").click()
        page.locator("#leave").click()
    expect(page.locator("#code")).to_be_visible()
    words = inspection.look(page)
    assert words
    address = page.locator("#back").get_attribute("href") or ""
    assert address.startswith(f"{one.server.url}/healthz?c=")
    assert not set("<>\"'") & set(address.partition("&w=")[0])
    context.close()


def _answer_wrongly(page: Page) -> None:
    for question in page.locator("fieldset").all():
        question.locator("input").last.check()
    page.locator("button.begin").click()


def _compare(one: Attacked, inspection: Inspection, page: Page) -> None:
    """Try all pairs, then skip one by each reason."""
    for _ in one.campaign.settings.joining.practice:
        _skip(inspection, page, 0)
        expect(page.locator("#feedback")).to_be_visible()
        inspection.look(page)
        page.locator("#feedback [data-closes]").click()
    page.locator("[data-opens=help]").click()
    inspection.look(page)
    page.locator("#help [data-closes]").click()
    for number in range(2):
        with page.expect_response("**/skip"):
            _skip(inspection, page, number)


def _skip(inspection: Inspection, page: Page, number: int) -> None:
    wait_for_pair(page)
    page.wait_for_timeout(A_MOMENT)
    inspection.look(page)
    page.locator("[data-opens=reasons]").click()
    page.locator("#reasons [data-reason]").nth(number).click()
