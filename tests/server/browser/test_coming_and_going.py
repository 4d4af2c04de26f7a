"""Workers come from a link or a panel, agree, practise, answer questions, and are sent back."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from server.browser.working import (
    A_MOMENT,
    begin,
    click,
    expect_count,
    expect_done,
    outcomes,
    press,
    shown,
    wait_for_pair,
)

FOUR = {f"secret-{k}": f"Sentence {k}" for k in range(4)}
QUESTIONS = [
    {"question": "What do you choose?", "answers": ["The best", "Any"], "right": "The best"},
    {"question": "How fast?", "answers": ["Fast", "As I like"], "right": "As I like"},
]
PRACTICE = [
    {"better": "secret-0", "worse": "secret-1", "because": "Zero is first."},
    {"better": "secret-2", "worse": "secret-3", "because": "Two is even."},
]
PANEL = {
    "kind": "prolific",
    "return_to": "https://panel.example/back?cc={code}&session={session}",
    "completed": "DONE-7",
    "screened_out": "OUT-8",
    "withdrawn": "GONE-9",
}
FROM_PANEL = "PROLIFIC_PID=ann&STUDY_ID=s1&SESSION_ID=x/1"


def test_consent_comes_before_anything_else(live, page):
    campaign = live.campaign(FOUR, joining={"consent": "We keep your answers.\nOnly those."})
    page.goto(live.join_link(campaign))
    page.get_by_role("button", name="Start").click()
    assert "/j/" in page.url
    page.get_by_label("I have read this and I agree.").check()
    page.get_by_role("button", name="Start").click()
    wait_for_pair(page)
    assert [worker.worker[:2] for worker in campaign.workers()] == ["w-"]


def test_practice_explains_and_is_not_counted(live, page):
    campaign = live.campaign(FOUR, joining={"practice": PRACTICE})
    begin(page, live, campaign)
    expect_count(page, "Practice 1 of 2")
    assert shown(page) == ("Sentence 0", "Sentence 1")
    press(page, "1")
    expect(page.locator("#feedback")).to_contain_text("Correct.")
    expect(page.locator("#feedback")).to_contain_text("Zero is first.")
    page.keyboard.press("Enter")
    expect_count(page, "Practice 2 of 2")
    assert shown(page) == ("Sentence 3", "Sentence 2")
    press(page, "1")
    expect(page.locator("#feedback")).to_contain_text("The other one is better.")
    expect(page.locator("#feedback")).to_contain_text(
        "Practice is over. From now on your answers count"
    )
    page.keyboard.press("Enter")
    expect_count(page, "0 of about 6")
    press(page, "1")
    expect_count(page, "1 of about 6")
    page.reload()
    wait_for_pair(page)
    expect_count(page, "1 of about 6")
    assert len(outcomes(campaign)) == 1


def test_who_knows_what_to_do_goes_on(live, watched):
    watched.forgive("422")
    page = watched.page()
    campaign = live.campaign(FOUR, joining={"questions": QUESTIONS}, instructions="Look well.")
    page.goto(live.join_link(campaign))
    page.get_by_role("button", name="Start").click()
    page.goto(f"{live.url}/w/{campaign.id}")  # does not help
    page.wait_for_url("**/questions")
    page.get_by_label("Any").check()
    page.get_by_label("As I like").check()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_role("alert")).to_contain_text("Please read the instructions again")
    page.get_by_label("The best").check()
    page.get_by_label("As I like").check()
    page.get_by_role("button", name="Continue").click()
    wait_for_pair(page)
    press(page, "1")
    expect_count(page, "1 of about 6")


def test_who_does_not_is_screened_out_with_a_code(live, watched):
    watched.forgive("422")
    page = watched.page()
    campaign = live.campaign(
        FOUR,
        joining={"questions": QUESTIONS, "tries": 2},
        panel={"kind": "link", "screened_out": "OUT-8", "completed": "DONE-7"},
    )
    page.goto(live.join_link(campaign, "worker=ann"))
    page.get_by_role("button", name="Start").click()
    for _ in range(2):
        page.get_by_label("Any").check()
        page.get_by_label("Fast").check()
        page.get_by_role("button", name="Continue").click()
    expect_done(page)
    expect(page.locator("#code")).to_have_text("OUT-8")
    assert "DONE-7" not in page.content()
    assert [worker.outcome for worker in campaign.workers()] == ["screened_out"]


@pytest.mark.slow
def test_who_came_from_a_panel_is_sent_back_when_all_is_saved(live, watched):
    campaign = live.campaign(FOUR, answers_per_worker=2, panel=PANEL)
    page = watched.page()
    watched.forgive("https://panel.example/")
    arrived = []

    def arrive(route):
        arrived.append(outcomes(campaign))
        route.fulfill(body="welcome back")

    page.route("https://panel.example/**", arrive)
    begin(page, live, campaign, FROM_PANEL)
    press(page, "1")
    press(page, "2")
    expect_done(page)
    expect(page.locator("#code")).to_have_text("DONE-7")
    expect(page.locator("#going")).to_contain_text("You will be redirected in")
    page.wait_for_url("https://panel.example/back?cc=DONE-7&session=x%2F1")
    assert arrived == [[1, -1]]
    assert [worker.outcome for worker in campaign.workers()] == ["completed"]


def test_nobody_is_sent_back_before_all_is_saved(live, watched):
    campaign = live.campaign(FOUR, answers_per_worker=1, panel=PANEL)
    page = watched.page()
    watched.forgive("net::ERR_INTERNET_DISCONNECTED")
    begin(page, live, campaign, FROM_PANEL)
    page.context.set_offline(True)
    press(page, "1")
    page.wait_for_timeout(300)
    assert page.url.endswith(f"/w/{campaign.id}")
    assert [worker.outcome for worker in campaign.workers()] == [None]


def test_who_stops_early_has_withdrawn(live, page):
    campaign = live.campaign(FOUR, answers_per_worker=5, panel={**PANEL, "return_to": ""})
    begin(page, live, campaign, FROM_PANEL)
    press(page, "1")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#stopping")).to_contain_text("You were asked for 5")
    page.keyboard.press("Escape")
    press(page, "2")
    page.get_by_role("button", name="Stop", exact=True).click()
    click(page, "#leave")
    expect_done(page)
    expect(page.locator("#code")).to_have_text("GONE-9")
    assert outcomes(campaign) == [1, -1]
    page.goto(f"{live.url}/w/{campaign.id}")
    expect_done(page)


def test_who_stops_where_there_is_no_limit_has_completed(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    press(page, "1")
    page.get_by_role("button", name="Stop", exact=True).click()
    click(page, "#leave")
    expect_done(page)
    assert [worker.outcome for worker in campaign.workers()] == ["completed"]


def test_who_is_done_can_go_on_when_there_is_more_to_do(live, page):
    campaign = live.campaign({"a": "Tea", "b": "Milk"})
    begin(page, live, campaign)
    press(page, "1")
    expect_done(page)
    expect(page.locator("main")).to_contain_text("You have seen every pair")
    campaign.add({"c": "Cola"})
    page.reload()
    wait_for_pair(page)
    expect_count(page, "1 of about 3")


def test_a_name_belongs_to_the_browser_that_began(live, watched):
    campaign = live.campaign(FOUR, panel={"kind": "link"})
    watched.forgive("403")
    one, other = watched.page(), watched.page()
    begin(one, live, campaign, "worker=ann")
    other.goto(live.join_link(campaign, "worker=ann"))
    expect(other.locator("main")).to_contain_text("Somebody has already started under this name.")
    one.goto(live.join_link(campaign, "worker=ann"))
    wait_for_pair(one)


def test_the_code_can_be_copied(live, watched):
    campaign = live.campaign(FOUR, answers_per_worker=1, panel={"completed": "C0DE"})
    page = watched.page(permissions=["clipboard-read", "clipboard-write"])
    begin(page, live, campaign)
    page.wait_for_timeout(A_MOMENT)
    page.keyboard.press("1")
    expect_done(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "C0DE"
