"""Workers compare pairs: by keys, by touch, with everything that may be answered."""

from __future__ import annotations

import re

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
    standing,
    wait_for_pair,
    wait_until_sent,
)

FOUR = {f"secret-{k}": f"Sentence {k}" for k in range(4)}


def test_a_whole_campaign_is_answered_by_keys(live, page):
    campaign = live.campaign(FOUR, ties=True, answers_per_worker=5)
    page.goto(live.join_link(campaign))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    wait_for_pair(page)
    for k, key in enumerate(["1", "2", "0", "ArrowLeft", "ArrowRight"]):
        expect_count(page, f"{k} of about 5")
        press(page, key)
    expect_done(page)
    assert outcomes(campaign) == [1, -1, 0, 1, -1]
    expect(page.locator("main")).to_contain_text("You gave 5 answers.")


def test_a_campaign_is_answered_by_touch_on_a_phone(live, phone):
    campaign = live.campaign(FOUR, answers_per_worker=4)
    begin(phone, live, campaign)
    said = []
    for k in range(4):
        expect_count(phone, f"{k} of about 4")
        phone.wait_for_timeout(A_MOMENT)
        said.append(shown(phone)[k % 2])
        phone.locator(["#left", "#right"][k % 2]).tap()
    expect_done(phone)
    chosen = [row["left"] if row["outcome"] > 0 else row["right"] for row in standing(campaign)]
    assert [FOUR[item] for item in chosen] == said


def test_names_of_items_are_not_in_the_page(live, page):
    begin(page, live, live.campaign(FOUR))
    assert "secret" not in page.content()


def test_the_time_of_an_answer_and_whether_the_page_was_in_front_are_kept(live, page):
    campaign = live.campaign(FOUR, attention={"fastest_seconds": 0.3})
    begin(page, live, campaign)
    page.wait_for_timeout(500)
    press(page, "1")
    expect_count(page, "1 of about 6")
    press(page, "1")
    expect_count(page, "2 of about 6")
    wait_until_sent(page)
    first, second = standing(campaign)
    assert 0.5 < first["seconds"] < 3
    assert (first["marks"], second["marks"]) == ("", "too_fast")


def test_the_next_pair_is_there_before_the_server_has_answered(live, page):
    begin(page, live, live.campaign(FOUR))
    held = []
    page.route("**/answer", lambda route: held.append(route))
    before = shown(page)
    press(page, "1")
    assert shown(page) != before
    assert all(shown(page))
    held[0].continue_()
    wait_until_sent(page)


def test_a_double_click_answers_once(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    page.wait_for_timeout(A_MOMENT)
    page.locator("#left").dblclick(delay=40)
    page.wait_for_timeout(A_MOMENT)
    expect_count(page, "1 of about 6")
    press(page, "1")
    page.keyboard.press("1")
    expect_count(page, "2 of about 6")
    wait_until_sent(page)
    assert len(outcomes(campaign)) == 2


def test_a_key_that_is_held_answers_once(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    page.wait_for_timeout(A_MOMENT)
    for _ in range(4):
        page.keyboard.down("1")
        page.wait_for_timeout(A_MOMENT)
    page.keyboard.up("1")
    expect_count(page, "1 of about 6")


def test_the_last_answers_can_be_taken_back(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")
    first = shown(page)
    press(page, "1")
    second = shown(page)
    press(page, "2")
    press(page, "u")
    expect_count(page, "1 of about 6")
    assert shown(page) == second
    click(page, "#undo")
    expect_count(page, "0 of about 6")
    assert shown(page) == first
    press(page, "2")
    assert shown(page) == second
    press(page, "1")
    expect_count(page, "2 of about 6")
    wait_until_sent(page)
    assert outcomes(campaign) == [-1, 1]


def test_one_reason_to_skip_is_one_click(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    before = shown(page)
    press(page, "s")
    wait_until_sent(page)
    assert shown(page) != before
    assert [worker.n_skipped for worker in campaign.workers()] == [1]
    expect(page.locator("#undo")).to_have_attribute("aria-disabled", "true")


def test_of_several_reasons_to_skip_one_is_chosen(live, page):
    campaign = live.campaign(FOUR, skip_reasons=["both are wrong", "I do not know <b>them</b>"])
    begin(page, live, campaign)
    press(page, "s")
    expect(page.locator("#reasons")).to_be_visible()
    press(page, "1")  # belongs to the question why, not to the pair
    page.get_by_role("button", name="I do not know <b>them</b>").click()
    wait_until_sent(page)
    skipped = [event.data["reason"] for event in campaign.events() if event.kind == "skipped"]
    assert skipped == ["I do not know <b>them</b>"]


def test_where_nothing_may_be_skipped_there_is_no_button_for_it(live, page):
    begin(page, live, live.campaign(FOUR, skip_reasons=[]))
    assert page.locator("[data-reason]").count() == 0


@pytest.mark.parametrize(("grades", "keys", "expected"), [
    (2, "1234", [1, 0.5, -0.5, -1]),
    (3, "126", [1, 2 / 3, -1]),
])  # fmt: skip
def test_grades_have_a_button_and_a_key_each(live, page, grades, keys, expected):
    campaign = live.campaign(FOUR, grades=grades, answers_per_worker=len(keys))
    begin(page, live, campaign)
    for k, key in enumerate(keys):
        expect_count(page, f"{k} of about {len(keys)}")
        press(page, key)
    expect_done(page)
    assert outcomes(campaign) == pytest.approx(expected)


def test_fine_grades_are_chosen_on_a_scale_by_keys(live, page):
    campaign = live.campaign(FOUR, grades=5, answers_per_worker=2)
    begin(page, live, campaign)
    press(page, "ArrowRight")  # leads to the scale
    page.keyboard.press("Enter")
    expect(page.locator("#said")).to_have_text("Please move the slider first.")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#scale")).to_have_attribute("aria-valuetext", "First: 2 / 5")
    press(page, "Enter")
    expect_count(page, "1 of about 2")
    page.keyboard.press("End")
    press(page, "Enter")
    expect_done(page)
    assert outcomes(campaign) == [0.4, -1]


def test_any_number_is_an_answer_where_grades_are_zero(live, page):
    campaign = live.campaign(FOUR, grades=0, answers_per_worker=1)
    begin(page, live, campaign)
    page.locator("#scale").fill("37")
    click(page, "#send")
    expect_done(page)
    assert outcomes(campaign) == [-0.37]


def test_keys_can_be_switched_off_for_good(live, page):
    begin(page, live, live.campaign(FOUR))
    page.get_by_label("Keys").uncheck()
    press(page, "1")
    page.reload()
    wait_for_pair(page)
    expect(page.get_by_label("Keys")).not_to_be_checked()
    press(page, "1")
    expect_count(page, "0 of about 6")
    page.get_by_label("Keys").check()
    press(page, "1")
    expect_count(page, "1 of about 6")


def test_the_owner_can_leave_keys_out(live, page):
    begin(page, live, live.campaign(FOUR, pages={"keys": False}))
    press(page, "1")
    expect_count(page, "0 of about 6")
    assert page.locator("kbd").count() == page.locator("#keys").count() == 0


def test_long_texts_scroll_inside_and_are_not_chosen_by_accident(live, page):
    long = {name: f"{name} " + "word " * 2000 for name in "abcd"}
    campaign = live.campaign(long)
    begin(page, live, campaign)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    click(page, "#left")
    expect_count(page, "0 of about 6")
    page.locator("#left").evaluate("node => node.scrollTop = 500")
    click(page, ".choice >> nth=0 >> .answer")
    expect_count(page, "1 of about 6")
    assert page.locator("#left").evaluate("node => node.scrollTop") == 0


@pytest.mark.slow
def test_nothing_moves_from_pair_to_pair(live, page):
    texts = {f"i{k}": "word " * [2, 2000, 40][k % 3] for k in range(6)}
    begin(page, live, live.campaign(texts))
    page.evaluate("""() => {
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shift += entry.value;
      }).observe({ type: "layout-shift", buffered: false });
    }""")
    places = set()
    for k in range(8):
        boxes = page.evaluate("""() => [...document.querySelectorAll(".choice, .controls, footer")]
          .map((node) => JSON.stringify(node.getBoundingClientRect()))""")
        places.add(tuple(boxes))
        press(page, "12"[k % 2])
    assert len(places) == 1
    assert page.evaluate("shift") < 0.01


def test_the_focus_stays_where_it_is(live, page):
    begin(page, live, live.campaign(FOUR))
    button = page.get_by_role("button", name="Second: This one")
    button.focus()
    press(page, "Enter")
    expect_count(page, "1 of about 6")
    expect(button).to_be_focused()


def test_screen_readers_hear_the_pair(live, page):
    begin(page, live, live.campaign(FOUR))
    left, right = shown(page)
    expect(page.locator("#heard")).to_have_text(f"Pair 1. First: {left} Second: {right}")


def test_markdown_is_shown_and_can_do_nothing(live, page):
    hostile = "*fine* <script>alert(1)</script> [link](https://example.org) ![x](https://example.org/x.png)"
    campaign = live.campaign({"a": hostile, "b": "- one\n- two"}, pages={"markdown": True})
    begin(page, live, campaign)
    cards = page.locator("#pair")
    expect(cards.locator("em")).to_have_text("fine")
    expect(cards.locator("li")).to_have_count(2)
    expect(cards).to_contain_text("<script>alert(1)</script>")
    assert cards.locator("a, img, script").count() == 0


def test_texts_are_shown_as_they_are(live, page):
    hostile = "<img src=x onerror=alert(1)>\n  two\tlines & </script><script>alert(1)</script>"
    begin(page, live, live.campaign({"a": hostile, "b": "{{ 7 * 7 }}"}))
    assert sorted(page.locator(".words").evaluate_all("all => all.map(n => n.textContent)")) == [
        hostile,
        "{{ 7 * 7 }}",
    ]


def test_german_is_spoken_where_it_is_set(live, page):
    campaign = live.campaign(
        FOUR, question="Welcher Satz ist besser?", ties=True, pages={"language": "de"}
    )
    begin(page, live, campaign)
    assert page.locator("html").get_attribute("lang") == "de"
    expect_count(page, "0 von etwa 6")
    for words in ("Dieses", "Gleich gut", "Weiß nicht", "Rückgängig", "Aufhören"):
        expect(page.get_by_text(words).first).to_be_visible()
    english = ("Undo", "This one", "Cannot", "Stop", "Keys")
    assert not any(words in page.locator("main").inner_text() for words in english)


def test_instructions_are_at_hand(live, page):
    begin(page, live, live.campaign(FOUR, instructions="First line\n\nSecond line"))
    page.get_by_role("button", name="Instructions").click()
    expect(page.locator("#help")).to_contain_text("Second line")
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_a_change_of_settings_reaches_pages_that_are_open(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    campaign.change(ties=True)
    press(page, "1")
    expect(page.get_by_role("button", name="Equally good")).to_be_visible()
    expect_count(page, "1 of about 6")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_that_is_held_on_a_button_answers_once(live, page, key):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    page.get_by_role("button", name="First: This one").focus()
    page.wait_for_timeout(A_MOMENT)
    for _ in range(4):
        page.keyboard.down(key)
        page.wait_for_timeout(A_MOMENT)
    page.keyboard.up(key)
    expect_count(page, "1 of about 6")
    press(page, key)
    expect_count(page, "2 of about 6")


def test_after_a_skip_the_answer_before_it_can_be_taken_back(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    first = shown(page)
    press(page, "1")
    press(page, "s")
    wait_until_sent(page)
    press(page, "u")
    expect_count(page, "0 of about 6")
    assert shown(page) == first
    assert outcomes(campaign) == []


def test_a_skip_that_is_not_sent_yet_is_not_what_is_taken_back(live, page):
    campaign = live.campaign(FOUR)
    begin(page, live, campaign)
    first = shown(page)
    held = []
    page.route("**/answer", lambda route: held.append(route), times=1)
    press(page, "1")
    press(page, "s")
    press(page, "u")
    held[0].continue_()
    expect(page.locator("#said")).to_have_text("Undone. Please choose again.")
    assert shown(page) == first
    assert [worker.n_skipped for worker in campaign.workers()] == [1]


def test_what_is_cut_off_fades_and_can_be_read_as_a_whole(live, phone):
    long = {name: f"{name} " + "word " * 2000 + "end" for name in "abcd"}
    question = "Which is better? " * 60 + "Finis."
    campaign = live.campaign(long, question=question)
    begin(phone, live, campaign)
    reading = phone.locator("#reading")
    for what in ("question", "left", "right"):
        place = phone.locator(f"#{what}")
        expect(place).to_have_class(re.compile("fades"))
        words = place.text_content()
        phone.locator(f"[data-reads={what}]").tap()
        expect(reading).to_be_visible()
        assert reading.locator("div").first.text_content() == words
        phone.get_by_role("button", name="Close").tap()
    expect_count(phone, "0 of about 6")
    phone.locator("#left").evaluate("node => node.scrollTo(0, node.scrollHeight)")
    expect(phone.locator("[data-reads=left]")).to_be_hidden()
    expect(phone.locator("#left")).not_to_have_class(re.compile("fades"))
    expect(phone.locator("[data-reads=right]")).to_be_visible()


def test_what_is_seen_as_a_whole_has_no_button_to_read_it(live, phone):
    begin(phone, live, live.campaign(FOUR))
    assert phone.locator("[data-reads]:visible, .fades").count() == 0
