"""Whatever happens to the connection, the page or the tab: no answer is lost, none is doubled."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from server.browser.working import (
    begin,
    begin_at_the_door,
    expect_count,
    expect_done,
    outcomes,
    press,
    shown,
    wait_for_pair,
    wait_until_sent,
)

FOUR = {f"secret-{k}": f"Sentence {k}" for k in range(4)}
OFFLINE = "net::ERR_INTERNET_DISCONNECTED"
KEPT = "Answers kept here and sent later"


def test_answers_given_offline_are_sent_when_the_connection_is_back(live, watched):
    campaign = live.campaign(FOUR, answers_per_worker=4)
    page = watched.page()
    watched.forgive(OFFLINE)
    begin(page, live, campaign)
    press(page, "1")
    wait_until_sent(page)
    page.context.set_offline(True)
    press(page, "2")
    press(page, "1")
    expect(page.locator("#said")).to_have_text(f"Offline. {KEPT}: 2")
    expect_count(page, "3 of about 4")
    assert outcomes(campaign) == [1]
    page.context.set_offline(False)
    wait_for_pair(page)
    press(page, "2")
    expect_done(page)
    assert outcomes(campaign) == [1, -1, 1, -1]


def test_an_answer_can_be_taken_back_offline(live, watched):
    campaign = live.campaign(FOUR, answers_per_worker=2)
    page = watched.page()
    watched.forgive(OFFLINE)
    begin(page, live, campaign)
    page.context.set_offline(True)
    press(page, "1")
    first = shown(page)
    press(page, "1")
    expect(page.locator("#said")).to_have_text(f"Offline. {KEPT}: 2")
    press(page, "u")
    assert shown(page) == first
    press(page, "2")
    page.context.set_offline(False)
    expect_done(page)
    assert outcomes(campaign) == [1, -1]


def test_answers_that_were_not_sent_survive_a_reload(live, watched):
    campaign = live.campaign(FOUR, answers_per_worker=3)
    page = watched.page()
    watched.forgive("net::ERR_FAILED")
    begin(page, live, campaign)
    page.route("**/answer", lambda route: route.abort())
    press(page, "1")
    press(page, "2")
    expect(page.locator("#said")).to_have_text(f"Offline. {KEPT}: 2")
    page.unroute("**/answer")
    page.once("dialog", lambda dialog: dialog.accept())  # it warns who goes away
    page.reload()
    expect_count(page, "2 of about 3")
    wait_until_sent(page)
    assert outcomes(campaign) == [1, -1]
    wait_for_pair(page)
    press(page, "1")
    expect_done(page)
    assert outcomes(campaign) == [1, -1, 1]


def test_an_answer_whose_reply_was_lost_is_sent_again_and_counts_once(live, watched):
    campaign = live.campaign(FOUR)
    page = watched.page()
    watched.forgive("net::ERR_FAILED")
    begin(page, live, campaign)

    def lose_reply(route):
        route.fetch()
        route.abort()

    page.route("**/answer", lose_reply, times=1)
    press(page, "1")
    wait_until_sent(page)
    expect_count(page, "1 of about 6")
    assert outcomes(campaign) == [1]


def test_an_answer_is_taken_back_even_while_it_is_on_its_way(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    held = []
    page.route("**/answer", lambda route: held.append(route), times=1)
    first = shown(page)
    press(page, "1")
    press(page, "u")
    expect(page.locator("#said")).to_have_text("One moment …")
    press(page, "2")  # does not count: it is not clear for which pair
    page.route("**/undo", lambda route: held.append(route), times=1)
    held[0].continue_()
    wait_until_sent(page)
    press(page, "2")
    held[1].continue_()
    expect(page.locator("#said")).to_have_text("Undone. Please choose again.")
    assert shown(page) == first
    press(page, "2")
    expect_count(page, "1 of about 6")
    wait_until_sent(page)
    assert outcomes(campaign) == [-1]


def test_an_answer_is_sent_after_what_is_being_said(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    held = []
    page.route("**/tasks", lambda route: held.append(route), times=1)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    press(page, "1")
    held[0].continue_()
    wait_until_sent(page)
    assert outcomes(campaign) == [1]


def test_a_server_that_is_busy_is_asked_again(live, watched):
    campaign = live.campaign(FOUR)
    page = watched.page()
    watched.forgive("503", "429")
    begin(page, live, campaign)
    page.route("**/answer", lambda route: route.fulfill(status=503, json={}), times=1)
    press(page, "2")
    wait_until_sent(page)
    assert outcomes(campaign) == [-1]


def test_a_reload_shows_the_same_pair(live, page):
    begin(page, live, live.campaign(FOUR))
    press(page, "1")
    wait_until_sent(page)
    before = shown(page)
    page.reload()
    wait_for_pair(page)
    assert shown(page) == before
    expect_count(page, "1 of about 6")


def test_going_back_and_forth_leads_to_the_same_pair(live, page):
    campaign = live.campaign(FOUR)
    begin_at_the_door(page, live, campaign)
    press(page, "1")
    wait_until_sent(page)
    before = shown(page)
    page.go_back()
    wait_for_pair(page)
    assert page.url.endswith(f"/w/{campaign.id}")
    assert shown(page) == before
    press(page, "1")
    expect_count(page, "2 of about 6")


def test_going_back_from_the_end_leads_to_the_end(live, page):
    campaign = live.campaign(FOUR, answers_per_worker=1)
    begin_at_the_door(page, live, campaign)
    press(page, "1")
    expect_done(page)
    page.go_back()
    expect_done(page)
    assert outcomes(campaign) == [1]


def test_a_second_tab_has_the_same_pairs_and_follows(live, watched):
    campaign = live.campaign(FOUR)
    context = watched.context()
    one, other = context.new_page(), context.new_page()
    begin(one, live, campaign)
    other.goto(live.join_link(campaign))
    wait_for_pair(other)
    assert shown(one) == shown(other)
    press(one, "1")
    expect_count(one, "1 of about 6")
    expect_count(other, "1 of about 6")
    assert shown(one) == shown(other)
    press(other, "2")
    expect_count(one, "2 of about 6")
    assert outcomes(campaign) == [1, -1]


def test_an_answer_that_another_tab_gave_differently_is_refused_in_words(live, watched):
    campaign = live.campaign(FOUR)
    watched.forgive("409")
    page = watched.page()
    begin(page, live, campaign)
    worker = campaign.workers()[0].worker
    campaign.answer(campaign.lease(worker)[0], -1)
    press(page, "1")
    expect(page.locator("#said")).to_contain_text("Answers not accepted: 1.")
    expect_count(page, "1 of about 6")
    press(page, "1")
    expect_count(page, "2 of about 6")
    wait_until_sent(page)
    assert outcomes(campaign) == [-1, 1]


def test_a_pause_is_waited_for(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    campaign.pause()
    press(page, "1")
    press(page, "1")
    expect(page.locator("#said")).to_have_text("Paused. It continues by itself.")
    expect(page.locator("#heard")).to_have_text("")  # no pair is there
    campaign.resume()
    page.evaluate("dispatchEvent(new Event('online'))")  # instead of some seconds
    wait_for_pair(page)
    press(page, "1")
    expect_count(page, "3 of about 6")


def test_a_campaign_that_is_closed_meanwhile_ends_in_words(live, watched):
    campaign = live.campaign(FOUR)
    watched.forgive("409")
    page = watched.page()
    begin(page, live, campaign)
    campaign.close()
    press(page, "1")
    page.wait_for_url(re.compile(r"/done\?refused=1$"))
    expect(page.locator("main")).to_contain_text(
        "One answer arrived after the end and does not count"
    )


def test_who_is_not_signed_in_any_more_is_told_and_keeps_the_answer(live, watched):
    campaign = live.campaign(FOUR, panel={"kind": "link"})
    watched.forgive("401")
    page = watched.page()
    begin(page, live, campaign, "worker=ann")
    live.context.keys.revoke(campaign=campaign.id, holder="ann")
    press(page, "1")
    expect(page.locator("#said")).to_contain_text("This browser is no longer signed in")
    assert outcomes(campaign) == []
    begin(page, live, campaign, "worker=ann")
    wait_until_sent(page)
    assert outcomes(campaign) == [1]


def test_an_old_page_keeps_its_answer_when_somebody_else_has_joined_in_the_browser(live, watched):
    campaign = live.campaign(FOUR, panel={"kind": "link"})
    watched.forgive("401")
    context = watched.context()
    ann, bob = context.new_page(), context.new_page()
    begin(ann, live, campaign, "worker=ann")
    begin(bob, live, campaign, "worker=bob")
    press(ann, "1")
    expect(ann.locator("#said")).to_contain_text("This browser is no longer signed in")
    assert outcomes(campaign) == []
    assert ann.evaluate("localStorage.length") == 1


def test_new_votes_after_a_reset_are_those_of_the_new_round(live, watched):
    campaign = live.campaign(FOUR)
    watched.forgive("409")
    page = watched.page()
    begin(page, live, campaign)
    press(page, "1")
    wait_until_sent(page)
    campaign.reset()
    press(page, "1")
    expect(page.locator("#said")).to_contain_text("The organiser has restarted the campaign")
    expect(page.locator("#said")).to_contain_text("Answers that arrived too late: 1")
    expect_count(page, "0 of about 6")
    press(page, "1")
    expect_count(page, "1 of about 6")


def test_answers_that_come_after_the_close_are_not_said_to_be_saved(live, watched):
    campaign = live.campaign(FOUR)
    watched.forgive(OFFLINE, "409")
    page = watched.page()
    begin(page, live, campaign)
    press(page, "1")
    wait_until_sent(page)
    page.context.set_offline(True)
    press(page, "1")
    press(page, "1")
    expect(page.locator("#said")).to_have_text(f"Offline. {KEPT}: 2")
    campaign.close()
    page.context.set_offline(False)
    page.wait_for_url(re.compile(r"/done\?refused=2$"))
    main = page.locator("main")
    expect(main).to_contain_text("2 answers arrived after the end and do not count.")
    expect(main).to_contain_text("One of your answers is saved.")
    assert outcomes(campaign) == [1]


def test_a_panel_is_told_of_the_end_and_the_worker_of_what_came_too_late(live, watched):
    campaign = live.campaign(FOUR, panel={"kind": "link", "completed": "DONE-7"})
    watched.forgive("409")
    page = watched.page()
    begin(page, live, campaign, "worker=ann")
    press(page, "1")
    wait_until_sent(page)
    campaign.close()
    press(page, "1")
    page.wait_for_url(re.compile(r"/done\?refused=1$"))
    expect(page.locator("main")).to_contain_text(
        "One answer arrived after the end and does not count"
    )
    expect(page.locator("main")).not_to_contain_text("All your answers are saved")
    expect(page.locator("#code")).to_have_text("DONE-7")


@pytest.mark.parametrize("wish", ["undo", "stop"])
def test_what_cannot_be_done_offline_is_said_and_can_be_done_later(live, watched, wish):
    campaign = live.campaign(FOUR)
    watched.forgive(OFFLINE)
    page = watched.page()
    begin(page, live, campaign)
    press(page, "1")
    wait_until_sent(page)

    def want():
        if wish == "undo":
            press(page, "u")
        else:
            page.get_by_role("button", name="Stop", exact=True).click()
            page.locator("#leave").click()

    page.context.set_offline(True)
    want()
    said = page.locator("#said")
    expect(said).to_have_text("You are offline. Please try again when you are connected.")
    page.context.set_offline(False)
    expect(said).to_have_text("All answers are saved.")
    assert outcomes(campaign) == [1]
    want()
    if wish == "undo":
        expect_count(page, "0 of about 6")
    else:
        expect_done(page)


def test_the_connection_is_back_even_if_there_is_nothing_to_send(live, watched):
    watched.forgive(OFFLINE)
    page = watched.page()
    begin(page, live, live.campaign(FOUR))
    page.context.set_offline(True)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#said")).to_have_text(f"Offline. {KEPT}: 0")
    page.context.set_offline(False)
    expect(page.locator("#said")).to_have_text("All answers are saved.")


def test_a_ban_that_takes_the_session_away_is_said_and_not_undone_by_the_link(live, watched):
    campaign = live.campaign(FOUR, pages={"entrance": "secret-7"})
    watched.forgive("401", "403")
    page = watched.page()
    begin(page, live, campaign)
    name = campaign.workers()[0].worker
    campaign.ban(name, "careless")
    press(page, "1")
    page.wait_for_url(f"**/j/{campaign.id}")
    words = page.locator("main")
    expect(words).to_contain_text("The organiser has ended your participation.")
    assert "careless" not in page.content()
    assert page.evaluate("localStorage.length") == 0
    for place in (live.join_link(campaign), f"{live.url}/w/{campaign.id}"):
        page.goto(place)
        expect(words).to_contain_text("The organiser has ended your participation.")
    assert len(campaign.workers()) == 1
