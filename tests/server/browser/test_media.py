"""Pictures, videos and sounds: nothing is answered before both sides can be seen and heard."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from hodgerank.campaign.items import CampaignItem
from server.browser.working import (
    A_MOMENT,
    begin,
    click,
    expect_count,
    expect_done,
    outcomes,
    picture,
    pictures,
    press,
    tones,
    videos,
    wait_for_pair,
    wait_until_sent,
)

PAUSED = "all => all.map((one) => one.paused)"


def test_pictures_are_answered_when_both_are_there(live, page):
    campaign = live.campaign(pictures(live))
    held = []
    page.route("**/media/**", lambda route: held.append(route))
    begin(page, live, campaign)
    expect(page.locator("#said")).to_have_text("Loading …")
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "true")
    press(page, "1")
    click(page, "#left")
    held[0].continue_()
    press(page, "1")
    expect_count(page, "0 of about 6")
    for route in held[1:]:
        route.continue_()
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    expect(page.locator("#said")).to_have_text("")
    page.wait_for_timeout(100)
    press(page, "1")
    expect_count(page, "1 of about 6")
    wait_until_sent(page)
    page.unroute_all(behavior="ignoreErrors")
    [answer] = campaign.answers()
    assert 0.2 < answer["seconds"] < 0.7  # the waiting does not count


def test_the_next_pictures_are_loaded_before_they_are_shown(live, page):
    campaign = live.campaign(pictures(live, 6))
    begin(page, live, campaign)
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    page.wait_for_timeout(200)
    page.context.route("**/media/**", lambda route: None)  # nothing more comes
    press(page, "1")
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    page.context.unroute_all(behavior="ignoreErrors")


def test_a_picture_that_is_broken_can_be_tried_again_or_skipped_but_not_answered(live, watched):
    campaign = live.campaign(pictures(live, 3), skip_reasons=[])
    page = watched.page()
    watched.forgive("404")
    page.route("**/media/**", lambda route: route.fulfill(status=404))
    begin(page, live, campaign)
    expect(page.locator("#said")).to_have_text("This cannot be shown.")
    press(page, "1")
    click(page, "#pass")
    wait_until_sent(page)
    assert outcomes(campaign) == []
    skipped = [event.data["reason"] for event in campaign.events() if event.kind == "skipped"]
    assert skipped == ["cannot be shown"]
    expect(page.locator("#said")).to_have_text("This cannot be shown.")
    page.unroute("**/media/**")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    expect(page.locator("#trouble")).to_be_hidden()
    press(page, "1")
    expect_count(page, "1 of about 3")


def test_media_that_no_browser_can_see_are_skipped_in_words(live, page):
    items = [CampaignItem(f"secret-{k}", media=f"/home/owner/{k}.png") for k in range(2)]
    campaign = live.campaign(items)
    page.goto(live.join_link(campaign))
    page.locator("button.begin").click()
    expect(page.locator("#said")).to_have_text("This cannot be shown.")
    assert "/home" not in page.content()
    click(page, "#pass")
    expect_done(page)


def test_pictures_with_words_have_a_caption(live, page):
    items = [
        CampaignItem(item.id, f"Caption {k}", item.media)
        for k, item in enumerate(pictures(live, 2))
    ]
    begin(page, live, live.campaign(items))
    expect(page.locator("#left .words")).to_contain_text("Caption")
    expect(page.locator("#left img")).to_be_visible()


def test_portrait_and_landscape_pictures_keep_the_cards_as_they_are(live, phone):
    items = [
        CampaignItem(f"{k}", media=item.media)
        for k, item in enumerate(
            pictures(live, 2, (1600, 300)) + pictures(live, 2, (200, 1200)) + pictures(live, 2)
        )
    ]
    begin(phone, live, live.campaign(items))
    places = set()
    for _ in range(4):
        expect(phone.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
        places.add(
            phone.evaluate("""() => JSON.stringify([...document.querySelectorAll(".choice")]
              .map((node) => node.getBoundingClientRect()))""")
        )
        assert phone.locator(".shown img").evaluate_all("""all => all.every((img) => {
          const [a, b] = [img.getBoundingClientRect(), img.parentElement.getBoundingClientRect()];
          return a.height <= b.height + 1 && a.width <= b.width + 1;
        })""")
        phone.wait_for_timeout(A_MOMENT)
        phone.locator("#left").tap()
    assert len(places) == 1


def test_zoom_shows_both_pictures_as_large_as_they_are_and_moves_them_together(live, page):
    begin(page, live, live.campaign(pictures(live, 3, (2000, 1500))))
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    press(page, "z")
    panes = page.locator("#zoom > div")
    expect(panes.first).to_be_visible()
    assert page.locator("#zoom img").first.evaluate("img => img.width") == 2000
    panes.first.evaluate("pane => pane.scrollTo(300, 200)")
    page.wait_for_timeout(100)
    assert panes.nth(1).evaluate("pane => [pane.scrollLeft, pane.scrollTop]") == [300, 200]
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(250, 280, steps=4)
    page.mouse.up()
    assert panes.nth(1).evaluate("pane => pane.scrollLeft") > 320
    page.keyboard.press("Escape")
    expect(panes.first).to_be_hidden()
    press(page, "z")
    press(page, "2")
    expect_count(page, "1 of about 3")
    expect(panes.first).to_be_hidden()


@pytest.mark.slow
def test_sounds_are_heard_one_after_the_other_to_the_end_before_an_answer(live, page):
    campaign = live.campaign(tones(live, 0.4), pages={"hear_both": True}, answers_per_worker=1)
    begin(page, live, campaign)
    expect(page.locator("#said")).to_have_text("Please play both to the end first.")
    press(page, "1")
    click(page, ".choice >> nth=0 >> button.answer")
    expect_count(page, "0 of about 1")
    press(page, "p")
    page.wait_for_timeout(100)
    assert page.locator("audio").evaluate_all(PAUSED) == [False, True]
    expect(page.locator("#said")).to_have_text("")
    press(page, "1")
    expect_done(page)
    assert outcomes(campaign) == [1]


def test_one_sound_stops_the_other(live, page):
    begin(page, live, live.campaign(tones(live, 3)))
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    one, other = page.locator("audio").all()
    one.evaluate("node => node.play()")
    other.evaluate("node => node.play()")
    assert one.evaluate("node => node.paused")


@pytest.mark.slow
@pytest.mark.parametrize("is_together", [True, False])
def test_videos_start_together_if_that_is_set(live, page, is_together):
    items = videos(live, page)
    campaign = live.campaign(items, pages={"start_together": is_together, "hear_both": True})
    begin(page, live, campaign)
    expect(page.locator("#said")).to_have_text("Please play both to the end first.")
    press(page, "p")
    page.wait_for_timeout(100)
    assert page.locator("video").evaluate_all(PAUSED) == [False, not is_together]
    expect(page.locator("#said")).to_have_text("")
    press(page, "2")
    expect_done(page)


def test_a_video_is_not_chosen_by_its_controls(live, page):
    campaign = live.campaign(videos(live, page))
    begin(page, live, campaign)
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    click(page, "#left video")
    page.keyboard.press("ArrowRight")  # moves the video on
    expect_count(page, "0 of about 1")


def test_media_of_other_places_are_allowed_by_name(live, watched):
    items = [CampaignItem(f"{k}", media=f"https://pictures.example/{k}.png") for k in range(3)]
    campaign = live.campaign(items)
    page = watched.page()
    watched.forgive("https://pictures.example/")  # the owner wants these requests
    page.route("https://pictures.example/**", lambda route: route.fulfill(body=picture("x")))
    begin(page, live, campaign)
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    press(page, "1")
    wait_for_pair(page)
    expect_count(page, "1 of about 3")
