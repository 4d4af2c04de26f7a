"""The owner's pages in a browser: they move by themselves, and nothing runs that should not."""

from __future__ import annotations

from io import BytesIO
from itertools import product
from zipfile import ZipFile

import pytest
from PIL import Image
from playwright.sync_api import Dialog, expect

from hodgerank.campaign.items import CampaignItem
from server.browser.owning import PATIENCE, enter, wait_for_parts
from server.browser.test_appearance import expect_readable

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>مرحبا" + "x" * 200
SCREENS = [(360, 740, "light"), (1440, 900, "dark")]
PAGES = ("", "/workers", "/workers/one?name=ann", "/items", "/items/0", "/settings", "/export")


def say(campaign, n, best=None):
    """Answers of two workers who agree on which item is best, and on the order of the others."""
    order = sorted((item.id for item in campaign.items), key=lambda id: (id != best, str(id)))
    for k in range(n):
        [task] = campaign.lease(("ann", "bob", "eve")[k % 3])
        is_left = order.index(task.left) < order.index(task.right)
        campaign.answer(task, 1 if is_left else -1, seconds=2.0)


@pytest.fixture(scope="module")
def answered(ranked):
    """A campaign with some answers, for tests that only look at it."""
    campaign = ranked.campaign(stop="tau >= 0.9", budget=40)
    say(campaign, 12)
    return campaign


def first_row(page):
    return page.locator("tr[data-key]").first


def test_the_link_of_the_owner_signs_in_once(watched_owner, ranked):
    watched_owner.forgive("403")
    link, first, second = ranked.owner_link(), watched_owner.page(), watched_owner.page()
    first.goto(link)
    expect(first.get_by_role("heading", name="Campaigns")).to_be_visible()
    second.goto(link)
    expect(second.get_by_text("This link has been used")).to_be_visible()


def test_the_live_page_moves_by_itself(owner, ranked):
    campaign = ranked.campaign({"a": "", "b": "", "c": "", "d": ""}, budget=50)
    owner.goto(f"/c/{campaign.id}")
    expect(owner.get_by_text("No votes yet")).to_be_visible()
    say(campaign, 6, best="d")
    expect(owner.locator("[data-live=answers]")).to_have_text("6")
    expect(owner.locator("#invite")).to_have_count(0)
    expect(first_row(owner)).to_contain_text("d", timeout=PATIENCE)
    expect(owner.locator("#sentence")).to_contain_text("In progress: 6 votes of at most 50")
    expect(owner.locator("[data-live=here]")).to_contain_text("eve")
    for name in ("ann", "bob", "eve"):
        campaign.ban(name)
    for task in [task for name in ("x", "y") for task in campaign.lease(name, 6)]:
        campaign.answer(task, -1 if task.left == "d" else 1)  # who comes now finds d the worst
    expect(owner.locator("[data-live=answers]")).to_have_text("12")
    expect(owner.locator("tr[data-key]").last).to_contain_text("d", timeout=PATIENCE)


def test_what_another_does_shows_at_once(owner, ranked):
    campaign = ranked.campaign()
    owner.goto(f"/c/{campaign.id}")
    campaign.pause()
    expect(owner.locator(".bar .pill")).to_have_text("paused")
    with owner.expect_navigation(url="**done=resume"):
        owner.get_by_role("button", name="Resume").click()
    expect(owner.locator(".bar .pill")).to_have_text("open")
    assert campaign.counts.status == "open"


def test_files_that_were_chosen_before_the_script_had_loaded_are_sent(owner, tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("id,text\n1,red\n2,green\n3,blue\n")
    held = []
    owner.route("**/choosing.js*", lambda route: held.append(route))
    owner.get_by_role("link", name="New campaign").click()
    owner.locator("input[name=files]").set_input_files(path)
    held.pop().continue_()
    expect(owner.get_by_text("3 items.")).to_be_visible()


def test_a_campaign_is_made_of_pictures_that_were_looked_at_before(owner, ranked, tmp_path):
    path = tmp_path / "pictures.zip"
    with ZipFile(path, "w") as packed:
        for k, colour in enumerate(("red", "green", "blue")):
            content = BytesIO()
            Image.new("RGB", (60, 40), colour).save(content, "PNG")
            packed.writestr(f"p{k}.png", content.getvalue())
        packed.writestr("items.csv", "id,file,scene\np0,p0.png,x\np1,p1.png,x\np2,p2.png,x\n")
    owner.get_by_role("link", name="New campaign").click()
    owner.locator("input[name=files]").set_input_files(path)
    expect(owner.get_by_text("3 items.")).to_be_visible()
    for picture in owner.locator(".sample img").all():
        expect(picture).to_have_js_property("naturalWidth", 60)
    owner.get_by_text("Choose the columns yourself").click()
    owner.get_by_label("track").fill("scene")
    owner.get_by_label("track").press("Tab")
    expect(owner.get_by_text("In 1 track.")).to_be_visible()
    owner.get_by_label("Title").fill("Colours & <b>shapes</b>")
    owner.get_by_label("Target").fill("soon")
    expect(owner.locator("[data-rule-words]")).to_contain_text("is not a stopping rule")
    owner.get_by_label("Target").fill("top 1 >= 0.9")
    expect(owner.locator("[data-rule-words]")).to_have_text("top 1 certain to 90%")
    owner.get_by_role("button", name="Create campaign").click()
    expect(owner.get_by_text("Campaign created.")).to_be_visible()
    assert owner.url.endswith("/c/colours-b-shapes-b?done=created")
    link = owner.get_by_label("Link for people who compare").input_value()
    assert link.startswith(f"{ranked.url}/j/colours-b-shapes-b/")
    owner.goto(link)
    expect(owner.get_by_role("button", name="Start")).to_be_visible()


def test_a_list_is_written_and_becomes_a_campaign(owner):
    owner.goto("/new")
    owner.get_by_label("Paste a list").check()
    owner.get_by_label("One item per line").fill("tea\nmilk\n")
    expect(owner.get_by_text("2 items.")).to_be_visible()
    owner.get_by_role("textbox", name="Question").fill("Which do you drink?")
    owner.get_by_role("button", name="Create campaign").click()
    expect(owner).to_have_url("/c/which-do-you-drink?done=created")


def test_tables_are_sorted_and_searched_by_keys(owner, answered):
    owner.goto(f"/c/{answered.id}/workers")
    wait_for_parts(owner)
    names = owner.locator("tbody th")
    owner.get_by_role("button", name="Worker", exact=True).press("Enter")
    assert names.all_inner_texts() == ["ann", "bob", "eve"]
    owner.get_by_role("button", name="Worker", exact=True).press("Enter")
    assert names.all_inner_texts() == ["eve", "bob", "ann"]
    owner.get_by_role("searchbox").fill("bo")
    expect(owner.get_by_role("link", name="eve")).to_be_hidden()
    expect(owner.get_by_role("link", name="bob")).to_be_visible()


def test_a_ban_asks_first_and_is_undone(owner, ranked):
    campaign = ranked.campaign()
    say(campaign, 6)
    owner.goto(f"/c/{campaign.id}/workers")
    wait_for_parts(owner)
    owner.get_by_label("Select ann").check()
    expect(owner.get_by_text("1 selected")).to_be_visible()
    owner.get_by_text("Ban selected ...").click()
    owner.get_by_label("Reason, for your notes").fill("tosses coins")
    owner.get_by_role("button", name="Ban", exact=True).click()
    expect(owner.get_by_text("their answers no longer count")).to_be_visible()
    assert campaign.workers()[0].ban_reason == "tosses coins"
    wait_for_parts(owner)
    owner.get_by_role("link", name="ann").click()
    owner.get_by_role("button", name="Restore").click()
    expect(owner.get_by_text("their answers count again")).to_be_visible()
    assert campaign.counts.n_banned == 0


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES)
def test_pages_are_readable_for_all(owner, answered, path):
    owner.goto(f"/c/{answered.id}{path}")
    wait_for_parts(owner)
    for fold in owner.locator("details:not(.ask)").all():
        fold.evaluate("fold => fold.open = true")
    expect_readable(owner, SCREENS)


def test_signing_out_all_others_asks_first(owner, ranked):
    keys = ranked.context.keys
    keys.issue("session", "owner", "owner", seconds=3600)
    owner.goto("/")
    place = owner.get_by_role("region", name="Signed in")
    expect(place.get_by_role("rowheader").first).to_have_text("this one")
    expect(place.get_by_role("rowheader").nth(1)).to_have_text("another")
    place.get_by_text("Sign out all other browsers ...").click()
    expect(
        place.get_by_text("Sign out all other browsers? Unused sign-in links stop working")
    ).to_be_visible()
    owner.keyboard.press("Escape")
    assert len(keys.owner_sessions()) > 1
    place.get_by_text("Sign out all other browsers ...").click()
    place.get_by_role("button", name="Sign out all other browsers", exact=True).click()
    expect(
        owner.get_by_text(
            "All other browsers were signed out, and unused sign-in links no longer work"
        )
    ).to_be_visible()
    expect(place.get_by_role("rowheader")).to_have_text(["this one"])
    assert len(keys.owner_sessions()) == 1


@pytest.mark.parametrize("path", ["/", "/new"])
def test_the_list_and_the_form_are_readable_for_all(owner, ranked, path):
    ranked.owner_link()
    owner.goto(path)
    wait_for_parts(owner)
    for fold in owner.locator("details").all():
        fold.evaluate("fold => fold.open = true")
    expect_readable(owner, SCREENS)


@pytest.mark.slow
def test_the_report_is_readable_for_all(owner, answered):
    owner.goto(f"/c/{answered.id}/report")
    expect_readable(owner, SCREENS)


def test_names_that_would_run_do_not(watched_owner, ranked):
    owner = enter(watched_owner.context().new_page(), ranked)
    items = [CampaignItem(f"{HOSTILE}{k}", text=HOSTILE, track=HOSTILE) for k in range(3)]
    campaign = ranked.campaign(items, title=HOSTILE, instructions=HOSTILE, skip_reasons=[HOSTILE])
    for k, name in enumerate((HOSTILE, "ann", f"b{HOSTILE}")):
        [task] = campaign.lease(name)
        campaign.answer(task, (-1) ** k)
    dialogs: list[Dialog] = []
    owner.on("dialog", lambda dialog: dialogs.append(dialog))
    for path in PAGES:
        owner.goto(f"/c/{campaign.id}{path}")
        wait_for_parts(owner)
    owner.goto("/")
    wait_for_parts(owner)
    assert dialogs == []


@pytest.mark.slow
def test_whatever_asks_is_wholly_on_the_screen(owner, ranked, answered):
    ranked.context.keys.issue("token", "reader", "a program", campaign=answered.id)
    ranked.context.keys.issue("session", "owner", "owner", seconds=3600)
    n_asked = 0
    for path in ("", "/settings", "/workers", "/items", None):
        owner.goto("/" if path is None else f"/c/{answered.id}{path}")
        wait_for_parts(owner)
        for asks, width in product(owner.locator("details.ask").all(), (360, 768)):
            owner.set_viewport_size({"width": width, "height": 740})
            asks.locator("summary").click()
            box = asks.locator(".popover").bounding_box()
            assert box["x"] >= 0, (path, width)
            assert box["x"] + box["width"] <= width, (path, width)
            assert owner.evaluate("document.documentElement.scrollWidth <= innerWidth")
            owner.keyboard.press("Escape")
            n_asked += 1
    assert n_asked >= 16


def test_a_phone_shows_how_sure_a_place_is(owner, answered):
    owner.set_viewport_size({"width": 360, "height": 740})
    owner.goto(f"/c/{answered.id}")
    wait_for_parts(owner)
    row = first_row(owner)
    for part in (".interval", "td.more >> nth=0", "td.more >> nth=1"):
        row.locator(part).scroll_into_view_if_needed()
        expect(row.locator(part)).to_be_in_viewport(ratio=0.95)  # positions are rounded
        assert owner.evaluate("scrollX") == 0
    label = "node => getComputedStyle(node, '::before').content"
    assert "Could be" in row.locator("td.more").first.evaluate(label)
    sizes = owner.locator(".side figure text:visible").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert min(sizes) >= 8


@pytest.mark.slow
def test_of_a_thousand_items_a_hundred_are_shown_until_one_asks(owner, ranked):
    campaign = ranked.campaign([f"item {k}" for k in range(300)])
    owner.goto(f"/c/{campaign.id}/items")
    wait_for_parts(owner)
    rows = owner.locator("tbody tr:visible")
    expect(rows).to_have_count(100)
    owner.get_by_role("searchbox").fill("item 29")
    expect(rows).to_have_count(11)
    owner.get_by_role("searchbox").fill("")
    expect(rows).to_have_count(100)
    owner.get_by_role("button", name="Item", exact=True).click()
    owner.get_by_role("button", name="Item", exact=True).click()
    expect(rows.first).to_contain_text("item 299")
    expect(rows).to_have_count(100)
    owner.get_by_role("button", name="Show all 300").click()
    expect(rows).to_have_count(300)


def test_links_can_be_copied_from_the_list_at_every_width(owner, ranked):
    ranked.campaign(title="A campaign with a rather long title " * 2)
    owner.goto("/")
    wait_for_parts(owner)
    for width in (360, 768, 1000, 1280):
        owner.set_viewport_size({"width": width, "height": 740})
        box = owner.get_by_role("button", name="Copy").first.bounding_box()
        assert box["x"] + box["width"] <= width, width


def test_tables_that_go_on_beyond_the_screen_show_a_shadow(owner, answered):
    owner.set_viewport_size({"width": 360, "height": 740})
    owner.goto(f"/c/{answered.id}/workers")
    wait_for_parts(owner)
    place = owner.locator(".list .scroll")
    assert place.evaluate("node => node.scrollWidth > node.clientWidth")
    assert "scroll" in place.evaluate("node => getComputedStyle(node).backgroundAttachment")
    name = owner.get_by_role("link", name="ann")
    assert name.evaluate("node => node.getClientRects().length") == 1


def test_the_sample_follows_the_switch_of_markdown(owner):
    owner.goto("/new")
    table = {"name": "i.csv", "mimeType": "text/csv", "buffer": b"id,text\na,**bold**\nb,x\n"}
    owner.locator("input[name=files]").set_input_files(table)
    expect(owner.locator(".sample")).to_contain_text("**bold**")
    owner.locator("#group-pages").evaluate("fold => fold.open = true")
    owner.locator("input[name='pages.markdown']").check()
    expect(owner.locator(".sample strong")).to_have_text("bold")
    owner.locator("input[name='pages.markdown']").uncheck()
    expect(owner.locator(".sample")).to_contain_text("**bold**")


def test_problems_of_owners_are_readable_for_all(owner, watched_owner):
    watched_owner.forgive("404")
    owner.goto("/c/nope")
    expect(owner.get_by_role("link", name="All campaigns")).to_be_visible()
    expect_readable(owner, SCREENS)
