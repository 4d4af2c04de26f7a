"""Pages of workers: light enough, readable for all, in every state and width."""

from __future__ import annotations

import pytest
from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from server.browser.working import begin, click, pictures, press, tones, wait_for_pair

FOUR = {f"secret-{k}": f"Sentence {k}" for k in range(4)}
LONG = {f"secret-{k}": f"{k} " + "many words " * 1000 for k in range(4)}
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
QUESTION = {"question": "What do you choose?", "answers": ["One", "Two"], "right": "One"}
FULL = {
    "title": "Sentences",
    "instructions": "Read both.\n\nThen choose.",
    "ties": True,
    "skip_reasons": ["cannot decide", "both are wrong"],
    "answers_per_worker": 3,
}
COMPLAIN = """async (levels) => {
  const options = { runOnly: { type: "tag", values: levels }, resultTypes: ["violations"] };
  return { violations: (await axe.run(options)).violations };
}"""
SCREENS = [(360, 740, "light"), (768, 1024, "dark"), (1440, 900, "dark")]


def expect_readable(page: Page, screens: list[tuple[int, int, str]] = SCREENS) -> None:
    """Nothing to scroll sideways, and no complaint of axe, on any screen by day or by night."""
    page.evaluate(Axe().axe_script)
    for width, height, scheme in screens:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found = AxeResults(page.evaluate(COMPLAIN, LEVELS))
        assert found.violations_count == 0, found.generate_report()


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_worker_page_has_less_than_30_kb_without_media(live, page, language):
    begin(page, live, live.campaign(pictures(live), ties=True, pages={"language": language}))
    loaded = page.evaluate("performance.getEntriesByType('resource').map((one) => one.name)")
    parts = [url for url in loaded if "/static/" in url]
    assert {url.split("?")[0].rpartition(".")[2] for url in parts} >= {"css", "js"}
    sizes = {url: len(page.request.get(url).body()) for url in [page.url, *parts]}
    assert sum(sizes.values()) < 30_000, sizes


def test_the_way_in_is_readable_for_all(live, page):
    joining = {"consent": "We keep your answers.", "questions": [QUESTION]}
    page.goto(live.join_link(live.campaign(FOUR, **FULL, joining=joining)))
    expect_readable(page)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/questions")
    expect_readable(page)


def test_pairs_of_texts_are_readable_for_all(live, page):
    begin(page, live, live.campaign(FOUR, **FULL))
    expect_readable(page)
    press(page, "1")
    press(page, "s")
    expect(page.locator("#reasons")).to_be_visible()
    expect_readable(page, SCREENS[1:2])
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect_readable(page, SCREENS[:1])


@pytest.mark.slow
def test_long_texts_and_grades_are_readable_for_all(live, page):
    begin(page, live, live.campaign(LONG, grades=3))
    expect_readable(page)
    page.locator("[data-reads=left]").click()
    expect_readable(page, SCREENS[:1])


def test_a_scale_is_readable_for_all(live, page):
    begin(page, live, live.campaign(FOUR, grades=9, ties=True, pages={"language": "de"}))
    expect_readable(page)


def test_pictures_and_their_zoom_are_readable_for_all(live, page):
    begin(page, live, live.campaign(pictures(live)))
    expect(page.locator("[data-outcome]").first).to_have_attribute("aria-disabled", "false")
    expect_readable(page)
    click(page, "#zoom-in")
    expect_readable(page)


def test_sounds_are_readable_for_all(live, page):
    begin(page, live, live.campaign(tones(live, 0.2), pages={"hear_both": True}))
    expect_readable(page, SCREENS[:1])


def test_trouble_is_readable_for_all(live, watched):
    watched.forgive("404")
    page = watched.page()
    page.route("**/media/**", lambda route: route.fulfill(status=404))
    begin(page, live, live.campaign(pictures(live)))
    expect(page.locator("#trouble")).to_be_visible()
    expect_readable(page)


def test_practice_is_readable_for_all(live, page):
    practice = [{"better": "secret-0", "worse": "secret-1", "because": "It is."}]
    begin(page, live, live.campaign(FOUR, joining={"practice": practice}))
    press(page, "1")
    expect(page.locator("#feedback")).to_be_visible()
    expect_readable(page, SCREENS[:1])


def test_the_end_is_readable_for_all(live, page):
    campaign = live.campaign(FOUR, answers_per_worker=1, panel={"completed": "C0DE"})
    begin(page, live, campaign)
    press(page, "1")
    page.wait_for_url("**/done")
    expect_readable(page)


def test_words_alone_are_readable_for_all(live, watched):
    watched.forgive("403", "404")
    page = watched.page()
    page.goto(live.join_link(live.campaign(FOUR, panel={"kind": "prolific"})))
    expect_readable(page, SCREENS[:2])
    page.goto(f"{live.url}/j/nothing")
    expect(page.locator("main")).to_contain_text("Please open the complete link")


def test_who_wants_no_motion_gets_none(live, watched):
    page = watched.page(reduced_motion="reduce")
    begin(page, live, live.campaign(FOUR))
    assert page.evaluate("document.getAnimations().length") == 0
    press(page, "1")
    wait_for_pair(page)
    assert page.evaluate("document.getAnimations().length") == 0


def test_everything_to_press_is_large_enough_for_a_thumb(live, phone):
    begin(phone, live, live.campaign(FOUR, **{**FULL, "grades": 3}))
    small = phone.locator("button:visible, input:visible").evaluate_all(
        "all => all.map((node) => node.getBoundingClientRect())"
        ".filter((box) => box.height < 24 || box.width < 24)"
    )
    assert small == []
    answers = phone.locator(".answer").evaluate_all(
        "all => all.map((node) => node.getBoundingClientRect().height)"
    )
    assert min(answers) >= 40


CODE = "Some words.\n\n```\n" + "a_long_line_of_code = " * 20 + "\n```\n\nMore words. " * 9
WIDE = "|" + "a rather wide column |" * 9 + "\n|" + "---|" * 9 + "\n|" + "words in a cell |" * 9


@pytest.mark.slow
@pytest.mark.parametrize("text", [CODE, WIDE])
def test_code_and_tables_stay_within_their_cards(live, page, text):
    items = {f"secret-{k}": f"{text}\n\nItem {k}\n\n" + "words " * 400 for k in range(3)}
    begin(page, live, live.campaign(items, pages={"markdown": True}))
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 740})
        expect_nothing_cut(page, "#left")
        page.locator("[data-reads=left]").click()
        expect_nothing_cut(page, "#reading > div")
        expect_readable(page, [(width, 740, "light")])
        page.locator("#reading .button").click()


def expect_nothing_cut(page: Page, place: str) -> None:
    """Lines of code are broken, and a table that is too wide scrolls by itself."""
    assert page.locator(place).evaluate("node => node.scrollWidth <= node.clientWidth")
    for code in page.locator(f"{place} pre").all():
        assert code.evaluate("node => node.scrollWidth <= node.clientWidth")
    for table in page.locator(f"{place} table").all():
        assert table.evaluate("node => getComputedStyle(node).overflowX === 'auto'")
        assert table.evaluate("node => node.tabIndex === 0")


def test_the_button_that_closes_a_long_text_stands_below_it(live, phone):
    begin(phone, live, live.campaign(LONG))
    phone.locator("[data-reads=left]").click()
    text, button = phone.locator("#reading > div"), phone.locator("#reading .button")
    below = text.bounding_box()
    assert button.bounding_box()["y"] >= below["y"] + below["height"]
    assert text.evaluate("node => node.scrollHeight > node.clientHeight")
    phone.keyboard.press("PageDown")
    phone.wait_for_timeout(300)
    assert text.evaluate("node => node.scrollTop") > 0
    button.click()
    expect(phone.locator("#reading")).to_be_hidden()
