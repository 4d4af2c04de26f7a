from __future__ import annotations

import re
from io import BytesIO

import pytest
from PIL import Image

from hodgerank.campaign.items import CampaignItem
from server.pages.owning import HOSTILE, answer


def png(colour="red"):
    content = BytesIO()
    Image.new("RGB", (8, 8), colour).save(content, "PNG")
    return content.getvalue()


def numbers(html):
    return [int(number) for number in re.findall(r'name="item" value="(\d+)"', html)]


def test_items_stand_in_the_order_of_the_ranking(owned):
    campaign = owned.campaign({"tea": "Hot", "milk": "Cold", "cola": "Sweet"})
    answer(campaign, 6)
    html = owned.page("c", campaign.id, "items", "table")
    order = {item.id: number for number, item in enumerate(campaign.items)}
    assert numbers(html) == [order[item] for item in campaign.ranking().items]
    assert "Sweet" in html


def test_before_any_answer_items_stand_as_they_were_listed(owned):
    html = owned.page("c", owned.campaign().id, "items", "table")
    assert numbers(html) == [0, 1, 2]


@pytest.mark.slow
def test_a_thousand_items_are_shown_with_lazy_pictures(owned):
    items = [CampaignItem(f"i{k}", media=f"https://example.org/{k}.png") for k in range(1000)]
    campaign = owned.campaign(items)
    html = owned.page("c", campaign.id, "items", "table")
    assert len(numbers(html)) == 1000
    assert html.count('loading="lazy"') == 1000


def test_other_origins_may_show_pictures_on_the_page(owned):
    items = [CampaignItem(f"i{k}", media=f"https://example.org/{k}.png") for k in range(2)]
    campaign = owned.campaign(items)
    policy = owned.client.get(f"/c/{campaign.id}/items").headers["content-security-policy"]
    assert "img-src 'self' https://example.org" in policy


def test_items_are_retired_and_restored(owned):
    campaign = owned.campaign()
    reply = owned.post("c", campaign.id, "items", "retire", item=["0", "2"])
    assert reply.headers["location"].endswith("/items?done=retire")
    assert campaign.retired == ["tea", "cola"]
    assert ">retired<" in owned.page("c", campaign.id, "items", "table")
    owned.post("c", campaign.id, "items", "restore", item="2")
    assert campaign.retired == ["tea"]


def test_numbers_of_no_item_do_nothing(owned):
    campaign = owned.campaign()
    for wrong in ("9", "-1", "x", "9" * 5000):
        reply = owned.post("c", campaign.id, "items", "retire", item=wrong)
        assert reply.headers["location"].endswith("done=nothing")
    assert owned.page("c", campaign.id, "items", "9", status=404)


def test_lines_become_items_after_a_look(owned):
    campaign = owned.campaign()
    html = owned.post("c", campaign.id, "items", "preview", lines="water\n\njuice").text
    assert "2 items." in html
    assert len(campaign.items) == 3
    reply = owned.post("c", campaign.id, "items", "add", lines="water\r\n\r\njuice")
    assert reply.headers["location"].endswith("done=add")
    assert [item.id for item in campaign.items[3:]] == ["water", "juice"]


def test_an_item_that_is_there_already_is_refused_in_words(owned):
    campaign = owned.campaign()
    reply = owned.post("c", campaign.id, "items", "add", lines="tea")
    assert reply.status_code == 422
    assert "The item tea exists already" in reply.text
    assert "tea</textarea>" in reply.text


def test_names_that_are_taken_are_told_in_the_preview(owned):
    campaign = owned.campaign()
    html = owned.post("c", campaign.id, "items", "preview", lines="tea\nrum").text
    assert "tea is already in this campaign" in html


def test_to_add_nothing_is_told(owned):
    campaign = owned.campaign()
    reply = owned.post("c", campaign.id, "items", "add", lines=" ")
    assert "There are no items to add" in reply.text


def test_uploaded_items_are_looked_at_before_they_join(owned):
    campaign = owned.campaign()
    files = [("files", ("water.png", png())), ("files", ("juice.png", png("blue")))]
    html = owned.post("c", campaign.id, "items", "add", files=files).text
    assert len(campaign.items) == 3
    [staged] = re.findall(r'name="staged" value="(\w+)"', html)
    owned.post("c", campaign.id, "items", "add", staged=staged)
    added = campaign.items[3:]
    assert sorted(item.id for item in added) == ["juice", "water"]
    name = added[0].media.removeprefix("media:")
    assert owned.client.get(f"/media/{campaign.id}/{name}").status_code == 200


def test_text_and_picture_of_an_item_are_changed(owned):
    campaign = owned.campaign()
    reply = owned.post(
        "c", campaign.id, "items", "1", text="Milk,\r\nwarm", files={"file": ("m.png", png())}
    )
    assert reply.headers["location"].endswith("/items?done=edit")
    milk = campaign.items[1]
    assert milk.text == "Milk,\nwarm"
    assert milk.media in owned.context.media


def test_a_file_that_is_no_picture_is_refused_in_words(owned):
    campaign = owned.campaign()
    files = {"file": ("m.svg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")}
    reply = owned.post("c", campaign.id, "items", "1", text="", files=files)
    assert reply.status_code == 422
    assert "SVG" in reply.text
    assert campaign.items[1].media == ""


def test_hostile_items_are_text(owned):
    items = [
        CampaignItem(f"{HOSTILE}{k}", text=HOSTILE, track=f"{HOSTILE}{k % 2}") for k in (1, 2, 3)
    ]
    campaign = owned.campaign(items)
    answer(campaign, 1)
    for parts in (["table"], ["0"]):
        assert "&lt;script&gt;" in owned.page("c", campaign.id, "items", *parts)


def test_a_path_of_a_machine_is_told_not_shown(owned):
    campaign = owned.campaign([CampaignItem("a", media="/etc/passwd"), CampaignItem("b")])
    assert "This file cannot be shown" in owned.page("c", campaign.id, "items", "0")
